"""`layoutsolver banks`: place the banks of a program, or the buffers of a placement problem."""

from __future__ import annotations

import argparse

from layoutsolver.cli.errors import UsageError


def run(options: argparse.Namespace) -> int:
    """Run the question that the options name."""
    if options.placement:
        from layoutsolver.cli.placement import run as run_placement

        return run_placement(options)
    if options.capacity is not None:
        raise UsageError("--capacity is for --placement; --bank-num says how many banks there are")
    from layoutsolver.cli.buckyball.banks import run as run_banks

    return run_banks(options)
