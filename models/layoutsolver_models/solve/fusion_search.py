"""Plans that are found without a proof: one after the other as compilers do, by beam search, and by moving loops."""

from __future__ import annotations

import time
from collections import deque

from layoutsolver_models.problems.fusion import FusionProblem
from layoutsolver_models.solve.fusion_pairs import companions, reached
from layoutsolver_models.solve.fusion_plan import Clusters, eligible, exceeded, ordered, settle


def apart(problem: FusionProblem) -> Clusters:
    """Every loop by itself."""
    return tuple((number,) for number in range(len(problem.loops)))


def fits(problem: FusionProblem, clusters: Clusters, cluster: tuple[int, ...], keep: tuple[int, ...] = ()) -> bool:
    """Whether a cluster of a plan keeps the limits."""
    return not exceeded(problem, cluster, settle(problem, clusters, keep))


def greedy(problem: FusionProblem) -> Clusters:
    """Each loop joins the cluster of the loop before it in the text where it may. Source: fusion spec 5.3.

    >>> from layoutsolver_models.problems.fusion import FusionLoop
    >>> one, other = FusionLoop("a", 0, 8, ()), FusionLoop("b", 1, 8, ())
    >>> greedy(FusionProblem((one, one, other, one)))
    ((0, 1), (2,), (3,))
    """
    friends = eligible(problem)
    clusters: list[tuple[int, ...]] = []
    for loop in range(len(problem.loops)):
        if clusters and all(other in friends[loop] for other in clusters[-1]):
            rest = [(number,) for number in range(loop + 1, len(problem.loops))]
            joined = (*clusters[-1], loop)
            plan = ordered(problem, [*clusters[:-1], joined, *rest])
            if plan is not None and fits(problem, plan, joined):
                clusters[-1] = joined
                continue
        clusters.append((loop,))
    found = ordered(problem, clusters)
    assert found is not None
    return found


def beam(problem: FusionProblem, width: int = 64) -> Clusters:
    """The best plan of a beam search: loop by loop, each joins a cluster or begins one; `width` plans are kept."""
    friends = eligible(problem)
    count = len(problem.loops)
    plans: list[tuple[tuple[int, ...], ...]] = [()]
    for loop in range(count):
        rest = [(number,) for number in range(loop + 1, count)]
        scored: list[tuple[int, tuple[tuple[int, ...], ...]]] = []
        for plan in plans:
            choices = [(*plan, (loop,))]
            for number, cluster in enumerate(plan):
                if all(other in friends[loop] for other in cluster):
                    choices.append((*plan[:number], (*cluster, loop), *plan[number + 1 :]))
            for choice in choices:
                whole = ordered(problem, [*choice, *rest])
                if whole is None:
                    continue
                outcome = settle(problem, whole)
                changed = next(cluster for cluster in choice if loop in cluster)
                if not exceeded(problem, changed, outcome):
                    scored.append((outcome.cost.total, choice))
        scored.sort()
        plans = [choice for _, choice in scored[:width]]
    best = ordered(problem, plans[0])
    assert best is not None
    return best


def improved(problem: FusionProblem, start: Clusters, until: float | None = None) -> Clusters:
    """A plan that no move of a loop makes cheaper: by itself, or with all of its cluster that comes before or behind
    it, into another cluster or one of its own. The search ends `until` a time of `time.monotonic`.
    """
    friends = companions(problem)
    behind = reached(problem)
    plan, best = start, settle(problem, start).cost.total
    waiting = deque(range(len(problem.loops)))
    while waiting and (until is None or time.monotonic() < until):
        loop = waiting.popleft()
        found = _best_move(problem, plan, best, loop, friends, behind)
        if found is not None:
            best, plan = found
            waiting = deque(number for number in range(len(problem.loops)) if number != loop)
            waiting.appendleft(loop)
    return plan


def _best_move(
    problem: FusionProblem, plan: Clusters, best: int, loop: int, friends: list[set[int]], behind: list[int]
) -> tuple[int, Clusters] | None:
    """The cheapest plan by one move of a loop, and its cost; None if none is cheaper."""
    home = next(cluster for cluster in plan if loop in cluster)
    after = tuple(other for other in home if other == loop or behind[loop] >> other & 1)
    before = tuple(other for other in home if other == loop or behind[other] >> loop & 1)
    found: tuple[int, Clusters] | None = None
    for moved in dict.fromkeys(((loop,), after, before)):
        left = tuple(other for other in home if other not in moved)
        others = [cluster for cluster in plan if cluster != home]
        for target in (*others, ()):
            if not (left or target) or any(not friends[one].issuperset(target) for one in moved):
                continue
            joined = tuple(sorted((*target, *moved)))
            whole = ordered(problem, [*(one for one in others if one != target), *([left] if left else []), joined])
            if whole is None:
                continue
            outcome = settle(problem, whole)
            if outcome.cost.total >= (best if found is None else found[0]):
                continue
            if not any(exceeded(problem, cluster, outcome) for cluster in (left, joined)):
                found = outcome.cost.total, whole
    return found
