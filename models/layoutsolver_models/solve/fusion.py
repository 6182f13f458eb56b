"""Solves a fusion problem: plans found by search are where the proof begins."""

from __future__ import annotations

import time

from layoutsolver_models.problems.fusion import FusionProblem, FusionSolution
from layoutsolver_models.solve.fusion_plan import Clusters, eligible, exceeded, settle
from layoutsolver_models.solve.fusion_search import apart, beam, greedy, improved
from layoutsolver_models.solve.layout import Limits

_EFFORT = 30_000
"""The width of the beam search that a proof begins with is so much over the square of the number of loops."""


def solve_fusion(problem: FusionProblem, limits: Limits | None = None) -> FusionSolution:
    """The cheapest plan, `optimal` if it is proved to be; with a bound if a limit strikes.

    >>> from layoutsolver_models.problems.fusion import FusionLoop
    >>> solve_fusion(FusionProblem((FusionLoop("a", 0, 8, ()), FusionLoop("b", 0, 8, ())))).clusters
    ((0, 1),)
    """
    begun = time.monotonic()
    if not any(eligible(problem)):
        alone = apart(problem)
        cost = settle(problem, alone).cost
        return FusionSolution("optimal", alone, (), cost, cost.total)
    from layoutsolver_models.cp.fusion import best_fusion

    chosen = limits or Limits()
    until = None if chosen.seconds is None else begun + chosen.seconds / 3
    return best_fusion(problem, chosen, best_found(problem, until), begun)


def best_found(problem: FusionProblem, until: float | None = None) -> Clusters:
    """The best of the plans that keep the limits: loops apart, and what is found by search, improved `until` a time."""
    width = max(1, min(64, _EFFORT // max(1, len(problem.loops)) ** 2))
    plans = [apart(problem)]
    plans += [
        improved(problem, plan, until) for plan in (greedy(problem), beam(problem, width)) if _fits(problem, plan)
    ]
    costs = [settle(problem, plan).cost.total for plan in plans]
    return plans[costs.index(min(costs))]


def _fits(problem: FusionProblem, plan: Clusters) -> bool:
    outcome = settle(problem, plan)
    return not any(exceeded(problem, cluster, outcome) for cluster in plan)
