"""Capacities of a selection problem as constraints: a literal for registers that may be held at a point."""

from __future__ import annotations

from collections import Counter

from layoutsolver_models.cp.model import GroupedModel
from layoutsolver_models.problems.capacity import CONVERSION, Capacity, Together
from layoutsolver_models.problems.selection import SelectionProblem

Sharing = dict[int, tuple[tuple[int, ...], ...]]
"""Literals that are true exactly where all of some others are, by what these may be."""


def add_capacities(
    model: GroupedModel, problem: SelectionProblem, variants: list[dict[int, int]], conversions: dict[int, int]
) -> Sharing:
    """Post the capacities that can be exceeded, each as a group.

    `variants` are the literals of each operation, `conversions` those of conversions by number; what is not among them
    is never chosen. The literals that were made for it come back with those that imply them.
    """
    found = _Literals(model, variants, conversions)
    posted: set[tuple[int, tuple[int, ...], frozenset[tuple[int, int]]]] = set()
    for capacity in problem.capacities:
        found.add(capacity, posted)
    return {literal: ways for ways, literal in found.known.items()}


class _Literals:
    def __init__(self, model: GroupedModel, variants: list[dict[int, int]], conversions: dict[int, int]) -> None:
        self.model, self.variants, self.conversions = model, variants, conversions
        self.known: dict[tuple[tuple[int, ...], ...], int] = {}

    def add(self, capacity: Capacity, posted: set[tuple[int, tuple[int, ...], frozenset[tuple[int, int]]]]) -> None:
        """Post a capacity, unless it cannot be exceeded or the like has been posted."""
        when = self.all_of(capacity.when)
        if when is None:
            return
        always = 0
        terms: Counter[int] = Counter()
        for held in capacity.held:
            ways = {way for one in held.by if (way := self.all_of(one)) is not None}
            if () in ways:
                always += held.registers
            elif ways:
                terms[self.literal(f"capacity {capacity.id}", tuple(sorted(ways)))] += held.registers
        excess = always + sum(terms.values()) - capacity.limit
        key = (capacity.limit - always, when, frozenset(terms.items()))
        if excess <= 0 or key in posted:
            return
        posted.add(key)
        listed = [(registers, literal) for literal, registers in terms.items()]
        guards = [(excess, literal) for literal in when]
        self.model.at_most(
            f"capacity {capacity.id}", [*listed, *guards], capacity.limit - always + excess * len(guards)
        )

    def all_of(self, together: Together) -> tuple[int, ...] | None:
        """The literals of some picks, None if one is never chosen."""
        found: set[int] = set()
        for pick in together:
            of = self.conversions if pick.variant == CONVERSION else self.variants[pick.number]
            literal = of.get(pick.number if pick.variant == CONVERSION else pick.variant)
            if literal is None:
                return None
            found.add(literal)
        return tuple(sorted(found))

    def literal(self, group: str, ways: tuple[tuple[int, ...], ...]) -> int:
        """A literal that is true where all of one of the ways are."""
        if len(ways) == 1 and len(ways[0]) == 1:
            return ways[0][0]
        if ways not in self.known:
            made = self.known[ways] = self.model.new_bool(f"live {len(self.known)}")
            for way in ways:
                self.model.clause(group, way, [made])
        return self.known[ways]
