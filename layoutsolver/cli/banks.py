"""`layoutsolver banks`: place the banks of a program, or the buffers of a placement problem."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from layoutsolver.cli.errors import UsageError


def run(options: argparse.Namespace) -> int:
    """Run the question that the options name."""
    _refuse(options)
    if options.placement:
        from layoutsolver.cli.placement import run as run_placement

        return run_placement(options)
    from layoutsolver.cli.buckyball.banks import run as run_banks

    return run_banks(options)


_OF_PROGRAMS: Mapping[str, object] = {
    "level": None, "bank_num": None, "bank_model": None, "distinct_arguments": False, "target": "auto", "table": False,
    "split_input_file": False,
}  # fmt: skip
"""Options that tables of buffers do not have, and what they are where nobody gives them."""

_OF_SOLVING: Mapping[str, object] = {"level": None, "distinct_arguments": False}
"""Options of programs that say nothing about banks that have their numbers already."""


def _refuse(options: argparse.Namespace) -> None:
    """Refuse options that would do nothing. Raises `UsageError`."""
    if options.capacity is not None and not options.placement:
        raise UsageError("--capacity is for --placement; --bank-num says how many banks there are")
    if options.placement:
        idle, why = _OF_PROGRAMS, "for programs of banks, not for the tables of --placement"
    elif options.check:
        idle, why = _OF_SOLVING, "says how banks are placed; --check takes them as they are"
    else:
        return
    given = [f"--{name.replace('_', '-')}" for name, usual in idle.items() if getattr(options, name) != usual]
    if given:
        raise UsageError(f"{', '.join(given)}: {why}")
