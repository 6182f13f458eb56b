"""Why values have their layouts as JSON documents, of `ave.hir` and of VMI."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.explain import vmi_why, why
from layoutsolver.report import Outcome, ReportDiagnostic, report_diagnostic


@dataclass(frozen=True, slots=True)
class WhyReportOther:
    """A layout that a value does not have.

    `extra` is what it would cost more, None where it is impossible, for the `reasons`, or where a limit was reached
    before that was known (`unknown`). `preferred` is whether it costs the same and comes later in preference.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    layout: str
    extra: int | None
    preferred: bool
    unknown: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WhyReportValue:
    """A vector, its layout, and all others of its element width."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    value: str
    line: int
    column: int
    layout: str
    others: tuple[WhyReportOther, ...]


@dataclass(frozen=True, slots=True)
class WhyReport:
    """All values of the name that was asked for; `text` says the same to people."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    file: str
    outcome: Outcome
    values: tuple[WhyReportValue, ...]
    diagnostics: tuple[ReportDiagnostic, ...]
    text: str | None = None
    schema: Literal["layoutsolver/why-report/1"] = "layoutsolver/why-report/1"


@dataclass(frozen=True, slots=True)
class VmiWhyReportOther:
    """A layout in which a value of VMI is not made: what that would cost more on each pipe, or why it cannot be.

    `reason` is empty where it is possible. `proved` is whether there is nothing cheaper, or that it cannot be.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    layout: str
    pipes: dict[str, int]
    busiest: int
    total: int
    registers: int
    proved: bool
    reason: str


@dataclass(frozen=True, slots=True)
class VmiWhyReportValue:
    """A vector of VMI, the layouts in which it is made and to which it is converted, and all others."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    value: str
    line: int
    made: tuple[str, ...]
    converted: tuple[str, ...]
    busiest: int
    others: tuple[VmiWhyReportOther, ...]


@dataclass(frozen=True, slots=True)
class VmiWhyReport:
    """All values of the name that was asked for; `text` says the same to people."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    file: str
    outcome: Outcome
    values: tuple[VmiWhyReportValue, ...]
    diagnostics: tuple[ReportDiagnostic, ...]
    text: str | None = None
    schema: Literal["layoutsolver/vmi-why-report/1"] = "layoutsolver/vmi-why-report/1"


def report(file: str, outcome: Outcome, found: Sequence[why.Why], said: Sequence[Diagnostic]) -> WhyReport:
    """The report of one file."""
    text = "\n".join(map(why.why_text, found)) or None
    return WhyReport(file, outcome, tuple(map(_value, found)), tuple(map(report_diagnostic, said)), text)


def vmi_report(file: str, outcome: Outcome, found: Sequence[vmi_why.Why], said: Sequence[Diagnostic]) -> VmiWhyReport:
    """The report of one file of VMI."""
    text = "\n".join(map(vmi_why.why_text, found)) or None
    return VmiWhyReport(file, outcome, tuple(map(_vmi_value, found)), tuple(map(report_diagnostic, said)), text)


def _value(found: why.Why) -> WhyReportValue:
    others = tuple(
        WhyReportOther(one.layout, one.extra, one.preferred, one.unknown, one.reasons) for one in found.alternatives
    )
    return WhyReportValue(found.value, found.line, found.column, found.chosen, others)


def _vmi_value(found: vmi_why.Why) -> VmiWhyReportValue:
    others = tuple(
        VmiWhyReportOther(
            one.layout, dict(zip(found.pipes, one.more, strict=False)), one.busiest, one.total, one.registers,
            one.proved, one.reason,
        )
        for one in found.others
    )  # fmt: skip
    return VmiWhyReportValue(found.value, found.line, found.made, found.converted, found.busiest, others)
