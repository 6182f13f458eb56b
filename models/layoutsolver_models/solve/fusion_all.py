"""All plans of a small fusion problem, one by one: the proof by exhaustion that others are held against."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from layoutsolver_models.problems.fusion import FusionProblem, FusionSolution
from layoutsolver_models.solve.fusion_plan import Clusters, eligible, exceeded, ordered, settle

MOST_LOOPS = 9
"""So many loops are enumerated at most: there are 21147 partitions of nine."""


def plans(problem: FusionProblem) -> Iterator[Clusters]:
    """Every partition of the loops that can run, limits apart.

    >>> from layoutsolver_models.problems.fusion import FusionLoop
    >>> len(list(plans(FusionProblem((FusionLoop("a", 0, 8, ()),) * 3))))
    5
    """
    friends = eligible(problem)

    def extend(loop: int, partial: tuple[tuple[int, ...], ...]) -> Iterator[Clusters]:
        if loop == len(problem.loops):
            found = ordered(problem, partial)
            if found is not None:
                yield found
            return
        for number, cluster in enumerate(partial):
            if all(other in friends[loop] for other in cluster):
                yield from extend(loop + 1, (*partial[:number], (*cluster, loop), *partial[number + 1 :]))
        yield from extend(loop + 1, (*partial, (loop,)))

    yield from extend(0, ())


def best_by_enumeration(problem: FusionProblem) -> FusionSolution:
    """The cheapest plan, with every choice of loads to keep looked at where a cluster exceeds the limits.

    Raises `ValueError` for more than `MOST_LOOPS` loops.
    """
    if len(problem.loops) > MOST_LOOPS:
        raise ValueError(f"{len(problem.loops)} loops are too many to look at all plans")
    best: FusionSolution | None = None
    for clusters in plans(problem):
        for keep in _keeps(problem, clusters, None if best is None else best.cost.total):
            cost = settle(problem, clusters, keep).cost
            if best is None or cost.total < best.cost.total:
                best = FusionSolution("optimal", clusters, keep, cost, cost.total)
    assert best is not None
    return best


def _keeps(problem: FusionProblem, clusters: Clusters, below: int | None) -> Iterator[tuple[int, ...]]:
    """The choices of loads to keep with which a plan keeps its limits, as long as they may be cheaper than `below`."""
    free = settle(problem, clusters)
    if below is not None and free.cost.total >= below:
        return
    if not any(exceeded(problem, cluster, free) for cluster in clusters):
        yield ()
        return
    handed = [number for number, source in enumerate(free.sources) if source is not None]
    for size in range(1, len(handed) + 1):
        for keep in combinations(handed, size):
            outcome = settle(problem, clusters, keep)
            if not any(exceeded(problem, cluster, outcome) for cluster in clusters):
                yield keep
