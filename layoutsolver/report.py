"""The answer of a solve as one JSON document: what was decided for every vector and operation, and what was said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from layoutsolver.api import SolveResult
from layoutsolver.diagnostics.diagnostic import Diagnostic, Fix, Label

Outcome = Literal["done", "refused", "unreadable", "limit"]

OUTCOMES: dict[int, Outcome] = {0: "done", 1: "refused", 3: "unreadable", 4: "limit"}
"""What exit statuses of the command line mean in documents; all others are no answers."""


@dataclass(frozen=True, slots=True)
class ReportValue:
    """A vector and its layout."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    value: str
    type: str
    layout: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ReportOp:
    """An operation: the rule that was chosen for it, its functionType, what it costs and how often it runs."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    op: str
    line: int
    column: int
    rule: str
    functionType: str | None
    instructions: int
    runs: int


@dataclass(frozen=True, slots=True)
class ReportLabel:
    """A place that a diagnostic speaks of; columns count code points from 1, the end is behind the last one."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class ReportEdit:
    """A replacement of the text from one place to another (an insertion where they are the same)."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    line: int
    column: int
    end_line: int
    end_column: int
    new_text: str


@dataclass(frozen=True, slots=True)
class ReportFix:
    """A change that helps: what it does, the instructions it executes, and whether it was solved again with it."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    title: str
    cost: int | None
    verified: bool
    edits: tuple[ReportEdit, ...]


@dataclass(frozen=True, slots=True)
class ReportDiagnostic:
    """A diagnostic; `primary` is None where no place can be named."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    code: str
    severity: Literal["error", "warning", "note"]
    message: str
    primary: ReportLabel | None
    secondary: tuple[ReportLabel, ...]
    notes: tuple[str, ...]
    fixes: tuple[ReportFix, ...]
    minimal: bool


@dataclass(frozen=True, slots=True)
class SolveReport:
    """Status, cost (extra instructions, weighted by how often they run) and its proved bound, and all decisions."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    file: str
    status: Literal["optimal", "feasible", "infeasible", "unknown", "invalid"]
    chip: str
    cost: int
    bound: int
    verdict: str
    values: tuple[ReportValue, ...]
    ops: tuple[ReportOp, ...]
    diagnostics: tuple[ReportDiagnostic, ...]
    text: str | None = None
    schema: Literal["layoutsolver/solve-report/1"] = "layoutsolver/solve-report/1"


def report(result: SolveResult, text: str | None = None) -> SolveReport:
    """The report of a result; `text` is the annotated file, if it was asked for."""
    posed, solution = result.posed, result.solution
    diagnostics = tuple(report_diagnostic(item) for item in result.diagnostics)
    name = result.module.source.name
    if posed is None or solution is None:
        return SolveReport(name, "invalid", "", 0, 0, "", (), (), diagnostics)
    values: list[ReportValue] = []
    ops: list[ReportOp] = []
    if solution.layouts:
        for number, layout in enumerate(solution.layouts):
            known = posed.graph.values[posed.value_of[number]]
            place = result.module.source.position(known.span.start)
            if known.vector is not None:
                values.append(ReportValue(known.name, known.type.text, layout, place.line, place.column))
        for number, row_number in enumerate(solution.rows):
            relation = posed.problem.relations[number]
            row = posed.problem.tables[relation.table].rows[row_number]
            line, column = (relation.where.line, relation.where.column) if relation.where else (0, 0)
            dist = row.attrs.get("functionType")
            ops.append(ReportOp(relation.op, line, column, row.rule, dist, row.cost, relation.weight))
    return SolveReport(
        name, solution.status, posed.chip, solution.cost, solution.bound, result.verdict,
        tuple(values), tuple(ops), diagnostics, text,
    )  # fmt: skip


def report_diagnostic(item: Diagnostic) -> ReportDiagnostic:
    """A diagnostic with its places as line and column."""
    primary = report_label(item.primary) if item.primary is not None else None
    secondary = tuple(report_label(label) for label in item.secondary)
    fixes = tuple(report_fix(item, fix) for fix in item.fixes)
    return ReportDiagnostic(item.code, item.severity, item.message, primary, secondary, item.notes, fixes, item.minimal)


def report_fix(item: Diagnostic, fix: Fix) -> ReportFix:
    """A fix with its edits as line and column; without a primary label there is no file to edit."""
    edits: list[ReportEdit] = []
    if item.primary is not None:
        source = item.primary.source
        for edit in fix.edits:
            start, end = source.position(edit.span.start), source.position(edit.span.end)
            edits.append(ReportEdit(start.line, start.column, end.line, end.column, edit.new_text))
    return ReportFix(fix.title, fix.cost, fix.verified, tuple(edits))


def report_label(label: Label) -> ReportLabel:
    """A label's place as line and column."""
    start = label.source.position(label.span.start)
    end = label.source.position(label.span.end)
    return ReportLabel(label.source.name, start.line, start.column, end.line, end.column, label.text)
