"""The answer of a solve of a VMI program as a JSON document: layouts, rules, conversions, costs, and what was said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from layoutsolver.api_vmi import VmiResult, annotate
from layoutsolver.pose.vmi.capacity import KINDS
from layoutsolver.report import ReportDiagnostic, report_diagnostic
from layoutsolver.vmi.arch import registers_of
from layoutsolver_models.problems.selection import bounded_sum, paid_each, paid_once


@dataclass(frozen=True, slots=True)
class VmiReportValue:
    """A vector or mask of the text with the layouts in which it is available, the one it is made in first."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    value: str
    type: str
    layouts: tuple[str, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class VmiReportOp:
    """An operation, or a conversion (`convert`): the layouts of its values, the rule, and its cost on each pipe.

    `once` is paid once, however often the operation runs.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    op: str
    line: int
    column: int
    operands: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, str], ...]
    rule: str
    cost: dict[str, int]
    once: dict[str, int]
    runs: int


@dataclass(frozen=True, slots=True)
class VmiReportSums:
    """Instructions on each pipe as often as they run, and the registers that are written."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    pipes: dict[str, int]
    busiest: int
    total: int
    registers: int


@dataclass(frozen=True, slots=True)
class VmiReportPeak:
    """The registers of a kind that are live at most once the program is lowered, how many there are (0: not known), the
    line of the operation, and what is live there: names with their registers.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    kind: Literal["vector", "predicate"]
    registers: int
    limit: int
    line: int
    live: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class VmiReportReleased:
    """The released compiler: the kind of its message (empty: it takes the program), the message, what it issues."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    kind: str
    message: str
    line: int
    sums: VmiReportSums | None


@dataclass(frozen=True, slots=True)
class VmiReport:
    """All decisions about a program of VMI."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    file: str
    status: Literal["optimal", "feasible", "infeasible", "unknown", "invalid"]
    bound: int
    sums: VmiReportSums | None
    values: tuple[VmiReportValue, ...]
    ops: tuple[VmiReportOp, ...]
    released: VmiReportReleased | None
    diagnostics: tuple[ReportDiagnostic, ...]
    text: str | None = None
    peaks: tuple[VmiReportPeak, ...] = ()
    schema: Literal["layoutsolver/vmi-report/1"] = "layoutsolver/vmi-report/1"


def report(result: VmiResult) -> VmiReport:
    """The report of a result, with the annotated text if there is one."""
    said = tuple(report_diagnostic(item) for item in result.diagnostics)
    name = result.module.source.name
    if result.posed is None or result.solution is None:
        return VmiReport(name, "invalid", 0, None, (), (), None, said)
    solution = result.solution
    if not result.ok:
        return VmiReport(name, solution.status, solution.bound, None, (), (), _released(result), said)
    total = bounded_sum(result.posed.problem, solution.load)
    sums = _sums(result, solution.load, solution.busiest, total, solution.registers)
    text = annotate(result)
    return VmiReport(
        name, solution.status, solution.bound, sums, _values(result), _ops(result), _released(result), said, text,
        _peaks(result),
    )  # fmt: skip


def _peaks(result: VmiResult) -> tuple[VmiReportPeak, ...]:
    if result.peaks is None or result.posed is None:
        return ()
    graph, source = result.posed.program.graph, result.module.source
    there = result.posed.registers or registers_of(graph)
    limits = dict(zip(KINDS, there, strict=True)) if there is not None else {}
    return tuple(
        VmiReportPeak(
            peak.kind, peak.registers, limits.get(peak.kind, 0),
            source.line_column(graph.ops[peak.op].span.start)[0] if peak.op >= 0 else 0, peak.live,
        )
        for peak in result.peaks
    )  # fmt: skip


def _sums(result: VmiResult, load: tuple[int, ...], busiest: int, total: int, registers: int) -> VmiReportSums:
    assert result.posed is not None
    pipes = dict(zip(result.posed.problem.pipes, load, strict=True))
    return VmiReportSums(pipes, busiest, total, registers)


def _values(result: VmiResult) -> tuple[VmiReportValue, ...]:
    """The vectors of the text, those that became one all with its layouts."""
    posed, solution = result.posed, result.solution
    assert posed is not None
    assert solution is not None
    available: dict[int, dict[str, None]] = {}
    for op, chosen in zip(posed.problem.ops, solution.variants, strict=True):
        for number in chosen:
            layouts = op.variants[number].layouts[len(op.operands) :]
            for value, layout in zip(op.results, layouts, strict=True):
                available.setdefault(value, {})[layout] = None
    for number in solution.conversions:
        way = posed.problem.conversions[number]
        available.setdefault(way.value, {})[way.after] = None
    out = []
    for index, number in posed.program.by_graph_value.items():
        known = posed.program.graph.values[index]
        if number in available:
            place = result.module.source.position(known.span.start)
            shown = VmiReportValue(known.name, known.type.text, tuple(available[number]), place.line, place.column)
            out.append(shown)
    return tuple(out)


def _ops(result: VmiResult) -> tuple[VmiReportOp, ...]:
    posed, solution = result.posed, result.solution
    assert posed is not None
    assert solution is not None
    problem = posed.problem
    out: list[VmiReportOp] = []
    each = paid_each(problem, solution.variants)
    for place, (op, chosen) in enumerate(zip(problem.ops, solution.variants, strict=True)):
        line, column = (op.where.line, op.where.column) if op.where is not None else (0, 0)
        names = [problem.values[value].id for value in (*op.operands, *op.results)]
        for number in chosen:
            variant = op.variants[number]
            ports = tuple(zip(names, variant.layouts, strict=True))
            cost = dict(zip(problem.pipes, each[place, number], strict=True))
            spent = paid_once(variant)
            once = dict(zip(problem.pipes, spent, strict=True)) if spent else {}
            taken, made = ports[: len(op.operands)], ports[len(op.operands) :]
            name = op.id.partition(" ")[0]
            out.append(VmiReportOp(name, line, column, taken, made, variant.rule, cost, once, op.weight))
    for number in solution.conversions:
        way = problem.conversions[number]
        value = problem.values[way.value]
        line, column = (value.where.line, value.where.column) if value.where is not None else (0, 0)
        cost = dict(zip(problem.pipes, way.cost, strict=True))
        before, after = ((value.id, way.before),), ((value.id, way.after),)
        out.append(VmiReportOp("convert", line, column, before, after, way.rule, cost, {}, way.weight))
    return tuple(out)


def _released(result: VmiResult) -> VmiReportReleased | None:
    released = result.released
    if released is None or result.posed is None:
        return None
    verdict, issued = released.found.verdict, released.issued
    line = 0
    if verdict.origin >= 0:
        span = result.posed.program.graph.ops[verdict.origin].span
        line, _ = result.module.source.line_column(span.start)
    sums = None
    if issued is not None:
        sums = _sums(result, issued.load, issued.busiest, issued.total, issued.registers)
    return VmiReportReleased(verdict.kind, verdict.message, line, sums)
