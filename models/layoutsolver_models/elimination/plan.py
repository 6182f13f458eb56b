"""The order in which variables are eliminated, and the tables that this makes: the same ones are made only once.

The variable whose elimination makes the smallest table goes first, which is exact along trees and cheap on what is
nearly one. Where a table would become too large, what the variable is in is split into groups that each eliminate a
copy of it (mini-buckets; Dechter and Rish, JACM 2003): what comes out is then a lower bound.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from math import log2, prod
from typing import NamedTuple

from layoutsolver_models.elimination.factors import Factors

LARGEST = 1 << 16
"""The entries of a table, for one level and one weighting."""

Held = tuple[int, tuple[int, ...]]
"""A table by its number, and the variables of its axes."""


class Part(NamedTuple):
    """A table and the places of its axes: 0 is the variable that goes, then those that stay."""

    table: int
    axes: tuple[int, ...]


class Made(NamedTuple):
    """A table that comes of adding others and eliminating a variable; `sizes` are those of all variables in them."""

    parts: tuple[Part, ...]
    sizes: tuple[int, ...]


class Step(NamedTuple):
    """One elimination: the variable, and the tables that are about it."""

    variable: int
    tables: tuple[Held, ...]


class Plan(NamedTuple):
    """Tables by number, the `leaves` first; the steps in order; the tables about nothing that are left, to be added.

    `exact` tells whether no variable was split.
    """

    leaves: int
    made: list[Made]
    steps: list[Step]
    rest: list[int]
    exact: bool


def plan_of(factors: Factors, largest: int = LARGEST) -> Plan:
    """The plan for a sum of tables."""
    return _Planner(factors, largest).plan()


class _Planner:
    def __init__(self, factors: Factors, largest: int) -> None:
        self.sizes = factors.sizes
        self.largest = largest
        self.leaves = len(factors.leaves)
        self.about: list[dict[int, Held]] = [{} for _ in self.sizes]
        self.near: list[set[int]] = [set() for _ in self.sizes]
        self.logs = [round(1024 * log2(size)) for size in self.sizes]
        self.weight = list(self.logs)
        self.heap: list[tuple[int, int]] = []
        self.known: dict[Made, int] = {}
        self.made: list[Made] = []
        self.rest: list[int] = []
        self.count = 0
        self.exact = True
        for held in factors.scopes:
            self.put(held)
        self.queue(range(len(self.sizes)))

    def plan(self) -> Plan:
        steps: list[Step] = []
        gone = [False] * len(self.sizes)
        while self.heap:
            weight, variable = heapq.heappop(self.heap)
            if gone[variable] or weight != self.weight[variable]:
                continue
            gone[variable] = True
            steps.append(self.eliminate(variable))
        return Plan(self.leaves, self.made, steps, self.rest, self.exact)

    def queue(self, variables: Iterable[int]) -> None:
        for variable in variables:
            heapq.heappush(self.heap, (self.weight[variable], variable))

    def put(self, held: Held) -> None:
        """Note a table, and that its variables are near each other."""
        table, scope = held
        if not scope:
            self.rest.append(table)
        for one in scope:
            self.about[one][self.count] = held
            for other in scope:
                if other != one and other not in self.near[one]:
                    self.near[one].add(other)
                    self.weight[one] += self.logs[other]
        self.count += 1

    def eliminate(self, variable: int) -> Step:
        bucket = sorted(self.about[variable].items(), key=lambda item: (item[1][0], item[0]))
        for number, (_, scope) in bucket:
            for other in scope:
                if other != variable:
                    del self.about[other][number]
        touched = sorted(self.near[variable])
        for other in touched:
            self.near[other].discard(variable)
            self.weight[other] -= self.logs[variable]
        tables = [held for _, held in bucket]
        for group in self.groups(variable, tables):
            self.put(self.make(variable, group))
        self.queue(touched)
        return Step(variable, tuple(tables))

    def groups(self, variable: int, tables: list[Held]) -> list[list[Held]]:
        """The tables of a variable in groups, each of which is about few enough others."""
        scopes: list[set[int]] = []
        groups: list[list[Held]] = []
        for held in sorted(tables, key=lambda one: -len(one[1])):
            others = set(held[1]) - {variable}
            for scope, group in zip(scopes, groups, strict=True):
                if others <= scope or self.entries(scope | others) <= self.largest:
                    scope |= others
                    group.append(held)
                    break
            else:
                scopes.append(others)
                groups.append([held])
        self.exact &= len(groups) == 1
        return groups

    def entries(self, scope: set[int]) -> int:
        return prod(self.sizes[one] for one in scope)

    def make(self, variable: int, tables: list[Held]) -> Held:
        places = {variable: 0}
        for _, scope in tables:
            for one in scope:
                places.setdefault(one, len(places))
        parts = tuple(Part(table, tuple(places[one] for one in scope)) for table, scope in tables)
        made = Made(parts, tuple(self.sizes[one] for one in places))
        number = self.known.get(made)
        if number is None:
            number = self.known[made] = self.leaves + len(self.made)
            self.made.append(made)
        return number, tuple(places)[1:]
