"""`layoutsolver why`: why a value has its layout, and what speaks against the others."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from layoutsolver.api import solve
from layoutsolver.cli.inputs import asks_for_vmi, read_inputs, solve_options
from layoutsolver.cli.messages import in_order
from layoutsolver.cli.solve import exit_status
from layoutsolver.cli.why_answers import WhyAnswer, answer_of, deliver_answers
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.explain.why import Why, values_named, why, why_text

if TYPE_CHECKING:
    from layoutsolver.report import Outcome


def run(options: argparse.Namespace) -> int:
    """Answer for every value of that name, in all parts of the input."""
    solver_options = solve_options(options)
    inputs = read_inputs(options)
    if asks_for_vmi(options, inputs, solver_options.target):
        from layoutsolver.cli.vmi.why import run as run_vmi

        return run_vmi(options, inputs, solver_options)
    answers: list[WhyAnswer] = []
    names: dict[str, None] = {}
    for source in inputs.sources:
        result = solve(source, solver_options)
        found: list[Why] = []
        if result.posed is not None and result.solution is not None and result.solution.layouts:
            names.update(dict.fromkeys(value.id for value in result.posed.problem.values))
            values = values_named(result.posed, options.value)
            found = [why(result.posed, result.solution, value, solver_options.limits) for value in values]
        status, said = exit_status(result), in_order(result.diagnostics)
        document = partial(_document, source.name, found, said)
        answers.append(answer_of(options, found, said, status, why_text, document))
    return deliver_answers(options, names, answers)


def _document(name: str, found: list[Why], said: list[Diagnostic], outcome: Outcome) -> object:
    from layoutsolver.report_why import report

    return report(name, outcome, found, said)
