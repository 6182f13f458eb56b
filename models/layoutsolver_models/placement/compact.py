"""A placement problem without what does not matter: bytes in units of their common divisor, time as sections.

A section is a stretch of time in which the same buffers are live; sections whose buffers are all live in a
neighbouring section say nothing and are left out. Parts that share no section are problems of their own.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from math import gcd
from typing import NamedTuple

from layoutsolver_models.problems.placement import Overload, PlacementProblem, live_spans

Span = tuple[int, int, int, int]
"""Sections `[first, end)` in which the bytes `[low, high)` of a buffer are live, in units."""


class Part(NamedTuple):
    """Buffers that share sections with each other and with no others.

    `numbers` are those of the problem, `widths` their lifetimes in original time, `alignments` and `fixed` offsets are
    in units like sizes; spans count the sections of the part. `capacity` is None where none is given.
    """

    numbers: tuple[int, ...]
    sizes: tuple[int, ...]
    widths: tuple[int, ...]
    alignments: tuple[int, ...]
    fixed: tuple[int | None, ...]
    spans: tuple[tuple[Span, ...], ...]
    sections: int
    capacity: int | None

    @property
    def plain(self) -> bool:
        """Whether every buffer is either live as a whole or not at all."""
        return all(
            (low, high) == (0, size) for size, own in zip(self.sizes, self.spans, strict=True) for *_, low, high in own
        )

    def loads(self) -> list[int]:
        """What is live in each section, in units."""
        total = [0] * (self.sections + 1)
        for own in self.spans:
            for first, end, low, high in own:
                total[first] += high - low
                total[end] -= high - low
        for section in range(1, self.sections):
            total[section] += total[section - 1]
        return total[: self.sections]


class Compact(NamedTuple):
    """The parts of a problem, the bytes of a unit, and the time in which most is live (None without buffers)."""

    parts: tuple[Part, ...]
    unit: int
    peak: Overload | None


def compact(problem: PlacementProblem) -> Compact:
    """The parts of a problem whose buffers have no errors.

    >>> from layoutsolver_models.problems.placement import Buffer
    >>> two = (Buffer("a", 0, 5, 64), Buffer("b", 2, 9, 32), Buffer("c", 9, 12, 96))
    >>> found = compact(PlacementProblem(two, 256))
    >>> found.unit, [part.sizes for part in found.parts], found.peak
    (32, [(2, 1), (3,)], Overload(lower=2, upper=5, load=96, live=(0, 1)))
    """
    buffers = problem.buffers
    if not buffers:
        return Compact((), 1, None)
    unit = _unit(problem)
    spans = [live_spans(buffer) for buffer in buffers]
    starts, ends = _events(spans)
    points = sorted(starts | ends)
    kept = [at for at, after in itertools.pairwise(points) if at in starts and after in ends]
    own: list[list[Span]] = [
        [
            (bisect_left(kept, lower), bisect_left(kept, upper), low // unit, high // unit)
            for lower, upper, low, high in of
        ]
        for of in spans
    ]
    capacity = None if problem.capacity is None else problem.capacity // unit
    parts = []
    for first, end, numbers in _parts(own, len(kept)):
        chosen = [buffers[number] for number in numbers]
        parts.append(
            Part(
                tuple(numbers),
                tuple(buffer.size // unit for buffer in chosen),
                tuple(buffer.upper - buffer.lower for buffer in chosen),
                tuple(max(1, buffer.alignment // unit) for buffer in chosen),
                tuple(None if buffer.offset is None else buffer.offset // unit for buffer in chosen),
                tuple(tuple((a - first, z - first, low, high) for a, z, low, high in own[n]) for n in numbers),
                end - first,
                capacity,
            )
        )
    return Compact(tuple(parts), unit, _peak(spans, points))


def _unit(problem: PlacementProblem) -> int:
    """The largest unit in which all numbers are whole; offsets of a lowest placement are multiples of it."""
    unit = 0
    for buffer in problem.buffers:
        unit = gcd(unit, buffer.size, buffer.offset or 0)
        if buffer.alignment > 1:
            unit = gcd(unit, buffer.alignment)
        for gap in buffer.gaps:
            if gap.window is not None:
                unit = gcd(unit, *gap.window)
    return unit


def _events(spans: list[list[tuple[int, int, int, int]]]) -> tuple[set[int], set[int]]:
    return {span[0] for own in spans for span in own}, {span[1] for own in spans for span in own}


def _parts(own: list[list[Span]], sections: int) -> list[tuple[int, int, list[int]]]:
    """The parts as `(first section, end, buffers)`: between them no buffer goes on, not even through a gap."""
    crossing = [0] * (sections + 1)
    for of in own:
        crossing[of[0][0] + 1] += 1
        crossing[of[-1][1]] -= 1
    bounds, live = [0], 0
    for section in range(1, sections):
        live += crossing[section]
        if live == 0:
            bounds.append(section)
    members: list[list[int]] = [[] for _ in bounds]
    for number, of in enumerate(own):
        members[bisect_left(bounds, of[0][0] + 1) - 1].append(number)
    return [(a, z, of) for a, z, of in zip(bounds, [*bounds[1:], sections], members, strict=True)]


def _peak(spans: list[list[tuple[int, int, int, int]]], points: list[int]) -> Overload:
    """The first time in which most is live."""
    change = dict.fromkeys(points, 0)
    for own in spans:
        for lower, upper, low, high in own:
            change[lower] += high - low
            change[upper] -= high - low
    load, best, at = 0, -1, 0
    for place, point in enumerate(points):
        load += change[point]
        if load > best:
            best, at = load, place
    lower, upper = points[at], points[at + 1]
    live = [n for n, own in enumerate(spans) if any(span[0] <= lower and upper <= span[1] for span in own)]
    return Overload(lower, upper, best, tuple(live))
