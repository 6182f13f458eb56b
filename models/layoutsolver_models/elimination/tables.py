"""Minima of weighted sums over all choices, and choices that attain them."""

from __future__ import annotations

import numpy as np

from layoutsolver_models.elimination.factors import NEVER, Factors, Table, Weights, least
from layoutsolver_models.elimination.plan import Made, Plan, Step

OFTEN = 500
"""So many tables may be added before what cannot be is brought back to `NEVER`."""


class Minima:
    """The tables of a plan for some weights; `values` are the minima, an array of (levels, weightings).

    A minimum of `NEVER` says that there is no choice at all.
    """

    def __init__(self, factors: Factors, plan: Plan, weights: Weights) -> None:
        self.factors = factors
        self.plan = plan
        self.tables: list[Table] = [leaf.table(weights) for leaf in factors.leaves]
        for made in plan.made:
            table = least(_added(self.tables, made))
            np.minimum(table[0], NEVER, out=table[0])
            self.tables.append(table)
        self.values = np.zeros(weights.shape[:2], np.int64)
        for number in plan.rest:
            self.values += self.tables[number]
            np.minimum(self.values[0], NEVER, out=self.values[0])

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
        for number, (table, scope) in enumerate(step.tables, 1):
            place = tuple(slice(None) if one == step.variable else states[one] for one in scope)
            part = self.tables[table][(slice(None), weighting, *place)]
            total = part if total is None else total + part
            if number % OFTEN == 0:
                total[0] = np.minimum(total[0], NEVER)
        if total is None:
            return 0
        if total.shape[0] == 1:
            return int(total[0].argmin())
        some = np.flatnonzero(total[0] == total[0].min())
        for level in total[1:]:
            left = level[some]
            some = some[left == left.min()]
        return int(some[0])


def _added(tables: list[Table], made: Made) -> Table:
    """The sum of the parts of a table, over all variables."""
    total: Table | None = None
    for number, (table, axes) in enumerate(made.parts, 1):
        part = tables[table]
        if len(axes) > 1:
            order = sorted(range(len(axes)), key=axes.__getitem__)
            part = part.transpose(0, 1, *(2 + one for one in order))
        if len(axes) < len(made.sizes):
            part = part.reshape(
                *part.shape[:2], *(size if place in axes else 1 for place, size in enumerate(made.sizes))
            )
        total = part if total is None else total + part
        if number % OFTEN == 0:
            total[0] = np.minimum(total[0], NEVER)
    assert total is not None
    return total
