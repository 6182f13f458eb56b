"""Minima of weighted sums over all choices, choices that attain them, and what each state comes to at least."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from layoutsolver_models.elimination.factors import NEVER, Factors, Table, Weights, least
from layoutsolver_models.elimination.plan import Group, Part, Plan, Step

OFTEN = 500
"""So many tables may be added before what cannot be is brought back to `NEVER`."""


class Minima:
    """The tables of a plan for some weights; `values` are the minima, an array of (levels, weightings).

    A minimum of `NEVER` says that there is no choice at all.
    """

    def __init__(self, factors: Factors, plan: Plan, weights: Weights, evenly: bool = False) -> None:
        self.factors = factors
        self.plan = plan
        self.shape = weights.shape[:2]
        self.tables: list[Table] = [_without_single(leaf.table(weights)) for leaf in factors.leaves]
        self.shifts: dict[int, Table] = {}
        for made in plan.made:
            totals = [_added(((self.tables[part.table], part) for part in one.parts), one.sizes) for one in made]
            if len(made) > 1:
                for place, shift in enumerate(_matching(totals, evenly)):
                    self.shifts[len(self.tables) + place] = shift
                    axes = (1,) * (totals[place].ndim - 3)
                    totals[place] = totals[place] + shift.reshape(*shift.shape, *axes)
            self.tables += [_capped(least(total)) for total in totals]
        self.last = [number for number, (_, scope) in enumerate(plan.held) if not scope]
        self.values = np.zeros(self.shape, np.int64)
        for number in self.last:
            self.values += self.tables[plan.held[number][0]]
            self.values = _capped(self.values)

    def choice(self, weighting: int) -> list[int]:
        """The state of each variable in a choice that attains the minimum, the first ones among equals.

        Where the plan is not exact it is a choice that may cost more, or `NEVER`.
        """
        states = [0] * len(self.factors.sizes)
        for step in reversed(self.plan.steps):
            states[step.variable] = self._best(step, states, weighting)
        return states

    def _best(self, step: Step, states: list[int], weighting: int) -> int:
        total: Table | None = None
        for number, held in enumerate((held for group in step.groups for held in group.held), 1):
            table, scope = self.plan.held[held]
            place = tuple(slice(None) if one == step.variable else states[one] for one in scope)
            part = self.tables[table][(slice(None), weighting, *place)]
            total = part if total is None else total + part
            if number % OFTEN == 0:
                total = _capped(total)
        if total is None:
            return 0
        if total.shape[0] == 1:
            return int(total[0].argmin())
        some = np.flatnonzero(total[0] == total[0].min())
        for level in total[1:]:
            left = level[some]
            some = some[left == left.min()]
        return int(some[0])

    def marginals(self, weighting: int) -> list[Table]:
        """What the best choice with each state of each variable comes to at least: (levels, states).

        Where a variable is split, what one of its copies says.
        """
        tables = [table[:, weighting] for table in self.tables]
        shifts = {number: shift[:, weighting] for number, shift in self.shifts.items()}
        return _Marginals(self.factors, self.plan, tables, shifts, self.last).found


class _Marginals:
    def __init__(
        self, factors: Factors, plan: Plan, tables: list[Table], shifts: dict[int, Table], last: list[int]
    ) -> None:
        self.plan = plan
        self.tables = tables
        self.shifts = shifts
        self.sizes = factors.sizes
        self.outside: dict[int, Table] = {}
        levels = tables[0].shape[0]
        whole = np.sum([tables[plan.held[number][0]] for number in last], axis=0)
        for number in last:
            self.outside[number] = whole - tables[plan.held[number][0]]
        self.found = [np.zeros((levels, size), np.int64) for size in factors.sizes]
        for step in reversed(plan.steps):
            for group in step.groups:
                self.found[step.variable] = self.of_group(step.variable, group)

    def of_group(self, variable: int, group: Group) -> Table:
        """What the states of a variable come to, from one group; what is outside of its tables is noted."""
        place = {one: number for number, one in enumerate((variable, *self.plan.held[group.made][1]))}
        sizes = tuple(self.sizes[one] for one in place)
        parts = [self.spread(held, place, sizes) for held in group.held]
        before: list[Table] = [self.outside.pop(group.made)[:, None]]
        shift = self.shifts.get(self.plan.held[group.made][0])
        if shift is not None:
            before[0] = _capped(before[0] + shift.reshape(*shift.shape, *(1 for _ in sizes[1:])))
        for part in parts:
            before.append(_capped(before[-1] + part))
        behind = np.zeros((before[0].shape[0], *(1 for _ in sizes)), np.int64)
        for held, part, rest in zip(reversed(group.held), reversed(parts), reversed(before[:-1]), strict=True):
            if held >= self.plan.given:
                self.outside[held] = _narrowed(_capped(rest + behind), sizes, place, self.plan.held[held][1])
            behind = _capped(behind + part)
        return _narrowed(before[-1], sizes, place, (variable,))

    def spread(self, held: int, place: dict[int, int], sizes: tuple[int, ...]) -> Table:
        table, scope = self.plan.held[held]
        part = Part(table, tuple(place[one] for one in scope))
        placed: Table = _placed(self.tables[table][:, None], part, sizes)[:, 0]
        return placed


def _narrowed(table: Table, sizes: tuple[int, ...], place: dict[int, int], scope: tuple[int, ...]) -> Table:
    """The minimum over all variables but those of a scope, whose axes then come in its order."""
    whole = np.broadcast_to(table, (table.shape[0], *sizes))
    kept = [1 + place[one] for one in scope]
    gone = [1 + number for one, number in place.items() if one not in scope]
    turned = whole.transpose(0, *kept, *gone).reshape(table.shape[0], *(whole.shape[axis] for axis in kept), -1)
    return least(turned, len(kept) + 1)


def _matching(totals: list[Table], evenly: bool) -> list[Table]:
    """What to add to the groups of a split variable, for each of its states: nothing in sum.

    Evenly, so that its states come to the same in each group (moment matching; Flerova, Ihler, Dechter, Otten 2011),
    which gives good choices; or so that they come to all in the first group, which gives good bounds. Only the first
    level is moved.
    """
    each = np.stack([np.minimum(total[0].reshape(*total.shape[1:3], -1).min(axis=2), NEVER) for total in totals])
    never = (each >= NEVER // 2).any(axis=0)
    kept = each.sum(axis=0) // len(totals) if evenly else 0
    shifts = np.where(never, 0, kept - each)
    shifts[0] += np.where(never, NEVER, -shifts.sum(axis=0))
    out = [np.zeros((totals[0].shape[0], *shift.shape), np.int64) for shift in shifts]
    for table, shift in zip(out, shifts, strict=True):
        table[0] = shift
    return out


def _without_single(table: Table) -> Table:
    """Without the axes of variables that have one state."""
    return table.reshape(*table.shape[:2], *(size for size in table.shape[2:] if size > 1))


def _capped(table: Table) -> Table:
    """With what cannot be brought back to `NEVER`."""
    table[0] = np.minimum(table[0], NEVER)
    return table


def _placed(table: Table, part: Part, sizes: tuple[int, ...]) -> Table:
    """A table with its axes in the places of a part, and axes of length 1 for the other variables."""
    axes = part.axes
    if len(axes) > 1:
        order = sorted(range(len(axes)), key=axes.__getitem__)
        table = table.transpose(0, 1, *(2 + one for one in order))
    if len(axes) < len(sizes):
        table = table.reshape(*table.shape[:2], *(size if place in axes else 1 for place, size in enumerate(sizes)))
    return table


def _added(parts: Iterable[tuple[Table, Part]], sizes: tuple[int, ...]) -> Table:
    """The sum of the parts of a table, over all variables: small ones are added up before they are spread."""
    placed = sorted((_placed(table, part, sizes) for table, part in parts), key=lambda one: one.size)
    total = placed[0]
    whole = False
    for number, part in enumerate(placed[1:], 2):
        if whole:
            np.add(total, part, out=total)
        else:
            total = total + part
            whole = total.shape[2:] == sizes
        if number % OFTEN == 0:
            total = _capped(total)
    return total
