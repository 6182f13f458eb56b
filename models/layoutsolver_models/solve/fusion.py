"""Solves a fusion problem: plans found by search are where the proof begins."""

from __future__ import annotations

import time

from layoutsolver_models.problems.fusion import FusionProblem, FusionSolution
from layoutsolver_models.solve.fusion_plan import Clusters, eligible, exceeded, settle
from layoutsolver_models.solve.fusion_search import apart, beam, greedy
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

    return best_fusion(problem, limits or Limits(), best_found(problem), begun)


def best_found(problem: FusionProblem) -> Clusters:
    """The best of the plans that are found by search and keep the limits."""
    width = max(1, min(64, _EFFORT // max(1, len(problem.loops)) ** 2))
    plans = [apart(problem), greedy(problem), beam(problem, width)]
    scored: list[tuple[int, int]] = []
    for number, plan in enumerate(plans):
        outcome = settle(problem, plan)
        if not any(exceeded(problem, cluster, outcome) for cluster in plan):
            scored.append((outcome.cost.total, number))
    return plans[min(scored)[1]]
