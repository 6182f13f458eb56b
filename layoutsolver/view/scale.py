"""Axes whose short pieces are stretched as far as what is written on them needs it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from layoutsolver.view.svg import width_of


class Scale(NamedTuple):
    """Points in rising order and where each lies; what is between two of them lies between. `named`: all have room."""

    points: tuple[int, ...]
    places: tuple[float, ...]
    named: bool

    @property
    def length(self) -> float:
        """How long the axis is."""
        return self.places[-1]

    @property
    def stretched(self) -> bool:
        """Whether some pieces are longer than their part of the whole.

        >>> Scale((0, 1, 20), (0.0, 5.0, 100.0), True).stretched, Scale((0, 1, 20), (0.0, 18.0, 100.0), True).stretched
        (False, True)
        """
        unit = self.length / (self.points[-1] - self.points[0])
        return any(self.between(low, high) > unit * (high - low) + 5 for low, high in pairwise(self.points))

    def at(self, point: int) -> float:
        """Where a point lies.

        >>> Scale((0, 10, 20), (0.0, 10.0, 100.0), True).at(15)
        55.0
        """
        index = min(max(bisect_right(self.points, point) - 1, 0), len(self.points) - 2)
        low, high = self.points[index], self.points[index + 1]
        return self.places[index] + (self.places[index + 1] - self.places[index]) * (point - low) / (high - low)

    def between(self, low: int, high: int) -> float:
        """How much lies between two points."""
        return self.at(high) - self.at(low)

    def labelled(self, kind: str) -> list[int]:
        """The points whose numbers have room, written along the axis in a class of text, or across it if that is "".

        >>> Scale((0, 1, 20), (0.0, 5.0, 100.0), False).labelled("")
        [0, 20]
        """
        out: list[int] = []
        for point in self.points:
            room = 14.0 if not kind or not out else (width_of(f"{out[-1]}{point}", kind)) / 2 + 8
            if out and self.at(point) - self.at(out[-1]) < room:
                if point != self.points[-1] or len(out) < 2:
                    continue
                out.pop()
            out.append(point)
        return out


def fitted(
    points: Iterable[int],
    length: float,
    least: Mapping[int, float],
    spans: Sequence[tuple[int, int, float]],
    named: bool,
) -> Scale:
    """The points at their places on an axis of about that length, stretched where something needs room.

    `least` is what must lie between a point and the next one, `spans` what must lie between two points.

    >>> fitted((0, 1, 100), 100, {0: 20}, [(0, 100, 150)], True).places
    (0.0, 35.5, 150.0)
    """
    ends = sorted(set(points))
    if len(ends) == 1:
        ends.append(ends[0] + 1)
    whole = ends[-1] - ends[0]
    wide = {
        low: max(least.get(low, 0.0), (length * (high - low) / whole) if named else 0.0) for low, high in pairwise(ends)
    }
    if not named:
        wide = {low: length * (high - low) / whole for low, high in pairwise(ends)}
    for start, end, room in spans:
        inside = [low for low in wide if start <= low < end]
        lacks = room - sum(wide[low] for low in inside)
        if lacks > 0:
            for low in inside:
                wide[low] += lacks / len(inside)
    places = [0.0]
    for low in ends[:-1]:
        places.append(places[-1] + wide[low])
    return Scale(tuple(ends), tuple(places), named)
