"""What came of running a program, or two, on the hardware model as a JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.report import Outcome, ReportDiagnostic, report_diagnostic

if TYPE_CHECKING:
    from layoutsolver.verify.run import VerifyResult


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Whether a file agrees with its layouts (`other` is None), or with another file, and how much was compared.

    `agrees` is None where nothing could be run; `text` is the sentence for people, None where something differs.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    file: str
    other: str | None
    outcome: Outcome
    agrees: bool | None
    how: str
    runs: int
    bytes_compared: int
    vectors_compared: int
    diagnostics: tuple[ReportDiagnostic, ...]
    text: str | None = None
    schema: Literal["layoutsolver/verify-report/1"] = "layoutsolver/verify-report/1"


def report(
    file: str, other: str | None, outcome: Outcome, result: VerifyResult, said: Sequence[Diagnostic], text: str | None
) -> VerifyReport:
    """The report of one file, or of two; `said` are the messages of the result in the order in which they are shown."""
    done = result.verification
    agrees, counts = (None, (0, 0, 0)) if done is None else (
        result.ok, (done.runs, done.bytes_compared, done.vectors_compared)
    )  # fmt: skip
    return VerifyReport(
        file, other, outcome, agrees, result.how, *counts, tuple(map(report_diagnostic, said)), text
    )  # fmt: skip
