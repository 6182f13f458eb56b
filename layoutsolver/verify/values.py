"""What a value of a running program is: a scalar, a place in memory, or (before layout) the elements of a vector."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from layoutsolver.mlir.types import ScalarType, Type, VectorType
from layoutsolver_models.hardware.formats import FORMATS, Flags, Format, Lanes
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.streams import Align

INDEX_BITS = 64
"""Bits of an `index` scalar."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar as its bit pattern; `defined` is False where nothing documented says what it is."""

    type: ScalarType
    bits: int
    defined: bool = True

    @property
    def width(self) -> int:
        """Bits of the type, 64 for `index`."""
        return INDEX_BITS if self.type.bits is None else self.type.bits

    @property
    def signed(self) -> int:
        """The number, the top bit being a sign; i1 counts as 0 or 1."""
        if self.width == 1:
            return self.bits
        return self.bits - (1 << self.width) if self.bits >> (self.width - 1) else self.bits


def integer(type_: ScalarType, number: int, defined: bool = True) -> Scalar:
    """The scalar of an integer type that a number wraps to.

    >>> integer(ScalarType("i8", 8), -1).bits
    255
    """
    width = INDEX_BITS if type_.bits is None else type_.bits
    return Scalar(type_, number & ((1 << width) - 1), defined)


@dataclass(frozen=True, slots=True)
class Buffer:
    """A memref: the byte address of its aligned base, and where elements stand in it, counted in elements."""

    base: int
    offset: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    element: ScalarType

    @property
    def element_bits(self) -> int:
        """Bits of an element in memory; those of i1 are packed."""
        return self.element.bits or INDEX_BITS

    def bit_address(self, indices: tuple[int, ...]) -> int:
        """The address in bits of the element at these indices."""
        place = self.offset + sum(i * s for i, s in zip(indices, self.strides, strict=True))
        return 8 * self.base + place * self.element_bits


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """A vector before layout: the bit pattern of each element, and which of them are defined.

    The patterns have the storage dtype of `format`; those of a predicate (format None) are truth values. `registers`
    and `masks` are the registers that they were put into, by width and count, so that this happens once.
    """

    format: Format | None
    bits: Lanes
    defined: Flags
    registers: dict[tuple[int, int], list[VReg]] = field(default_factory=dict)
    masks: dict[tuple[int, int], list[PReg]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many elements there are."""
        return int(self.bits.size)


@dataclass(frozen=True, slots=True)
class Pointer:
    """A byte address, and the base of the allocation that it was computed from."""

    base: int
    address: int


@dataclass(frozen=True, slots=True, eq=False)
class Aggregate:
    """An LLVM struct: its members, None for those that nothing was put into."""

    parts: tuple[Value, ...]


Held: TypeAlias = VReg | PReg | Elements
"""What holds a vector after layout; 64-bit elements, which no register holds 64 of, stay as they are."""

Value: TypeAlias = Scalar | Buffer | Elements | VReg | PReg | Pointer | Aggregate | Align | None
"""Any value of a running program; None for tokens and the like that nothing reads."""


def format_of(type_: Type) -> Format | None:
    """The number format of the elements of a type, None for i1. Raises KeyError where the model has none."""
    element = type_.element if isinstance(type_, VectorType) else type_
    name = element.text
    if name == "i1":
        return None
    if name == "index":
        return FORMATS["i32" if isinstance(type_, VectorType) else "i64"]
    return FORMATS[name.removeprefix("s") if name.startswith("si") else name]


def undefined(type_: VectorType) -> Elements:
    """A vector of which nothing is known."""
    fmt = format_of(type_)
    dtype = np.dtype(np.bool_) if fmt is None else fmt.storage
    return Elements(fmt, np.zeros(type_.lanes, dtype), np.zeros(type_.lanes, np.bool_))


def resized(elements: Elements, count: int) -> Elements:
    """The first `count` elements, undefined ones behind those that there are."""
    if count == elements.count:
        return elements
    bits = np.zeros(count, elements.bits.dtype)
    defined: npt.NDArray[np.bool_] = np.zeros(count, np.bool_)
    common = min(count, elements.count)
    bits[:common], defined[:common] = elements.bits[:common], elements.defined[:common]
    return Elements(elements.format, bits, defined)
