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

LARGEST = 1 << 14
"""The entries of a table, for one level and one weighting."""

LARGEST_SUM = 1 << 22
"""The entries of the sum from which a variable goes, which has those of the table for each of its states."""

Held = tuple[int, tuple[int, ...]]
"""A table by its number, and the variables of its axes: none of those that have one state."""


class Part(NamedTuple):
    """A table and the places of its axes: 0 is the variable that goes, then those that stay."""

    table: int
    axes: tuple[int, ...]


class Sum(NamedTuple):
    """Tables that are added; `sizes` are those of all variables in them, of which the first one goes."""

    parts: tuple[Part, ...]
    sizes: tuple[int, ...]


Made = tuple[Sum, ...]
"""The sums from which a variable goes, which makes as many tables: one, unless the variable is split."""


class Group(NamedTuple):
    """Which held tables are added before a variable goes, and which is then held instead."""

    held: tuple[int, ...]
    made: int


class Step(NamedTuple):
    """One elimination: the variable, and the tables that are about it, in one group unless it is split."""

    variable: int
    groups: tuple[Group, ...]


class Plan(NamedTuple):
    """What tables are held, those of the problem first, by their numbers and variables; the steps in order.

    The tables by number are the different ones of the problem, then those that are `made`, all of one after the other.
    `exact` tells whether no variable was split.
    """

    given: int
    held: list[Held]
    made: list[Made]
    steps: list[Step]
    exact: bool


def plan_of(factors: Factors, largest: int = LARGEST) -> Plan:
    """The plan for a sum of tables."""
    return _Planner(factors, largest).plan()


class _Planner:
    def __init__(self, factors: Factors, largest: int) -> None:
        self.sizes = factors.sizes
        self.largest = largest
        self.tables = len(factors.leaves)
        self.held: list[Held] = []
        self.about: list[set[int]] = [set() for _ in self.sizes]
        self.near: list[set[int]] = [set() for _ in self.sizes]
        self.logs = [round(1024 * log2(size)) for size in self.sizes]
        self.weight = list(self.logs)
        self.heap: list[tuple[int, int]] = []
        self.known: dict[Made, int] = {}
        self.made: list[Made] = []
        self.exact = True
        for table, scope in factors.scopes:
            self.put((table, tuple(one for one in scope if self.sizes[one] > 1)))
        self.given = len(self.held)
        self.queue(one for one, size in enumerate(self.sizes) if size > 1)

    def plan(self) -> Plan:
        steps: list[Step] = []
        gone = [False] * len(self.sizes)
        while self.heap:
            weight, variable = heapq.heappop(self.heap)
            if gone[variable] or weight != self.weight[variable]:
                continue
            gone[variable] = True
            steps.append(self.eliminate(variable))
        return Plan(self.given, self.held, self.made, steps, self.exact)

    def queue(self, variables: Iterable[int]) -> None:
        for variable in variables:
            heapq.heappush(self.heap, (self.weight[variable], variable))

    def put(self, held: Held) -> int:
        """Hold a table, and note that its variables are near each other."""
        number, (_, scope) = len(self.held), held
        self.held.append(held)
        for one in scope:
            self.about[one].add(number)
            for other in scope:
                if other != one and other not in self.near[one]:
                    self.near[one].add(other)
                    self.weight[one] += self.logs[other]
        return number

    def eliminate(self, variable: int) -> Step:
        bucket = sorted(self.about[variable], key=lambda number: (self.held[number][0], number))
        for number in bucket:
            for other in self.held[number][1]:
                if other != variable:
                    self.about[other].discard(number)
        touched = sorted(self.near[variable])
        for other in touched:
            self.near[other].discard(variable)
            self.weight[other] -= self.logs[variable]
        groups = self.groups(variable, bucket)
        made = self.make(variable, groups)
        step = Step(variable, tuple(Group(tuple(some), self.put(one)) for some, one in zip(groups, made, strict=True)))
        self.queue(touched)
        return step

    def groups(self, variable: int, bucket: list[int]) -> list[list[int]]:
        """The tables of a variable in groups, each of which is about few enough others."""
        scopes: list[set[int]] = []
        groups: list[list[int]] = []
        largest = min(self.largest, LARGEST_SUM // self.sizes[variable])
        for held in sorted(bucket, key=lambda number: -len(self.held[number][1])):
            others = set(self.held[held][1]) - {variable}
            for scope, group in zip(scopes, groups, strict=True):
                if others <= scope or self.entries(scope | others) <= largest:
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

    def make(self, variable: int, groups: list[list[int]]) -> list[Held]:
        """The tables that eliminating a variable makes, one for each group."""
        sums: list[Sum] = []
        scopes: list[tuple[int, ...]] = []
        for group in groups:
            places = {variable: 0}
            for number in group:
                for one in self.held[number][1]:
                    places.setdefault(one, len(places))
            held = (self.held[number] for number in group)
            parts = tuple(Part(table, tuple(places[one] for one in scope)) for table, scope in held)
            sums.append(Sum(parts, tuple(self.sizes[one] for one in places)))
            scopes.append(tuple(places)[1:])
        made = tuple(sums)
        first = self.known.get(made)
        if first is None:
            first = self.known[made] = self.tables
            self.made.append(made)
            self.tables += len(made)
        return list(enumerate(scopes, first))
