"""Operations, pins and capacities of a selection problem in plain English."""

from __future__ import annotations

from layoutsolver_models.problems.selection import SelectionGroup, SelectionProblem
from layoutsolver_models.solve.selection_conflict import Suspects

MANY = 6
"""So many of one kind are listed; the rest are counted."""


def op_words(problem: SelectionProblem, number: int) -> str:
    """Which layouts an operation takes and makes."""
    op = problem.ops[number]
    names = [problem.values[value].id for value in (*op.operands, *op.results)]
    shown = []
    for variant in op.variants:
        taken = [f"{name}:{layout}" for name, layout in zip(names, variant.layouts, strict=True)]
        takes, makes = " ".join(taken[: len(op.operands)]), " ".join(taken[len(op.operands) :])
        shown.append(" -> ".join(part for part in (takes, makes) if part))
    listed = "; ".join(shown[:MANY]) + (f"; {len(shown) - MANY} more" if len(shown) > MANY else "")
    return f"`{op.id.partition(' ')[0]}`: {listed or 'no rule serves it'}"


def pin_words(problem: SelectionProblem, number: int) -> str:
    """What a pin fixes."""
    value, layout = problem.pins[number]
    return f"{problem.values[value].id} is fixed to {layout}"


def capacity_words(problem: SelectionProblem, number: int) -> str:
    """How many registers there are at a point, and what may be live there in how many."""
    capacity = problem.capacities[number]
    counts: dict[str, set[int]] = {}
    for held in capacity.held:
        name = problem.values[held.value].id if held.value >= 0 else "registers in between"
        counts.setdefault(name, set()).add(held.registers)
    shown = [f"{name} ({', '.join(map(str, sorted(some)))})" for name, some in counts.items()]
    listed = ", ".join(shown[:MANY]) + (f" and {len(shown) - MANY} more" if len(shown) > MANY else "")
    return f"{capacity.id}: at most {capacity.limit}, and live are, in so many, {listed or 'none'}"


def group_words(problem: SelectionProblem, core: Suspects) -> tuple[SelectionGroup, ...]:
    """The groups of a conflict with their words."""
    return (
        *(SelectionGroup("op", number, op_words(problem, number)) for number in sorted(core.ops)),
        *(SelectionGroup("pin", number, pin_words(problem, number)) for number in sorted(core.pins)),
        *(SelectionGroup("capacity", number, capacity_words(problem, number)) for number in sorted(core.capacities)),
    )
