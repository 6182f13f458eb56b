"""What a text states besides the layouts that instructions need: vectors that nobody takes, masks that rows drop.

The released verifier asks of all types of an operation that they fit, whatever becomes of them
(`layoutsolver.vmi.agreement`). So operations that are left out of the problem get layouts here, and masks that their
operation does not use are had in the layout of its elements. None of this costs an instruction, since no instruction
comes of it.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.graph.model import OpNode
from layoutsolver.mlir.pto_types import VmiMaskType
from layoutsolver.ops.registry import pto_specs
from layoutsolver.ops.spec import Effect
from layoutsolver.pose.vmi.ports import mask_layout
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.pose.vmi.variants import variants_of
from layoutsolver.vmi.agreement import PREFIX
from layoutsolver.vmi.canonical import unsimplified_program
from layoutsolver.vmi.predicated import PREDICATED
from layoutsolver.vmi.program import VmiOp, VmiValue
from layoutsolver.vmi.simplify import effect_of, renumbered
from layoutsolver_models.problems.selection import SelectionOp, SelectionSolution
from layoutsolver_models.rules.vmi.agreement import agreement_of
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection

Asked = dict[int, str]
"""The layout of each value that an operation takes or makes."""


class Written(NamedTuple):
    """A problem and its solution with what the text has besides; `posed` is a problem for writing alone."""

    posed: PosedVmi
    solution: SelectionSolution


def written(posed: PosedVmi, solution: SelectionSolution, limits: Limits | None = None) -> Written:
    """The solution with layouts for all vectors of the text, and masks in those of the elements that they govern."""
    whole = _with_unneeded(posed, solution, limits or Limits(10.0))
    return _with_masks(*whole)


def _with_unneeded(posed: PosedVmi, solution: SelectionSolution, limits: Limits) -> Written:
    """The solution with layouts for what is made and not needed; as it is where these operations have none."""
    extra = _unneeded(posed)
    if not extra:
        return Written(posed, solution)
    program, problem = posed.program, posed.problem
    whole = renumbered(program, [*program.ops, *extra])
    ops, op_of = [], []
    for op in whole.ops[len(program.ops) :]:
        spec = pto_specs()[PREFIX + op.op]
        variants, _ = variants_of(whole, op, spec.rule, {})
        numbers = (tuple(value.number for value in op.vectors().values()),
                   tuple(value.number for value in op.results.values()))  # fmt: skip
        ops.append(SelectionOp(f"{op.op} of no use", *numbers, variants, 1, bool(op.results)))
        op_of.append(op.number)
    taken = tuple(op._replace(variants=tuple(op.variants[number] for number in chosen), copies=len(chosen) > 1)
                  for op, chosen in zip(problem.ops, solution.variants, strict=True))  # fmt: skip
    found = solve_selection(
        problem._replace(ops=(*taken, *ops), pins=(), penalties=(), capacities=(), savings=(), start=None), limits
    )
    if found.status not in ("optimal", "feasible"):
        return Written(posed, solution)
    count = len(problem.ops)
    every = problem.conversions
    had = {(every[number].value, every[number].after) for number in solution.conversions}
    for making, chosen in zip(problem.ops, solution.variants, strict=True):
        for place, value in enumerate(making.results, len(making.operands)):
            had |= {(value, making.variants[number].layouts[place]) for number in chosen}
    more = (number for number in found.conversions if (every[number].value, every[number].after) not in had)
    ways = (*solution.conversions, *more)
    done = solution._replace(variants=(*solution.variants, *found.variants[count:]), conversions=ways)
    width = len(ops)
    posed = posed._replace(
        program=whole, problem=problem._replace(ops=(*problem.ops, *ops)), op_of=[*posed.op_of, *op_of],
        join_of=[*posed.join_of, *[-1] * width], refused=[*posed.refused, *[()] * width],
    )  # fmt: skip
    return Written(posed, done)


def _unneeded(posed: PosedVmi) -> list[VmiOp]:
    """The operations that make vectors of the text which nothing in the problem makes, on the values of the problem."""
    program = posed.program
    made = {value for op in posed.problem.ops for value in op.results}
    stands_for = {
        value.number: program.by_graph_value[value.graph_value] for value in program.values if value.graph_value >= 0
    }
    raw = unsimplified_program(program.graph)
    out: list[VmiOp] = []
    for op in raw.ops:
        lost = op.results and all(stands_for.get(value.number, value.number) == value.number
                                  and value.number not in made for value in op.results.values())  # fmt: skip
        known = pto_specs().get(PREFIX + op.op)
        if not lost or known is None or effect_of(op) not in (Effect.PURE, Effect.READ):
            continue
        held = {role: program.values[stands_for.get(operand.number, operand.number)]
                if isinstance(operand, VmiValue) else operand for role, operand in op.operands.items()
                if role != "mask" or op.op not in PREDICATED}  # fmt: skip
        out.append(op._replace(number=len(program.ops) + op.number, operands=held))
    return out


def _with_masks(posed: PosedVmi, solution: SelectionSolution) -> Written:
    """The solution with masks that rows drop in the layouts of what they govern."""
    program, problem = posed.program, posed.problem
    variants = [list(chosen) for chosen in solution.variants]
    ways = list(solution.conversions)
    makers = {value: number for number, op in enumerate(problem.ops) for value in op.results}
    used = {value for op in problem.ops for value in op.operands}
    asked: set[int] = set()
    places = _places(posed)
    for node in program.graph.ops:
        for mask, wanted in _dropped(posed, solution, node, places):
            maker, again = makers.get(mask, -1), mask in asked
            asked.add(mask)
            if maker < 0 or wanted in _available(posed, variants, ways, maker, mask):
                continue
            op = problem.ops[maker]
            place = len(op.operands) + op.results.index(mask)
            serving = next((k for k, one in enumerate(op.variants) if one.layouts[place] == wanted), -1)
            free = serving >= 0 and not op.operands
            if free and mask not in used and not again:
                variants[maker] = [serving]
            elif free and op.copies and len(op.results) == 1 and _is_copied(posed, maker):
                variants[maker].append(serving)
            else:
                ways += _conversion(posed, variants[maker], op, place, mask, wanted)
    done = solution._replace(variants=tuple(map(tuple, variants)), conversions=tuple(ways))
    return Written(posed, done)


class _Places(NamedTuple):
    """The operations of a problem by the operation of the text that they come of, and by what they make."""

    origin: dict[int, list[int]]
    makers: dict[int, list[int]]


def _places(posed: PosedVmi) -> _Places:
    found = _Places({}, {})
    for number, op in enumerate(posed.problem.ops):
        if (canonical := posed.op_of[number]) >= 0:
            found.origin.setdefault(posed.program.ops[canonical].origin, []).append(number)
            for value in op.results:
                found.makers.setdefault(value, []).append(number)
    return found


def _dropped(posed: PosedVmi, solution: SelectionSolution, node: OpNode, places: _Places) -> list[tuple[int, str]]:
    """The masks of an operation of the text that no instruction uses, and the layouts that they must be had in."""
    if not node.name.startswith(PREFIX) or node.spec is None:
        return []
    row = agreement_of(node.name.removeprefix(PREFIX))
    numbers = posed.program.by_graph_value
    masks = [
        numbers[value]
        for role, value in zip(node.roles, node.operands, strict=True)
        if role in row.masks and isinstance(posed.program.graph.values[value].type, VmiMaskType)
    ]
    out: list[tuple[int, str]] = []
    for form in _forms(posed, solution, node, places):
        data = governed(posed, node, form)
        out += [(mask, data) for mask in masks if data and mask not in form]
    return out


def _forms(posed: PosedVmi, solution: SelectionSolution, node: OpNode, places: _Places) -> list[Asked]:
    """What an operation of the text takes and makes, in each of its variants."""
    numbers = posed.program.by_graph_value
    results = {numbers[value] for value in node.results if value in numbers}
    its = {*places.origin.get(node.index, ()), *(one for value in results for one in places.makers.get(value, ()))}
    found: list[Asked] = [{}]
    for number in sorted(its):
        op, chosen = posed.problem.ops[number], solution.variants[number]
        ports = (*op.operands, *op.results)
        shown = [dict(zip(ports, op.variants[k].layouts, strict=True)) for k in chosen]
        found[0].update({**shown[0], **found[0]})
        found += [form for form in shown[1:] if results & set(form)]
    return found


def governed(posed: PosedVmi, node: OpNode, form: Asked) -> str:
    """The layout of masks that agree with the elements that an operation's masks govern, empty if that is open."""
    row = agreement_of(node.name.removeprefix(PREFIX))
    numbers = posed.program.by_graph_value
    places = [role.name for role in node.spec.results] if node.spec is not None else []
    ports = [*zip(node.roles, node.operands, strict=True)]
    ports += [(places[min(place, len(places) - 1)], value) for place, value in enumerate(node.results)]
    data = next((numbers[value] for role, value in ports if role == row.like and value in numbers), -1)
    known = posed.program.values[data]
    return mask_layout(known.bits, form[data]) if data in form and not known.is_mask else ""


def _available(posed: PosedVmi, variants: list[list[int]], ways: list[int], maker: int, value: int) -> set[str]:
    """The layouts that a value is had in."""
    op = posed.problem.ops[maker]
    place = len(op.operands) + op.results.index(value)
    made = {op.variants[number].layouts[place] for number in variants[maker]}
    every = posed.problem.conversions
    return made | {every[number].after for number in ways if every[number].value == value}


def _is_copied(posed: PosedVmi, maker: int) -> bool:
    """Whether an operation of the text can be repeated: it makes nothing besides its vector."""
    number = posed.op_of[maker]
    return number >= 0 and len(posed.program.graph.ops[posed.program.ops[number].origin].results) == 1


def _conversion(posed: PosedVmi, chosen: list[int], op: SelectionOp, place: int, mask: int, wanted: str) -> list[int]:
    """A conversion of a mask to a layout from one that it is made in, by number; empty if there is none."""
    made = {op.variants[number].layouts[place] for number in chosen}
    ways = enumerate(posed.problem.conversions)
    return [number for number, way in ways if way.value == mask and way.before in made and way.after == wanted][:1]
