"""`layoutsolver report`: a program, what is said of it, and its pictures as one HTML page."""

from __future__ import annotations

import argparse

from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import asks_for_vmi, read_inputs, solve_options
from layoutsolver.cli.main import EXIT_INPUT, EXIT_OK, EXIT_PROGRAM
from layoutsolver.cli.messages import in_order
from layoutsolver.cli.output import deliver


def run(options: argparse.Namespace) -> int:
    """Write the page; a program with errors has one too. Raises `UsageError`."""
    from layoutsolver.view.pictures import page_of, show

    solver_options = solve_options(options)
    inputs = read_inputs(options)
    if len(inputs.sources) != 1:
        raise UsageError("one page shows one program: give each a file of its own")
    shown = show(inputs.sources[0], solver_options, asks_for_vmi(options, inputs, solver_options.target))
    shown.diagnostics = in_order(shown.diagnostics)
    failed = any(item.severity == "error" for item in shown.diagnostics)
    status = EXIT_INPUT if shown.unreadable else EXIT_PROGRAM if failed else EXIT_OK
    return deliver(options.output, page_of(shown), status)
