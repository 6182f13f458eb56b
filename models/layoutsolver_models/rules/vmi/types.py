"""Which element types the operations of VMI take, and which attributes a cast must have.

Layouts know widths alone; these rows are what is checked before. A type is spelled with its width; `i8` stands for
integers of eight bits of any sign, `si8` and `ui8` for those of one. Source: section 1.3.

>>> takes("vmul", "i8"), takes("vmul", "si16"), takes("vadds", "bf16"), takes("select", "!pto.bf16x2")
(False, True, True, True)
"""

from __future__ import annotations

from typing import NamedTuple


class ElementTypes(NamedTuple):
    """The element types of the data of some operations."""

    ops: tuple[str, ...]
    elements: tuple[str, ...]


_INTEGERS = ("i8", "i16", "i32")
_FLOATS = ("f16", "f32")

ELEMENTS: tuple[ElementTypes, ...] = (
    ElementTypes(("vadd", "vsub", "vmin", "vmax", "vadds", "vmaxs", "vmins"), (*_INTEGERS, "f16", "bf16", "f32")),
    ElementTypes(("vmul",), ("i16", "i32", "f16", "bf16", "f32")),
    ElementTypes(("vmuls",), ("i16", "i32", "f16", "f32")),
    ElementTypes(("vdiv", "vsqrt", "vexp", "vln", "divf", "sqrt", "exp", "ln"), _FLOATS),
    ElementTypes(("vabs",), ("si8", "si16", "si32", "f16", "bf16", "f32")),
    ElementTypes(("vneg",), (*_INTEGERS, "f16", "f32")),
    ElementTypes(("vrelu", "relu"), ("si32", "f16", "f32")),
    ElementTypes(("addf", "subf", "minf", "maxf", "mulf", "fma"), ("f16", "bf16", "f32")),
    ElementTypes(("vmula",), (*_INTEGERS, "f16", "bf16", "f32")),
    ElementTypes(("negf", "absf"), _FLOATS),
    ElementTypes(("addi", "subi", "mini", "maxi", "absi", "negi", "andi", "ori", "xori", "not"), _INTEGERS),
    ElementTypes(("muli",), ("i16", "i32")),
    ElementTypes(("vshl", "vshr", "shli", "shrui", "shrsi", "vshls", "vshrs"), _INTEGERS),
    ElementTypes(("vmull",), ("i32",)),
    ElementTypes(("vaddc", "vaddcs"), ("i32",)),
    ElementTypes(("sitofp",), ("si32",)),
    ElementTypes(("vcmp", "vcmps"), (*_INTEGERS, "f16", "bf16", "f32")),
    ElementTypes(("reduce_addi",), ("i32",)),
    ElementTypes(("reduce_addf", "reduce_maxf", "reduce_minf"), _FLOATS),
)  # fmt: skip
"""Rows; an operation without one takes every type that a vector can have."""

NEVER_SATURATES: tuple[tuple[str, str], ...] = (
    ("!pto.bf16x2", "!pto.f4E1M2x2"), ("!pto.bf16x2", "!pto.f4E2M1x2"), ("f16", "si32"),
)  # fmt: skip
"""Narrowing or rounding casts without `saturate`."""


PACKED: frozenset[str] = frozenset({"!pto.bf16x2", "!pto.f4E1M2x2", "!pto.f4E2M1x2", "!pto.hif8x2"})
"""Floats of which two make an element."""

FLOAT_PAIRS: tuple[tuple[str, str], ...] = (
    ("bf16", "f16"), ("!pto.f4E1M2x2", "!pto.bf16x2"), ("!pto.f4E2M1x2", "!pto.bf16x2"),
    ("!pto.bf16x2", "!pto.f4E1M2x2"), ("!pto.bf16x2", "!pto.f4E2M1x2"),
)  # fmt: skip
"""Floats of one width, and packed ones, between which there is a conversion."""


def converts(source: str, source_bits: int, result: str, result_bits: int) -> bool | None:
    """Whether a conversion exists between floats of one width or packed ones; None for other types.

    >>> converts("bf16", 16, "f16", 16), converts("f16", 16, "bf16", 16), converts("f16", 16, "f32", 32)
    (True, False, None)
    """
    if _is_integer(source) or _is_integer(result):
        return None
    if source_bits != result_bits and not {source, result} & PACKED:
        return None
    return (source, result) in FLOAT_PAIRS


def takes(op: str, element: str) -> bool:
    """Whether an operation takes data of an element type."""
    known = elements_of(op)
    return not known or element in known or element.removeprefix("s").removeprefix("u") in known


def elements_of(op: str) -> tuple[str, ...]:
    """The element types that an operation takes, empty if it takes all that a vector can have.

    >>> elements_of("vmuls"), elements_of("select")
    (('i16', 'i32', 'f16', 'f32'), ())
    """
    return next((row.elements for row in ELEMENTS if op in row.ops), ())


def must_saturate(source: str, source_bits: int, result: str, result_bits: int) -> bool | None:
    """Whether a cast must say how it saturates; False if it may but need not, None if it may not.

    >>> must_saturate("f32", 32, "f16", 16), must_saturate("f16", 16, "f32", 32), must_saturate("f32", 32, "si32", 32)
    (True, None, True)
    >>> must_saturate("bf16", 16, "f16", 16)
    False
    """
    whole = _is_integer(result) and not _is_integer(source)
    if (source, result) in NEVER_SATURATES:
        return None
    if result_bits < source_bits or whole:
        return True
    return None if result_bits > source_bits else False


def _is_integer(element: str) -> bool:
    return element.lstrip("su").startswith("i") and element.lstrip("sui").isdigit()
