"""Fusion as a picture: the loops of the text on the left, those of the answer on the right, and which became which.

A box tells the loads and stores of a loop. Between loops that stayed apart stands the rule that keeps them so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from layoutsolver.view.svg import APART, MARGIN, Picture, width_of

if TYPE_CHECKING:
    from layoutsolver.api_fusion import FuseResult
    from layoutsolver.fusion.apart import Apart
    from layoutsolver.fusion.code import Code, Loop
    from layoutsolver.graph.model import OpNode


class LoopBox(NamedTuple):
    """A loop: the lines of the loops of the text that it is made of, and its loads and stores."""

    lines: tuple[int, ...]
    loads: int
    stores: int


class Kept(NamedTuple):
    """Two loops of the text, by line, that stayed apart, why, and what shows it, a sentence each."""

    first: int
    second: int
    rule: str
    text: str
    shown: tuple[str, ...] = ()


class FusionView(NamedTuple):
    """Loops before and after fusion, and what stayed apart."""

    title: str
    before: tuple[LoopBox, ...]
    after: tuple[LoopBox, ...]
    kept: tuple[Kept, ...]


HIGH, GAP, BETWEEN = 42.0, 16.0, 110.0
LEAST, MOST = 150.0, 420.0
"""Boxes are as wide as their text, within these."""
REASONS = 3
"""So many reasons stand under a loop; more are counted."""


def fusion_picture(shown: FusionView) -> Picture:
    """The picture; the loops of one loop of the answer have its colour."""
    picture = Picture(shown.title)
    picture.text(MARGIN, 42, _point(shown), "point")
    how = "A box is a loop over vectors, with its line in the program. Loops of one colour become one loop."
    picture.text(MARGIN, 59, how, "key")
    legal = "Fusing them is legal: every load still finds what it found before, and no store is overtaken."
    if len(shown.after) < len(shown.before):
        picture.text(MARGIN, 76, legal, "key")
    top = 123.0
    wide = max(_wide(box) for box in (*shown.before, *shown.after))
    right = MARGIN + wide + BETWEEN
    for x, word, boxes in ((MARGIN, "before", shown.before), (right, "after", shown.after)):
        picture.text(x, top - 14, f"{word}: {_many(len(boxes), 'loop')}", "point")
    colour = {line: number for number, box in enumerate(shown.after) for line in box.lines}
    where = {box.lines[0]: top + at * (HIGH + GAP) for at, box in enumerate(shown.before)}
    y = top
    for at, box in enumerate(shown.after):
        y = max(y, _middle([where[line] for line in box.lines if line in where], y))
        for line in box.lines:
            if line in where:
                picture.line(MARGIN + wide, where[line] + HIGH / 2, right, y + HIGH / 2, "edge")
        _box(picture, right, y, wide, box, at)
        y += HIGH + 18
        kept = [one for one in shown.kept if one.first in box.lines and one.second not in box.lines]
        for one in kept[:REASONS]:
            y = _reason(picture, right, y, one) + 4
        if len(kept) > REASONS:
            picture.text(right, y, f"and {_many(len(kept) - REASONS, 'more reason')} of this kind", "key")
            y += 18
        y += GAP - 10 if kept else GAP - 18
    for box in shown.before:
        _box(picture, MARGIN, where[box.lines[0]], wide, box, colour.get(box.lines[0], 8))
    return picture


TEXT = 520.0
"""Reasons are about so wide."""


def _reason(picture: Picture, x: float, y: float, one: Kept) -> float:
    """Why two loops stay apart, under the first of them; the baseline of what comes next."""
    y = picture.lines(x, y, f"The loops of lines {one.first} and {one.second} stay apart: {one.text}.", "key bad", TEXT)
    for text in one.shown:
        y = picture.lines(x + 12, y, text, "key", TEXT)
    return y


def _point(shown: FusionView) -> str:
    """What the picture shows, in a sentence."""
    before, after = len(shown.before), len(shown.after)
    if before == after:
        return f"No loops are fused: the program keeps its {_many(before, 'loop')}."
    now, was = _accesses(shown.after), _accesses(shown.before)
    return f"{_many(before, 'loop')} become {after}: {now} in their bodies, {was} before."


def view_of(result: FuseResult) -> FusionView:
    """What the picture shows of a result; both sides are empty where there is none."""
    source = result.module.source
    before = () if result.start is None else _boxes(result.start)
    after = () if result.code is None else _boxes(result.code)
    apart = [*result.plan_apart, *(one for block in result.blocks for one in block.posed.apart.values())]

    def line(node: OpNode) -> int:
        return source.line_column(node.span.start)[0]

    kept = tuple(
        Kept(line(one.first), line(one.second), one.rule, *_words(one, [line(node) for node, _ in one.shown]))
        for one in apart
    )
    return FusionView(f"{source.name}: loops before and after fusion", before, after, kept)


def _words(one: Apart, lines: Sequence[int]) -> tuple[str, tuple[str, ...]]:
    """Why two loops stay apart, and what shows it, each with its line."""
    shown = tuple(
        f"line {line}: {node.name.rpartition('.')[2]} {text}" if one.rule == "STUCK" else f"line {line}: {text}"
        for line, (node, text) in zip(lines, one.shown, strict=True)
    )
    if one.rule != "STUCK":
        return _plain(one.text), tuple(map(_plain, shown))
    text = "the second one needs operations that need the first one"
    return text, tuple(map(_plain, (*shown, *one.notes)))


def _plain(text: str) -> str:
    """A text without marks around names, and names of operations without their dialects.

    >>> _plain("behind `pto.vmi.vload`: `%a`")
    'behind vload: %a'
    """
    return re.sub(r"`(?:\w+\.)*([^`]*)`", r"\1", text)


def _boxes(code: Code) -> tuple[LoopBox, ...]:
    from layoutsolver.fusion.code import Loop, walk

    return tuple(_loop(code, item) for item in walk(code.items) if isinstance(item, Loop))


def _loop(code: Code, loop: Loop) -> LoopBox:
    from layoutsolver.fusion.access import LOAD, STORE
    from layoutsolver.fusion.code import walk

    names = [item.node.name for item in walk(loop.body)]
    source = code.graph.module.source
    lines = tuple(source.line_column(node.span.start)[0] for node in loop.nodes)
    return LoopBox(lines, names.count(LOAD), names.count(STORE))


def _label(box: LoopBox) -> str:
    return f"loop{'s' * (len(box.lines) > 1)} of line{'s' * (len(box.lines) > 1)} {', '.join(map(str, box.lines))}"


def _wide(box: LoopBox) -> float:
    return min(MOST, max(LEAST, width_of(_label(box), "code") + 16))


def _box(picture: Picture, x: float, y: float, wide: float, box: LoopBox, colour: int) -> None:
    text = _label(box)
    while width_of(text, "code") > wide - 12:
        text = text[:-2] + "…"
    said = _accesses([box])
    kind = APART[colour % len(APART)]
    picture.rect(x, y, wide, HIGH, f"box l{kind}", f"{_label(box)}: {said}", 5)
    picture.text(x + 8, y + 17, text, "code")
    picture.text(x + 8, y + 33, said, "small")


def _middle(places: Sequence[float], otherwise: float) -> float:
    return (min(places) + max(places)) / 2 if places else otherwise


def _many(count: int, name: str) -> str:
    return f"{count} {name}{'s' * (count != 1)}"


def _accesses(boxes: Sequence[LoopBox]) -> str:
    loads, stores = sum(box.loads for box in boxes), sum(box.stores for box in boxes)
    return f"{_many(loads, 'load')} and {_many(stores, 'store')}"
