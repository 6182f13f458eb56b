"""Loops that can never share a body: what dependences through other loops tell, held against all plans."""

from __future__ import annotations

import random

import pytest

from layoutsolver_models.problems.fusion import FusionApart, FusionLoop, FusionOrder, FusionProblem
from layoutsolver_models.solve.fusion import solve_fusion
from layoutsolver_models.solve.fusion_all import best_by_enumeration, plans
from layoutsolver_models.solve.fusion_pairs import cliques, companions
from layoutsolver_models.solve.fusion_plan import eligible


def problem_of(seed: int, count: int = 6) -> FusionProblem:
    """Loops with two headers, in random order with random pairs apart."""
    rng = random.Random(seed)
    pairs = [(one, other) for other in range(count) for one in range(other)]
    loops = tuple(FusionLoop(f"l{number}", int(rng.random() < 0.25), 8, ()) for number in range(count))
    orders = tuple(FusionOrder(*pair, strict=rng.random() < 0.3) for pair in pairs if rng.random() < 0.35)
    return FusionProblem(
        loops, orders=orders, apart=tuple(FusionApart(*pair, "FP") for pair in pairs if rng.random() < 0.1)
    )


@pytest.mark.parametrize("seed", range(60))
def test_no_plan_has_loops_together_that_cannot_be(seed: int) -> None:
    problem = problem_of(seed)
    friends = companions(problem)
    together = {
        (one, other)
        for plan in plans(problem)
        for cluster in plan
        for one in cluster
        for other in cluster
        if one != other
    }
    assert together <= {(one, other) for one, some in enumerate(friends) for other in some}
    assert all(some <= before for some, before in zip(friends, eligible(problem), strict=True))
    found = solve_fusion(problem)
    assert (found.status, found.cost.total) == ("optimal", best_by_enumeration(problem).cost.total)


def test_a_loop_between_two_keeps_them_apart_through_others() -> None:
    """The first and the last cannot share a body: the third comes between them and cannot be with the first."""
    loops = tuple(FusionLoop(name, 0, 8, ()) for name in "abcd")
    orders = (FusionOrder(0, 1), FusionOrder(1, 2), FusionOrder(2, 3))
    problem = FusionProblem(loops, orders=orders, apart=(FusionApart(0, 2, "FP"),))
    assert companions(problem) == [{1}, {0, 2, 3}, {1, 3}, {1, 2}]
    assert eligible(problem)[0] == {1, 3}


@pytest.mark.parametrize("seed", range(30))
def test_every_two_that_are_no_friends_are_in_a_group_and_no_friends_are(seed: int) -> None:
    friends = companions(problem_of(seed, 9))
    groups = cliques(range(9), friends)
    grouped = {(one, other) for group in groups for one in group for other in group if one < other}
    assert grouped == {(one, other) for other in range(9) for one in range(other) if one not in friends[other]}
