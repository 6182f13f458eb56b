"""The layouts that have a name, as text, as values, and as lane maps.

AVE names the layout of one register by `VecMemType`: the width of the element and how far apart elements start.

    layout    element bits   element i starts at byte   elements of a register
    b8         8             i                          256
    b8_2vl     8             2 i                        128
    b8_4vl     8             4 i                         64
    b16       16             2 i                        128
    b16_2vl   16             4 i                         64
    b32       32             4 i                         64

>>> [data_map(name, layout.bits, 512).arity for name, layout in VECMEM_TYPES.items()]
[2, 4, 8, 4, 8, 8]

VMI spreads a vector over registers by an attribute. With `lp` the elements of a full register, `B = lp / 8` those of
a 32-byte block, element i lies in part p, at lane j of that part:

    attribute                        part             lane j of the part
    contiguous                       0                i
    contiguous, lane_stride = L      0                i L
    deinterleaved = F                i mod F          i div F
    block_deinterleaved = F          (i div B) mod F  (i div B div F) B + i mod B
    num_groups = G, slots = S        0                (i div S) lp + i mod S

Lane j is lane `j mod lp` of register `j div lp` of the part, and the registers of part 0 come before those of part 1
and so on; a part without elements has no register. The arities of 128 elements of 16 bits:

>>> {text: data_map(text, 16, 128).arity for text in ("contiguous", "contiguous, lane_stride = 2", "deinterleaved = 4")}
{'contiguous': 1, 'contiguous, lane_stride = 2': 2, 'deinterleaved = 4': 4}

One register in the two languages:

>>> data_map("b8_4vl", 8, 64) == data_map("contiguous, lane_stride = 4", 8, 64)
True

A mask has a bit for every byte of the data that it governs, and the bit that counts is that of the first byte of an
element. So the mask of 16-bit data has the same map as the data, each byte position taken as a bit position:

>>> mask_map("b16", 128, 16).places(5), data_map("b16", 16, 128).places(5)
(((0, 10),), ((0, 10),))
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from layoutsolver_models.lanes.lanemap import POSITIONS, LaneMap, Unit, from_places, strided
from layoutsolver_models.vecmem import DOMAINS, VECMEM_TYPES, layout_width

BLOCK = 32
"""Bytes of a block; a register has eight."""

MASK_BITS = (8, 16, 32)
"""The granularities of a predicate register: the widths of the lanes that it can govern."""


@dataclass(frozen=True, slots=True)
class VecMem:
    """A layout of AVE, by its name."""

    name: str

    def __post_init__(self) -> None:
        if self.name not in VECMEM_TYPES:
            raise ValueError(f"`{self.name}` is no layout of a register: {', '.join(VECMEM_TYPES)}")

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Dense:
    """A layout of VMI with all elements in `parts` parts: by turns, or in turns of a whole 32-byte block (`blocks`)."""

    parts: int = 1
    lane_stride: int = 1
    blocks: bool = False

    def __post_init__(self) -> None:
        if self.parts not in (1, 2, 4):
            raise ValueError(f"a vector is deinterleaved into 2 or 4 parts, not {self.parts}")
        if self.lane_stride < 1:
            raise ValueError(f"lane_stride is at least 1, not {self.lane_stride}")
        if self.blocks and (self.parts == 1 or self.lane_stride != 1):
            raise ValueError("block_deinterleaved takes 2 or 4 parts and no lane_stride")

    def __str__(self) -> str:
        kind = "contiguous" if self.parts == 1 else f"{'block_' * self.blocks}deinterleaved = {self.parts}"
        return kind + _stride_text(self.lane_stride)


@dataclass(frozen=True, slots=True)
class Groups:
    """A layout of VMI with one element for each group: `slots` of them in a register, `lane_stride` lanes apart.

    `slots` 0 leaves it open how many a register holds; such a layout has no lane map.
    """

    num_groups: int
    slots: int = 0
    lane_stride: int = 1

    def __post_init__(self) -> None:
        if self.num_groups < 1 or self.slots < 0 or self.lane_stride < 1:
            raise ValueError("num_groups and lane_stride are at least 1, slots at least 0")

    def __str__(self) -> str:
        slots = f", slots = {self.slots}" if self.slots else ""
        return f"num_groups = {self.num_groups}{slots}{_stride_text(self.lane_stride)}"


Layout = VecMem | Dense | Groups
"""Any named layout."""


def _stride_text(stride: int) -> str:
    return f", lane_stride = {stride}" if stride != 1 else ""


ATTRIBUTE = re.compile(r"#(?:pto\.vmi\.layout|ave\.vec_mem_type)\s*<(.*)>|<(.*)>", re.DOTALL)
FIELDS = {
    "contiguous": (Dense, None),
    "deinterleaved": (Dense, "parts"),
    "block_deinterleaved": (Dense, "parts"),
    "num_groups": (Groups, "num_groups"),
    "slots": (Groups, "slots"),
    "lane_stride": (None, "lane_stride"),
}
"""The words of the attribute of VMI: the kind of layout each asks for, and what its number is."""


def parse_layout(text: str) -> Layout:
    """The layout that a text names: the name of AVE, or the inside of the attribute of VMI; both also as attributes.

    Fields come in any order. `lane_stride` by itself means contiguous. Raises `ValueError` if the text is neither.

    >>> parse_layout("b8_2vl"), parse_layout("#pto.vmi.layout<deinterleaved = 4>")
    (VecMem(name='b8_2vl'), Dense(parts=4, lane_stride=1, blocks=False))
    >>> str(parse_layout("<slots=8, num_groups=8, lane_stride=2>")), str(parse_layout("lane_stride = 2"))
    ('num_groups = 8, slots = 8, lane_stride = 2', 'contiguous, lane_stride = 2')
    """
    body = text.strip()
    attribute = ATTRIBUTE.fullmatch(body)
    if attribute is not None:
        body = (attribute[1] if attribute[1] is not None else attribute[2]).strip()
    if body in VECMEM_TYPES:
        return VecMem(body)
    numbers: dict[str, int] = {}
    for field in body.split(","):
        word, equals, number = (piece.strip() for piece in field.partition("="))
        takes_number = word in FIELDS and FIELDS[word][1] is not None
        if word not in FIELDS or word in numbers or bool(equals) != takes_number:
            raise ValueError(f"`{text}` is no layout: `{field.strip()}` is not understood")
        if takes_number and not re.fullmatch(r"[0-9]{1,9}", number):
            raise ValueError(f"`{text}` is no layout: `{field.strip()}` has no number")
        numbers[word] = int(number or 0)
    kinds = {word for word in numbers if word not in ("slots", "lane_stride")}
    stride = numbers.get("lane_stride", 1)
    if kinds == {"num_groups"}:
        return Groups(numbers["num_groups"], numbers.get("slots", 0), stride)
    if len(kinds) > 1 or "slots" in numbers:
        raise ValueError(f"`{text}` is no layout: its fields do not go together")
    for word in kinds - {"contiguous"}:
        if numbers[word] == 1:
            raise ValueError("a vector is deinterleaved into 2 or 4 parts, not 1")
        return Dense(numbers[word], stride, blocks=word == "block_deinterleaved")
    return Dense(1, stride)


def data_map(layout: Layout | str, bits: int, lanes: int) -> LaneMap:
    """The lane map of `lanes` elements of `bits` bits in a layout, given as a value or as text.

    In AVE an element of 64 bits takes the layout `b32`: its low words fill one register, its high words the next.
    Raises `ValueError` if elements of that width cannot have the layout.

    >>> data_map("b32", 64, 64).places(3, 4)
    ((1, 12),)
    """
    layout = parse_layout(layout) if isinstance(layout, str) else layout
    if bits not in (8, 16, 32, 64):
        raise ValueError(f"an element has 8, 16, 32 or 64 bits, not {bits}")
    if not isinstance(layout, VecMem):
        return _vmi_map(layout, "byte", bits // 8, bits // 8, lanes)
    if layout.name not in DOMAINS[layout_width(bits)]:
        raise ValueError(f"elements of {bits} bits cannot have the layout `{layout}`")
    vecmem = VECMEM_TYPES[layout.name]
    if bits != 64:
        return strided("byte", bits // 8, lanes, vecmem.slot_bytes)
    pieces = (
        (i, 4 * word, 2 * (i // vecmem.lanes) + word, vecmem.slot_bytes * (i % vecmem.lanes))
        for i in range(lanes)
        for word in (0, 1)
    )
    return from_places("byte", 8, lanes, 2 * -(-lanes // vecmem.lanes), pieces)


def mask_map(layout: Layout | str, lanes: int, bits: int | None = None) -> LaneMap:
    """The lane map of the `lanes` bits of a mask in a layout; `bits` is the width of the elements it governs.

    The predicate states b8, b16 and b32 of AVE imply `bits`. Raises `ValueError` if there is no such mask.

    >>> mask_map("b32", 64) == mask_map("contiguous", 64, 32) == mask_map("contiguous, lane_stride = 2", 64, 16)
    True
    """
    layout = parse_layout(layout) if isinstance(layout, str) else layout
    if isinstance(layout, VecMem):
        if layout.name not in DOMAINS[1]:
            raise ValueError(f"a mask cannot have the layout `{layout}`")
        stride = VECMEM_TYPES[layout.name].slot_bytes
        if bits is not None and bits != 8 * stride:
            raise ValueError(f"a mask in the layout `{layout}` does not govern elements of {bits} bits")
        return strided("bit", 1, lanes, stride)
    if bits not in MASK_BITS:
        raise ValueError(f"a mask governs elements of 8, 16 or 32 bits, not {bits}")
    return _vmi_map(layout, "bit", 1, bits // 8, lanes)


def carrier(layout: Layout | str, bits: int) -> int | None:
    """The granularity of the predicate registers that carry a mask over `bits`-bit elements in a layout of VMI.

    A lane stride widens it, since the bits between are then bits of wider lanes; nothing carries more than 32.

    >>> carrier("contiguous, lane_stride = 2", 8), carrier("deinterleaved = 2", 8), carrier("lane_stride = 2", 32)
    (16, 8, None)
    """
    layout = parse_layout(layout) if isinstance(layout, str) else layout
    if isinstance(layout, VecMem):
        return 8 * VECMEM_TYPES[layout.name].slot_bytes
    wide = bits * layout.lane_stride
    return wide if wide in MASK_BITS else None


def _vmi_map(layout: Dense | Groups, unit: Unit, size: int, slot: int, lanes: int) -> LaneMap:
    """The map of a layout of VMI whose lanes are `slot` positions apart, of which an element takes the first `size`."""
    located = [(i, *place) for i, place in enumerate(_lanes_of(layout, slot, lanes))]
    last: dict[int, int] = {}
    for _, part, lane in located:
        last[part] = max(last.get(part, 0), lane)
    per_register = POSITIONS // slot
    first: dict[int, int] = {}
    arity = 0
    for part in sorted(last):
        first[part] = arity
        arity += last[part] // per_register + 1
    places = ((i, 0, first[part] + j // per_register, j % per_register * slot) for i, part, j in located)
    return from_places(unit, size, lanes, arity, places)


def _lanes_of(layout: Dense | Groups, slot: int, lanes: int) -> Iterator[tuple[int, int]]:
    """The part and the lane inside the part of every element."""
    per_register, block = POSITIONS // slot, BLOCK // slot
    if isinstance(layout, Groups):
        if lanes != layout.num_groups:
            raise ValueError(f"a vector of {layout.num_groups} groups has as many elements, not {lanes}")
        if not layout.slots:
            raise ValueError(f"`{layout}` leaves open how many groups a register holds")
        if (layout.slots - 1) * layout.lane_stride >= per_register:
            raise ValueError(f"`{layout}` does not fit a register of {per_register} lanes")
        for i in range(lanes):
            yield 0, i // layout.slots * per_register + i % layout.slots * layout.lane_stride
    elif layout.blocks:
        for i in range(lanes):
            yield i // block % layout.parts, i // block // layout.parts * block + i % block
    else:
        for i in range(lanes):
            yield i % layout.parts, i // layout.parts * layout.lane_stride
