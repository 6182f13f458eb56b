"""Memory over time as a picture: time goes right, addresses or banks go down, a box is what lives there and how long.

Below it stands how much is in use at each time. Where more is live than there is room for, that is red; boxes that
overlap are framed. Small things are drawn larger than they are, as far as their names need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from layoutsolver.view.scale import Scale, fitted
from layoutsolver.view.svg import APART, MARGIN, Picture, width_of


class Bar(NamedTuple):
    """Something that lives in `[start, end)` at `[low, low + size)`, what is to be said of it, and what it lies over.

    `over` names what it takes the place of, being made from it where it is.
    """

    name: str
    start: int
    end: int
    low: int
    size: int
    hint: str = ""
    over: str = ""


class MemoryMap(NamedTuple):
    """Bars in a memory of so much room (0: as much as they take); `unit` is what `low` counts, `ticks` name times.

    `proved` says that nothing needs less room at its fullest time than this.
    """

    title: str
    bars: tuple[Bar, ...]
    room: int
    unit: str
    ticks: tuple[tuple[int, str], ...] = ()
    proved: bool = False


WIDTH, HEIGHT = 860.0, 380.0
ROW = 24.0
"""How high a unit is drawn where each has a line of its own."""
LABELLED = 24
"""Memories of at most so many units have a line and a number for each; so many boxes and places are all named."""
STRIP = 60.0
"""How high the curve of what is in use is."""


def memory_picture(shown: MemoryMap) -> Picture:
    """The picture, with a curve of what is live below it."""
    picture = Picture(shown.title)
    bars = shown.bars
    across, down = _across(shown), _down(shown)
    boxes = f"A box is a value: the {shown.unit}s in which it lies, from top to bottom, and how long it lives there"
    end = picture.lines(MARGIN, 42, _point(shown), "point", across.length + 100)
    larger = (
        f" Small boxes are drawn larger than their {shown.unit}s."
        if down.stretched and down.points[-1] > LABELLED
        else ""
    )
    text = f"{boxes}, from left to right. Colours only tell boxes apart.{larger}"
    end = picture.lines(MARGIN, end, text, "key", across.length + 100) - 17
    left, top = MARGIN + 104.0, end + 18
    right, below = left + across.length, top + down.length
    picture.rect(left, top, across.length, down.length, "empty", round_=0)
    _places(picture, shown, down, left, top, right)
    strip = below + 56
    for time in across.points if across.named else ():
        picture.line(left + across.at(time), top, left + across.at(time), below + 4, "box")
    clashing = clashes(bars)
    for number, bar in enumerate(bars):
        _bar(picture, shown, bar, number, number in clashing, (across, down), (left, top))
    if shown.room and shown.room < down.points[-1]:
        y = top + down.at(shown.room)
        picture.line(left, y, right, y, "limit", "no more room than this")
    picture.text(left - 10, below + 20, "operation" if shown.ticks else "time", "small faint", "end")
    if shown.ticks:
        for time, text in shown.ticks:
            middle = (across.at(time) + across.at(time + 1)) / 2
            picture.text(left + middle, below + 20, text, "small", "middle")
    else:
        for time in across.labelled("small"):
            picture.text(left + across.at(time), below + 20, str(time), "small", "middle")
    _load(picture, shown, left, strip, across)
    return picture


def _across(shown: MemoryMap) -> Scale:
    """Where times lie."""
    bars = shown.bars
    least: dict[int, float] = {time: width_of(text, "small") + 12 for time, text in shown.ticks}
    times = {time for bar in bars for time in (bar.start, bar.end)} | {time + 1 for time in least} | set(least)
    steps = load_of(bars)
    for (time, live), (then, _) in pairwise(steps):
        if not shown.ticks:
            least[time] = max(width_of(str(live), "small"), width_of(str(then), "small")) + 10
    named = bool(shown.ticks) or len(times) <= LABELLED
    spans = [(bar.start, bar.end, width_of(_label(bar), "code") + 12) for bar in bars] if len(bars) <= LABELLED else []
    return fitted(times or {0, 1}, WIDTH, least if named else {}, spans if named else [], named)


def _down(shown: MemoryMap) -> Scale:
    """Where addresses lie: a line for each, or as much as their size, but never too little for a name."""
    bars = shown.bars
    room = max(shown.room, max((bar.low + bar.size for bar in bars), default=1))
    if room <= LABELLED:
        used = {unit for bar in bars for unit in range(bar.low, bar.low + bar.size)}
        points = {0, room, *used, *(unit + 1 for unit in used), shown.room}
        for idle, units in groupby(range(room), lambda unit: unit not in used):
            found = list(units)
            if idle and len(found) < FOLDED:
                points |= set(found)
        points.discard(room + 1)
        ends = sorted(points)
        return Scale(tuple(ends), tuple(ROW * number for number in range(len(ends))), True)
    places = {0, room, *(bar.low for bar in bars), *(bar.low + bar.size for bar in bars)}
    named = len(places) <= LABELLED
    return fitted(places, HEIGHT, dict.fromkeys(places, 18.0) if named else {}, [], named)


FOLDED = 3
"""So many units in a row that nothing uses stand in one line."""


def _places(picture: Picture, shown: MemoryMap, down: Scale, left: float, top: float, right: float) -> None:
    """What stands on the left: the number of each unit, or the places at which something begins."""
    if down.points[-1] <= LABELLED:
        for low, high in pairwise(down.points):
            y = top + (down.at(low) + down.at(high)) / 2
            name = f"{shown.unit} {low}" if high == low + 1 else f"{shown.unit}s {low} to {high - 1}"
            picture.text(left - 10, y + 4, name, "small", "end")
            picture.line(left, top + down.at(low), right, top + down.at(low), "box")
            if high - low >= FOLDED:
                picture.text((left + right) / 2, y + 4, "never used", "small faint over", "middle")
        return
    for low in down.labelled(""):
        name = f"{shown.unit} {low}" if low == 0 else str(low)
        picture.text(left - 10, top + down.at(low) + 4, name, "small", "end")


def _label(bar: Bar) -> str:
    return f"{bar.name}, in place of {bar.over}" if bar.over else bar.name


def _bar(
    picture: Picture, shown: MemoryMap, bar: Bar, number: int, clashing: bool,
    scales: tuple[Scale, Scale], corner: tuple[float, float],
) -> None:  # fmt: skip
    """A box with its name as far as there is room for it."""
    across, down = scales
    x, y = corner[0] + across.at(bar.start), corner[1] + down.at(bar.low)
    width, height = across.between(bar.start, bar.end), down.between(bar.low, bar.low + bar.size)
    said = bar.hint or f"{bar.name}: {shown.unit} {bar.low} to {bar.low + bar.size - 1}"
    said += f", time {bar.start} to {bar.end}"
    picture.rect(x, y, width, height, f"box l{APART[number % len(APART)]}", said, 1)
    if clashing:
        picture.rect(x, y, width, height, "wrong", said, 1)
    for label in (_label(bar), bar.name):
        if width_of(label, "code") <= width and height >= 15:
            picture.text(x + width / 2, y + height / 2 + 4, label, "code", "middle", said)
            return


def _point(shown: MemoryMap) -> str:
    """What the picture shows, in a sentence; the proof is of what is taken in all."""
    steps = load_of(shown.bars)
    peak = max((live for _, live in steps), default=0)
    spans = [(time, then) for (time, live), (then, _) in pairwise(steps) if live == peak]
    of = f" of {shown.room}" if shown.room else ""
    if not spans:
        return f"No {shown.unit} is in use."
    names = dict(shown.ticks)
    when = f"from time {spans[0][0]} to {spans[0][1]}"
    if names:
        first, last = names.get(spans[0][0], ""), names.get(spans[0][1] - 1, "")
        when = f"during {first}" if spans[0][1] == spans[0][0] + 1 else f"from {first} to {last}"
    more = f" and {len(spans) - 1} more time{'s' * (len(spans) > 2)}" if len(spans) > 1 else ""
    said = f"At most {peak}{of} {shown.unit}s are in use at once, {when}{more}"
    if shown.room and peak > shown.room:
        return f"{said}: more than there are (red)."
    if clashes(shown.bars):
        return f"{said}. Boxes framed in red overlap."
    height = max(bar.low + bar.size for bar in shown.bars)
    if height > peak:
        said += f", and {height} {shown.unit}s are taken in all"
    return f"{said}; proved: it cannot be done with fewer." if shown.proved else f"{said}."


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
    out: list[tuple[int, int]] = []
    live = 0
    for time in sorted(change):
        live += change[time]
        if not out or out[-1][1] != live:
            out.append((time, live))
    return out


def _load(picture: Picture, shown: MemoryMap, left: float, top: float, across: Scale) -> None:
    """What is live at each time with its number, in red where it is more than there is room for."""
    steps = load_of(shown.bars)
    peak = max((live for _, live in steps), default=0)
    of = f" of {shown.room}" if shown.room else ""
    picture.text(left - 10, top + 4, f"peak {peak}{of}", "small", "end")
    picture.text(left - 10, top + STRIP / 2 + 4, f"{shown.unit}s in use", "small faint", "end")
    picture.text(left - 10, top + STRIP, "0", "small", "end")
    for (time, live), (then, _) in pairwise(steps):
        tall = STRIP * live / max(1, peak)
        kind = "badfill" if shown.room and live > shown.room else "box l8"
        x, width = left + across.at(time), across.between(time, then)
        picture.rect(x, top + STRIP - tall, width, tall, kind, f"time {time}: {live} live", 0)
        if width >= width_of(str(live), "small"):
            strong = "bad" if kind == "badfill" else "" if live == peak else "faint"
            picture.text(x + width / 2, top + STRIP - tall - 4, str(live), f"small {strong}".strip(), "middle")
