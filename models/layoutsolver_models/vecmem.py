"""The layouts of a vector register as HIVMAVE names them: VecMemType, its slots and its mask granularity."""

from __future__ import annotations

from typing import NamedTuple

REGISTER_BYTES = 256
"""Bytes of a vector register; a predicate register has as many bits."""


class VecMemType(NamedTuple):
    """A layout: logical element i of `bits` bits starts at byte `slot_bytes * i` of the register.

    `mask` is the layout of the predicate that governs data in this layout. Source: HIVMAVEAttrs.td.
    """

    name: str
    bits: int
    slot_bytes: int
    mask: str

    @property
    def lanes(self) -> int:
        """How many elements a register holds in this layout."""
        return REGISTER_BYTES // self.slot_bytes


VECMEM_TYPES: dict[str, VecMemType] = {
    layout.name: layout
    for layout in (
        VecMemType("b8", 8, 1, "b8"),
        VecMemType("b8_2vl", 8, 2, "b16"),
        VecMemType("b8_4vl", 8, 4, "b32"),
        VecMemType("b16", 16, 2, "b16"),
        VecMemType("b16_2vl", 16, 4, "b32"),
        VecMemType("b32", 32, 4, "b32"),
    )
}
"""All VecMemTypes by name; `top`, `any` and `bottom` of the enum are never a decision."""

LAYOUTS: tuple[str, ...] = tuple(VECMEM_TYPES)
"""The names, in the order of preference inside an element width (denser first)."""

DOMAINS: dict[int, tuple[str, ...]] = {
    1: ("b8", "b16", "b32"),
    8: ("b8", "b8_2vl", "b8_4vl"),
    16: ("b16", "b16_2vl"),
    32: ("b32",),
}
"""The layouts that an element width can have, in the analyzer's order of preference."""

DENSE: dict[int, str] = {1: "b8", 8: "b8", 16: "b16", 32: "b32"}
"""The dense layout of an element width."""


def layout_width(bits: int) -> int:
    """The element width under which layouts are decided: 64-bit elements count as 32-bit ones.

    >>> layout_width(64), layout_width(8)
    (32, 8)
    """
    return 32 if bits == 64 else bits


def holds(layout: str, lanes: int) -> bool:
    """Whether a register in this layout has room for so many elements.

    >>> holds("b16_2vl", 64), holds("b16_2vl", 65)
    (True, False)
    """
    return lanes <= VECMEM_TYPES[layout].lanes
