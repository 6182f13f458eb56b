"""Loops that a plan puts together become one, and what stands between them moves before or behind.

Source: fusion spec 3 (5), 4.4.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from layoutsolver.fusion.code import Item, Loop, replaced


def fused(
    items: Sequence[Item], edges: Sequence[Mapping[int, object]], clusters: Sequence[Sequence[int]]
) -> tuple[Item, ...]:
    """The items with the loops at the positions of each cluster put together.

    `edges` tell for each item which earlier ones it depends on. What comes first in the text comes first where
    dependences leave that open; a cluster stands where its first loop stood. Raises `ValueError` if clusters wait for
    each other.
    """
    group = list(range(len(items)))
    for cluster in clusters:
        for at in cluster:
            group[at] = min(cluster)
    members: dict[int, list[int]] = {}
    for at, leader in enumerate(group):
        members.setdefault(leader, []).append(at)
    after: dict[int, set[int]] = {leader: set() for leader in members}
    waiting = dict.fromkeys(members, 0)
    for at, earlier in enumerate(edges):
        for before in earlier:
            one, other = group[before], group[at]
            if one != other and other not in after[one]:
                after[one].add(other)
                waiting[other] += 1
    ready = [leader for leader, count in waiting.items() if not count]
    heapq.heapify(ready)
    out: list[Item] = []
    done = 0
    while ready:
        leader = heapq.heappop(ready)
        done += 1
        out.append(items[leader] if len(members[leader]) == 1 else _one_loop([items[at] for at in members[leader]]))
        for later in sorted(after[leader]):
            waiting[later] -= 1
            if not waiting[later]:
                heapq.heappush(ready, later)
    if done < len(members):
        raise ValueError("clusters wait for each other")
    return tuple(out)


def _one_loop(loops: Sequence[Item]) -> Loop:
    """Loops with equal headers as one: their bodies follow each other, all that they carry is carried."""
    first = loops[0]
    assert isinstance(first, Loop)
    nodes, carried, body = list(first.nodes), list(first.carried), list(first.body)
    for loop in loops[1:]:
        assert isinstance(loop, Loop)
        moved = replaced(loop, {loop.induction: first.induction})
        assert isinstance(moved, Loop)
        nodes += moved.nodes
        carried += moved.carried
        body += moved.body
    return Loop(tuple(nodes), first.bounds, first.induction, tuple(carried), tuple(body))
