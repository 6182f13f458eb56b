"""The layouts that the rules of VMI speak of, by short names, and how many registers a value takes in one.

    name          layout
    c             contiguous
    ls2 ls4       contiguous, lane_stride = 2, 4
    d2 d4         deinterleaved = 2, 4
    bd2 bd4       block_deinterleaved = 2, 4
    gs1 .. gs8    num_groups = G, slots = 1, 2, 4, 8
    gs8.2 gs8.4   num_groups = G, slots = 8, lane_stride = 2, 4

>>> str(layout_of("gs8.2", 16)), name_of(layout_of("d4"))
('num_groups = 16, slots = 8, lane_stride = 2', 'd4')
"""

from __future__ import annotations

from layoutsolver_models.lanes.layout import Dense, Groups
from layoutsolver_models.vecmem import REGISTER_BYTES

VmiLayout = Dense | Groups

_DENSE: dict[str, Dense] = {
    "c": Dense(),
    "ls2": Dense(1, 2),
    "ls4": Dense(1, 4),
    "d2": Dense(2),
    "d4": Dense(4),
    "bd2": Dense(2, 1, True),
    "bd4": Dense(4, 1, True),
}
_SLOTS: dict[str, tuple[int, int]] = {
    "gs1": (1, 1), "gs2": (2, 1), "gs4": (4, 1), "gs8": (8, 1), "gs8.2": (8, 2), "gs8.4": (8, 4),
}  # fmt: skip

DENSE_NAMES: tuple[str, ...] = tuple(_DENSE)
SLOT_NAMES: tuple[str, ...] = tuple(_SLOTS)
LAYOUT_NAMES: tuple[str, ...] = (*DENSE_NAMES, *SLOT_NAMES)
"""All short names, dense layouts first."""


def layout_of(name: str, groups: int = 1) -> VmiLayout:
    """The layout of a short name; `groups` is the number of groups of a slot layout. Raises `KeyError`."""
    if name in _DENSE:
        return _DENSE[name]
    slots, stride = _SLOTS[name]
    return Groups(groups, slots, stride)


def name_of(layout: VmiLayout) -> str | None:
    """The short name of a layout, None if no rule speaks of it."""
    if isinstance(layout, Dense):
        return next((name for name, known in _DENSE.items() if known == layout), None)
    found = (layout.slots, layout.lane_stride)
    return next((name for name, known in _SLOTS.items() if known == found), None)


def register_lanes(bits: int) -> int:
    """Lanes of a register for elements of so many bits. Raises `ValueError` for none.

    >>> register_lanes(8), register_lanes(32)
    (256, 64)
    """
    if not bits:
        raise ValueError("the width of the elements is open")
    return 8 * REGISTER_BYTES // bits


def arity(layout: VmiLayout, bits: int, lanes: int) -> int:
    """How many registers hold so many elements; equal to that of the lane map.

    >>> arity(Dense(4), 8, 64), arity(Dense(1, 2), 16, 128), arity(Groups(12, 8), 32, 12)
    (4, 2, 2)
    """
    full = register_lanes(bits)
    if isinstance(layout, Groups):
        if not layout.slots:
            raise ValueError(f"`{layout}` leaves open how many groups a register holds")
        return -(-layout.num_groups // layout.slots)
    if layout.blocks:
        block = full // 8
        blocks = -(-lanes // block)
        return sum(
            -(-(-(-(blocks - part) // layout.parts) * block) // full) for part in range(min(layout.parts, blocks))
        )
    held = (-(-(lanes - part) // layout.parts) for part in range(min(layout.parts, lanes)))
    return sum(((count - 1) * layout.lane_stride) // full + 1 for count in held)
