"""`layoutsolver view`: a picture of a program and its layouts as SVG."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from layoutsolver.cli.buckyball.target import bank_chip, is_of_banks
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import Inputs, asks_for_vmi, limits_of, read_inputs, solve_options
from layoutsolver.cli.main import EXIT_INPUT, EXIT_PROGRAM
from layoutsolver.cli.messages import print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.placement.csv import is_table

if TYPE_CHECKING:
    from layoutsolver.diagnostics.diagnostic import Diagnostic
    from layoutsolver.view.svg import Picture


def run(options: argparse.Namespace) -> int:
    """Draw one picture of one program. Raises `UsageError`."""
    from layoutsolver.view.pictures import NoPictureError

    inputs = read_inputs(options)
    if len(inputs.sources) != 1:
        raise UsageError("one picture shows one program: give each a file of its own")
    try:
        picture, said = _draw(options, inputs)
    except NoPictureError as error:
        print_diagnostics(options, error.diagnostics)
        errors = [item for item in error.diagnostics if item.severity == "error"]
        if not errors:
            raise UsageError(str(error)) from None
        return EXIT_INPUT if any(item.code < "LS01" or item.code == "LS1020" for item in errors) else EXIT_PROGRAM
    print_diagnostics(options, said)
    return deliver(options.output, picture.svg())


QUESTION = re.compile(r"\b(?:func\.func|module|pto\.\w|ave\.hir\.\w)")
"""What programs have and tables of buffers do not."""


def _draw(options: argparse.Namespace, inputs: Inputs) -> tuple[Picture, list[Diagnostic]]:
    """The picture and what is to be said beside it. Raises `NoPictureError` and `UsageError`."""
    from layoutsolver.api import SolveOptions
    from layoutsolver.view.pictures import NoPictureError, banks_of, fusion_of, placement_of, show

    source = inputs.sources[0]
    if options.show == "memory":
        limits = limits_of(options)
        if is_of_banks(source, options.target):
            return banks_of(source, limits, bank_chip(options))
        if not is_table(source.text) and QUESTION.search(source.text):
            raise UsageError(f"`{source.name}` has no banks, and is no table of buffers: there is no memory to show")
        return placement_of(source, limits)
    if options.show == "fusion":
        turns = options.assume_trip_count
        return fusion_of(source, SolveOptions(assumed_trip_count=turns, limits=limits_of(options)))
    line = options.line or 0 if options.show == "lanes" else 0
    solver_options = solve_options(options)
    shown = show(source, solver_options, asks_for_vmi(options, inputs, solver_options.target))
    if shown.unreadable:
        raise NoPictureError("it cannot be read", shown.diagnostics)
    try:
        return shown.picture(options.show, line), shown.diagnostics
    except NoPictureError as error:
        raise NoPictureError(str(error), shown.diagnostics) from None
