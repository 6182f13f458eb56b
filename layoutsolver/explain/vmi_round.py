"""The cheapest way round a contradiction: a conversion that no rule offers, by the fewest instructions that would do.

Conversions of values between the operations of a conflict are tried, each alone: one that leaves no operation stuck is
worked out instruction by instruction on lane maps.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver_models.lanes.convert import convert
from layoutsolver_models.lanes.layout import data_map
from layoutsolver_models.lanes.search import SearchTooLong
from layoutsolver_models.problems.selection import SelectionProblem, ValueConversion
from layoutsolver_models.rules.vmi.layouts import DENSE_NAMES, layout_of
from layoutsolver_models.solve.selection import narrow

LONGEST = 4
"""Instructions that a conversion may take for each group of registers."""


class Round(NamedTuple):
    """A conversion that would help: of which value, from and to which layout, and its instructions by name."""

    value: str
    before: str
    after: str
    instructions: tuple[str, ...]


def way_round(posed: PosedVmi, ops: frozenset[int]) -> Round | None:
    """The conversion of fewest instructions that resolves a conflict of these operations, None if none was found."""
    problem = posed.problem
    best: Round | None = None
    for value in sorted({operand for number in ops for operand in problem.ops[number].operands}):
        known = posed.program.values[value]
        if known.is_mask:
            continue
        for before, after in _pairs(problem, value):
            helped = ValueConversion(value, before, after, (0,) * len(problem.pipes))
            if narrow(problem._replace(conversions=(*problem.conversions, helped))).stuck >= 0:
                continue
            steps = _steps(known.lanes, known.bits, before, after)
            if steps is not None and (best is None or len(steps) < len(best.instructions)):
                best = Round(problem.values[value].id, before, after, steps)
    return best


def _pairs(problem: SelectionProblem, value: int) -> list[tuple[str, str]]:
    """Layouts in which a value is made and in which it is asked for, with no conversion from one to the other."""
    made: dict[str, None] = {}
    asked: dict[str, None] = {}
    for op in problem.ops:
        for variant in op.variants:
            taken = zip(op.operands, variant.layouts, strict=False)
            results = zip(op.results, variant.layouts[len(op.operands) :], strict=True)
            asked.update({layout: None for operand, layout in taken if operand == value})
            made.update({layout: None for result, layout in results if result == value})
    there = {(way.before, way.after) for way in problem.conversions if way.value == value}
    dense = set(DENSE_NAMES)
    return [(one, other) for one in made for other in asked if {one, other} <= dense and one != other
            and (one, other) not in there]  # fmt: skip


def _steps(lanes: int, bits: int, before: str, after: str) -> tuple[str, ...] | None:
    """The instructions of a conversion, None if there are none of that length."""
    source, target = (data_map(str(layout_of(name)), bits, lanes) for name in (before, after))
    try:
        found = convert(source, target, LONGEST)
    except (SearchTooLong, ValueError):
        return None
    return None if found is None else tuple(step.instruction.name for step in found.steps)


def round_words(found: Round) -> str:
    """The way round as a sentence."""
    counted = ", ".join(f"{found.instructions.count(name)} {name}" for name in dict.fromkeys(found.instructions))
    return (
        f"the cheapest way round: {found.value} from {found.before} to {found.after} by {counted}, which no rule offers"
    )
