"""Operations that do not do what they mean under the layouts that were chosen: the released analyzer does not look.

The same lane rules and refuted rows that the default mode keeps away from, and what it never poses.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.pose.ave_lanes import LaneJudge, Layouts, Wrong, cast_is_wrong, wrong
from layoutsolver.pose.ave_tables import refuted_rules
from layoutsolver.pose.posed import Posed
from layoutsolver_models.problems.layout import LayoutSolution
from layoutsolver_models.vecmem import DOMAINS, REGISTER_BYTES, VECMEM_TYPES, layout_width


def refuted(posed: Posed, solution: LayoutSolution) -> list[Diagnostic]:
    """A warning for each operation that the chosen layouts make do something else."""
    graph, source = posed.graph, posed.graph.module.source
    found = []
    for node, one in wrong_operations(posed, solution):
        notes = ["the released analyzer does not check this; without `--compat upstream` no such layouts are chosen"]
        notes += [one.help] if one.help else []
        found.append(Diagnostic(
            "LS0107", "warning", f"`{graph.ops[node].name}` does not do what it means under its layouts: {one.why}",
            Label(source, graph.ops[node].span, f"by {one.rule}"), notes=tuple(notes),
        ))  # fmt: skip
    return found


def wrong_operations(posed: Posed, solution: LayoutSolution) -> Iterator[tuple[int, Wrong]]:
    """The operations (graph indices) that do something else than they mean, and why."""
    graph = posed.graph
    layouts = {value: solution.layouts[number] for value, number in posed.number.items()}
    judge = LaneJudge(graph)
    rows = {op: found for op, found in _refuted_rows(posed, solution) if not _is_excused(judge, graph.ops[op])}
    for node in graph.ops:
        check = judge.check(node)
        found = rows.get(node.index) or (check(layouts) if check is not None else None)
        found = found or _width(graph, node, layouts)
        if found is None and (other := _OTHERS.get(node.name)) is not None:
            found = other(graph, node, layouts)
        if found is not None:
            yield node.index, found


def _is_excused(judge: LaneJudge, node: OpNode) -> bool:
    return node.name == "ave.hir.vgather" and judge.is_excused(node)


def _refuted_rows(posed: Posed, solution: LayoutSolution) -> Iterator[tuple[int, Wrong]]:
    reasons = {rule: why for rules in refuted_rules().values() for rule, why in rules.items()}
    for number, row in enumerate(solution.rows):
        rule = posed.problem.tables[posed.problem.relations[number].table].rows[row].rule
        if rule in reasons:
            yield posed.op_of_relation[number], Wrong(rule, reasons[rule])


def _width(graph: Graph, node: OpNode, layouts: Layouts) -> Wrong | None:
    """A result in a layout that is for elements of another width."""
    for value in node.results:
        vector = graph.values[value].vector
        layout = layouts.get(value, "")
        if vector is None or vector.bits is None or layout not in VECMEM_TYPES:
            continue
        if layout not in DOMAINS.get(layout_width(vector.bits), (layout,)):
            name, other = graph.values[value].name, VECMEM_TYPES[layout].bits
            return wrong("AVE.LANES.WIDTH", value=name, bits=vector.bits, other=other)
    return None


def _cast(graph: Graph, node: OpNode, layouts: Layouts) -> Wrong | None:
    return cast_is_wrong(node, layouts)


def _pltm(graph: Graph, node: OpNode, layouts: Layouts) -> Wrong | None:
    """The granularity that the compiler takes by the length of the vector, there being no functionType."""
    vector = graph.values[node.results[0]].vector
    if vector is None:
        return None
    step = max(1, min(4, REGISTER_BYTES // max(1, vector.lanes)))
    own = VECMEM_TYPES[layouts[node.results[0]]].lanes
    slots = REGISTER_BYTES // step
    return None if slots == own else wrong("AVE.LANES.PLTM", slots=slots, own=own)


def _results(graph: Graph, node: OpNode, layouts: Layouts) -> Wrong | None:
    return wrong("AVE.LANES.RESULTS") if len({layouts[value] for value in node.results}) > 1 else None


def _call(graph: Graph, node: OpNode, layouts: Layouts) -> Wrong | None:
    """A call whose sides have other layouts for what is passed or returned."""
    symbol = graph.calls.get(node.index, "")
    callee = graph.function_by_symbol().get(symbol)
    if callee is None or not callee.has_body:
        return None
    pairs = list(zip(node.operands, callee.arguments, strict=False))
    for ending in callee.returns:
        pairs += zip(node.results, graph.ops[ending].operands, strict=False)
    for here, there in pairs:
        given, taken = layouts.get(here, ""), layouts.get(there, "")
        if given and taken and given != taken:
            name = graph.values[here].name or "result"
            return wrong("AVE.LANES.CALL", value=name, given=given, taken=taken, symbol=symbol)
    return None


_OTHERS = {
    "ave.hir.preg.cast": _cast, "ave.hir.pltm": _pltm, "ave.hir.mull": _results, "func.call": _call, "call": _call,
}  # fmt: skip
