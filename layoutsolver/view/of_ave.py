"""What the pictures show of a solved `ave.hir` program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from layoutsolver.explain.layout_words import in_words
from layoutsolver.explain.why import Alternative, alternative
from layoutsolver.explain.words import group_words
from layoutsolver.view.candidates import Candidate, Row, Space
from layoutsolver.view.dataflow import Edge, Flow, Made, Node, titled, wants_of
from layoutsolver.view.lanes import Drawn
from layoutsolver_models.lanes.layout import data_map, mask_map
from layoutsolver_models.solve.compiled import Compiled, compile_problem
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.propagate import Removal, propagate
from layoutsolver_models.vecmem import DOMAINS, LAYOUTS, layout_width

if TYPE_CHECKING:
    from layoutsolver.api import SolveResult
    from layoutsolver.pose.posed import Posed


def space_of(result: SolveResult) -> Space:
    """The candidate space: what is left of each domain, what excludes the rest, what is chosen."""
    posed = _posed(result)
    problem = posed.problem
    compiled = compile_problem(problem)
    chosen = result.solution.layouts if result.solution is not None else ()
    state, removals = _left(compiled) if chosen else _left_by_each(compiled)

    def excluded(index: int, bit: int) -> Candidate:
        by = next((item.relation for item in removals if item.index == index and item.removed & bit), None)
        if by is None:
            return Candidate("excluded", "a tie or a pin", "a tie or a pin")
        node = posed.graph.ops[posed.op_of_relation[by]]
        line, _ = result.module.source.line_column(node.span.start)
        short = f"{node.name.removeprefix('ave.hir.')}, line {line}"
        return Candidate("excluded", group_words(posed, ("relation", by)), short)

    rows = []
    still: list[tuple[int, str]] = []
    for number, value in enumerate(problem.values):
        index = compiled.class_of[number]
        cells = {}
        for layout in value.domain:
            bit = 1 << compiled.layouts.index(layout)
            if chosen and chosen[number] == layout:
                cells[layout] = Candidate("chosen")
            elif state[index] & bit:
                cells[layout] = Candidate("possible")
                still.append((number, layout))
            else:
                cells[layout] = excluded(index, bit)
        for layout in DOMAINS.get(value.bits, ()):
            cells.setdefault(layout, Candidate("excluded", f"no room for {value.lanes} elements", "no room"))
        rows.append(Row(value.id, value.where.line if value.where is not None else 0, cells, value.bits == 1))
    if result.solution is not None and chosen and len(still) <= WEIGHED and len(problem.values) <= LARGEST:
        for number, layout in still:
            other = alternative(posed, result.solution, number, layout, Limits())
            rows[number].cells[layout] = _weighed(other)
    return Space(f"{result.module.source.name}: the layouts of each vector", LAYOUTS, tuple(rows), COSTS)


def _left(compiled: Compiled) -> tuple[list[int], list[Removal]]:
    """What the operations leave of each domain, one behind the other, and what each took."""
    state = list(compiled.start)
    removals: list[Removal] = []
    propagate(compiled, state, range(len(compiled.scopes)), removals=removals)
    return state, removals


def _left_by_each(compiled: Compiled) -> tuple[list[int], list[Removal]]:
    """What each operation excludes alone: where no layouts fit, the order would decide which of them is blamed."""
    state = list(compiled.start)
    removals = []
    for relation, scope in enumerate(compiled.scopes):
        before = tuple(compiled.start[index] for index in scope)
        for index, mask, left in zip(scope, before, compiled.revise(compiled.variants[relation], before), strict=True):
            if mask & ~left:
                removals.append(Removal(index, mask & ~left, relation))
                state[index] &= left
    return state, removals


WEIGHED, LARGEST = 24, 100
"""Costs are told of so many layouts, and of programs of at most so many vectors: each takes a solve."""


COSTS = "+N: the best program with this vector in that layout, all others chosen anew, executes N instructions more"


def _weighed(other: Alternative) -> Candidate:
    """What a layout would cost, or what contradicts it."""
    if other.extra is not None:
        return Candidate("possible", cost="=" if other.preferred else f"+{other.extra}")
    return Candidate("possible") if other.unknown else Candidate("excluded", "; ".join(other.reasons), "the rest")


def flow_of(result: SolveResult) -> Flow:
    """Operations on vectors and the vectors between them, with what contradicts each other."""
    posed = _posed(result)
    graph, problem = posed.graph, posed.problem
    layouts = result.solution.layouts if result.solution is not None else ()
    wrong = _contradicting(result, posed)
    shared = _shared(result, posed)
    rule: dict[int, str] = {}
    if result.solution is not None and layouts:
        for number, (relation, row) in enumerate(zip(problem.relations, result.solution.rows, strict=True)):
            rule[posed.op_of_relation[number]] = problem.tables[relation.table].rows[row].rule
    shown = [node for node in graph.ops if any(value in posed.number for value in (*node.operands, *node.results))]
    place = {node.index: number for number, node in enumerate(shown)}
    nodes = []
    edges = []
    source = result.module.source
    said = wants_of(result.diagnostics)
    for node in shown:
        hint = f"{node.name}: rule {rule[node.index]}" if node.index in rule else node.name
        line, _ = source.line_column(node.span.start)
        wants = said.get(node.span.start, "") if node.index in wrong else ""
        makes = tuple(
            Made(graph.values[value].name, layouts[posed.number[value]] if layouts else "", _bits(posed, value) == 1)
            for value in node.results
            if value in posed.number
        )
        nodes.append(Node(node.name.removeprefix("ave.hir."), line, hint, node.index in wrong, wants, makes))
        for value in dict.fromkeys(node.operands):
            maker = graph.values[value].op if value >= 0 else -1
            if value in posed.number and maker in place:
                layout = layouts[posed.number[value]] if layouts else ""
                bad = node.index in wrong and posed.number[value] in shared
                name, mask = graph.values[value].name, _bits(posed, value) == 1
                edges.append(Edge(place[maker], place[node.index], name, layout, wrong=bad, mask=mask))
    return Flow(titled(source.name, bool(layouts)), tuple(nodes), tuple(edges), LAYOUTS)


def annotated(result: SolveResult) -> str:
    """The program with its layouts."""
    from layoutsolver.api import annotate

    return annotate(result, layouts=True)


def _contradicting(result: SolveResult, posed: Posed) -> set[int]:
    """The operations of all conflicts."""
    groups = [group for conflict in result.conflicts for group in conflict.groups]
    relations = {posed.op_of_relation[index] for kind, index in groups if kind == "relation"}
    return relations | {posed.op_of_tie[index] for kind, index in groups if kind == "tie"}


def _shared(result: SolveResult, posed: Posed) -> set[int]:
    """The values that at least two operations or ties of one conflict touch."""
    out: set[int] = set()
    for conflict in result.conflicts:
        relations = [posed.problem.relations[index].values for kind, index in conflict.groups if kind == "relation"]
        ties = [posed.problem.ties[index].values for kind, index in conflict.groups if kind == "tie"]
        touched = [value for values in (*relations, *ties) for value in set(values)]
        out |= {value for value in touched if touched.count(value) > 1}
    return out


def lanes_of(result: SolveResult, line: int) -> list[list[Drawn]]:
    """The operands and the results of the operation of a line as they lie in registers; empty if there is none."""
    posed = _posed(result)
    if result.solution is None or not result.solution.layouts:
        return []
    source = result.module.source
    for node in posed.graph.ops:
        values = [value for value in (*node.operands, *node.results) if value in posed.number]
        if values and source.line_column(node.span.start)[0] == line:
            mask = next((value for value in node.operands if value in posed.number and _bits(posed, value) == 1), None)
            before = [
                _drawn(result, posed, value, None) for value in dict.fromkeys(node.operands) if value in posed.number
            ]
            after = [_drawn(result, posed, value, mask) for value in node.results if value in posed.number]
            return [column for column in (before, after) if column]
    return []


def _drawn(result: SolveResult, posed: Posed, value: int, mask: int | None) -> Drawn:
    assert result.solution is not None
    known = posed.problem.values[posed.number[value]]
    layout = result.solution.layouts[posed.number[value]]
    title = f"{known.id}  {posed.graph.values[value].type.text}  {in_words(layout)}"
    if known.bits == 1:
        return Drawn(title, mask_map(layout, known.lanes))
    data = data_map(layout, layout_width(known.bits), known.lanes)
    governs = None
    if mask is not None and data.arity == 1:
        bits = posed.problem.values[posed.number[mask]]
        governs = mask_map(result.solution.layouts[posed.number[mask]], bits.lanes)
    return Drawn(title, data, governs if governs is not None and governs.arity == data.arity else None)


def _bits(posed: Posed, value: int) -> int:
    return posed.problem.values[posed.number[value]].bits


def _posed(result: SolveResult) -> Posed:
    assert result.posed is not None, "only a program without errors has pictures"
    return result.posed
