"""A selection problem as a sum of small tables: one for each state of a variable, one for each pair that depends.

Variables are the operations, the values that something uses, and the setups that several operations share. Costs are
vectors; what their weighted sums come to, in several levels that are compared one after the other, is an array of shape
(levels, weightings, states of the first variable, states of the second).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutsolver_models.elimination.states import MANY, States, ValueStates, Vector
from layoutsolver_models.problems.selection import Saving

Table = NDArray[np.int64]
Weights = NDArray[np.int64]
"""Of shape (levels, weightings, entries of a vector), not below 0."""

NEVER = 1 << 52
"""What cannot be. Sums of fewer than 1024 of them do not overflow; costs that can be are less."""


class Unary(NamedTuple):
    """What the states of one variable cost."""

    costs: tuple[Vector, ...]

    def table(self, weights: Weights) -> Table:
        """The weighted costs."""
        return weighted(weights, self.costs)


class Allowed(NamedTuple):
    """Which states of two variables go together: where what the first one needs, in bits, is part of what is there.

    What needs `MANY` goes with any of at least `least` bits.
    """

    needed: tuple[int, ...]
    there: tuple[int, ...]
    least: int = 0

    def table(self, weights: Weights) -> Table:
        """Nothing, or `NEVER`."""
        needed, there = np.array(self.needed)[:, None], np.array(self.there)[None, :]
        table = np.zeros((*weights.shape[:2], len(self.needed), len(self.there)), np.int64)
        enough = np.array([some == MANY or some.bit_count() >= self.least for some in self.there])
        table[0] = np.where(np.where(needed == MANY, enough, (needed & there) == needed), 0, NEVER)
        return table


class Conversions(NamedTuple):
    """What it costs to have a value in sets of layouts (second variable) that is made in others (first variable).

    Every layout that is not made is converted from the one that is made from which that costs least.
    """

    entries: int
    layouts: int
    ways: tuple[tuple[tuple[int, int], tuple[Vector, ...]], ...]
    made: tuple[int, ...]
    wanted: tuple[int, ...]
    beyond: int

    def table(self, weights: Weights) -> Table:
        """The weighted costs."""
        levels, several = weights.shape[:2]
        single = np.zeros((levels, several, self.layouts, self.layouts), np.int64)
        single[0] = NEVER
        for layout in range(self.layouts):
            single[0, :, layout, layout] = 0
        for (before, after), costs in self.ways:
            single[:, :, before, after] = least(weighted(weights, costs))
        kinds = {made: number for number, made in enumerate(dict.fromkeys(self.made))}
        reached = np.zeros((levels, several, len(kinds), self.layouts), np.int64)
        for made, number in kinds.items():
            if made != MANY:
                reached[:, :, number] = least(single[:, :, bits_of(made)])
        told = [wanted for wanted in self.wanted if wanted != MANY]
        members = np.array([[wanted >> bit & 1 for bit in range(self.layouts)] for wanted in told], np.int64)
        members = members.reshape(len(told), self.layouts)
        table: Table = np.einsum("lkma,sa->lkms", reached, members)
        if len(told) < len(self.wanted):
            rest = weighted(weights, tuple(self._beyond(made) for made in kinds))
            table = np.concatenate([table, rest[..., None]], axis=3)
        np.minimum(table[0], NEVER, out=table[0])
        return np.ascontiguousarray(table[:, :, [kinds[made] for made in self.made]])

    def _beyond(self, made: int) -> Vector:
        """What it costs at least, in every entry, to have a value in `beyond` layouts."""
        if made == MANY:
            return (0,) * self.entries
        into: dict[int, list[Vector]] = {}
        for (before, after), costs in self.ways:
            if made >> before & 1 and not made >> after & 1:
                into.setdefault(after, []).extend(costs)
        missing = max(0, self.beyond - made.bit_count())
        cheapest = [[min(cost[entry] for cost in costs) for costs in into.values()] for entry in range(self.entries)]
        return tuple(sum(sorted(some)[:missing]) for some in cheapest)


class Pairs(NamedTuple):
    """What the states of two variables cost together."""

    costs: tuple[tuple[Vector, ...], ...]

    def table(self, weights: Weights) -> Table:
        """The weighted costs."""
        sums: Table = np.einsum("lkd,std->lkst", weights, np.array(self.costs, np.int64))
        return sums


Leaf = Unary | Allowed | Conversions | Pairs


def weighted(weights: Weights, costs: tuple[Vector, ...]) -> Table:
    """The weighted sums of vectors: (levels, weightings, vectors)."""
    sums: Table = np.einsum("lkd,sd->lks", weights, np.array(costs, np.int64))
    return sums


class Factors(NamedTuple):
    """The number of states of each variable, the different tables, and which variables each is about.

    Operations come first, then values (`of_value`), then setups.
    """

    sizes: list[int]
    leaves: list[Leaf]
    scopes: list[tuple[int, tuple[int, ...]]]
    of_value: dict[int, int]


def factors_of(states: States) -> Factors:
    """The sum of tables of a problem's states."""
    return _Builder(states).factors()


