"""`layoutsolver report`: a program, what is said of it, and its pictures as one HTML page."""

from __future__ import annotations

import argparse

from layoutsolver.cli.buckyball.target import bank_chip, is_of_banks
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import asks_for_vmi, limits_of, read_inputs, solve_options
from layoutsolver.cli.main import EXIT_INPUT, EXIT_LIMIT, EXIT_OK, EXIT_PROGRAM
from layoutsolver.cli.messages import in_order, print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.placement.csv import is_table


def run(options: argparse.Namespace) -> int:
    """Write the page; a program with errors has one too. Raises `UsageError`."""
    inputs = read_inputs(options)
    if len(inputs.sources) != 1:
        raise UsageError("one page shows one program: give each a file of its own")
    source = inputs.sources[0]
    if is_table(source.text) or is_of_banks(source, options.target):
        from layoutsolver.view.memory_page import banks_page, placement_page

        limits = limits_of(options)
        made = (
            placement_page(source, limits) if is_table(source.text) else banks_page(source, limits, bank_chip(options))
        )
        print_diagnostics(options, made.diagnostics)
        failed = any(item.severity == "error" for item in made.diagnostics)
        status = EXIT_INPUT if made.unreadable else EXIT_LIMIT if made.limited else EXIT_PROGRAM if failed else EXIT_OK
        return deliver(options.output, made.text, status)
    from layoutsolver.view.pictures import page_of, show

    solver_options = solve_options(options)
    shown = show(source, solver_options, asks_for_vmi(options, inputs, solver_options.target))
    shown.diagnostics = in_order(shown.diagnostics)
    print_diagnostics(options, shown.diagnostics)
    failed = any(item.severity == "error" for item in shown.diagnostics)
    status = EXIT_INPUT if shown.unreadable else EXIT_PROGRAM if failed else EXIT_OK
    return deliver(options.output, page_of(shown, solver_options), status)
