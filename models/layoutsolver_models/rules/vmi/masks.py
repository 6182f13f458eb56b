"""The granularity of masks: who fixes it, and who asks for it.

A mask governs elements of one width. Comparisons make masks of the width of what they compare; an operation asks for
masks of the width of what it governs. Values that logic and control flow join have one granularity; a use that asks
for another gets a mask made anew, or cast. Source: section 2.3.
"""

from __future__ import annotations

from typing import NamedTuple


class MaskWidth(NamedTuple):
    """The width that the masks in a role of some operations have: a number of bits, or that of the role `like`."""

    ops: tuple[str, ...]
    role: str
    like: str = ""
    bits: int = 0


MADE: tuple[MaskWidth, ...] = (
    MaskWidth(("cmpf", "cmpi"), "result", "lhs"),
    MaskWidth(("vaddc", "vaddcs"), "carry", bits=32),
)
"""Results whose granularity is fixed."""

ASKED: tuple[MaskWidth, ...] = (
    MaskWidth(("select",), "mask", "true_value"),
    MaskWidth(("masked_store", "stride_store", "scatter", "compress_store"), "mask", "value"),
    MaskWidth(("masked_load", "stride_load", "gather", "expand_load", "active_prefix_index"), "mask", "result"),
    MaskWidth(("vgatherb",), "mask", bits=32),
    MaskWidth(("compress",), "mask", "source"),
    MaskWidth(("reduce_addi", "reduce_addf", "reduce_maxf", "reduce_minf", "reduce_maxi", "reduce_mini"), "mask",
              "source"),
    MaskWidth(("group_reduce_addf", "group_reduce_maxf", "group_reduce_minf", "group_reduce_addi", "group_reduce_maxi",
               "group_reduce_mini"), "mask", "source"),
    MaskWidth(("vadds", "vmuls", "vmaxs", "vmins", "vshls", "vshrs"), "mask", "src"),
    MaskWidth(("vexpdif",), "mask", "x"),
    MaskWidth(("vintlv", "vdintlv"), "mask", "lhs"),
    MaskWidth(("vdhist", "vchist"), "mask", bits=8),
    MaskWidth(("vmull", "vaddc", "vaddcs"), "mask", bits=32),
    MaskWidth(("vaddcs",), "carry_in", bits=32),
)  # fmt: skip
"""Operands that must have a granularity."""

JOINED: dict[str, tuple[str, ...]] = {
    "mask_and": ("lhs", "rhs", "result"), "mask_or": ("lhs", "rhs", "result"), "mask_xor": ("lhs", "rhs", "result"),
    "mask_not": ("source", "result"), "ensure_mask_layout": ("source", "result"),
}  # fmt: skip
"""Operations whose roles have one granularity, as values that control flow ties."""

CAST = "ensure_mask_granularity"
"""The operation whose result may have another granularity than its source."""

UNASKED = 32
"""The granularity of a mask that nobody asks for."""

REMADE = frozenset({"create_mask", "create_group_mask", "constant_mask"})
"""Operations that are repeated for a use of another granularity; for the results of others there are casts."""


def asked_width(op: str, role: str) -> MaskWidth | None:
    """What an operation asks of the mask in a role, None if it asks nothing.

    >>> asked_width("masked_store", "mask").like, asked_width("vaddcs", "carry_in").bits
    ('value', 32)
    """
    return next((row for row in ASKED if op in row.ops and row.role == role), None)
