"""`layoutsolver solve`: decide layouts, write them into the program."""

from __future__ import annotations

import argparse

from layoutsolver.api import SolveResult, annotate, solve
from layoutsolver.cli.inputs import InputError, UsageError, read_inputs, solve_options
from layoutsolver.cli.main import EXIT_INPUT, EXIT_LIMIT, EXIT_OK, EXIT_PROGRAM, worst
from layoutsolver.cli.messages import print_diagnostics, usage_error
from layoutsolver.cli.output import deliver


def run(options: argparse.Namespace) -> int:
    """Solve each part of the input; write all answers, or none if one of them is missing."""
    try:
        solver_options = solve_options(options)
        inputs = read_inputs(options)
    except UsageError as error:
        return usage_error(str(error))
    except InputError as error:
        print_diagnostics(options, [error.diagnostic])
        return EXIT_INPUT
    status = EXIT_OK
    answers: list[str] = []
    for source in inputs.sources:
        result = solve(source, solver_options)
        status = worst(status, exit_status(result))
        if options.format == "json":
            answers.append(_json(result, options.layouts))
            continue
        print_diagnostics(options, result.diagnostics)
        if result.ok:
            answers.append(_table(result) if options.table else annotate(result, options.layouts))
    if len(answers) < len(inputs.sources):
        return status
    if options.format == "json":
        return deliver(options.output, "".join(answers), status)
    return deliver(options.output, "\n".join(answers) if options.table else inputs.joined(answers), status)


def exit_status(result: SolveResult) -> int:
    """The exit status that a result stands for."""
    if result.unreadable:
        return EXIT_INPUT
    if result.solution is not None and result.solution.status in ("unknown", "feasible"):
        return EXIT_LIMIT
    return EXIT_OK if result.ok else EXIT_PROGRAM


def _table(result: SolveResult) -> str:
    from layoutsolver.cli.table import decision_table

    return decision_table(result)


def _json(result: SolveResult, layouts: bool) -> str:
    from layoutsolver.report import report
    from layoutsolver_models.problems.json import to_json

    text = annotate(result, layouts) if result.ok else None
    return to_json(report(result, text)) + "\n"
