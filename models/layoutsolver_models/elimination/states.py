"""The states of a selection problem: which variants an operation may run in, in which layouts a value may be available.

An operation that may be copied runs in a set of its variants, a value is available in a set of layouts. No more of
either pays than its users can ask for together: each copy serves one of them. Where the sets are too many, those beyond
a size are one state, `MANY`, that asks for nothing, makes everything, and costs no more than any of them: bounds with
it are valid, and a best choice that does without it is the best.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from math import comb
from typing import NamedTuple

from layoutsolver_models.problems.selection import Saving, SelectionProblem, ValueConversion

MANY = -1
"""As a set: more than are told apart."""

OP_STATES = 48
VALUE_STATES = 64
"""So many sets are told apart at first, if these suffice for those of one."""

Vector = tuple[int, ...]
"""What something costs: on each pipe, then in penalties, then in registers."""


class Way(NamedTuple):
    """A conversion by its number, with all that it costs."""

    number: int
    cost: Vector


class OpStates(NamedTuple):
    """The sets of variants of an operation, smallest first; an empty one stands for `MANY` of at least `beyond`.

    They are taken from `variants`; none of more than `most` pays.
    """

    sets: tuple[tuple[int, ...], ...]
    variants: tuple[int, ...]
    most: int
    beyond: int = 0


class ValueStates(NamedTuple):
    """The sets of layouts of a value as bits of `layouts`, smallest first; `MANY` are at least `beyond`.

    They are taken from those that are `wanted`; none of more than `most` pays.
    """

    layouts: tuple[str, ...]
    sets: tuple[int, ...]
    ways: dict[tuple[int, int], tuple[Way, ...]]
    wanted: tuple[int, ...]
    most: int
    beyond: int = 0


class States(NamedTuple):
    """The states of all operations, and of the values that something uses.

    `maker` is the operation of each value, -1 if none; `costs[o]` what each variant of operation o costs but for its
    setups, `setups[o]` the names of those that others share, `once` what setups cost. A variant with a saving costs as
    if that were made: `dearer` is what it costs more where it is not.
    """

    problem: SelectionProblem
    ops: list[OpStates]
    values: dict[int, ValueStates]
    maker: list[int]
    costs: list[dict[int, Vector]]
    setups: list[dict[int, tuple[str, ...]]]
    once: dict[str, Vector]
    dearer: dict[tuple[int, int], tuple[Saving, Vector]]


def states_of(problem: SelectionProblem, variants: list[list[int]], conversions: list[int]) -> States | None:
    """The states of what is left of a problem; None if it is none that this serves: costs below 0, several makers."""
    if not _serves(problem):
        return None
    return _Compiler(problem, variants, conversions).states()


def more_told(op: OpStates) -> OpStates:
    """An operation with sets of one more variant told apart."""
    sets = (*(some for some in op.sets if some), *combinations(op.variants, op.beyond))
    return (
        op._replace(sets=sets, beyond=0)
        if op.beyond == op.most
        else op._replace(sets=(*sets, ()), beyond=op.beyond + 1)
    )


def more_layouts_told(value: ValueStates) -> ValueStates:
    """A value with sets of one more layout told apart."""
    told = (sum(1 << bit for bit in some) for some in combinations(value.wanted, value.beyond))
    sets = (*(some for some in value.sets if some != MANY), *told)
    if value.beyond == value.most:
        return value._replace(sets=sets, beyond=0)
    return value._replace(sets=(*sets, MANY), beyond=value.beyond + 1)


def _serves(problem: SelectionProblem) -> bool:
    made = [value for op in problem.ops for value in op.results]
    if len(made) > len(set(made)):
        return False
    every = [variant for op in problem.ops for variant in op.variants]
    costs = {cost for variant in every for cost in (variant.cost, variant.once)}
    costs |= {setup.cost for variant in every for setup in variant.setups}
    costs |= {way.cost for way in problem.conversions} | {saving.cost for saving in problem.savings}
    weights = {op.weight for op in problem.ops} | {way.weight for way in problem.conversions}
    weights |= {cost for _, _, cost in problem.penalties}
    return min(weights, default=0) >= 0 and all(one >= 0 for cost in costs for one in cost)


class _Compiler:
    def __init__(self, problem: SelectionProblem, variants: list[list[int]], conversions: list[int]) -> None:
        self.problem = problem
        self.left = [list(some) for some in variants]
        self.nothing = (0,) * (len(problem.pipes) + 2)
        self.maker = [-1] * len(problem.values)
        for number, op in enumerate(problem.ops):
            for value in op.results:
                self.maker[value] = number
        self.users: list[list[int]] = [[] for _ in problem.values]
        for number, op in enumerate(problem.ops):
            for value in dict.fromkeys(op.operands):
                self.users[value].append(number)
        self.ways: list[dict[tuple[str, str], list[Way]]] = [{} for _ in problem.values]
        for number in conversions:
            way = problem.conversions[number]
            self.ways[way.value].setdefault((way.before, way.after), []).append(Way(number, self.way_cost(way)))
        self.penalty: dict[tuple[int, str], int] = defaultdict(int)
        for value, layout, cost in problem.penalties:
            self.penalty[value, layout] += cost
        self.sharers: dict[str, set[int]] = defaultdict(set)
        self.once: dict[str, Vector] = {}
        for number, op in enumerate(problem.ops):
            for variant in self.left[number]:
                for setup in op.variants[variant].setups:
                    if any(setup.cost):
                        self.sharers[setup.name].add(number)
                        self.once.setdefault(setup.name, (*setup.cost, 0, 0))
        self.dearer = {
            (one.op, one.variant): (one, (*(problem.ops[one.op].weight * entry for entry in one.cost), 0, 0))
            for one in problem.savings if one.variant in self.left[one.op]
        }  # fmt: skip
        self.saving: dict[int, list[tuple[int, ...]]] = defaultdict(list)
        for one, _ in self.dearer.values():
            self.saving[one.maker].append(one.variants)
        self.costs = [
            {variant: self.cost(number, variant) for variant in some} for number, some in enumerate(self.left)
        ]

    def way_cost(self, way: ValueConversion) -> Vector:
        known = self.problem.values[way.value]
        registers = known.registers[known.layouts.index(way.after)]
        return (*(way.weight * one for one in way.cost), 0, registers)

    def cost(self, number: int, variant: int) -> Vector:
        """What a variant costs but for what its results take and for setups that others share."""
        op = self.problem.ops[number]
        chosen = op.variants[variant]
        cost = (*(op.weight * one for one in chosen.cost), 0, 0)
        if chosen.once:
            cost = _plus(cost, (*chosen.once, 0, 0))
        shared = self.shared(number, variant)
        for name in dict.fromkeys(setup.name for setup in chosen.setups if any(setup.cost)):
            if name not in shared:
                cost = _plus(cost, self.once[name])
        if (number, variant) in self.dearer:
            cost = tuple(a - b for a, b in zip(cost, self.dearer[number, variant][1], strict=True))
        return cost

    def shared(self, number: int, variant: int) -> tuple[str, ...]:
        """The setups that a variant shares with others, or with other variants of the operation where it is copied."""
        op = self.problem.ops[number]
        names = sorted({setup.name for setup in op.variants[variant].setups if any(setup.cost)})
        return tuple(name for name in names if op.copies or len(self.sharers[name]) > 1)

    def states(self) -> States:
        asked: list[dict[str, int]] = [{} for _ in self.problem.values]
        for number, some in enumerate(self.left):
            for variant in some:
                self.count(number, variant, asked, 1)
        most: list[int] = [0] * len(self.problem.values)
        copies = [len(some) if op.copies else 1 for op, some in zip(self.problem.ops, self.left, strict=True)]
        for number in reversed(range(len(self.problem.ops))):
            op = self.problem.ops[number]
            self.drop_dominated(number, asked)
            for value in op.results:
                served = sum(copies[user] * self.problem.ops[user].operands.count(value) for user in self.users[value])
                most[value] = min(served, sum(1 for count in asked[value].values() if count))
            needed = sum(most[value] for value in op.results)
            copies[number] = max(1, min(copies[number], needed, len(self.left[number])))
        ops = [_op_states(some, most) for some, most in zip(self.left, copies, strict=True)]
        values = {
            value: self.value_states(value, most[value], asked[value])
            for value in range(len(self.problem.values))
            if self.users[value]
        }
        setups = [{variant: self.shared(number, variant) for variant in some} for number, some in enumerate(self.left)]
        return States(self.problem, ops, values, self.maker, self.costs, setups, self.once, self.dearer)

    def count(self, number: int, variant: int, asked: list[dict[str, int]], by: int) -> None:
        op = self.problem.ops[number]
        for value, layout in zip(op.operands, op.variants[variant].layouts, strict=False):
            asked[value][layout] = asked[value].get(layout, 0) + by

    def value_states(self, value: int, most: int, asked: dict[str, int]) -> ValueStates:
        maker = self.problem.ops[self.maker[value]]
        ports = [port for port, result in enumerate(maker.results, len(maker.operands)) if result == value]
        made = {maker.variants[variant].layouts[port] for variant in self.left[self.maker[value]] for port in ports}
        wanted = {layout for layout, count in asked.items() if count}
        layouts = tuple(layout for layout in self.problem.values[value].layouts if layout in made | wanted)
        bits = [number for number, layout in enumerate(layouts) if layout in wanted]
        told = _told(len(bits), most, VALUE_STATES)
        sets = tuple(sum(1 << bit for bit in some) for size in range(1, told + 1) for some in combinations(bits, size))
        place = {layout: number for number, layout in enumerate(layouts)}
        ways = {
            (place[before], place[after]): tuple(some)
            for (before, after), some in self.ways[value].items()
            if before in made and after in wanted
        }
        if told < most:
            return ValueStates(layouts, (*sets, MANY), ways, tuple(bits), most, told + 1)
        return ValueStates(layouts, sets, ways, tuple(bits), most)

    # -- what cannot be better than something else ---------------------------------------------------------------

    def drop_dominated(self, number: int, asked: list[dict[str, int]]) -> None:
        """Leave out the variants of an operation that another one can stand for wherever they run."""
        some = self.left[number]
        kept: list[int] = []
        for place, variant in enumerate(some):
            others = (*kept, *some[place + 1 :])
            if any(self.dominates(number, other, variant, asked, other in kept) for other in others):
                self.count(number, variant, asked, -1)
            else:
                kept.append(variant)
        self.left[number] = kept

    def dominates(self, number: int, one: int, other: int, asked: list[dict[str, int]], first: bool) -> bool:
        """Whether `one` asks for no more, costs no more, and makes what costs no more to convert.

        Of two that dominate each other the first is left, as it is preferred.
        """
        return self.stands_for(number, one, other, asked) and (first or not self.stands_for(number, other, one, asked))

    def stands_for(self, number: int, one: int, other: int, asked: list[dict[str, int]]) -> bool:
        op = self.problem.ops[number]
        mine, theirs = op.variants[one], op.variants[other]
        width = len(op.operands)
        if mine.layouts[:width] != theirs.layouts[:width]:
            return False
        cost, bound = self.costs[number][one], self.costs[number][other]
        if (number, one) in self.dearer:
            cost = _plus(cost, self.dearer[number, one][1])
        if any(other in some and one not in some for some in self.saving.get(number, ())):
            return False
        for name in set(self.shared(number, one)).difference(self.shared(number, other)):
            cost = _plus(cost, self.once[name])
        if any(a > b for a, b in zip(cost, bound, strict=True)):
            return False
        for value, layout, instead in zip(op.results, theirs.layouts[width:], mine.layouts[width:], strict=True):
            if layout == instead:
                continue
            known = self.problem.values[value]
            place = known.layouts.index
            if known.registers[place(instead)] > known.registers[place(layout)]:
                return False
            if self.penalty[value, instead] > self.penalty[value, layout]:
                return False
            wanted = (name for name, count in asked[value].items() if count)
            if not all(self.leads(value, instead, layout, name) for name in wanted):
                return False
        return True

    def leads(self, value: int, one: str, other: str, layout: str) -> bool:
        """Whether a value is had in a layout from `one` for no more than from `other`, whichever way."""
        ways = self.ways[value]
        nothing = [Way(-1, self.nothing)]
        mine = nothing if one == layout else ways.get((one, layout), [])
        theirs = nothing if other == layout else ways.get((other, layout), [])
        return all(any(_at_most(way.cost, known.cost) for way in mine) for known in theirs)


def _told(count: int, most: int, states: int) -> int:
    """The size of sets up to which all are told apart: at least 1."""
    told, sets = 1, count
    while told < most and sets + comb(count, told + 1) <= states:
        told += 1
        sets += comb(count, told)
    return told


def _op_states(variants: list[int], most: int) -> OpStates:
    told = _told(len(variants), most, OP_STATES)
    sets = tuple(some for size in range(1, told + 1) for some in combinations(variants, size))
    if told < most:
        return OpStates((*sets, ()), tuple(variants), most, told + 1)
    return OpStates(sets, tuple(variants), most)


def _plus(one: Vector, other: Vector) -> Vector:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _at_most(one: Vector, other: Vector) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))
