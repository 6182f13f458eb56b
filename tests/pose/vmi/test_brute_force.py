"""The optimum of small random kernels is that of trying everything."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod

import pytest

from layoutsolver_models.problems.selection import SelectionProblem, evaluate, faults
from layoutsolver_models.solve.selection import narrow, solve_selection
from tests.pose.vmi.kernels import posed
from tests.support.vmi_programs import random_kernel

MOST = 12_000
"""So many choices are tried."""


def without_copies(problem: SelectionProblem) -> SelectionProblem:
    return problem._replace(ops=tuple(op._replace(copies=False) for op in problem.ops))


def best_of_all(problem: SelectionProblem, open_variants: list[list[int]]) -> tuple[int, ...] | None:
    """The least values of the objectives over all choices of one variant for each operation."""
    ways = {(way.value, way.before, way.after): number for number, way in enumerate(problem.conversions)}
    best: tuple[int, ...] | None = None
    for picked in product(*open_variants):
        made: dict[int, str] = {}
        for op, number in zip(problem.ops, picked, strict=True):
            layouts = op.variants[number].layouts
            made.update(zip(op.results, layouts[len(op.operands) :], strict=True))
        needed: set[int] = set()
        possible = True
        for op, number in zip(problem.ops, picked, strict=True):
            for value, layout in zip(op.operands, op.variants[number].layouts, strict=False):
                if made[value] != layout:
                    way = ways.get((value, made[value], layout))
                    possible &= way is not None
                    needed |= set() if way is None else {way}
        if not possible:
            continue
        spent = evaluate(problem, tuple((number,) for number in picked), tuple(needed))
        found = tuple(spent.of(name) for name in problem.objective)
        best = found if best is None else min(best, found)
    return best


SEEDS = range(90)


@lru_cache(maxsize=len(SEEDS))
def small_kernel(seed: int) -> tuple[SelectionProblem, list[list[int]]] | None:
    """A problem of at most 8 values of which every choice can be tried, with what may be tried; None if it is none."""
    made = posed(random_kernel(seed, 3), valid=False)
    problem = without_copies(made.problem)
    left = narrow(problem)
    if made.diagnostics or left.stuck >= 0 or len(problem.values) > 8:
        return None
    return (problem, left.variants) if 50 < prod(map(len, left.variants)) <= MOST else None


def test_there_are_enough_of_them() -> None:
    found = [kernel for seed in SEEDS if (kernel := small_kernel(seed)) is not None]
    assert len(found) >= 20
    assert max(len(problem.values) for problem, _ in found) >= 7


@pytest.mark.parametrize("seed", SEEDS)
def test_the_optimum_is_that_of_trying_everything(seed: int) -> None:
    kernel = small_kernel(seed)
    if kernel is None:
        return
    problem, variants = kernel
    solution = solve_selection(problem)
    best = best_of_all(problem, variants)
    if best is None:
        assert solution.status == "infeasible"
        return
    assert solution.status == "optimal"
    assert faults(problem, solution.variants, solution.conversions) == []
    value = evaluate(problem, solution.variants, solution.conversions)
    assert tuple(value.of(name) for name in problem.objective) == best