def least(table: Table, axis: int = 2) -> Table:
    """The least entry along an axis, by the levels (the first axis) one after the other."""
    if table.shape[0] == 1:
        single: Table = table.min(axis=axis)
        return single
    out = np.empty((*table.shape[:axis], *table.shape[axis + 1 :]), np.int64)
    out[0] = table[0].min(axis=axis - 1)
    best = table[0] == np.expand_dims(out[0], axis - 1)
    for level in range(1, table.shape[0]):
        out[level] = np.where(best, table[level], NEVER).min(axis=axis - 1)
        best &= table[level] == np.expand_dims(out[level], axis - 1)
    return out


def bits_of(mask: int) -> list[int]:
    """The places of the bits that are set.

    >>> bits_of(0b1010)
    [1, 3]
    """
    return [place for place in range(mask.bit_length()) if mask >> place & 1]


class _Builder:
    def __init__(self, states: States) -> None:
        self.states = states
        self.problem = states.problem
        self.known: dict[Hashable, int] = {}
        self.leaves: list[Leaf] = []
        self.scopes: list[tuple[int, tuple[int, ...]]] = []
        self.entries = len(self.problem.pipes) + 2
        self.penalty: dict[tuple[int, str], int] = {}
        for value, layout, cost in self.problem.penalties:
            self.penalty[value, layout] = self.penalty.get((value, layout), 0) + cost

    def factors(self) -> Factors:
        states = self.states
        sizes = [len(op.sets) for op in states.ops]
        of_value = {}
        for value, known in states.values.items():
            of_value[value] = len(sizes)
            sizes.append(len(known.sets))
        sharing: dict[str, dict[int, None]] = {}
        for number, setups in enumerate(states.setups):
            for setup in (name for names in setups.values() for name in names):
                sharing.setdefault(setup, {})[number] = None
        common = {setup: list(ops) for setup, ops in sharing.items() if len(ops) > 1}
        for number in range(len(states.ops)):
            self.add(Unary(self.op_costs(number, common)), number)
        for value, variable in of_value.items():
            self.add(self.conversions(value, states.values[value]), states.maker[value], variable)
        for number, op in enumerate(self.problem.ops):
            for value in dict.fromkeys(op.operands):
                needed = self.needed(number, value)
                several = self.distinct(number, value) if MANY in needed else 0
                self.add(Allowed(needed, states.values[value].sets, several), number, of_value[value])
        for (number, variant), (saving, more) in states.dearer.items():
            self.add(self.not_saved(number, variant, saving, more), number, saving.maker)
        for setup, ops in common.items():
            variable = len(sizes)
            sizes.append(2)
            self.add(Unary(((0,) * self.entries, states.once[setup])), variable)
            for number in ops:
                named = states.setups[number]
                needed = tuple(int(any(setup in named[one] for one in some)) for some in states.ops[number].sets)
                self.add(Allowed(needed, (0, 1)), number, variable)
        return Factors(sizes, self.leaves, self.scopes, of_value)

    def add(self, leaf: Leaf, *scope: int) -> None:
        key = (type(leaf).__name__, leaf)
        number = self.known.get(key)
        if number is None:
            number = self.known[key] = len(self.leaves)
            self.leaves.append(leaf)
        self.scopes.append((number, scope))

    def not_saved(self, number: int, variant: int, saving: Saving, more: Vector) -> Pairs:
        """What a variant costs more in the states of its maker that let it save nothing."""
        nothing = (0,) * self.entries
        fine = [not some or not set(some).isdisjoint(saving.variants) for some in self.states.ops[saving.maker].sets]
        paying = (nothing,) * len(fine), tuple(nothing if one else more for one in fine)
        return Pairs(tuple(paying[variant in some] for some in self.states.ops[number].sets))

    def op_costs(self, number: int, common: dict[str, list[int]]) -> tuple[Vector, ...]:
        """What each state of an operation costs, without setups that several operations share."""
        states = self.states.ops[number]
        setups = self.states.setups[number]
        out: list[Vector] = []
        for some in states.sets:
            if not some:
                costs = self.states.costs[number]
                several = (
                    sum(sorted(each)[: states.beyond])
                    for each in zip(*(costs[one] for one in states.variants), strict=True)
                )
                out.append(_sum([tuple(several), self.result_costs_of_many(number)]))
                continue
            paid = [self.states.costs[number][one] for one in some]
            own = {name for one in some for name in setups[one] if name not in common}
            paid += [self.states.once[setup] for setup in sorted(own)]
            out.append(_sum([*paid, self.result_costs(number, some)]))
        return tuple(out)

    def result_costs(self, number: int, some: tuple[int, ...]) -> Vector:
        """The penalties and registers of the layouts that variants make."""
        op = self.problem.ops[number]
        penalty = registers = 0
        for value, layout in self.made(number, some):
            known = self.problem.values[value]
            registers += known.registers[known.layouts.index(layout)]
            penalty += self.penalty.get((value, layout), 0)
        return (*(0 for _ in self.problem.pipes), penalty, registers) if op.results else (0,) * self.entries

    def result_costs_of_many(self, number: int) -> Vector:
        """The registers of more variants than are told apart, at least."""
        op, states = self.problem.ops[number], self.states.ops[number]
        registers = 0
        for port, value in enumerate(op.results, len(op.operands)):
            known = self.problem.values[value]
            made = {op.variants[one].layouts[port] for one in states.variants}
            sizes = sorted(known.registers[known.layouts.index(layout)] for layout in made)
            if value not in op.results[: port - len(op.operands)]:
                registers += sum(sizes[: self.distinct(number, value)])
        return (*(0 for _ in self.problem.pipes), 0, registers)

    def made(self, number: int, some: tuple[int, ...]) -> dict[tuple[int, str], None]:
        """The results in the layouts that variants make."""
        op = self.problem.ops[number]
        made = (zip(op.results, op.variants[one].layouts[len(op.operands) :], strict=True) for one in some)
        return dict.fromkeys(pair for pairs in made for pair in pairs)

    def conversions(self, value: int, known: ValueStates) -> Conversions:
        maker = self.states.maker[value]
        place = {layout: number for number, layout in enumerate(known.layouts)}
        made = []
        for some in self.states.ops[maker].sets:
            layouts = [layout for result, layout in self.made(maker, some) if result == value]
            made.append(sum(1 << place[layout] for layout in layouts) if some else MANY)
        ways = tuple((pair, tuple(way.cost for way in some)) for pair, some in sorted(known.ways.items()))
        return Conversions(self.entries, len(known.layouts), ways, tuple(made), known.sets, known.beyond)

    def needed(self, number: int, value: int) -> tuple[int, ...]:
        """The layouts of an operand that each state of an operation asks for."""
        op = self.problem.ops[number]
        known = self.states.values[value]
        place = {layout: number for number, layout in enumerate(known.layouts)}
        ports = [port for port, operand in enumerate(op.operands) if operand == value]
        return tuple(
            sum({1 << place[op.variants[one].layouts[port]] for one in some for port in ports}) if some else MANY
            for some in self.states.ops[number].sets
        )

    def distinct(self, number: int, value: int) -> int:
        """In how many layouts an operand is asked for, or a result made, at least, by more variants than are told."""
        op, states = self.problem.ops[number], self.states.ops[number]
        ports = [port for port, one in enumerate((*op.operands, *op.results)) if one == value]
        return max(
            -(-states.beyond // max(Counter(op.variants[one].layouts[port] for one in states.variants).values()))
            for port in ports
        )


def _sum(vectors: list[Vector]) -> Vector:
    return tuple(sum(entry) for entry in zip(*vectors, strict=True))
