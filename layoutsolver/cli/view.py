"""`layoutsolver view`: a picture of a program and its layouts as SVG."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import asks_for_vmi, read_inputs, solve_options
from layoutsolver.cli.main import EXIT_INPUT, EXIT_PROGRAM
from layoutsolver.cli.messages import print_diagnostics
from layoutsolver.cli.output import deliver

if TYPE_CHECKING:
    from layoutsolver.view.svg import Picture


def run(options: argparse.Namespace) -> int:
    """Draw one picture of one program. Raises `UsageError`."""
    from layoutsolver.view.pictures import NoPictureError, Shown, show

    solver_options = solve_options(options)
    inputs = read_inputs(options)
    if len(inputs.sources) != 1:
        raise UsageError("one picture shows one program: give each a file of its own")
    shown: Shown = show(inputs.sources[0], solver_options, asks_for_vmi(options, inputs, solver_options.target))
    print_diagnostics(options, shown.diagnostics)
    if shown.unreadable:
        return EXIT_INPUT
    try:
        picture: Picture = shown.picture(options.show, options.line or 0)
    except NoPictureError as error:
        if any(item.severity == "error" for item in shown.diagnostics):
            return EXIT_PROGRAM
        raise UsageError(str(error)) from None
    return deliver(options.output, picture.svg())
