"""`layoutsolver why` for programs of VMI."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from layoutsolver.api import SolveOptions
from layoutsolver.api_vmi import WishError, solve
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import Inputs
from layoutsolver.cli.messages import in_order
from layoutsolver.cli.vmi.options import vmi_options
from layoutsolver.cli.vmi.solve import exit_status
from layoutsolver.cli.why_answers import WhyAnswer, answer_of, deliver_answers
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.explain.vmi_why import Why, why, why_text
from layoutsolver.pose.vmi.wishes import values_named

if TYPE_CHECKING:
    from layoutsolver.report import Outcome


def run(options: argparse.Namespace, inputs: Inputs, known: SolveOptions) -> int:
    """Answer for every value of that name, in all parts of the input."""
    answers: list[WhyAnswer] = []
    names: dict[str, None] = {}
    for source in inputs.sources:
        try:
            chosen = vmi_options(options, known)
            result = solve(source, chosen)
        except WishError as error:
            raise UsageError(str(error)) from None
        found: list[Why] = []
        if result.posed is not None and result.solution is not None and result.ok:
            graph = result.posed.program.graph
            names.update(dict.fromkeys(graph.values[value].name for value in result.posed.program.by_graph_value))
            values = values_named(result.posed, options.value)
            found = [why(result.posed, result.solution, value, chosen.limits) for value in values]
        status, said = exit_status(result), in_order(result.diagnostics)
        document = partial(_document, source.name, found, said)
        answers.append(answer_of(options, found, said, status, why_text, document))
    return deliver_answers(options, names, answers)


def _document(name: str, found: list[Why], said: list[Diagnostic], outcome: Outcome) -> object:
    from layoutsolver.report_why import vmi_report

    return vmi_report(name, outcome, found, said)
