"""`layoutsolver explain` for programs of VMI."""

from __future__ import annotations

import argparse

from layoutsolver.api import SolveOptions
from layoutsolver.api_vmi import WishError, solve
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import Inputs
from layoutsolver.cli.main import EXIT_OK, worst
from layoutsolver.cli.messages import in_order, messages_instead, style_for
from layoutsolver.cli.output import deliver
from layoutsolver.cli.vmi.options import vmi_options
from layoutsolver.cli.vmi.solve import exit_status
from layoutsolver.diagnostics.diagnostic import Diagnostic


def run(options: argparse.Namespace, inputs: Inputs, known: SolveOptions) -> int:
    """Print why there are no layouts, as text or as a document; that nothing contradicts is an answer too."""
    if options.upstream_report:
        raise UsageError("--upstream-report is for programs of ave.hir")
    status = EXIT_OK
    said: list[Diagnostic] = []
    answers: list[str] = []
    expected = True
    for source in inputs.sources:
        try:
            result = solve(source, vmi_options(options, known))
        except WishError as error:
            raise UsageError(str(error)) from None
        status = worst(status, exit_status(result))
        said += in_order(result.diagnostics)
        if options.verify_diagnostics:
            from layoutsolver.cli.documents import check_expected

            expected &= check_expected(source, result.diagnostics)
        if options.format == "json":
            from layoutsolver.report_vmi import report
            from layoutsolver_models.problems.json import to_json

            answers.append(to_json(report(result)) + "\n")
    done = messages_instead(options, said, expected, status)
    if done is not None:
        return done
    if options.format == "json":
        return deliver(options.output, "".join(answers), status)
    from layoutsolver.diagnostics.text import render

    text = render(said, style_for(options)) if said else ""
    if all(item.severity == "note" for item in said):
        text += "nothing contradicts: every vector has a layout\n"
    return deliver(options.output, text, status)
