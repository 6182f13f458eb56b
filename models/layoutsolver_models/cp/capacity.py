"""Capacities of a selection problem as constraints: a literal for each value and layout that may be live at a point."""

from __future__ import annotations

from layoutsolver_models.cp.model import GroupedModel
from layoutsolver_models.problems.capacity import Capacity, layouts_of
from layoutsolver_models.problems.selection import SelectionProblem

Sharing = dict[int, tuple[int, ...]]
"""Literals that are true exactly where one of others is."""


def add_capacities(
    model: GroupedModel, problem: SelectionProblem, variants: list[dict[int, int]], conversions: dict[int, int]
) -> Sharing:
    """Post the capacities that can be exceeded, each as a group.

    `variants` are the literals of each operation, `conversions` those of conversions by number; what is not among them
    is never chosen. The literals that were made for it come back with those that imply them.
    """
    known: dict[tuple[int, ...], int] = {}
    for capacity in problem.capacities:
        terms: dict[int, int] = {}
        for registers, takers in _holdings(capacity, problem, variants):
            if len(takers) == 1:
                literal = takers[0]
            elif takers in known:
                literal = known[takers]
            else:
                literal = known[takers] = model.new_bool(f"live {len(known)}")
                for taker in takers:
                    model.implies(f"capacity {capacity.id}", taker, literal)
            terms[literal] = terms.get(literal, 0) + registers
        for sequence in capacity.sequences:
            of = conversions if sequence.variant < 0 else variants[sequence.number]
            taken = of.get(sequence.number if sequence.variant < 0 else sequence.variant)
            if taken is not None:
                terms[taken] = terms.get(taken, 0) + sequence.registers
        if sum(terms.values()) > capacity.limit:
            listed = [(registers, literal) for literal, registers in terms.items()]
            model.at_most(f"capacity {capacity.id}", listed, capacity.limit)
    return {literal: takers for takers, literal in known.items()}


def _holdings(
    capacity: Capacity, problem: SelectionProblem, variants: list[dict[int, int]]
) -> list[tuple[int, tuple[int, ...]]]:
    """The registers of each value and layout that may be live, and the literals of what holds it."""
    found: list[tuple[int, tuple[int, ...]]] = []
    for live in capacity.live:
        holders: dict[str, set[int]] = {}
        for numbers, makes in ((live.users, False), (live.makers, True)):
            for number in numbers:
                for variant, literal in variants[number].items():
                    for layout in layouts_of(problem.ops[number], live.value, (variant,), makes):
                        holders.setdefault(layout, set()).add(literal)
        known = problem.values[live.value].layouts
        found += [
            (live.registers[place], tuple(sorted(holders[layout])))
            for place, layout in enumerate(known)
            if layout in holders and live.registers[place]
        ]
    return found
