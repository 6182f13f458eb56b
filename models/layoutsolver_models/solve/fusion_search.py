"""Plans that are found without a proof: one after the other as compilers do, and by beam search."""

from __future__ import annotations

from itertools import combinations

from layoutsolver_models.problems.fusion import FusionProblem
from layoutsolver_models.solve.fusion_plan import Clusters, Outcome, eligible, exceeded, ordered, settle


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


def merging(problem: FusionProblem) -> Clusters:
    """Clusters joined two by two, each time those whose join saves most, until nothing saves any more."""
    friends = eligible(problem)
    clusters = apart(problem)
    cost = settle(problem, clusters).cost.total
    while True:
        best: tuple[int, Clusters] | None = None
        for one, other in combinations(range(len(clusters)), 2):
            first, second = clusters[one], clusters[other]
            if not all(loop in friends[third] for loop in first for third in second):
                continue
            joined = tuple(sorted((*first, *second)))
            rest = [cluster for number, cluster in enumerate(clusters) if number not in (one, other)]
            plan = ordered(problem, [*rest, joined])
            if plan is None:
                continue
            outcome = settle(problem, plan)
            better = outcome.cost.total < (cost if best is None else best[0])
            if better and not exceeded(problem, joined, outcome):
                best = outcome.cost.total, plan
        if best is None:
            return clusters
        cost, clusters = best


def with_kept_loads(problem: FusionProblem, clusters: Clusters) -> tuple[Clusters, tuple[int, ...]] | None:
    """A plan with loads kept so that its clusters keep the limits, None where that is not found."""
    keep: tuple[int, ...] = ()
    outcome: Outcome = settle(problem, clusters)
    while any(exceeded(problem, cluster, outcome) for cluster in clusters):
        cluster = next(cluster for cluster in clusters if exceeded(problem, cluster, outcome))
        handed = [
            number for number, source in enumerate(outcome.sources)
            if source is not None and problem.loads[number].loop in cluster and number not in keep
        ]  # fmt: skip
        if not handed:
            return None
        trials = [(settle(problem, clusters, (*keep, number)).cost.total, number) for number in handed]
        keep = (*keep, min(trials)[1])
        outcome = settle(problem, clusters, keep)
    return clusters, tuple(sorted(keep))
