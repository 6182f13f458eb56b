"""Boxes of a graph in rows, so that lines between neighbouring rows cross no box and no text.

Each box stands in the row just above the first one that takes what it makes, under the longest way from above. Where
there is room it stands right above that one, the longest ways first; what leads nowhere stands beside what has the same
origin.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

BETWEEN, GAP = 26.0, 26.0
"""What lies between two rows, and between two boxes of a row."""


class Place(NamedTuple):
    """How much room a box takes, and what stands on its right, and how high both are."""

    width: float
    beside: float
    height: float


class Rows(NamedTuple):
    """The row and the upper left corner of each box; where each row ends on the right and below."""

    row: list[int]
    corner: list[tuple[float, float]]
    right: list[float]
    low: list[float]


def ranked(edges: Iterable[tuple[int, int]], count: int) -> list[int]:
    """The row of each of so many boxes; edges go from a lower number to a higher one.

    >>> ranked([(0, 1), (1, 3), (2, 3)], 4)
    [0, 1, 1, 2]
    """
    below, depth = _below(edges, count)
    row = list(depth)
    for number in reversed(range(count)):
        if below[number]:
            row[number] = min(row[target] for target in below[number]) - 1
    return row


def _below(edges: Iterable[tuple[int, int]], count: int) -> tuple[list[list[int]], list[int]]:
    """What each box leads to, and the longest way to it from above."""
    below: list[list[int]] = [[] for _ in range(count)]
    depth = [0] * count
    for source, target in sorted(set(edges)):
        below[source].append(target)
        depth[target] = max(depth[target], depth[source] + 1)
    return below, depth


def placed_in_rows(edges: Iterable[tuple[int, int]], boxes: Sequence[Place], start: tuple[float, float]) -> Rows:
    """The places of the boxes; edges go from a lower number to a higher one.

    >>> rows = placed_in_rows([(0, 2), (1, 2)], [Place(40, 0, 20)] * 3, (10, 0))
    >>> rows.row, rows.corner
    ([0, 0, 1], [(76.0, 0.0), (10.0, 0.0), (76.0, 46.0)])
    """
    edges = list(edges)
    below, depth = _below(edges, len(boxes))
    row = ranked(edges, len(boxes))
    members: dict[int, list[int]] = {}
    for number, at in enumerate(row):
        members.setdefault(at, []).append(number)
    height = [0] * len(boxes)
    beside: dict[int, list[int]] = {}
    for number in reversed(range(len(boxes))):
        height[number] = max((height[target] + 1 for target in below[number]), default=0)
        for target in below[number]:
            if not below[target]:
                beside.setdefault(target, []).extend(below[number])
    left = [0.0] * len(boxes)
    done: set[int] = set()
    for at in sorted(members, reverse=True):
        taken: list[tuple[float, float]] = []
        for number in sorted(members[at], key=lambda number: (not below[number], -depth[number], number)):
            near = [target for target in below[number] if row[target] == at + 1]
            if not near:
                near = [target for target in beside.get(number, ()) if row[target] == at and target in done]
            under = max(near, key=lambda target: (height[target], -target), default=None)
            wish = 0.0 if under is None else left[under] + (boxes[under].width - boxes[number].width) / 2
            done.add(number)
            room = boxes[number].width + boxes[number].beside + GAP
            left[number] = _nearest(taken, wish, room)
            taken.insert(bisect_left(taken, (left[number], 0.0)), (left[number], left[number] + room))
    return _measured(row, members, left, boxes, start)


def _nearest(taken: Sequence[tuple[float, float]], wish: float, room: float) -> float:
    """The place nearest to a wish with so much room between what is taken, from left to right."""
    best = None
    ends = [float("-inf"), *(end for _, end in taken)]
    starts = [*(start for start, _ in taken), float("inf")]
    for low, high in zip(ends, starts, strict=True):
        if high - low >= room:
            at = min(max(wish, low), high - room)
            if best is None or abs(at - wish) < abs(best - wish):
                best = at
    assert best is not None, "there is room at both ends"
    return best


def _measured(
    row: list[int],
    members: dict[int, list[int]],
    left: list[float],
    boxes: Sequence[Place],
    start: tuple[float, float],
) -> Rows:
    """Rows under each other, each as high as its highest box, and nothing left of the start."""
    shift = start[0] - min(left, default=0.0)
    corner = [(0.0, 0.0)] * len(boxes)
    right = []
    low = []
    y = start[1]
    for at in range(len(members)):
        for number in members[at]:
            corner[number] = (left[number] + shift, float(y))
        right.append(max(corner[one][0] + boxes[one].width + boxes[one].beside for one in members[at]))
        y += max(boxes[one].height for one in members[at])
        low.append(y)
        y += BETWEEN
    return Rows(row, corner, right, low)
