"""Lane maps as pictures: what lies in each slot of a register, before and after an operation.

A row has 32 bytes. A cell is a slot that holds one element, neighbours in different colours; padding is hatched. Bytes
that an instruction reads are framed, in red where they are padding. The picture says so itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from layoutsolver.view.legend import Entry, legend
from layoutsolver.view.svg import MARGIN, Picture
from layoutsolver_models.lanes.lanemap import POSITIONS, LaneMap
from layoutsolver_models.lanes.view import ROW, slot_size

BYTE = 19
"""How wide a byte is drawn."""
HEIGHT = 18
"""How high a row is drawn."""
GAP = 30
BETWEEN = 104
"""Between two columns; the number of the first byte of each row stands there."""
HOW = (
    "A register has 256 bytes, 32 in each row. A number is the element that lies there; "
    "colours only tell neighbours apart."
)
HEADS = ("what is read", "what is made of it")


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
    picture.text(MARGIN, 42, HOW, "key")
    bottom = 0.0
    for number, column in enumerate(columns):
        left = MARGIN + number * (ROW * BYTE + BETWEEN)
        top = 76.0
        if len(columns) == len(HEADS):
            picture.text(left, 68, HEADS[number], "faint")
            top = 92.0
        for drawn in column:
            top = _vector(picture, left, top, drawn)
        bottom = max(bottom, top)
        if number + 1 < len(columns):
            picture.text(left + ROW * BYTE + BETWEEN - 14, 130, "→", "title", "middle")
    _legend(picture, bottom - 4, [drawn for column in columns for drawn in column])
    return picture


def _legend(picture: Picture, y: float, shown: Sequence[Drawn]) -> None:
    entries = []
    read = [
        (byte in _held(drawn, part), byte) for drawn in shown for part, found in enumerate(drawn.read) for byte in found
    ]
    if any(held for held, _ in read):
        entries.append(Entry("frame", "frame", "bytes that the operations on the right read"))
    if any(not held for held, _ in read):
        entries.append(Entry("frame", "wrong", "read although nothing lies there: whatever comes of it is wrong"))
    if any(None in register for drawn in shown for register in drawn.data.registers):
        entries.append(Entry("box", "pad", "padding: no element"))
    if any(drawn.mask is not None for drawn in shown):
        entries.append(Entry("none", "", "marks under a row: the bits of the mask that govern its elements"))
    legend(picture, y, entries, 2 * ROW * BYTE)


def _held(drawn: Drawn, part: int) -> set[int]:
    return {byte for byte, number in enumerate(drawn.data.registers[part]) if number is not None}


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
        picture.text(left + ROW * BYTE + 6, top + 13, f"byte {start}", "small faint")
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
    kind = "cell" if size == 1 else "code"
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
