r"""Lane maps drawn as text: the registers with what lies in them, and the elements with where they lie.

The register view has a row for every 32 bytes and a column for every slot, a slot being the largest piece in which
no element is torn. A slot shows the number of its element, or `.` for padding:

>>> from layoutsolver_models.lanes.layout import data_map, mask_map
>>> def head(text, lines):
...     print("\n".join(text.splitlines()[:lines]))
>>> head(register_view(data_map("b16_2vl", 16, 64)), 4)
register 0, 2 bytes a slot
    0 |  0  .  1  .  2  .  3  .  4  .  5  .  6  .  7  .
   32 |  8  .  9  . 10  . 11  . 12  . 13  . 14  . 15  .
   64 | 16  . 17  . 18  . 19  . 20  . 21  . 22  . 23  .

With a mask, the row under it shows the logical bits that govern the bytes of each slot. They agree here:

>>> head(register_view(data_map("b16_2vl", 16, 64), mask_map("b32", 64)), 3)
register 0, 2 bytes a slot
    0 |  0  .  1  .  2  .  3  .  4  .  5  .  6  .  7  .
  bit |  0  .  1  .  2  .  3  .  4  .  5  .  6  .  7  .

and not here, where the mask is that of dense bytes:

>>> head(register_view(data_map("b8_2vl", 8, 16), mask_map("b8", 16)), 3)
register 0, 1 byte a slot
    0 |  0  .  1  .  2  .  3  .  4  .  5  .  6  .  7  .  8  .  9  . 10  . 11  . 12  . 13  . 14  . 15  .
  bit |  0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .

An element that is torn shows the offset of each piece. The element view lists the places, part:byte, of eight
elements a row:

>>> head(element_view(data_map("deinterleaved = 2", 32, 128)), 3)
element  part:byte
      0    0:0   1:0   0:4   1:4   0:8   1:8  0:12  1:12
      8   0:16  1:16  0:20  1:20  0:24  1:24  0:28  1:28
"""

from __future__ import annotations

from layoutsolver_models.lanes.lanemap import POSITIONS, LaneMap, Register

ROW = 32
"""Positions in a row of the register view."""

ELEMENTS = 8
"""Elements in a row of the element view."""


def slot_size(lanes: LaneMap) -> int:
    """The largest power of two, at most the size of an element, such that every slot of so many positions is whole.

    A slot is whole if it is padding, or a run of an element's bytes that starts at a multiple of the slot size.

    >>> from layoutsolver_models.lanes.layout import data_map
    >>> slot_size(data_map("b16", 16, 128)), slot_size(data_map("b32", 64, 64))
    (2, 4)
    """
    size = lanes.size
    while size > 1 and not all(_is_whole(slot) for register in lanes.registers for slot in _slots(register, size)):
        size //= 2
    return size


def _slots(register: Register, size: int) -> list[Register]:
    return [register[start : start + size] for start in range(0, POSITIONS, size)]


def _is_whole(slot: Register) -> bool:
    first = slot[0]
    if first is None:
        return all(number is None for number in slot)
    return first % len(slot) == 0 and slot == tuple(range(first, first + len(slot)))


def register_view(data: LaneMap, mask: LaneMap | None = None) -> str:
    """The registers of a map row by row, with the bits of a mask that governs them under each row.

    Raises `ValueError` if the mask is not one of bits, or fills another number of registers.
    """
    if mask is not None and (mask.unit, mask.arity) != ("bit", data.arity):
        raise ValueError(f"a mask of {mask.arity} registers of {mask.unit}s does not go with {data.arity} registers")
    size = slot_size(data)
    cells = [[_element(data, slot[0], size) for slot in _slots(register, size)] for register in data.registers]
    bits = [
        [_bits(slot) for slot in _slots(register, size)] for register in (mask.registers if mask is not None else ())
    ]
    width = max((len(cell) for row in (*cells, *bits) for cell in row), default=1)
    many = "" if size == 1 else "s"
    per_row = ROW // size
    lines = []
    for part, row in enumerate(cells):
        lines.append(f"register {part}, {size} {data.unit}{many} a slot")
        for start in range(0, len(row), per_row):
            lines.append(_row(f"{start * size:5}", row[start : start + per_row], width))
            if bits:
                lines.append(_row("  bit", bits[part][start : start + per_row], width))
    return "".join(f"{line}\n" for line in lines)


def _row(label: str, cells: list[str], width: int) -> str:
    return f"{label} | " + " ".join(f"{cell:>{width}}" for cell in cells)


def _element(data: LaneMap, number: int | None, size: int) -> str:
    """The element of a slot; with the offset of the slot in it, if it is only a piece."""
    if number is None:
        return "."
    element, offset = divmod(number, data.size)
    return str(element) if size == data.size else f"{element}+{offset}"


def _bits(slot: Register) -> str:
    """The logical bits at the positions of a slot."""
    return ",".join(str(number) for number in slot if number is not None) or "."


def element_view(data: LaneMap) -> str:
    """The elements of a map and where each lies: part:position of its pieces; `-` if it lies nowhere."""
    size = slot_size(data)
    places: list[list[str]] = [[] for _ in range(data.lanes)]
    for part, register in enumerate(data.registers):
        for start in range(0, POSITIONS, size):
            number = register[start]
            if number is not None:
                places[number // data.size].append(f"{part}:{start}")
    cells = [",".join(place) or "-" for place in places]
    width = max((len(cell) for cell in cells), default=1)
    lines = [f"element  part:{data.unit}"]
    for start in range(0, data.lanes, ELEMENTS):
        row = " ".join(f"{cell:>{width}}" for cell in cells[start : start + ELEMENTS])
        lines.append(f"{start:7}  {row}")
    return "".join(f"{line}\n" for line in lines)
