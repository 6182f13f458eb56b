"""Answers as documents: JSON, SARIF, GitHub commands, and the comparison with expected messages."""

from __future__ import annotations

import sys

from layoutsolver.api import SolveResult, annotate
from layoutsolver.cli.messages import in_order
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.source import SourceFile


def json_document(result: SolveResult, layouts: bool) -> str:
    """The report of a result on one line, with the annotated text if there is one."""
    from layoutsolver.report import report
    from layoutsolver_models.problems.json import to_json

    text = annotate(result, layouts) if result.ok else None
    return to_json(report(result, text)) + "\n"


def messages_document(form: str, diagnostics: list[Diagnostic]) -> str:
    """All messages as one document; `form` is `sarif` or `github`."""
    if form == "sarif":
        from layoutsolver.diagnostics.sarif import to_sarif

        return to_sarif(in_order(diagnostics))
    from layoutsolver.diagnostics.github import to_github

    return to_github(in_order(diagnostics))


def check_expected(source: SourceFile, diagnostics: list[Diagnostic]) -> bool:
    """Whether the messages are those that the file expects; says on standard error where not."""
    from layoutsolver.diagnostics.expected import unmet

    problems = unmet(source, in_order(diagnostics))
    for problem in problems:
        print(problem, file=sys.stderr)
    return not problems


def report_block(result: SolveResult) -> str:
    """The released analyzer's `No Solve` block, empty if it would not print one."""
    if result.posed is None or result.upstream is None or result.upstream.kind != "no_solve":
        return ""
    from layoutsolver.explain.upstream_report import upstream_report

    return upstream_report(result.posed, result.upstream.op)
