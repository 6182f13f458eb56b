"""A program of VMI as it stands: the rules under which each operation takes and makes what the types state.

No vector of the text is converted and no operation copied. Vectors whose types say nothing have the one layout that
the rules leave them; what a unified operation makes on the way to its result is no vector of the text, and lies as it
comes cheapest.
"""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.explain.selection_words import op_words
from layoutsolver.explain.vmi_words import ways_words
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.pose.vmi.reasons import reasons_of
from layoutsolver.source import Span
from layoutsolver.vmi.program import VmiValue
from layoutsolver_models.problems.selection import SelectionOp, SelectionProblem, SelectionSolution, with_some_variants
from layoutsolver_models.rules.vmi.layouts import layout_of
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection

ENSURING = frozenset({"ensure_layout", "ensure_mask_layout", "ensure_mask_granularity"})
"""Operations that are conversions."""


def states_layouts(graph: Graph) -> bool:
    """Whether the type of some vector of a program carries a layout."""
    return any(isinstance(value.type, VmiVectorType | VmiMaskType) and value.type.layout for value in graph.values)


def choice_as_stated(posed: PosedVmi, limits: Limits) -> tuple[SelectionSolution | None, list[Diagnostic]]:
    """The choice that the types state, or a message for each operation that has no rule for them."""
    stated = {
        value.number: f"b{value.bits} {value.layout}" if value.is_mask else value.layout
        for value in posed.program.values
        if value.layout
    }
    asked = {number: _conversion(posed, number, stated) for number in range(len(posed.problem.ops))}
    ops = tuple(_as_stated(op, stated, asked[number]) for number, op in enumerate(posed.problem.ops))
    wrong = [_no_rule(posed, number, stated) for number, op in enumerate(ops) if not op.variants]
    if wrong:
        return None, wrong
    between = {value.number for value in posed.program.values if value.graph_value < 0}
    every = posed.problem.conversions
    ways = [number for number, way in enumerate(every) if number in asked.values() or way.value in between]
    taken = tuple(every[number] for number in ways)
    problem = posed.problem._replace(
        ops=ops, conversions=taken, pins=(), penalties=(), capacities=(), savings=(), start=None
    )
    problem, stuck = _propagated(problem)
    problem = problem._replace(savings=with_some_variants(posed.problem, problem.ops))
    if stuck >= 0:
        return None, [_no_rule(posed, stuck, stated)]
    open_values = _open(posed, problem)
    if open_values:
        return None, open_values
    found = solve_selection(problem, limits)
    if found.status == "unknown":
        return found, []
    if found.status == "infeasible":
        from layoutsolver.explain.vmi_conflict import conflict_of

        return None, [conflict_of(posed._replace(problem=problem), limits)]
    variants = tuple(
        tuple(posed.problem.ops[number].variants.index(op.variants[place]) for place in chosen)
        for number, (op, chosen) in enumerate(zip(problem.ops, found.variants, strict=True))
    )
    return found._replace(variants=variants, conversions=tuple(ways[number] for number in found.conversions)), []


def _propagated(problem: SelectionProblem) -> tuple[SelectionProblem, int]:
    """The problem without variants that disagree with all of another operation of a value that is not converted.

    The number is that of an operation which is left without any, -1 if all have one.
    """
    ops = list(problem.ops)
    converted = {way.value for way in problem.conversions}
    ports: dict[int, list[tuple[int, int]]] = {}
    for number, op in enumerate(ops):
        for place, value in enumerate((*op.operands, *op.results)):
            if value not in converted:
                ports.setdefault(value, []).append((number, place))
    changes = True
    while changes:
        changes = False
        for value, places in ports.items():
            common = set(problem.values[value].layouts)
            for number, place in places:
                common &= {variant.layouts[place] for variant in ops[number].variants}
            for number, place in places:
                kept = tuple(variant for variant in ops[number].variants if variant.layouts[place] in common)
                if len(kept) < len(ops[number].variants):
                    changes = True
                    if not kept:
                        return problem, number
                    ops[number] = ops[number]._replace(variants=kept)
    return problem._replace(ops=tuple(ops)), -1


