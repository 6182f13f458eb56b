"""What was decided of a VMI program as a table, with what each choice costs, and the released compiler's totals."""

from __future__ import annotations

from collections.abc import Sequence

from layoutsolver.api_vmi import Released, VmiResult
from layoutsolver.cli.table import render_table
from layoutsolver.pose.vmi.capacity import KINDS
from layoutsolver.vmi.arch import registers_of
from layoutsolver_models.problems.selection import Cost, Value, bounded_sum, paid_each, paid_once


def decision_table(result: VmiResult) -> str:
    """A row for each operation and conversion, and the sums."""
    posed, solution = result.posed, result.solution
    assert posed is not None
    assert solution is not None
    problem = posed.problem
    rows: list[list[str]] = []
    each = paid_each(problem, solution.variants)
    for place, (op, chosen) in enumerate(zip(problem.ops, solution.variants, strict=True)):
        line = str(op.where.line) if op.where is not None else ""
        for number in chosen:
            variant = op.variants[number]
            if not variant.rule.startswith("VMI.TIE") and variant.rule != "VMI.BOUNDARY":
                ports = [
                    f"{problem.values[value].id}:{layout}"
                    for value, layout in zip((*op.operands, *op.results), variant.layouts, strict=True)
                ]
                taken, made = ports[: len(op.operands)], ports[len(op.operands) :]
                written = zip(op.results, variant.layouts[len(op.operands) :], strict=True)
                registers = sum(_registers(result, value, layout) for value, layout in written)
                name = op.id.partition(" ")[0]
                shown = " ".join([*taken, *(["->"] if taken and made else []), *made])
                paid = _paid(each[place, number], paid_once(variant))
                rows.append([line, name, shown, str(registers or ""), variant.rule, *paid, str(op.weight)])
    for number in solution.conversions:
        way = problem.conversions[number]
        value = problem.values[way.value]
        line = str(value.where.line) if value.where is not None else ""
        shown = f"{value.id}:{way.before} -> {value.id}:{way.after}"
        registers = _registers(result, way.value, way.after)
        rows.append([line, "convert", shown, str(registers), way.rule, *_paid(way.cost, ()), str(way.weight)])
    rows.sort(key=lambda row: int(row[0] or 0))
    head = ["line", "operation", "layouts", "registers", "rule", *problem.pipes, "runs"]
    return render_table(head, rows, right=[0, 3, *range(5, 6 + len(problem.pipes))]) + "\n" + totals(result)


def totals(result: VmiResult) -> str:
    """The instructions on each pipe, ours and the released compiler's."""
    solution, posed = result.solution, result.posed
    assert solution is not None
    assert posed is not None
    rows: list[list[str]] = []
    what = "released compiler" if result.released is not None and solution.bound == 0 and not solution.proved else ""
    total = bounded_sum(posed.problem, solution.load)
    value = Value(solution.load, solution.busiest, total, solution.rest, solution.registers)
    rows.append([what or solution.status, *_sums(value)])
    released = result.released
    if released is not None and not what:
        if released.issued is not None:
            rows.append(["released compiler", *_sums(released.issued)])
        else:
            rows.append(["released compiler", *["-"] * (len(solution.load) + 3)])
    head = ["", *posed.problem.pipes, "busiest", "total", "registers"]
    text = render_table(head, rows, right=range(1, len(head)))
    if released is not None and not what and released.issued is None:
        text += f"the released compiler {_why_not(released)}\n"
    return text + _live(result)


def _live(result: VmiResult) -> str:
    """The registers that are live at most, and where."""
    if result.peaks is None or result.posed is None:
        return ""
    graph, source = result.posed.program.graph, result.module.source
    there = result.posed.registers or registers_of(graph)
    limits = dict(zip(KINDS, there, strict=True)) if there is not None else {}
    shown = []
    for peak in result.peaks:
        of = f" of {limits[peak.kind]}" if peak.kind in limits else ""
        line = f" (line {source.line_column(graph.ops[peak.op].span.start)[0]})" if peak.op >= 0 else ""
        shown.append(f"{peak.registers}{of} {peak.kind} registers{line}")
    return f"live at most: {', '.join(shown)}\n"


def _why_not(released: Released) -> str:
    verdict = released.found.verdict
    if verdict.ok:
        return f"has layouts that are no choice of the rules: {released.choice.missing}"
    return f"refuses the program ({verdict.kind}): {verdict.message}"


def _sums(value: Value) -> list[str]:
    return [*map(str, value.load), str(value.busiest), str(value.total), str(value.registers)]


def _paid(cost: Cost, once: Cost) -> list[str]:
    """The instructions on each pipe, those that are paid once behind a plus."""
    whole: Sequence[int] = once or (0,) * len(cost)
    return [
        "+".join(text for text in (str(each) if each else "", f"({first})" if first else "") if text)
        for each, first in zip(cost, whole, strict=True)
    ]


def _registers(result: VmiResult, value: int, layout: str) -> int:
    assert result.posed is not None
    known = result.posed.problem.values[value]
    return known.registers[known.layouts.index(layout)]
