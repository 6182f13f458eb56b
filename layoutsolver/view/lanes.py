"""Lane maps as pictures: what lies in each slot of a register, before and after an operation.

A row has 32 bytes. A cell is a slot that holds one element; padding is hatched. Bytes that an instruction reads are
framed, in red where they are padding; elements that nothing reads are grey. Rows that go on in the same way are told
instead of drawn. The picture says so itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from layoutsolver.view.legend import LINE, Entry, legend
from layoutsolver.view.svg import MARGIN, Picture
from layoutsolver_models.lanes.lanemap import POSITIONS, LaneMap
from layoutsolver_models.lanes.view import ROW, slot_size

BYTE = 27
"""How wide a byte is drawn."""
HEIGHT = 24
"""How high a row is drawn."""
LEFT = 76
"""What stands before each row needs so much room: the number of its first byte."""
GAP = 22
HOW = f"A register has {POSITIONS} bytes, {ROW} in each row. A number is the element that lies there."
HEADS = ("What is read:", "↓  What is made of it:")
FRAMES = ("frame", "frame second", "frame third", "frame fourth")
"""How the bytes are framed that the first, second, … of several readers read."""
PATTERN = 2
"""So many rows are drawn of those that go on in the same way."""


class Reader(NamedTuple):
    """What reads a vector: how it is called, and the bytes of each register that it reads."""

    name: str
    bytes: tuple[frozenset[int], ...]


class Drawn(NamedTuple):
    """A vector as it lies in registers: what it is called, its map, and the mask that governs it, if one does.

    `readers` are what reads it, if that is known. `hollow` says that padding of it should be elements.
    """

    title: str
    data: LaneMap
    mask: LaneMap | None = None
    readers: tuple[Reader, ...] = ()
    hollow: bool = False

    @property
    def name(self) -> str:
        """The vector's own name."""
        return self.title.split()[0].rstrip(",:") if self.title else ""

    def lost(self) -> list[int]:
        """The elements of which no reader reads a byte; none if no readers are known."""
        if not self.readers:
            return []
        inside = {number // self.data.size for number in self.data.held()}
        read = {
            number // self.data.size
            for reader in self.readers
            for part, found in enumerate(reader.bytes)
            for byte in found
            if (number := self.data.registers[part][byte]) is not None
        }
        return sorted(inside - read)

    def empty(self, reader: Reader) -> int:
        """How many bytes a reader reads in which nothing lies."""
        return sum(self.data.registers[part][byte] is None for part, found in enumerate(reader.bytes) for byte in found)


def lane_picture(title: str, columns: Sequence[Sequence[Drawn]]) -> Picture:
    """Vectors in groups from top to bottom, such as the operands and the results of an operation."""
    picture = Picture(title)
    shown = [drawn for column in columns for drawn in column]
    top = 42.0
    wide = float(LEFT + ROW * BYTE)
    for text in _points(shown):
        top = picture.lines(MARGIN, top, text, "point bad" if any(map(_faulty, shown)) else "point", wide)
    picture.text(MARGIN, top, HOW, "key")
    top += 30
    for number, column in enumerate(columns):
        if len(columns) == len(HEADS):
            picture.text(MARGIN, top, HEADS[number], "point")
            top += 24
        for drawn in column:
            top = _vector(picture, top, drawn)
    _legend(picture, top - 4, shown, wide)
    return picture


def _faulty(drawn: Drawn) -> bool:
    return bool(drawn.lost()) or any(drawn.empty(reader) for reader in drawn.readers)


def _points(shown: Sequence[Drawn]) -> list[str]:
    """What the picture shows, a sentence for each fault; if readers are known and there is none, that."""
    out = []
    for drawn in shown:
        for reader in drawn.readers:
            if drawn.empty(reader):
                out.append(f"{reader.name} reads {_bytes_of(reader)} of {drawn.name}, where nothing lies.")
        lost = drawn.lost()
        if lost:
            every = len({number // drawn.data.size for number in drawn.data.held()})
            some = ", ".join(map(str, lost[:3])) + (", …" if len(lost) > 3 else "")
            be, it = ("is", "it") if len(lost) == 1 else ("are", "them")
            out.append(
                f"Element{'s' * (len(lost) > 1)} {some} of {drawn.name} ({len(lost)} of {every}) {be} lost: "
                f"no conversion reads {it}."
            )
    if not out and any(drawn.readers for drawn in shown):
        out.append("Every element is read, and nothing is read where none lies.")
    return out


def _bytes_of(reader: Reader) -> str:
    """The bytes that a reader reads, in words."""
    return span_words(sorted(reader.bytes[0]) if reader.bytes else [])


def span_words(found: Sequence[int]) -> str:
    """Numbers of bytes in few words.

    >>> span_words([1, 5, 9, 13]), span_words([2, 3, 6, 7]), span_words([4, 5, 6]), span_words([1, 2, 9])
    ('byte 1 of every 4', 'bytes 2 and 3 of every 4', 'bytes 4 to 6', '3 bytes')
    """
    runs: list[list[int]] = []
    for byte in found:
        if runs and runs[-1][-1] == byte - 1:
            runs[-1].append(byte)
        else:
            runs.append([byte])
    if len(runs) == 1:
        return f"bytes {runs[0][0]} to {runs[0][-1]}"
    steps = {right[0] - left[0] for left, right in pairwise(runs)}
    widths = {len(run) for run in runs}
    if len(steps) != 1 or len(widths) != 1:
        return f"{len(found)} bytes"
    step, width = steps.pop(), widths.pop()
    first = runs[0][0] % step
    if width == 1:
        return f"byte {first} of every {step}"
    return f"bytes {first} {'and' if width == 2 else 'to'} {first + width - 1} of every {step}"


def _legend(picture: Picture, y: float, shown: Sequence[Drawn], wide: float) -> None:
    entries = []
    for drawn in shown:
        for number, reader in enumerate(drawn.readers):
            where = f"read by {reader.name}: {_bytes_of(reader)}"
            inside = sum(map(len, reader.bytes))
            if drawn.empty(reader) < inside:
                entries.append(Entry("frame", FRAMES[number % len(FRAMES)], where))
            if drawn.empty(reader):
                entries.append(Entry("frame", "wrong", f"{where}, where nothing lies"))
    if any(drawn.lost() for drawn in shown):
        entries.append(Entry("box", "lost", "an element that is lost"))
    if any(None in register for drawn in shown if not drawn.hollow for register in drawn.data.registers):
        entries.append(Entry("box", "pad", "padding: no element"))
    if any(None in register for drawn in shown if drawn.hollow for register in drawn.data.registers):
        entries.append(Entry("box", "hollow", "made of padding: whatever it is, it is wrong"))
    if any(drawn.mask is not None for drawn in shown):
        entries.append(Entry("none", "", "marks under a row: the bits of the mask that govern its elements"))
    for entry in entries:
        legend(picture, y, [entry], wide)
        y += LINE


def _vector(picture: Picture, top: float, drawn: Drawn) -> float:
    """Draw a vector; where the next one may begin."""
    picture.text(MARGIN, top, drawn.title, "code bad" if drawn.hollow else "code")
    top += 8
    lost = set(drawn.lost())
    for part in range(drawn.data.arity):
        if drawn.data.arity > 1:
            picture.text(MARGIN, top + 12, f"register {part}", "small faint")
            top += 18
        top = _register(picture, top, drawn, part, lost)
    return top + GAP


def _register(picture: Picture, top: float, drawn: Drawn, part: int, lost: set[int]) -> float:
    data = drawn.data
    read = {byte for reader in drawn.readers for byte in reader.bytes[part]}
    last = max((byte for byte, number in enumerate(data.registers[part]) if number is not None), default=0)
    shown = POSITIONS if drawn.hollow else min(POSITIONS, (max(last, *read, 0) // ROW + 1) * ROW)
    same = _same_rows(drawn, part, shown // ROW)
    for row in range(shown // ROW):
        start = row * ROW
        if PATTERN <= row < same:
            if row == PATTERN:
                held = [number for number in data.registers[part][start : same * ROW] if number is not None]
                upto = f", up to element {max(held) // data.size}" if held else ""
                text = f"bytes {start} to {same * ROW - 1}: the same pattern{upto}"
                picture.text(MARGIN + LEFT, top + 16, text, "small")
                top += 22
            continue
        picture.text(MARGIN + LEFT - 10, top + 16, f"byte {start}", "small faint", "end")
        _row(picture, top, drawn, part, start, lost)
        top += HEIGHT
        if drawn.mask is not None:
            top = _bits(picture, top, drawn.mask, part, start)
    if shown < POSITIONS:
        picture.text(MARGIN + LEFT, top + 14, f"bytes {shown} to {POSITIONS - 1}: padding", "small faint")
        top += 18
    return top + 6


def _same_rows(drawn: Drawn, part: int, rows: int) -> int:
    """How many rows from the first one on differ only by what is added to their elements; 0 if it saves nothing."""

    def steps(row: int) -> set[tuple[int | None, ...]]:
        """By what the numbers in a row differ from those of the row before; several sets of differences: no pattern."""
        out = set()
        for register in (drawn.data.registers, *([] if drawn.mask is None else [drawn.mask.registers])):
            now = register[part][row * ROW : (row + 1) * ROW]
            before = register[part][(row - 1) * ROW : row * ROW]
            found = {
                None if one is None or other is None else one - other
                for one, other in zip(now, before, strict=True)
                if one is not None or other is not None
            }
            out.add(tuple(sorted(found, key=str)))
        return out

    def framed(row: int) -> tuple[frozenset[int], ...]:
        return tuple(frozenset(byte - row * ROW for byte in reader.bytes[part] if byte // ROW == row)
                     for reader in drawn.readers)  # fmt: skip

    same = 1
    while same < rows:
        found = steps(same)
        if framed(same) != framed(0) or found != steps(1) or any(None in one or len(one) > 1 for one in found):
            break
        same += 1
    return same if same > PATTERN + 1 else 0


def _row(picture: Picture, top: float, drawn: Drawn, part: int, start: int, lost: set[int]) -> None:
    """The slots of a row, and the frames of the bytes that are read."""
    left = MARGIN + LEFT
    size = slot_size(drawn.data)
    for byte in range(start, start + ROW, size):
        _slot(picture, left + (byte - start) * BYTE, top, drawn, part, byte, size, lost)
    register = drawn.data.registers[part]
    for number, reader in enumerate(drawn.readers):
        found = [byte for byte in range(start, start + ROW) if byte in reader.bytes[part]]
        for (_, padding, _), run in groupby(
            enumerate(found), lambda item: (item[1] - item[0], register[item[1]] is None, item[1] // size)
        ):
            inside = [byte for _, byte in run]
            said = f"byte {inside[0]}" if len(inside) == 1 else f"bytes {inside[0]} to {inside[-1]}"
            hint = f"{said}: read by {reader.name}" + (", and nothing is in it" if padding else "")
            picture.rect(
                left + (inside[0] - start) * BYTE + 1.5,
                top + 1.5,
                BYTE * len(inside) - 3,
                HEIGHT - 3,
                "wrong" if padding else FRAMES[number % len(FRAMES)],
                hint,
            )


def _slot(
    picture: Picture, left: float, top: float, drawn: Drawn, part: int, byte: int, size: int, lost: set[int]
) -> None:
    held = drawn.data.at(part, byte)
    if held is None:
        kind = "hollow" if drawn.hollow else "pad"
        picture.rect(left, top, BYTE * size, HEIGHT, kind, f"byte {byte}: padding")
        if drawn.hollow:
            picture.text(left + BYTE * size / 2, top + 16, "?", "cell bad over", "middle")
        return
    element, offset = held
    hint = f"byte {byte}: element {element}" + (f", byte {offset} of it" if size < drawn.data.size else "")
    gone = element in lost
    picture.rect(left, top, BYTE * size, HEIGHT, "lost" if gone else "box l5", hint)
    kind = "cell" if size == 1 else "code"
    picture.text(left + BYTE * size / 2, top + 16, str(element), f"{kind} faint" if gone else kind, "middle")


def _bits(picture: Picture, top: float, mask: LaneMap, part: int, start: int) -> float:
    """The predicate bits that govern a row, as small marks under it."""
    for byte in range(start, start + ROW):
        bit = mask.registers[part][byte]
        kind = "pad" if bit is None else "box l4"
        picture.rect(
            MARGIN + LEFT + (byte - start) * BYTE + 2,
            top + 1,
            BYTE - 4,
            5,
            kind,
            "" if bit is None else f"bit {bit}",
            1,
        )
    return top + 9
