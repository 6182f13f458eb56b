"""Plans that cost as much as the best one: all of them, each once, and no others."""

from __future__ import annotations

import pytest

from layoutsolver_models.cp.fusion import equal_plans
from layoutsolver_models.problems.fusion import FusionApart, FusionLimits, FusionLoop, FusionProblem
from layoutsolver_models.solve.fusion import solve_fusion
from layoutsolver_models.solve.fusion_all import plans
from layoutsolver_models.solve.fusion_plan import Clusters, exceeded, settle
from layoutsolver_models.solve.layout import Limits
from tests.models.test_fusion_pairs import problem_of
from tests.models.test_fusion_plan import masked, two


def together(clusters: Clusters) -> frozenset[frozenset[int]]:
    """Which loops are together, in whatever order."""
    return frozenset(map(frozenset, clusters))


def as_cheap(problem: FusionProblem, cost: int) -> set[frozenset[frozenset[int]]]:
    """The plans of that cost that keep the limits with no loads kept."""
    return {
        together(clusters)
        for clusters in plans(problem)
        if (outcome := settle(problem, clusters)).cost.total == cost
        and not any(exceeded(problem, cluster, outcome) for cluster in clusters)
    }


IDLE = FusionProblem(tuple(FusionLoop(name, 0, 8, (), runs=0) for name in "abc"), runs=0)
"""Three loops that never run: all five ways to put them together cost nothing."""


@pytest.mark.parametrize("problem", [IDLE, *(problem_of(seed, 5) for seed in range(12))])
def test_all_plans_of_the_least_cost_are_found_the_best_first(problem: FusionProblem) -> None:
    best = solve_fusion(problem)
    assert best.status == "optimal"
    found = equal_plans(problem, Limits(), best, 100)
    assert found[0] == best
    assert len({together(one.clusters) for one in found}) == len(found)
    assert {together(one.clusters) for one in found if not one.keep} == as_cheap(problem, best.cost.total)
    for one in found:
        outcome = settle(problem, one.clusters, one.keep)
        assert (one.status, one.cost, one.bound) == ("optimal", outcome.cost, best.cost.total)
        assert not any(exceeded(problem, cluster, outcome) for cluster in one.clusters)


def test_some_problems_have_several() -> None:
    assert len(as_cheap(IDLE, 0)) == 5
    several = [problem_of(seed, 5) for seed in range(12)]
    assert sum(len(as_cheap(problem, solve_fusion(problem).cost.total)) > 1 for problem in several) >= 1


@pytest.mark.parametrize("most", [1, 2, 4])
def test_no_more_are_looked_for_than_are_asked_for(most: int) -> None:
    assert len(equal_plans(IDLE, Limits(), solve_fusion(IDLE), most)) == most


def test_nothing_is_looked_for_beside_an_answer_that_is_not_proved_or_without_time() -> None:
    best = solve_fusion(IDLE)
    unproved = best._replace(status="feasible")
    assert equal_plans(IDLE, Limits(), unproved, 9) == (unproved,)
    assert equal_plans(IDLE, Limits(0.0), best, 9) == (best,)


def either(registers: int | None) -> FusionProblem:
    """A loop that hands a value on, and two that must not be together, each of which may take it."""
    problem = two(registers)
    first, second = problem.loops
    loads = (*problem.loads, problem.loads[1]._replace(loop=2))
    stores = (*problem.stores, problem.stores[2]._replace(loop=2))
    apart = (FusionApart(1, 2, "no"),)
    return problem._replace(loops=(first, second, second), loads=loads, stores=stores, apart=apart)


FIRST, SECOND = ((0, 1), (2,)), ((0, 2), (1,))


@pytest.mark.parametrize(
    ("registers", "expected"), [(None, {FIRST: ()}), (3, {FIRST: ()}), (2, {FIRST: (1,), SECOND: (2,)})]
)
def test_where_a_value_is_handed_on_is_open_once_the_registers_do_not_hold_it(
    registers: int | None, expected: dict[Clusters, tuple[int, ...]]
) -> None:
    """With room, the store goes if the loop behind it takes the value; without, every load stays."""
    problem = either(registers)
    best = solve_fusion(problem)
    found = equal_plans(problem, Limits(), best, 9)
    assert {together(one.clusters): one.keep for one in found} == {together(at): keep for at, keep in expected.items()}
    assert {one.cost for one in found} == {best.cost}


@pytest.mark.parametrize("problem", [two(2), two(3), masked(1, 1, 1), masked(2, 1, 2)])
def test_plans_that_exceed_the_limits_are_none(problem: FusionProblem) -> None:
    best = solve_fusion(problem)
    for one in equal_plans(problem, Limits(), best, 9):
        outcome = settle(problem, one.clusters, one.keep)
        assert outcome.cost.total == best.cost.total
        assert not any(exceeded(problem, cluster, outcome) for cluster in one.clusters)
    wider = problem._replace(limits=FusionLimits())
    assert solve_fusion(wider).cost.total <= best.cost.total
