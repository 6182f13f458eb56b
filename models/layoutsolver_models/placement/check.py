"""Whether offsets are a placement: every pair of buffers that is live together is looked at, in the original units."""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import Literal, NamedTuple

from layoutsolver_models.problems.placement import PlacementProblem, live_spans


class Fault(NamedTuple):
    """What is wrong with a placement: a buffer, another that it overlaps, and the time and bytes they share."""

    kind: Literal["overlap", "outside", "alignment", "moved"]
    buffer: int
    other: int = -1
    time: tuple[int, int] = (0, 0)
    bytes: tuple[int, int] = (0, 0)


def check_placement(problem: PlacementProblem, offsets: Sequence[int]) -> list[Fault]:
    """All faults of single buffers, and for each buffer the first that it overlaps when it comes to life.

    >>> from layoutsolver_models.problems.placement import Buffer
    >>> two = PlacementProblem((Buffer("a", 0, 5, 64), Buffer("b", 2, 9, 32)), 96)
    >>> check_placement(two, [0, 64])
    []
    >>> check_placement(two, [0, 48])
    [Fault(kind='overlap', buffer=1, other=0, time=(2, 5), bytes=(48, 64))]
    """
    faults = []
    for number, (buffer, offset) in enumerate(zip(problem.buffers, offsets, strict=True)):
        top = offset + buffer.size
        if offset < 0 or (problem.capacity is not None and top > problem.capacity):
            faults.append(Fault("outside", number, bytes=(offset, top)))
        if offset % buffer.alignment:
            faults.append(Fault("alignment", number, bytes=(offset, top)))
        if buffer.offset is not None and buffer.offset != offset:
            faults.append(Fault("moved", number, bytes=(offset, top)))
    return faults + _overlaps(problem, offsets)


def _overlaps(problem: PlacementProblem, offsets: Sequence[int]) -> list[Fault]:
    """Sweep over time with the live byte ranges in order; ranges in there do not overlap each other."""
    events = sorted(
        (lower, upper, offsets[number] + low, offsets[number] + high, number)
        for number, buffer in enumerate(problem.buffers)
        for lower, upper, low, high in live_spans(buffer)
        if low < high
    )
    live: list[tuple[int, int, int, int]] = []
    ending: list[tuple[int, tuple[int, int, int, int]]] = []
    faults: dict[int, Fault] = {}
    for lower, upper, low, high, number in events:
        while ending and ending[0][0] <= lower:
            _, gone = heapq.heappop(ending)
            live.pop(bisect_left(live, gone))
        at = bisect_left(live, (low,))
        met = [live[place] for place in (at - 1, at) if 0 <= place < len(live)]
        hit = next((other for other in met if other[0] < high and low < other[1]), None)
        if hit is not None:
            shared = (max(low, hit[0]), min(high, hit[1]))
            fault = Fault("overlap", number, hit[2], (lower, min(upper, hit[3])), shared)
            faults.setdefault(number, fault)
            continue
        entry = (low, high, number, upper)
        insort(live, entry)
        heapq.heappush(ending, (upper, entry))
    return list(faults.values())
