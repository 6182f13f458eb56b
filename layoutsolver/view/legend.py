"""What the shapes and colours of a picture stand for, said in the picture itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from layoutsolver.explain.layout_words import in_words
from layoutsolver.view.svg import LAYOUTS, MARGIN, Picture, width_of

LINE = 20
SWATCH = 14


class Entry(NamedTuple):
    """A shape of a class, and what it stands for."""

    shape: Literal["box", "dot", "diamond", "frame", "line", "none"]
    kind: str
    text: str


def legend(picture: Picture, y: float, entries: Iterable[Entry], width: float) -> float:
    """Draw the entries below each other's line where one has no room for the next; where the picture goes on."""
    x = float(MARGIN)
    for entry in entries:
        takes = (0 if entry.shape == "none" else SWATCH + 6) + width_of(entry.text) * 0.9 + 22
        if x > MARGIN and x + takes > MARGIN + width:
            x, y = float(MARGIN), y + LINE
        if entry.shape != "none":
            _swatch(picture, x, y, entry)
        picture.text(x + (0 if entry.shape == "none" else SWATCH + 6), y + 11, entry.text, "key")
        x += takes
    return y + LINE


def _swatch(picture: Picture, x: float, y: float, entry: Entry) -> None:
    middle = y + SWATCH / 2
    if entry.shape == "dot":
        picture.rect(x + 1, y + 1, SWATCH - 2, SWATCH - 2, entry.kind, round_=SWATCH / 2)
    elif entry.shape == "diamond":
        picture.diamond(x + SWATCH / 2, middle, SWATCH / 2, entry.kind)
    elif entry.shape == "line":
        picture.line(x, middle, x + SWATCH, middle, entry.kind)
    else:
        picture.rect(x, y, SWATCH, SWATCH, entry.kind)


def of_layouts(layouts: Sequence[str], used: Iterable[str], shape: Literal["box", "dot", "none"]) -> list[Entry]:
    """An entry for each layout that is used, in its colour, with what it means."""
    found = set(used)
    return [
        Entry(shape, f"box l{number % LAYOUTS}", in_words(name)) for number, name in enumerate(layouts) if name in found
    ]
