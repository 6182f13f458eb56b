"""`layoutsolver banks`: place the banks of a program, or the buffers of a placement problem."""

from __future__ import annotations

import argparse

from layoutsolver.cli.errors import UsageError


def run(options: argparse.Namespace) -> int:
    """Run the question that the options name."""
    if options.placement:
        from layoutsolver.cli.placement import run as run_placement

        return run_placement(options)
    raise UsageError("only placement problems (--placement) are solved so far")
