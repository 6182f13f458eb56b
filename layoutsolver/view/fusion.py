"""Fusion as a picture: the loops of the text on the left, those of the answer on the right, and which became which.

A box tells the loads and stores of a loop. Between loops that stayed apart stands the rule that keeps them so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from layoutsolver.view.svg import LAYOUTS, MARGIN, Picture, width_of

if TYPE_CHECKING:
    from layoutsolver.api_fusion import FuseResult
    from layoutsolver.fusion.code import Code, Loop
    from layoutsolver.graph.model import OpNode


class LoopBox(NamedTuple):
    """A loop: the lines of the loops of the text that it is made of, and its loads and stores."""

    lines: tuple[int, ...]
    loads: int
    stores: int


class Kept(NamedTuple):
    """Two loops of the text, by line, that stayed apart, and why."""

    first: int
    second: int
    rule: str
    text: str


class FusionView(NamedTuple):
    """Loops before and behind fusion, and what stayed apart."""

    title: str
    before: tuple[LoopBox, ...]
    after: tuple[LoopBox, ...]
    kept: tuple[Kept, ...]


WIDE, HIGH, GAP, BETWEEN = 280.0, 42.0, 16.0, 150.0


def fusion_picture(shown: FusionView) -> Picture:
    """The picture; the loops of one loop of the answer have its colour."""
    picture = Picture(shown.title)
    picture.text(
        MARGIN,
        42,
        "A box is a loop over vectors, with its lines in the program. Loops of one colour become one loop.",
        "key",
    )
    top = 92.0
    right = MARGIN + WIDE + BETWEEN
    for x, word, boxes in ((MARGIN, "as written", shown.before), (right, "fused", shown.after)):
        picture.text(x, top - 12, f"{word}: {_many(len(boxes), 'loop')}, {_accesses(boxes)}", "faint")
    colour = {line: number for number, box in enumerate(shown.after) for line in box.lines}
    where = {box.lines[0]: top + at * (HIGH + GAP) for at, box in enumerate(shown.before)}
    for at, box in enumerate(shown.after):
        y = _middle([where[line] for line in box.lines if line in where], top + at * (HIGH + GAP))
        for line in box.lines:
            if line in where:
                picture.line(MARGIN + WIDE, where[line] + HIGH / 2, right, y + HIGH / 2, "edge")
        _box(picture, right, y, box, at)
    for box in shown.before:
        _box(picture, MARGIN, where[box.lines[0]], box, colour.get(box.lines[0], LAYOUTS - 4))
    bottom = top + len(shown.before) * (HIGH + GAP) + 14
    for number, kept in enumerate(shown.kept):
        text = f"Why the loops of lines {kept.first} and {kept.second} stay apart: {kept.text.replace('`', '')}"
        picture.text(MARGIN, bottom + 18 * number, text, "key", hint=f"{kept.rule}: {kept.text}")
    return picture


def view_of(result: FuseResult) -> FusionView:
    """What the picture shows of a result; both sides are empty where there is none."""
    source = result.module.source
    before = () if result.start is None else _boxes(result.start)
    after = () if result.code is None else _boxes(result.code)
    apart = [*result.plan_apart, *(one for block in result.blocks for one in block.posed.apart.values())]

    def line(node: OpNode) -> int:
        return source.line_column(node.span.start)[0]

    kept = tuple(Kept(line(one.first), line(one.second), one.rule, one.text) for one in apart)
    return FusionView(f"{source.name}: loops before and after fusion", before, after, kept)


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


def _box(picture: Picture, x: float, y: float, box: LoopBox, colour: int) -> None:
    shown = ", ".join(map(str, box.lines))
    text = f"line{'s' * (len(box.lines) > 1)} {shown}"
    while width_of(text) > WIDE - 12:
        text = text[:-2] + "…"
    said = f"{_many(box.loads, 'load')}, {_many(box.stores, 'store')}"
    picture.rect(x, y, WIDE, HIGH, f"box l{colour % LAYOUTS}", f"lines {shown}: {said}", 5)
    picture.text(x + 8, y + 16, text, "code")
    picture.text(x + 8, y + 32, said, "small")


def _middle(places: Sequence[float], otherwise: float) -> float:
    return (min(places) + max(places)) / 2 if places else otherwise


def _many(count: int, name: str) -> str:
    return f"{count} {name}{'s' * (count != 1)}"


def _accesses(boxes: Sequence[LoopBox]) -> str:
    return f"{_many(sum(box.loads for box in boxes), 'load')}, {_many(sum(box.stores for box in boxes), 'store')}"
