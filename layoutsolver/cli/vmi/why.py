"""`layoutsolver why` for programs of VMI."""

from __future__ import annotations

import argparse

from layoutsolver.api import SolveOptions
from layoutsolver.api_vmi import WishError, solve
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import Inputs
from layoutsolver.cli.main import EXIT_OK, worst
from layoutsolver.cli.messages import print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.cli.vmi.options import vmi_options
from layoutsolver.cli.vmi.solve import exit_status
from layoutsolver.explain.vmi_why import why, why_text
from layoutsolver.pose.vmi.wishes import values_named


def run(options: argparse.Namespace, inputs: Inputs, known: SolveOptions) -> int:
    """Answer for every value of that name, in all parts of the input."""
    status = EXIT_OK
    answers: list[str] = []
    names: dict[str, None] = {}
    for source in inputs.sources:
        try:
            chosen = vmi_options(options, known)
            result = solve(source, chosen)
        except WishError as error:
            raise UsageError(str(error)) from None
        print_diagnostics(options, result.diagnostics)
        status = worst(status, exit_status(result))
        if result.posed is None or result.solution is None or not result.ok:
            continue
        graph = result.posed.program.graph
        names.update(dict.fromkeys(graph.values[value].name for value in result.posed.program.by_graph_value))
        for value in values_named(result.posed, options.value):
            answers.append(why_text(why(result.posed, result.solution, value, chosen.limits)))
    if not answers and status == EXIT_OK:
        raise UsageError(f"no vector `{options.value}`: there are {', '.join(names) or 'none'}")
    return deliver(options.output, "\n".join(answers), status)
