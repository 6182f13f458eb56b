"""Lane maps as pictures: what lies in each slot of a register, before and after an operation.

A row has 32 bytes. A cell is a slot that holds one element, neighbours in different colours; padding is hatched. Bytes
that an instruction reads are framed, in red where they are padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from layoutsolver.view.svg import MARGIN, Picture
from layoutsolver_models.lanes.lanemap import POSITIONS, LaneMap
from layoutsolver_models.lanes.view import ROW, slot_size

BYTE = 17
"""How wide a byte is drawn."""
HEIGHT = 18
"""How high a row is drawn."""
GAP = 30


class Drawn(NamedTuple):
    """A vector as it lies in registers: what it is called, its map, and the mask that governs it, if one does.

    `read` are the bytes of each register that something reads, by the colour that its results have.
    """

    title: str
    data: LaneMap
    mask: LaneMap | None = None
    read: tuple[dict[int, int], ...] = ()


def lane_picture(title: str, columns: Sequence[Sequence[Drawn]]) -> Picture:
    """Vectors in columns from left to right, such as the operands and the results of an operation."""
    picture = Picture(title)
    for number, column in enumerate(columns):
        left = MARGIN + number * (ROW * BYTE + 70)
        top = 44.0
        for drawn in column:
            top = _vector(picture, left, top, drawn)
        if number + 1 < len(columns):
            right = left + ROW * BYTE + 46
            picture.text(right, 100, "→", "title", "middle")
    return picture


def _vector(picture: Picture, left: float, top: float, drawn: Drawn) -> float:
    """Draw a vector; where the next one may begin."""
    picture.text(left, top, drawn.title, "code")
    top += 8
    for part in range(drawn.data.arity):
        if drawn.data.arity > 1:
            picture.text(left, top + 12, f"register {part}", "small faint")
            top += 17
        top = _register(picture, left, top, drawn, part)
    return top + GAP


def _register(picture: Picture, left: float, top: float, drawn: Drawn, part: int) -> float:
    data = drawn.data
    size = slot_size(data)
    read = drawn.read[part] if part < len(drawn.read) else {}
    last = max((byte for byte, number in enumerate(data.registers[part]) if number is not None), default=0)
    shown = min(POSITIONS, (max(last, *read, 0) // ROW + 1) * ROW)
    for start in range(0, shown, ROW):
        picture.text(left + ROW * BYTE + 4, top + 13, str(start), "small faint")
        for byte in range(start, start + ROW, size):
            _slot(picture, left + (byte - start) * BYTE, top, drawn, part, byte, size)
        for byte in range(start, start + ROW):
            if byte in read:
                padding = data.registers[part][byte] is None
                hint = f"byte {byte} is read by part {read[byte]}" + (", and nothing is in it" if padding else "")
                picture.rect(
                    left + (byte - start) * BYTE + 1,
                    top + 1,
                    BYTE - 2,
                    HEIGHT - 2,
                    "wrong" if padding else "frame",
                    hint,
                )
        top += HEIGHT
        if drawn.mask is not None:
            top = _bits(picture, left, top, drawn.mask, part, start)
    if shown < POSITIONS:
        picture.text(left, top + 12, f"bytes {shown} to {POSITIONS - 1}: padding", "small faint")
        top += 14
    return top + 6


def _slot(picture: Picture, left: float, top: float, drawn: Drawn, part: int, byte: int, size: int) -> None:
    held = drawn.data.at(part, byte)
    if held is None:
        picture.rect(left, top, BYTE * size, HEIGHT, "pad", f"byte {byte}: padding")
        return
    element, offset = held
    hint = f"byte {byte}: element {element}" + (f", byte {offset} of it" if size < drawn.data.size else "")
    picture.rect(left, top, BYTE * size, HEIGHT, f"box l{element % 4}", hint)
    kind = "small" if size == 1 and element > 99 else "code"
    picture.text(left + BYTE * size / 2, top + 13, str(element), kind, "middle")


def _bits(picture: Picture, left: float, top: float, mask: LaneMap, part: int, start: int) -> float:
    """The predicate bits that govern a row, as small marks under it."""
    for byte in range(start, start + ROW):
        bit = mask.registers[part][byte]
        kind = "pad" if bit is None else f"box l{bit % 4}"
        picture.rect(
            left + (byte - start) * BYTE + 2, top + 1, BYTE - 4, 5, kind, "" if bit is None else f"bit {bit}", 1
        )
    return top + 9
