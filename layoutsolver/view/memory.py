"""Memory over time as a picture: time goes right, addresses or banks go down, a box is what lives there and how long.

Where more is live than there is room for, the time is marked; boxes that overlap are framed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from layoutsolver.view.svg import LAYOUTS, MARGIN, Picture, width_of


class Bar(NamedTuple):
    """Something that lives in `[start, end)` at `[low, low + size)`, and what is to be said of it."""

    name: str
    start: int
    end: int
    low: int
    size: int
    hint: str = ""


class MemoryMap(NamedTuple):
    """Bars in a memory of so much room (0: as much as they take); `unit` is what `low` counts, `ticks` name times."""

    title: str
    bars: tuple[Bar, ...]
    room: int
    unit: str
    ticks: tuple[tuple[int, str], ...] = ()


WIDTH, HEIGHT = 900.0, 420.0
LABELLED = 24
"""Memories of at most so many units have a line and a number for each."""


def memory_picture(shown: MemoryMap) -> Picture:
    """The picture, with a curve of what is live below it."""
    picture = Picture(shown.title)
    how = "Time goes to the right" + (", operation by operation." if shown.ticks else ".")
    boxes = f"A box is a value, the {shown.unit}s in which it lies, and how long; colours only tell boxes apart."
    picture.text(MARGIN, 42, f"{boxes} {how}", "key")
    bars = shown.bars
    begin, end = min((bar.start for bar in bars), default=0), max((bar.end for bar in bars), default=1)
    room = max(shown.room, max((bar.low + bar.size for bar in bars), default=1))
    left, top = MARGIN + 92.0, 60.0
    across, down = WIDTH / max(1, end - begin), min(HEIGHT, 24.0 * room) / room
    picture.rect(left, top, WIDTH, room * down, "empty", round_=0)
    if room <= LABELLED:
        for number in range(room):
            picture.text(left - 6, top + (number + 0.5) * down + 4, f"{shown.unit} {number}", "small faint", "end")
            picture.line(left, top + number * down, left + WIDTH, top + number * down, "box")
    else:
        picture.text(left - 6, top + 9, f"{shown.unit} 0", "small faint", "end")
        for low in _heights(bars, room, down):
            picture.text(left - 6, top + low * down + 4, str(low), "small faint", "end")
        picture.text(left - 6, top + room * down, str(room), "small faint", "end")
    clashing = clashes(bars)
    for number, bar in enumerate(bars):
        x, y = left + (bar.start - begin) * across, top + bar.low * down
        width, height = max(1.0, (bar.end - bar.start) * across), max(1.0, bar.size * down)
        said = bar.hint or f"{bar.name}: {shown.unit} {bar.low} to {bar.low + bar.size - 1}"
        said += f", time {bar.start} to {bar.end}"
        picture.rect(x, y, width, height, f"box l{number % LAYOUTS}", said, 1)
        if number in clashing:
            picture.rect(x, y, width, height, "wrong", said, 1)
        if width > width_of(bar.name) * 0.8 and height > 9:
            kind = "small" if height < 16 else "code"
            picture.text(x + width / 2, y + height / 2 + 4, bar.name, kind, "middle", said)
        elif height <= 12 and len(bars) <= LABELLED:
            picture.text(x + width + 4, y + height / 2 + 4, bar.name, "small over", hint=said)
    if shown.room and shown.room < room:
        y = top + shown.room * down
        picture.line(left, y, left + WIDTH, y, "limit", "no more room than this")
    below = top + room * down
    for time, text in shown.ticks or _times(bars, across):
        picture.text(left + (time - begin) * across, below + 15, text, "small faint")
    picture.text(left - 6, below + 15, "operation" if shown.ticks else "time", "small faint", "end")
    _load(picture, shown, left, below + 34, begin, across)
    return picture


def _times(bars: Sequence[Bar], across: float) -> list[tuple[int, str]]:
    """The times at which something begins or ends, as far as their numbers have room."""
    out: list[tuple[int, str]] = []
    for time in sorted({time for bar in bars for time in (bar.start, bar.end)}):
        if not out or (time - out[-1][0]) * across > width_of(out[-1][1]) + 8:
            out.append((time, str(time)))
    return out


def _heights(bars: Sequence[Bar], room: int, down: float) -> list[int]:
    """The places at which something begins, as far as their numbers have room."""
    out: list[int] = []
    last = 0
    for low in sorted({bar.low for bar in bars}):
        if (low - last) * down > 14 and (room - low) * down > 14:
            out.append(low)
            last = low
    return out


def clashes(bars: Sequence[Bar]) -> set[int]:
    """The numbers of bars that overlap another one in time and place.

    >>> sorted(clashes([Bar("a", 0, 2, 0, 2), Bar("b", 1, 3, 1, 1), Bar("c", 2, 3, 0, 1)]))
    [0, 1]
    """
    out: set[int] = set()
    for one, left in enumerate(bars):
        for other, right in enumerate(bars[:one]):
            together = left.start < right.end and right.start < left.end
            if together and left.low < right.low + right.size and right.low < left.low + left.size:
                out |= {one, other}
    return out


def load_of(bars: Sequence[Bar]) -> list[tuple[int, int]]:
    """How much is live from each time on, in order of time.

    >>> load_of([Bar("a", 0, 2, 0, 2), Bar("b", 1, 3, 2, 1)])
    [(0, 2), (1, 3), (2, 1), (3, 0)]
    """
    change: dict[int, int] = {}
    for bar in bars:
        change[bar.start] = change.get(bar.start, 0) + bar.size
        change[bar.end] = change.get(bar.end, 0) - bar.size
    out = []
    live = 0
    for time in sorted(change):
        live += change[time]
        out.append((time, live))
    return out


def _load(picture: Picture, shown: MemoryMap, left: float, top: float, begin: int, across: float) -> None:
    """What is live at each time, in red where it is more than there is room for."""
    steps = load_of(shown.bars)
    peak = max((live for _, live in steps), default=0)
    height = 60.0
    picture.text(
        left - 6, top + 10, f"at most {peak}" + (f" of {shown.room}" if shown.room else ""), "small faint", "end"
    )
    picture.text(left - 6, top + 24, f"{shown.unit}s in use", "small faint", "end")
    if shown.room and peak > shown.room:
        picture.text(
            left, top + height + 16, f"red: more than the {shown.room} {shown.unit}s that there are", "key bad"
        )
    for (time, live), (then, _) in pairwise(steps):
        tall = height * live / max(1, peak)
        kind = "badfill" if shown.room and live > shown.room else "box l8"
        x, width = left + (time - begin) * across, (then - time) * across
        picture.rect(x, top + height - tall, width, tall, kind, f"time {time}: {live} live", 0)
