"""The number formats of lanes: how many bits, which dtype, which bit patterns are infinite or not a number.

A format says how the bits of a lane are read. Lanes are held as unsigned integers of the format's storage size; the
4-bit formats are held one code to an element here and packed two to a byte in registers and memory, low nibble first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import numpy.typing as npt

Lanes: TypeAlias = npt.NDArray[Any]
"""An array with one element per lane, of whatever dtype the format has."""

Flags: TypeAlias = npt.NDArray[np.bool_]
"""An array with one truth value per lane, byte or predicate bit."""


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """One number format; formats are compared by identity.

    `bits` is the size of an element, `storage` the unsigned dtype that holds its bits, `dtype` the dtype that reads
    them as numbers (for 4-bit formats one code per byte; it is `storage` for f4E1M2, which no library has).
    For floats, a bit pattern is a sign, `exponent_bits` with the given `bias`, and `mantissa_bits`; `largest` is the
    pattern of the largest finite magnitude, `infinity` and `nan` the canonical patterns, or None where there is none.
    """

    name: str
    bits: int
    signed: bool
    storage: np.dtype[Any]
    dtype: np.dtype[Any]
    exponent_bits: int = 0
    mantissa_bits: int = 0
    bias: int = 0
    largest: int = 0
    infinity: int | None = None
    nan: int | None = None

    @property
    def is_float(self) -> bool:
        """Whether the format is a floating-point one."""
        return self.mantissa_bits > 0

    @property
    def width(self) -> int:
        """Bytes of a lane in a register; 1 for the 4-bit formats, of which a byte holds two."""
        return max(self.bits, 8) // 8

    @property
    def lanes(self) -> int:
        """How many lanes of this format a register has, a packed pair counting as one."""
        return 256 // self.width

    @property
    def magnitude_mask(self) -> int:
        """All bits of a float except the sign."""
        return (1 << (self.bits - 1)) - 1

    @property
    def minimum(self) -> int:
        """The smallest value of an integer format."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def maximum(self) -> int:
        """The largest value of an integer format."""
        return (1 << (self.bits - self.signed)) - 1

    def __repr__(self) -> str:
        return self.name


def _integer(name: str, bits: int, signed: bool) -> Format:
    storage = np.dtype(f"u{bits // 8}")
    return Format(name, bits, signed, storage, np.dtype(f"i{bits // 8}") if signed else storage)


def _float(
    name: str, exponent: int, mantissa: int, dtype: Any, *, infinity: bool = True, nan: bool = True, bias: int = -1
) -> Format:
    bits = 1 + exponent + mantissa
    storage = np.dtype(f"u{max(bits, 8) // 8}")
    ones = (1 << (exponent + mantissa)) - 1
    inf_bits = ones ^ ((1 << mantissa) - 1)
    return Format(
        name,
        bits,
        True,
        storage,
        storage if dtype is None else np.dtype(dtype),
        exponent,
        mantissa,
        (1 << (exponent - 1)) - 1 if bias < 0 else bias,
        inf_bits - 1 if infinity else ones - nan,
        inf_bits if infinity else None,
        (inf_bits | 1 << (mantissa - 1) if infinity else ones) if nan else None,
    )


I8, U8 = _integer("i8", 8, True), _integer("ui8", 8, False)
I16, U16 = _integer("i16", 16, True), _integer("ui16", 16, False)
I32, U32 = _integer("i32", 32, True), _integer("ui32", 32, False)
I64, U64 = _integer("i64", 64, True), _integer("ui64", 64, False)
F16 = _float("f16", 5, 10, np.float16)
BF16 = _float("bf16", 8, 7, ml_dtypes.bfloat16)
F32 = _float("f32", 8, 23, np.float32)
F64 = _float("f64", 11, 52, np.float64)
F8E4M3FN = _float("f8E4M3FN", 4, 3, ml_dtypes.float8_e4m3fn, infinity=False)
F8E5M2 = _float("f8E5M2", 5, 2, ml_dtypes.float8_e5m2)
F4E2M1FN = _float("f4E2M1FN", 2, 1, ml_dtypes.float4_e2m1fn, infinity=False, nan=False)
F4E1M2 = _float("f4E1M2", 1, 2, None, infinity=False, nan=False, bias=1)

FORMATS: dict[str, Format] = {
    f.name: f for f in (I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F8E4M3FN, F8E5M2, F4E2M1FN, F4E1M2)
}
"""The formats that lanes can have, by the name MLIR gives the element type; a signless integer counts as signed."""

INTEGERS: dict[tuple[int, bool], Format] = {(f.bits, f.signed): f for f in FORMATS.values() if not f.is_float}
"""The integer formats by bits and signedness."""

_E1M2 = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75])
_E1M2_VALUES = np.concatenate([_E1M2, -_E1M2])
_E1M2_VALUES.setflags(write=False)


def decode(fmt: Format, bits: Lanes) -> Lanes:
    """The values of bit patterns: float64 for floats (every format fits exactly), the integer dtype for integers.

    `bits` has the storage dtype; 4-bit formats take one code per element, of which the upper nibble is ignored.
    Source of the 4-bit values: the PTO ISA document.

    >>> decode(F4E1M2, np.array([1, 7, 15], np.uint8)).tolist(), decode(I8, np.array([255], np.uint8)).tolist()
    ([0.25, 1.75, -1.75], [-1])
    """
    if fmt.bits == 4:
        bits = bits & np.uint8(15)
    if fmt is F4E1M2:
        return _E1M2_VALUES[bits]
    values = bits.view(fmt.dtype)
    with np.errstate(invalid="ignore"):
        return values.astype(np.float64) if fmt.is_float else values


def is_nan(fmt: Format, bits: Lanes) -> Flags:
    """Which bit patterns of a float format are not a number; none where the format has no such pattern."""
    if fmt.nan is None:
        return np.zeros(bits.shape, np.bool_)
    if fmt is F32 or fmt is F16:
        found: Flags = np.isnan(bits.view(fmt.dtype))
        return found
    above = fmt.largest if fmt.infinity is None else fmt.infinity
    nan: Flags = (bits & fmt.storage.type(fmt.magnitude_mask)) > above
    return nan


def canonical(fmt: Format, bits: Lanes) -> Lanes:
    """The same bit patterns with every NaN replaced by the format's canonical one; may change `bits` in place.

    Which NaN an operation returns is not documented and depends on the operand order of the host, so results hold
    only one.
    """
    if fmt.nan is not None:
        nan = is_nan(fmt, bits)
        if nan.any():
            bits[nan] = fmt.nan
    return bits


def unpack_nibbles(packed: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The 4-bit codes of bytes, low nibble first: twice as many elements.

    >>> unpack_nibbles(np.array([0x21, 0x43], np.uint8)).tolist()
    [1, 2, 3, 4]
    """
    codes = np.empty(2 * packed.size, np.uint8)
    codes[0::2] = packed & 15
    codes[1::2] = packed >> 4
    return codes


def pack_nibbles(codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The bytes that hold 4-bit codes two by two, low nibble first: half as many elements."""
    packed: npt.NDArray[np.uint8] = (codes[0::2] & np.uint8(15)) | (codes[1::2] << np.uint8(4))
    return packed
