"""What the pictures show of a solved program of VMI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from layoutsolver.explain.layout_words import bare, in_words
from layoutsolver.explain.vmi_why import Other, other
from layoutsolver.pose.vmi.ports import split_mask_layout
from layoutsolver.pose.vmi.reasons import reasons_of
from layoutsolver.view.candidates import Candidate, Row, Space
from layoutsolver.view.dataflow import Edge, Flow, Made, Node, titled, wants_of
from layoutsolver.view.lanes import Drawn
from layoutsolver_models.lanes.layout import data_map, mask_map
from layoutsolver_models.rules.vmi.layouts import LAYOUT_NAMES, layout_of
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import narrow

if TYPE_CHECKING:
    from layoutsolver.api_vmi import VmiResult
    from layoutsolver.pose.vmi.pose import PosedVmi
    from layoutsolver.vmi.program import VmiValue


def space_of(result: VmiResult) -> Space:
    """The candidate space: the layouts that rules can make each value in, and what keeps them from the others."""
    posed = _posed(result)
    problem = posed.problem
    left = narrow(problem)
    made, converted = _made(result)
    made_by = {value: _name(op.id) for op in problem.ops for value in op.results}
    rows = []
    still: list[tuple[int, str, dict[str, Candidate]]] = []
    for value, known in enumerate(problem.values):
        makers = [number for number, op in enumerate(problem.ops) if value in op.results]
        if not makers or known.where is None:
            continue
        possible: set[str] = set()
        reasons: list[str] = []
        for number in makers:
            op = problem.ops[number]
            port = len(op.operands) + op.results.index(value)
            possible |= {op.variants[variant].layouts[port] for variant in left.variants[number]}
            if posed.op_of[number] >= 0:
                found = reasons_of(posed.program.ops[posed.op_of[number]], posed.refused[number])
                reasons += [f"{', '.join(rules)}: {reason}" for reason, rules in found.items()]
        why = "; ".join(reasons) or "no rule that is left makes it"
        cells = {
            layout: Candidate("chosen") if layout in made.get(value, ())
            else Candidate("converted") if layout in converted.get(value, ())
            else Candidate("possible") if layout in possible
            else Candidate("excluded", why, f"no rule of {made_by[value]}")
            for layout in known.layouts
        }  # fmt: skip
        rows.append(Row(known.id, known.where.line, cells, posed.program.values[value].is_mask))
        still += [(value, layout, cells) for layout, cell in cells.items() if cell.state == "possible"]
    solution = result.solution
    if len(still) > WEIGHED:  # masks may lie in many layouts, and are the cheapest to make in any
        still = [one for one in still if not posed.program.values[one[0]].is_mask]
    if solution is not None and result.ok and len(still) <= WEIGHED and len(problem.values) <= LARGEST:
        for value, layout, cells in still:
            cells[layout] = _weighed(other(posed, solution, value, layout, Limits()))
    title = f"{result.module.source.name}: the layouts in which each vector is made"
    return Space(title, _names(result), tuple(rows), COSTS)


WEIGHED, LARGEST = 24, 100
"""Costs are told of so many layouts, and of programs of at most so many vectors: each takes a solve."""


COSTS = (
    "+N: the best program with this vector in that layout, all others chosen anew, takes the busiest pipe N "
    "instructions more; (+N): no more on that, N more in all"
)


def _weighed(found: Other) -> Candidate:
    """What a layout would cost, or what contradicts it."""
    if found.reason:
        return Candidate("excluded", found.reason, "the rest") if found.proved else Candidate("possible")
    if found.busiest > 0:
        return Candidate("possible", cost=f"+{found.busiest}")
    return Candidate("possible", cost=f"(+{found.total})" if found.total > 0 else "=")


def flow_of(result: VmiResult) -> Flow:
    """Operations and the vectors between them, with conversions, and with what contradicts each other."""
    posed = _posed(result)
    problem = posed.problem
    solved = result.ok and result.solution is not None
    solution = result.solution
    wrong = {group.number for group in solution.conflict if group.kind == "op"} if solution is not None else set()
    shared = [value for number in wrong for value in {*problem.ops[number].operands, *problem.ops[number].results}]
    shared = [value for value in shared if shared.count(value) > 1]
    makers = {value: number for number, op in enumerate(problem.ops) for value in op.results}
    shown = {number: place for place, number in enumerate(_shown(posed))}
    said = wants_of(result.diagnostics)
    nodes = []
    edges = []
    for number in shown:
        op = problem.ops[number]
        chosen = solution.variants[number] if solved and solution is not None else ()
        rules = ", ".join(op.variants[variant].rule for variant in chosen)
        name = _name(op.id)
        line = op.where.line if op.where is not None else 0
        origin = posed.program.ops[posed.op_of[number]].origin if posed.op_of[number] >= 0 else -1
        start = posed.program.graph.ops[origin].span.start if origin >= 0 else -1
        hint = f"{op.id}: {rules}" if rules else op.id
        wants = said.get(start, "") if number in wrong else ""
        makes = tuple(
            Made(problem.values[value].id, layout, posed.program.values[value].is_mask)
            for value in op.results
            for layout in _makes(result, number, value)[:1] or ("",)
        )
        nodes.append(Node(name, line, hint, number in wrong, wants, makes))
        for port, value in enumerate(op.operands):
            maker = makers.get(value, -1)
            if maker not in shown:
                continue
            wanted = op.variants[chosen[0]].layouts[port] if chosen else ""
            before = _makes(result, maker, value)
            layout = wanted if not before or wanted in before else before[0]
            bad = number in wrong and (maker in wrong or value in shared)
            name, mask = problem.values[value].id, posed.program.values[value].is_mask
            after = wanted if wanted != layout else ""
            edges.append(Edge(shown[maker], shown[number], name, layout, after, bad, mask))
    return Flow(titled(result.module.source.name, solved), tuple(nodes), tuple(edges), _names(result))


def lanes_of(result: VmiResult, line: int) -> list[list[Drawn]]:
    """The operands and the results of the operation of a line as they lie in registers; empty if there is none."""
    posed = _posed(result)
    if not result.ok or result.solution is None:
        return []
    for number in _shown(posed):
        op = posed.problem.ops[number]
        if posed.op_of[number] < 0 or op.where is None or op.where.line != line:
            continue
        variant = op.variants[result.solution.variants[number][0]]
        groups = posed.program.ops[posed.op_of[number]].attrs.get("num_groups", 1)
        drawn = [
            _drawn(posed, posed.program.values[value], layout, int(groups))
            for value, layout in zip((*op.operands, *op.results), variant.layouts, strict=True)
        ]
        columns = [drawn[: len(op.operands)], drawn[len(op.operands) :]]
        return [column for column in columns if column]
    return []


def annotated(result: VmiResult) -> str:
    """The program with its layouts."""
    from layoutsolver.api_vmi import annotate

    return annotate(result)


def _drawn(posed: PosedVmi, value: VmiValue, layout: str, groups: int) -> Drawn:
    title = f"{value.name}  {value.lanes} x {value.element or 'mask'}  {in_words(layout)}"
    if value.is_mask:
        bits, name = split_mask_layout(layout)
        return Drawn(title, mask_map(layout_of(name, groups), value.lanes, bits))
    return Drawn(title, data_map(layout_of(layout, groups), value.bits, value.lanes))


def _name(op: str) -> str:
    """What an operation of the problem is called in a picture."""
    return op.partition(" ")[0].removeprefix("pto.vmi.")


def _shown(posed: PosedVmi) -> list[int]:
    """The operations of the problem that stand in the text."""
    return [number for number, op in enumerate(posed.problem.ops) if op.where is not None]


def _makes(result: VmiResult, op: int, value: int) -> tuple[str, ...]:
    """The layouts in which the chosen variants of an operation make a value."""
    if not result.ok or result.solution is None:
        return ()
    known = _posed(result).problem.ops[op]
    port = len(known.operands) + known.results.index(value)
    return tuple(known.variants[variant].layouts[port] for variant in result.solution.variants[op])


def _made(result: VmiResult) -> tuple[dict[int, set[str]], dict[int, set[str]]]:
    """For each value, the layouts in which it is made, and those to which it is converted."""
    made: dict[int, set[str]] = {}
    converted: dict[int, set[str]] = {}
    if result.ok and result.solution is not None:
        problem = _posed(result).problem
        for number, op in enumerate(problem.ops):
            for value in op.results:
                made.setdefault(value, set()).update(_makes(result, number, value))
        for number in result.solution.conversions:
            way = problem.conversions[number]
            converted.setdefault(way.value, set()).add(way.after)
    return made, converted


def _names(result: VmiResult) -> tuple[str, ...]:
    """The layouts that values of the program may have, those of masks without a width, in the order of the rules."""
    found = {bare(layout) for value in _posed(result).problem.values for layout in value.layouts}
    return tuple(name for name in LAYOUT_NAMES if name in found)


def _posed(result: VmiResult) -> PosedVmi:
    assert result.posed is not None, "only a program without errors has pictures"
    return result.posed
