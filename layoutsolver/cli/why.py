"""`layoutsolver why`: why a value has its layout, and what speaks against the others."""

from __future__ import annotations

import argparse

from layoutsolver.api import solve
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import asks_for_vmi, read_inputs, solve_options
from layoutsolver.cli.main import EXIT_OK, worst
from layoutsolver.cli.messages import print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.cli.solve import exit_status
from layoutsolver.explain.why import values_named, why, why_text


def run(options: argparse.Namespace) -> int:
    """Answer for every value of that name, in all parts of the input."""
    solver_options = solve_options(options)
    inputs = read_inputs(options)
    if asks_for_vmi(options, inputs, solver_options.target):
        from layoutsolver.cli.vmi.why import run as run_vmi

        return run_vmi(options, inputs, solver_options)
    status = EXIT_OK
    answers: list[str] = []
    names: dict[str, None] = {}
    for source in inputs.sources:
        result = solve(source, solver_options)
        print_diagnostics(options, result.diagnostics)
        status = worst(status, exit_status(result))
        if result.posed is None or result.solution is None or not result.solution.layouts:
            continue
        names.update(dict.fromkeys(value.id for value in result.posed.problem.values))
        for value in values_named(result.posed, options.value):
            answers.append(why_text(why(result.posed, result.solution, value, solver_options.limits)))
    if not answers and status == EXIT_OK:
        raise UsageError(f"no vector `{options.value}`: there are {', '.join(names) or 'none'}")
    return deliver(options.output, "\n".join(answers), status)
