"""What a value of a running `pto` program is: a scalar, a pointer, a register, or a logical vector or mask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from layoutsolver.mlir.types import OtherType, ScalarType
from layoutsolver.verify.values import Scalar
from layoutsolver_models.hardware.formats import FORMATS, Flags, Format, Lanes
from layoutsolver_models.hardware.state import Births, Bytes, PReg, VReg, any_of_lane
from layoutsolver_models.hardware.streams import Align


@dataclass(frozen=True, slots=True)
class Pointer:
    """A byte offset into an allocation (an index of `Ram.allocations`), and the type of what it points to."""

    allocation: int
    offset: int
    element: ScalarType

    @property
    def width(self) -> int:
        """Bytes of an element."""
        return (self.element.bits or 64) // 8

    def moved(self, elements: int) -> Pointer:
        """The pointer so many elements further on."""
        return Pointer(self.allocation, self.offset + elements * self.width, self.element)


@dataclass(frozen=True, slots=True, eq=False)
class Vector:
    """A logical vector: the bytes of its elements one behind the other, which are poison, and (traced) births."""

    element: ScalarType
    data: Bytes
    poison: Flags
    birth: Births | None = None

    @property
    def width(self) -> int:
        """Bytes of an element."""
        return (self.element.bits or 64) // 8

    @property
    def count(self) -> int:
        """How many elements there are."""
        return self.data.size // self.width

    @property
    def bits(self) -> Lanes:
        """The bit pattern of each element."""
        return self.data.view(f"u{self.width}")

    @property
    def unknown(self) -> Flags:
        """For each element, whether any of its bytes is poison."""
        return any_of_lane(self.poison, self.width)


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """A logical mask: a truth value for each element, which are poison, and (traced) births."""

    bits: Flags
    poison: Flags
    birth: Births | None = None

    @property
    def count(self) -> int:
        """How many elements it governs."""
        return int(self.bits.size)


PtoValue: TypeAlias = Scalar | Pointer | Vector | Mask | VReg | PReg | Align | None
"""Any value of a running program; None for what nothing reads."""

Get: TypeAlias = Callable[[int], PtoValue]

PAIRS: dict[str, str] = {
    "!pto.f4E1M2x2": "f4E1M2", "!pto.f4E2M1x2": "f4E2M1FN", "!pto.bf16x2": "bf16",
}  # fmt: skip
"""The elements that are pairs, and the format of each half."""

_ALIASES = {"f8E4M3": None, "i1": None}


def is_signless(element: ScalarType | OtherType) -> bool:
    """Whether an integer type says nothing of its sign."""
    return element.text[:1] == "i" and element.text != "index"


def format_named(element: ScalarType | OtherType, signless_signed: bool) -> Format | None:
    """The number format of an element type, that of a half for a pair; None where the model has none.

    A signless integer counts as signed or not as said.
    """
    text = element.text
    if text in PAIRS:
        return FORMATS[PAIRS[text]]
    if text in _ALIASES:
        return None
    if is_signless(element):
        return FORMATS.get(text if signless_signed else f"u{text}")
    return FORMATS.get(text.removeprefix("s") if text.startswith("si") else text)


def stored_integer(width: int) -> Format:
    """The unsigned format of so many bytes, for what only moves bits."""
    return FORMATS[f"ui{8 * width}"]


def clean(count: int) -> Flags:
    """Flags of which none is set."""
    return np.zeros(count, np.bool_)
