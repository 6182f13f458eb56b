"""What was decided about banks as a JSON document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from layoutsolver.buckyball.banking import Banked
from layoutsolver.report import ReportDiagnostic, report_diagnostic
from layoutsolver_models.problems.banks import BankProblem, BankSolution


@dataclass(frozen=True, slots=True)
class BankReportFunction:
    """A function, its problem and the answer."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    name: str
    problem: BankProblem
    solution: BankSolution


@dataclass(frozen=True, slots=True)
class BankReport:
    """All that was decided about a program; `text` is the program with its banks, if there is one."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    file: str
    functions: tuple[BankReportFunction, ...]
    diagnostics: tuple[ReportDiagnostic, ...]
    text: str | None = None
    schema: Literal["layoutsolver/bank-report/1"] = "layoutsolver/bank-report/1"


def bank_report(file: str, banked: Banked) -> BankReport:
    """The report of a program."""
    return BankReport(
        file,
        tuple(BankReportFunction(one.name, one.problem, one.solution) for one in banked.functions),
        tuple(report_diagnostic(item) for item in banked.diagnostics),
        banked.text,
    )
