"""The CP-SAT model of fusion: its objective is the cost of its plan, part by part."""

from __future__ import annotations

from layoutsolver_models.cp.fusion import FusionModel
from layoutsolver_models.problems.fusion import (
    FusionCover,
    FusionHazard,
    FusionLoad,
    FusionLoop,
    FusionProblem,
    FusionSource,
    FusionStep,
    FusionStore,
    FusionValue,
)
from layoutsolver_models.solve.fusion import solve_fusion
from layoutsolver_models.solve.fusion_all import best_by_enumeration
from layoutsolver_models.solve.fusion_plan import Clusters, settle
from layoutsolver_models.solve.layout import Limits

LOOPS = (
    FusionLoop("a", 0, 8, (FusionStep((), (0,)), FusionStep((0,), ()))),
    FusionLoop("b", 0, 8, (FusionStep((), (1,)), FusionStep((1,), ()))),
)
VALUES = (FusionValue("a", 1), FusionValue("b", 1))


def thought(problem: FusionProblem) -> tuple[Clusters, int]:
    """The plan of the model by itself, and what the model thinks that it costs."""
    model = FusionModel(problem)
    answer = model.solve(None, Limits())
    return model.clusters(answer), answer.objective + model.constant


def test_no_barrier_is_paid_for_a_store_that_goes() -> None:
    """The second store is read by nobody: nothing waits for the first one."""
    stores = (FusionStore(0, 1, 0, 1, escapes="yes"), FusionStore(1, 1, 1, 1))
    problem = FusionProblem(LOOPS, VALUES, stores=stores, hazards=(FusionHazard(0, store=1),))
    clusters, cost = thought(problem)
    assert clusters == ((0, 1),)
    assert cost == settle(problem, clusters).cost.total == best_by_enumeration(problem).cost.total
    stays = problem._replace(stores=(stores[0], stores[1]._replace(escapes="yes")))
    assert thought(stays) == (((0,), (1,)), best_by_enumeration(stays).cost.total)


def test_a_store_of_what_was_loaded_overwrites_nothing_if_it_goes() -> None:
    """The second loop stores what it has loaded: if that goes, the store before it stays."""
    loads = (FusionLoad(1, 0, 1, 1, needed=True),)
    stores = (
        FusionStore(0, 1, 0, 1, escapes="yes", covers=(FusionCover(1),)),
        FusionStore(1, 1, 1, 1, escapes="yes", repeats=(FusionSource(0, is_load=True),)),
    )
    problem = FusionProblem(LOOPS, VALUES, loads, stores)
    clusters, cost = thought(problem)
    assert cost == settle(problem, clusters).cost.total
    found = solve_fusion(problem)
    assert (found.cost.stores, found.cost) == (8, best_by_enumeration(problem).cost)


def test_a_value_is_not_handed_on_past_a_store_that_loses_it() -> None:
    """The middle loop writes into the row that the last one reads: in one body, the last one loads."""
    loops = tuple(
        FusionLoop(name, 0, 8, (FusionStep((), (at,)), FusionStep((at,), ()))) for at, name in enumerate("abc")
    )
    stores = tuple(FusionStore(at, 1, at, 1, escapes="yes") for at in range(3))
    loads = (FusionLoad(2, 0, 2, 1, (FusionSource(0, blockers=(1,)),), (2,)),)
    problem = FusionProblem(loops, tuple(FusionValue(name, 1) for name in "abc"), loads, stores)
    clusters, cost = thought(problem)
    assert clusters == ((0, 1, 2),)
    assert cost == settle(problem, clusters).cost.total == best_by_enumeration(problem).cost.total
    assert settle(problem, clusters).cost.loads == 8


def test_a_loop_is_paid_each_time_that_it_is_entered() -> None:
    """Ten times around both: 2 half cycles a turn and 20 a loop, ten times."""
    loops = tuple(loop._replace(runs=10) for loop in LOOPS)
    stores = tuple(FusionStore(at, 1, at, 1, escapes="yes") for at in range(2))
    problem = FusionProblem(loops, VALUES, stores=stores, runs=10)
    clusters, cost = thought(problem)
    assert clusters == ((0, 1),)
    assert cost == settle(problem, clusters).cost.total == best_by_enumeration(problem).cost.total
    apart = settle(problem, ((0,), (1,))).cost.total
    assert apart - cost == 10 * (8 * 2 + 20)
