"""Objectives as weights of cost vectors, in few enough levels of 64-bit integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from layoutsolver_models.elimination.factors import NEVER, Conversions, Factors, Leaf, Pairs, Unary, Weights
from layoutsolver_models.elimination.states import Vector
from layoutsolver_models.problems.selection import SelectionObjective, SelectionProblem, Value


def weight_of(problem: SelectionProblem, objective: SelectionObjective) -> Vector:
    """The weights of an objective that is a sum, which `pipes` is not: of each pipe, of penalties, of registers."""
    bounded = tuple(int(pipe in problem.bounded) for pipe in problem.pipes)
    if objective == "total":
        return (*bounded, 1, 0)
    if objective == "rest":
        return (*(1 - one for one in bounded), 0, 0)
    if objective == "registers":
        return (*(0 for _ in bounded), 0, 1)
    raise ValueError("the busiest pipe is not a weighted sum")


def pipe_weight(problem: SelectionProblem, pipe: str) -> Vector:
    """The weights that single out one pipe."""
    return (*(int(one == pipe) for one in problem.pipes), 0, 0)


class Levels(NamedTuple):
    """Weights of (levels, weightings, entries); of each sum, the level that it is in and what it is multiplied by."""

    weights: Weights
    units: tuple[tuple[int, int], ...]

    def parts(self, values: Sequence[int]) -> list[int]:
        """The sums that the levels of a minimum consist of."""
        out: list[int] = []
        left = list(values)
        for level, unit in self.units:
            out.append(left[level] // unit)
            left[level] -= out[-1] * unit
        return out

    def of(self, weighting: int) -> list[Vector]:
        """The levels of one weighting."""
        return [tuple(map(int, row)) for row in self.weights[:, weighting]]


def levels_of(factors: Factors, orders: Sequence[Sequence[Vector]]) -> Levels | None:
    """Weights for minimising several sums one after the other, in each of several orders of equal length.

    Sums that fit into one integer together become one level. None if one does not fit by itself.
    """
    bounds = [max(_largest(factors, order[place]) for order in orders) for place in range(len(orders[0]))]
    levels: list[list[list[int]]] = []
    units: list[tuple[int, int]] = []
    bound = NEVER
    for place, largest in enumerate(bounds):
        if largest >= NEVER // 2:
            return None
        joined = bound * (largest + 1) + largest
        if joined < NEVER // 2:
            bound = joined
            last = len(levels) - 1
            units = [(level, unit * (largest + 1 if level == last else 1)) for level, unit in units]
            levels[-1] = [
                [(largest + 1) * old + new for old, new in zip(row, order[place], strict=True)]
                for row, order in zip(levels[-1], orders, strict=True)
            ]
        else:
            bound = largest
            levels.append([list(order[place]) for order in orders])
        units.append((len(levels) - 1, 1))
    return Levels(np.array(levels, np.int64), tuple(units))


def _largest(factors: Factors, weight: Vector) -> int:
    """What no choice of states can exceed."""
    counts = [0] * len(factors.leaves)
    for leaf, _ in factors.scopes:
        counts[leaf] += 1
    return sum(count * _most(leaf, weight) for leaf, count in zip(factors.leaves, counts, strict=True))


def _most(leaf: Leaf, weight: Vector) -> int:
    if isinstance(leaf, Unary):
        return max(weigh(cost, weight) for cost in leaf.costs)
    if isinstance(leaf, Pairs):
        return max(weigh(cost, weight) for costs in leaf.costs for cost in costs)
    if isinstance(leaf, Conversions):
        into: dict[int, int] = {}
        for (_, after), costs in leaf.ways:
            into[after] = max(into.get(after, 0), *(weigh(cost, weight) for cost in costs))
        return sum(into.values())
    return 0


def vector_of(problem: SelectionProblem, value: Value) -> Vector:
    """All that a choice costs: on each pipe, in penalties, in registers."""
    bounded = sum(one for pipe, one in zip(problem.pipes, value.load, strict=True) if pipe in problem.bounded)
    return (*value.load, value.total - bounded, value.registers)


def weigh(cost: Vector, weight: Vector) -> int:
    """The weighted sum of a vector."""
    return sum(one * times for one, times in zip(cost, weight, strict=True))
