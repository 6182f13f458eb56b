"""Plans that are found without a proof: each keeps its limits, none is better than the best, moves make them better."""

from __future__ import annotations

import pytest

from layoutsolver_models.problems.fusion import (
    FusionApart,
    FusionLimits,
    FusionLoad,
    FusionLoop,
    FusionOrder,
    FusionProblem,
    FusionSource,
    FusionStep,
    FusionStore,
    FusionValue,
)
from layoutsolver_models.solve.fusion import best_found
from layoutsolver_models.solve.fusion_all import best_by_enumeration
from layoutsolver_models.solve.fusion_plan import fault, settle
from layoutsolver_models.solve.fusion_search import apart, beam, greedy, improved
from tests.models.test_fusion_pairs import problem_of
from tests.models.test_fusion_plan import masked


@pytest.mark.parametrize("seed", range(20))
def test_moves_keep_a_plan_a_plan_and_never_make_it_dearer(seed: int) -> None:
    problem = problem_of(seed, 7)
    best = best_by_enumeration(problem).cost.total
    for start in (apart(problem), greedy(problem), beam(problem, 2)):
        found = improved(problem, start)
        assert fault(problem, found) is None
        assert best <= settle(problem, found).cost.total <= settle(problem, start).cost.total
        assert improved(problem, found) == found
    assert best <= settle(problem, best_found(problem)).cost.total


def chain(*, backwards: bool) -> FusionProblem:
    """Three loops that hand rows on, and one that the loop at an end of the chain must not be with."""
    rows = [FusionStep((), (number,)) for number in range(4)]
    loops = tuple(
        FusionLoop(name, 0, 8, (rows[number], FusionStep((number,), ()))) for number, name in enumerate("abcd")
    )
    loads = tuple(
        FusionLoad(number, 0, number, 1, (FusionSource(number - 1),) if number in (1, 2) else (), (number,))
        for number in range(4)
    )
    stores = tuple(
        FusionStore(number, 1, number, 1, (number + 1,) if number < 2 else (), "" if number < 2 else "yes")
        for number in range(4)
    )
    return FusionProblem(
        loops, tuple(FusionValue(name, 1) for name in "abcd"), loads, stores,
        orders=(FusionOrder(0, 1), FusionOrder(1, 2)), apart=(FusionApart(2 if backwards else 0, 3, "FP"),),
    )  # fmt: skip


@pytest.mark.parametrize(("backwards", "start"), [(False, ((0,), (1, 2, 3))), (True, ((0, 1, 3), (2,)))])
def test_a_loop_moves_with_those_that_take_its_rows_or_give_it_theirs(
    backwards: bool, start: tuple[tuple[int, ...], ...]
) -> None:
    """The middle loop by itself would lose on one side what it gains on the other."""
    problem = chain(backwards=backwards)
    assert improved(problem, start) == ((0, 1, 2), (3,))


def test_moves_keep_the_limits_and_end_in_time() -> None:
    assert improved(masked(5, 0, 8), ((0,), (1,))) == ((0,), (1,))
    assert improved(masked(5, 0, 10), ((0,), (1,))) == ((0, 1),)
    assert improved(masked(5, 0, 10), ((0,), (1,)), until=0.0) == ((0,), (1,))
    assert best_found(masked(5, 0, 10)._replace(limits=FusionLimits(None, 9, None))) == ((0,), (1,))
