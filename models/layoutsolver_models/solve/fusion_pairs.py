"""Which loops may share a body in some plan, and groups of loops no two of which may."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from layoutsolver_models.problems.fusion import FusionProblem
from layoutsolver_models.solve.fusion_plan import eligible


def companions(problem: FusionProblem) -> list[set[int]]:
    """For each loop, the others that it may share a body with, dependences through other loops considered.

    A loop that comes behind one and before another of the same body is of that body as well; if it cannot be, these two
    cannot share one.

    >>> from layoutsolver_models.problems.fusion import FusionLoop, FusionOrder
    >>> one, other = FusionLoop("a", 0, 8, ()), FusionLoop("b", 1, 8, ())
    >>> between = (FusionOrder(0, 1), FusionOrder(1, 2))
    >>> companions(FusionProblem((one, other, one))), companions(FusionProblem((one, other, one), orders=between))
    ([{2}, set(), {0}], [set(), set(), set()])
    """
    count = len(problem.loops)
    behind = reached(problem)
    before = _reached(count, ((order.after, order.before) for order in problem.orders))
    friends = [sum(1 << other for other in some) for some in eligible(problem)]
    changed = True
    while changed:
        changed = False
        for first in range(count):
            for second in range(count):
                between = behind[first] & before[second]
                if friends[first] >> second & 1 and between & ~(friends[first] & friends[second]):
                    friends[first] &= ~(1 << second)
                    friends[second] &= ~(1 << first)
                    changed = True
    return [{other for other in range(count) if some >> other & 1} for some in friends]


def reached(problem: FusionProblem) -> list[int]:
    """For each loop, the loops that come behind it, as bits."""
    return _reached(len(problem.loops), ((order.before, order.after) for order in problem.orders))


def _reached(count: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """For each node, the nodes that it leads to, as bits."""
    out = [0] * count
    for one, other in edges:
        out[one] |= 1 << other
    for middle in range(count):
        for one in range(count):
            if out[one] >> middle & 1:
                out[one] |= out[middle]
    return out


def cliques(members: Sequence[int], friends: Sequence[set[int]]) -> list[list[int]]:
    """Groups of members no two of which are friends, so that every two that are none are in a group.

    >>> cliques([0, 1, 2, 3], [{3}, set(), set(), {0}])
    [[0, 1, 2], [1, 2, 3]]
    """
    strangers = {one: {other for other in members if other != one and other not in friends[one]} for one in members}
    open_pairs = {(one, other) for one, some in strangers.items() for other in some if one < other}
    out: list[list[int]] = []
    while open_pairs:
        group = list(min(open_pairs))
        rest = strangers[group[0]] & strangers[group[1]]
        while rest:
            best = max(sorted(rest), key=lambda one: len(strangers[one] & rest))
            group.append(best)
            rest &= strangers[best]
        group.sort()
        out.append(group)
        open_pairs.difference_update((one, other) for one in group for other in group)
    return out