def _conversion(posed: PosedVmi, number: int, stated: dict[int, str]) -> int:
    """The conversion that an operation of the text is, by number; -1 if it is none, or one that does not exist."""
    op, canonical = posed.problem.ops[number], posed.op_of[number]
    if canonical < 0 or posed.program.ops[canonical].op not in ENSURING or len(op.operands) != 1:
        return -1
    wanted = (op.operands[0], stated.get(op.operands[0]), stated.get(op.results[0]))
    ways = enumerate(posed.problem.conversions)
    return next((place for place, way in ways if (way.value, way.before, way.after) == wanted), -1)


def _as_stated(op: SelectionOp, stated: dict[int, str], way: int) -> SelectionOp:
    """An operation with those variants alone that agree with the types; one that is a conversion takes its result."""
    ports = (*op.operands, *op.results)
    if way >= 0:
        stated = {**stated, op.operands[0]: stated[op.results[0]]}
    kept = tuple(
        variant
        for variant in op.variants
        if all(stated.get(value, layout) == layout for value, layout in zip(ports, variant.layouts, strict=True))
    )
    return op._replace(variants=kept, copies=False)


def _no_rule(posed: PosedVmi, number: int, stated: dict[int, str]) -> Diagnostic:
    """That an operation has no rule for the layouts that its types state."""
    problem, op = posed.problem, posed.problem.ops[number]
    source = posed.program.graph.module.source
    name = op.id.partition(" ")[0]
    taken = [_with_layout(problem, value, stated) for value in dict.fromkeys(op.operands)]
    made = [_with_layout(problem, value, stated) for value in dict.fromkeys(op.results)]
    words = " -> ".join(" ".join(part) for part in (taken, made) if part)
    if posed.join_of[number] >= 0:
        message = f"VMI-LAYOUT-CONTRACT: control flow makes these one, and their types state {words}"
    elif posed.op_of[number] < 0:
        message = f"VMI-LAYOUT-CONTRACT: no vector crosses the boundary of a function as {words}"
    elif name in ENSURING:
        message = f"VMI-LAYOUT-CONTRACT: there is no conversion as the types of `{name}` state it: {words}"
    else:
        message = f"VMI-LAYOUT-CONTRACT: no rule of `{name}` takes and makes what the types state: {words}"
    span = Span(0, 0) if op.where is None else Span(op.where.start, op.where.end)
    notes = [f"the rules have {op_words(problem, number)}"] if posed.op_of[number] >= 0 else []
    if name in ENSURING:
        notes = ways_words(posed, op.operands[0])
    elif posed.op_of[number] >= 0:
        reasons = reasons_of(posed.program.ops[posed.op_of[number]], posed.refused[number])
        notes += [f"not {', '.join(rules)}: {reason}" for reason, rules in list(reasons.items())[:4]]
    notes.append("`layoutsolver solve` adds conversions where layouts do not fit")
    return Diagnostic("LS0808", "error", message, Label(source, span), notes=tuple(notes))


def _with_layout(problem: SelectionProblem, value: int, stated: dict[int, str]) -> str:
    return f"{problem.values[value].id}:{stated[value]}" if value in stated else problem.values[value].id


def _open(posed: PosedVmi, problem: SelectionProblem) -> list[Diagnostic]:
    """A message for each vector of the text that could have several layouts."""
    source = posed.program.graph.module.source
    out: list[Diagnostic] = []
    for value in posed.program.values:
        layouts = _made(problem, value)
        if value.layout or value.graph_value < 0 or len(layouts) < 2:
            continue
        span = posed.program.graph.values[value.graph_value].span
        attributes = ", ".join(f"`{layout_of(name.split()[-1], value.lanes)}`" for name in layouts)
        message = f"the file does not say how `{value.name}` lies: the rules leave {', '.join(layouts)}"
        note = f"its type can state one of {attributes}"
        out.append(Diagnostic("LS0705", "error", message, Label(source, span), notes=(note,)))
    return out


def _made(problem: SelectionProblem, value: VmiValue) -> list[str]:
    found: dict[str, None] = {}
    for op in problem.ops:
        for place, made in enumerate(op.results, len(op.operands)):
            if made == value.number:
                found.update({variant.layouts[place]: None for variant in op.variants})
    return list(found)
