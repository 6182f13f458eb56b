"""What fusion made of a program as a JSON document: counts of each stage, plans, what stayed apart, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from layoutsolver.api_fusion import FuseResult
from layoutsolver.explain.fusion import explanation
from layoutsolver.fusion.measure import measure
from layoutsolver.report import ReportDiagnostic, report_diagnostic
from layoutsolver_models.problems.fusion import FusionCost, FusionProblem, FusionSolution
from layoutsolver_models.solve.fusion_plan import settle
from layoutsolver_models.solve.fusion_search import greedy


@dataclass(frozen=True, slots=True)
class FusionReportStage:
    """The counts behind a stage: in the text, and (`run_…`, `turns`) when the program runs."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    stage: str
    regions: int
    loops: int
    loads: int
    stores: int
    run_loads: int
    run_stores: int
    turns: int


@dataclass(frozen=True, slots=True)
class FusionReportBlock:
    """One list of loops: the problem, the answer, and what the greedy plan costs."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    problem: FusionProblem
    solution: FusionSolution
    greedy: FusionCost


@dataclass(frozen=True, slots=True)
class FusionReport:
    """All that was decided about a program."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    file: str
    stages: tuple[FusionReportStage, ...]
    blocks: tuple[FusionReportBlock, ...]
    explanation: tuple[ReportDiagnostic, ...]
    diagnostics: tuple[ReportDiagnostic, ...]
    text: str | None = None
    schema: Literal["layoutsolver/fusion-report/1"] = "layoutsolver/fusion-report/1"


def report(result: FuseResult) -> FusionReport:
    """The report of a result."""
    codes = [] if result.start is None else [("input", result.start), *result.stages.items()]
    stages = tuple(FusionReportStage(name, *measure(code, result.assumed_turns)) for name, code in codes)
    blocks = tuple(
        FusionReportBlock(
            one.posed.problem, one.solution, settle(one.posed.problem, greedy(one.posed.problem)).cost
        )
        for one in result.blocks
    )  # fmt: skip
    said = tuple(report_diagnostic(item) for item in result.diagnostics)
    reasons = tuple(report_diagnostic(item) for item in explanation(result))
    return FusionReport(result.module.source.name, stages, blocks, reasons, said, result.text)
