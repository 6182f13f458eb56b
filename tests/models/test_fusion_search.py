"""Plans that are found without a proof: each keeps its limits, none is better than the best, moves make them better."""

from __future__ import annotations

import pytest

from layoutsolver_models.problems.fusion import FusionLimits, FusionLoop, FusionOrder, FusionProblem
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


def test_a_loop_goes_with_those_that_must_come_with_it() -> None:
    """The last two loops belong to the first one: neither can go there without the other."""
    loops = (FusionLoop("a", 0, 8, ()), *(FusionLoop(name, 0, 8, ()) for name in "bc"))
    problem = FusionProblem(loops, orders=(FusionOrder(0, 1), FusionOrder(1, 2)))
    assert improved(problem, ((0,), (1, 2))) == ((0, 1, 2),)
    assert improved(problem, ((0, 1), (2,))) == ((0, 1, 2),)


def test_moves_keep_the_limits_and_end_in_time() -> None:
    assert improved(masked(5, 0, 8), ((0,), (1,))) == ((0,), (1,))
    assert improved(masked(5, 0, 10), ((0,), (1,))) == ((0, 1),)
    assert improved(masked(5, 0, 10), ((0,), (1,)), until=0.0) == ((0,), (1,))
    assert best_found(masked(5, 0, 10)._replace(limits=FusionLimits(None, 9, None))) == ((0,), (1,))
