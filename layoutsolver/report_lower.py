"""What came of lowering a program as a JSON document: the text, and what was said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.report import Outcome, ReportDiagnostic, report_diagnostic


@dataclass(frozen=True, slots=True)
class LowerReport:
    """A program in the form `to`; `text` is None where there is none.

    With the outcome `limit` there is no text, or one whose layouts are not proved the best.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    file: str
    to: str
    outcome: Outcome
    diagnostics: tuple[ReportDiagnostic, ...]
    text: str | None = None
    schema: Literal["layoutsolver/lower-report/1"] = "layoutsolver/lower-report/1"


def report(file: str, to: str, outcome: Outcome, said: Sequence[Diagnostic], text: str | None) -> LowerReport:
    """The report of one file."""
    return LowerReport(file, to, outcome, tuple(map(report_diagnostic, said)), text)
