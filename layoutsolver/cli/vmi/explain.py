"""`layoutsolver explain` for programs of VMI."""

from __future__ import annotations

import argparse

from layoutsolver.api import SolveOptions
from layoutsolver.api_vmi import VmiResult, WishError, asked, solve
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import Inputs
from layoutsolver.cli.main import EXIT_OK, worst
from layoutsolver.cli.messages import in_order, messages_instead, style_for
from layoutsolver.cli.output import deliver
from layoutsolver.cli.vmi.options import vmi_options
from layoutsolver.cli.vmi.solve import exit_status
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.source import SourceFile

PASSED = "the passes take the program\n"


def run(options: argparse.Namespace, inputs: Inputs, known: SolveOptions) -> int:
    """Print why there are no layouts, as text or as a document; that nothing contradicts is an answer too."""
    if options.upstream_report:
        raise UsageError("--upstream-report is for programs of ave.hir")
    if options.passes is not None and options.format == "json":
        raise UsageError("--passes has messages for an answer: --format text, sarif or github")
    status = EXIT_OK
    said: list[Diagnostic] = []
    answers: list[str] = []
    expected = True
    for source in inputs.sources:
        result = _result(source, options, known)
        passed = options.passes is not None and not any(item.severity == "error" for item in result.diagnostics)
        status = worst(status, EXIT_OK if passed else exit_status(result))
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
        text += PASSED if options.passes else "nothing contradicts: every vector has a layout\n"
    return deliver(options.output, text, status)


def _result(source: SourceFile, options: argparse.Namespace, known: SolveOptions) -> VmiResult:
    """What is said of a text: of its layouts, or by passes of the released compiler."""
    if options.passes is not None:
        if known.compat != "upstream":
            raise UsageError("--passes are those of the released compiler: it goes with --compat upstream")
        names = [name.strip().lstrip("-") for name in options.passes.split(",") if name.strip()]
        try:
            return asked(source, names)
        except ValueError as error:
            raise UsageError(str(error)) from None
    try:
        return solve(source, vmi_options(options, known))
    except WishError as error:
        raise UsageError(str(error)) from None
