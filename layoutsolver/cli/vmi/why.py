"""`layoutsolver why` for programs of VMI."""

from __future__ import annotations

import argparse

from layoutsolver.api import SolveOptions
from layoutsolver.api_vmi import WishError, solve
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import Inputs
from layoutsolver.cli.messages import in_order
from layoutsolver.cli.vmi.options import vmi_options
from layoutsolver.cli.vmi.solve import exit_status
from layoutsolver.cli.why_answers import WhyAnswer, deliver_answers
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.explain.vmi_why import Why, why, why_text
from layoutsolver.pose.vmi.wishes import values_named


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
        if options.format == "json":
            written = _document(source.name, status, found, said)
        else:
            written = "\n".join(map(why_text, found))
        answers.append(WhyAnswer(written, len(found), said, status))
    return deliver_answers(options, names, answers)


def _document(name: str, status: int, found: list[Why], said: list[Diagnostic]) -> str:
    from layoutsolver.report import OUTCOMES
    from layoutsolver.report_why import vmi_report
    from layoutsolver_models.problems.json import to_json

    return to_json(vmi_report(name, OUTCOMES[status], found, said)) + "\n"
