"""Where the texts and the lines of a picture lie."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from layoutsolver.view.svg import width_of

SVG = "{http://www.w3.org/2000/svg}"
PLACED = {"start": 0.0, "middle": 0.5, "end": 1.0}
STEPS = 24
"""Into so many straight pieces a curve is cut."""


class Box(NamedTuple):
    """What a text or a dot is, and about the room that it takes."""

    text: str
    left: float
    top: float
    right: float
    low: float


def texts_of(root: ET.Element, part: float = 0.85) -> Iterator[Box]:
    """The texts of a picture; `part` of the width that is reckoned for each is surely taken."""
    for item in root.iter(SVG + "text"):
        if item.text:
            width = width_of(item.text, item.get("class", "")) * part
            left = float(item.get("x", "0")) - PLACED[item.get("text-anchor", "")] * width
            low = float(item.get("y", "0"))
            yield Box(item.text, left, low - 8, left + width, low)


def overlapping(boxes: list[Box]) -> list[tuple[str, str]]:
    """The pairs of boxes that share room."""
    out = []
    open_: list[Box] = []
    for box in sorted(boxes, key=lambda one: one.top):
        open_ = [one for one in open_ if one.low > box.top]
        out += [(one.text, box.text) for one in open_ if one.left < box.right and box.left < one.right]
        open_.append(box)
    return out


def outside(root: ET.Element) -> list[str]:
    """The texts that leave the picture."""
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    return [
        box.text for box in texts_of(root, 1.0) if box.left < 0 or box.right > width or box.top < 0 or box.low > height
    ]


def lines_of(root: ET.Element, kinds: set[str]) -> Iterator[tuple[float, float, float, float]]:
    """The straight pieces of lines and curves of some classes."""
    for item in root.iter(SVG + "line"):
        if kinds & set(item.get("class", "").split()):
            x1, y1, x2, y2 = (float(item.get(name, "0")) for name in ("x1", "y1", "x2", "y2"))
            yield x1, y1, x2, y2
    for item in root.iter(SVG + "path"):
        if kinds & set(item.get("class", "").split()):
            numbers = [float(one) for one in re.findall(r"-?[\d.]+(?:e[-+]\d+)?", item.get("d", ""))]
            corners = list(zip(numbers[::2], numbers[1::2], strict=True))
            for one, other in pairwise(_on_curve(corners, step / STEPS) for step in range(STEPS + 1)):
                yield *one, *other


def _on_curve(corners: list[tuple[float, float]], at: float) -> tuple[float, float]:
    """A point of a curve of Bézier."""
    while len(corners) > 1:
        corners = [(a + (c - a) * at, b + (d - b) * at) for (a, b), (c, d) in pairwise(corners)]
    return corners[0]


def crossed(root: ET.Element, kinds: set[str]) -> list[str]:
    """The texts that lines of some classes run through."""
    pieces = list(lines_of(root, kinds))
    return [box.text for box in texts_of(root) if any(_meets(box, piece) for piece in pieces)]


def _meets(box: Box, piece: tuple[float, float, float, float]) -> bool:
    """Whether a straight piece runs through a box: what is left of it between the box's sides is not nothing."""
    x, y, x2, y2 = piece
    low, high = 0.0, 1.0
    for start, step, near, far in ((x, x2 - x, box.left, box.right), (y, y2 - y, box.top, box.low)):
        if step == 0:
            if not near < start < far:
                return False
            continue
        one, other = sorted(((near - start) / step, (far - start) / step))
        low, high = max(low, one), min(high, other)
    return low < high
