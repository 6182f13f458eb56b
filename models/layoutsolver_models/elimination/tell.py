"""States with more sets told apart where that matters, and with fewer where they are known to be worse."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from math import comb

import numpy as np
from numpy.typing import NDArray

from layoutsolver_models.elimination.factors import Table
from layoutsolver_models.elimination.states import MANY, States, more_layouts_told, more_told

MOST_STATES = 1024
"""No more states of one variable are told apart."""


def only_told(states: States) -> States:
    """Without the states that stand for sets that are not told apart."""
    ops = [op._replace(sets=tuple(filter(None, op.sets))) for op in states.ops]
    values = {
        value: known._replace(sets=tuple(some for some in known.sets if some != MANY))
        for value, known in states.values.items()
    }
    return states._replace(ops=ops, values=values)


def without_worse(states: States, of_value: dict[int, int], marginals: Sequence[Table], limit: Sequence[int]) -> States:
    """Without the states with which every choice comes to more than a limit, by the levels one after the other."""
    kept = [_within(least, limit) for least in marginals]
    ops = [
        op if fine.all() else op._replace(sets=tuple(compress(op.sets, fine)))
        for op, fine in zip(states.ops, kept, strict=False)
    ]
    values = {
        value: known
        if kept[of_value[value]].all()
        else known._replace(sets=tuple(compress(known.sets, kept[of_value[value]])))
        for value, known in states.values.items()
    }
    return states._replace(ops=ops, values=values)


def _within(least: Table, limit: Sequence[int]) -> NDArray[np.bool_]:
    """Which states come to no more than the limit."""
    within = np.ones(least.shape[1], np.bool_)
    for level, most in zip(reversed(least), reversed(limit), strict=True):
        within = (level < most) | (level == most) & within
    return within


def with_more_told(states: States, of_value: dict[int, int], chosen: Sequence[int]) -> States:
    """With larger sets told apart where a choice took one that is not."""
    ops = list(states.ops)
    for number, (op, state) in enumerate(zip(states.ops, chosen, strict=False)):
        if not op.sets[state] and _few(op.variants, op.beyond):
            ops[number] = more_told(op)
    values = dict(states.values)
    for value, known in states.values.items():
        if known.sets[chosen[of_value[value]]] == MANY and _few(known.wanted, known.beyond):
            values[value] = more_layouts_told(known)
    return states._replace(ops=ops, values=values)


def _few(members: Sequence[int], most: int) -> bool:
    """Whether there are few enough sets of up to so many members."""
    return sum(comb(len(members), size) for size in range(1, most + 1)) <= MOST_STATES
