"""Conversion of numbers between formats, exact up to one rounding.

Every finite number is `(-1)^negative * magnitude * 2^exponent` with a 64-bit integer magnitude. Rounding drops low
bits of that integer in one step, so no conversion rounds twice, whatever the pair of formats. Only integers are used.

What is not a number stays so: NaN becomes the canonical NaN of the target, zero in an integer or in a format without
NaN. Saturation clamps finite overflow and infinities to the ends of the target. Without it integers keep their low
bits (an infinity, as a limit of powers of two, leaves 0), and floats overflow to infinity, to NaN where the format has
no infinity, and to the largest value where it has neither. Overflow follows IEEE 754: a rounding that may not move away
from zero (trunc, odd, floor of positive, ceil of negative numbers) stops at the largest finite value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from layoutsolver_models.hardware.formats import F16, F32, F64, INTEGERS, Flags, Format, Lanes, canonical, is_nan

Rounding: TypeAlias = Literal["rint", "round", "floor", "ceil", "trunc", "odd"]
"""How a number between two neighbours is rounded: to the nearest (ties to even, or away from zero), down, up, towards
zero, or to the neighbour whose last bit is one. Names as in the HIVM round_mode."""

ROUNDINGS: tuple[Rounding, ...] = ("rint", "round", "floor", "ceil", "trunc", "odd")

_TOP = 62
"""Magnitudes are scaled so that they fill 62 bits: one bit is left for a carry and one for a shift by 63."""

_ALL_ONES = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


@dataclass(frozen=True, slots=True)
class Exact:
    """Numbers as sign, integer magnitude and power of two; `nan` and `infinite` mark those that are no such number."""

    negative: Flags
    magnitude: npt.NDArray[np.uint64]
    exponent: npt.NDArray[np.int64]
    nan: Flags
    infinite: Flags


def split(fmt: Format, bits: Lanes) -> Exact:
    """The numbers that bit patterns (storage dtype) of a format mean; 4-bit codes come one per element."""
    nothing = np.zeros(bits.shape, np.bool_)
    if not fmt.is_float:
        if not fmt.signed:
            return Exact(nothing, bits.astype(np.uint64), np.zeros(bits.shape, np.int64), nothing, nothing)
        signed = bits.view(fmt.dtype).astype(np.int64)
        negative = signed < 0
        wide = signed.view(np.uint64)
        return Exact(
            negative, np.where(negative, np.uint64(0) - wide, wide), np.zeros(bits.shape, np.int64), nothing, nothing
        )
    wide = bits.astype(np.uint64)
    if fmt.bits == 4:
        wide = wide & np.uint64(15)
    size = np.uint64(fmt.mantissa_bits)
    fraction = wide & np.uint64((1 << fmt.mantissa_bits) - 1)
    field = (wide >> size) & np.uint64((1 << fmt.exponent_bits) - 1)
    magnitude = np.where(field > 0, fraction | np.uint64(1 << fmt.mantissa_bits), fraction)
    exponent = np.maximum(field.view(np.int64), 1) - (fmt.bias + fmt.mantissa_bits)
    negative = (wide >> np.uint64(fmt.bits - 1)) > 0
    infinite = nothing if fmt.infinity is None else (wide & np.uint64(fmt.magnitude_mask)) == fmt.infinity
    return Exact(negative, magnitude, exponent, is_nan(fmt, bits), infinite)


def _drop(
    magnitude: npt.NDArray[np.uint64], count: npt.NDArray[np.int64], negative: Flags, rounding: Rounding
) -> npt.NDArray[np.uint64]:
    """The magnitudes with `count` (0 to 63) low bits dropped and the rest rounded."""
    shift = count.astype(np.uint64)
    quotient = magnitude >> shift
    if rounding == "trunc":
        return quotient
    rest = magnitude & ~(_ALL_ONES << shift)
    if rounding in ("rint", "round"):
        half = np.where(count > 0, np.uint64(1) << (np.maximum(count, 1) - 1).astype(np.uint64), np.uint64(1))
        up = rest > half if rounding == "rint" else rest >= half
        if rounding == "rint":
            up |= (rest == half) & ((quotient & np.uint64(1)) > 0)
    elif rounding == "odd":
        up = (rest > 0) & ((quotient & np.uint64(1)) == 0)
    elif rounding == "floor":
        up = (rest > 0) & negative
    else:
        up = (rest > 0) & ~negative
    rounded: npt.NDArray[np.uint64] = quotient + up
    return rounded


def _bit_length(magnitude: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """How many bits each magnitude has, 0 for 0; the float estimate can be one too high above 2^53."""
    length = np.frexp(magnitude.astype(np.float64))[1].astype(np.int64)
    low = np.maximum(length, 1) - 1
    shorter = (length > 0) & ((magnitude >> low.astype(np.uint64)) == 0)
    exact: npt.NDArray[np.int64] = length - shorter
    return exact


def round_to_float(numbers: Exact, fmt: Format, rounding: Rounding, saturate: bool) -> Lanes:
    """The bit patterns (storage dtype of `fmt`) of numbers rounded once to a float format of up to 32 bits."""
    length = _bit_length(numbers.magnitude)
    spill = np.maximum(length - _TOP, 0).astype(np.uint64)
    scaled = (numbers.magnitude >> spill) << np.maximum(_TOP - length, 0).astype(np.uint64)
    scaled |= (numbers.magnitude & ~(_ALL_ONES << spill)) > 0
    leading = numbers.exponent + length - 1 - (1 - fmt.bias)
    kept = fmt.mantissa_bits + 1 + np.minimum(leading, 0)
    mantissa = _drop(scaled, np.minimum(_TOP - kept, 63), numbers.negative, rounding)
    out = (np.maximum(leading, 0) << fmt.mantissa_bits) + mantissa.view(np.int64)
    out[numbers.magnitude == 0] = 0

    over = out > fmt.largest
    beyond = fmt.nan if fmt.infinity is None else fmt.infinity
    if over.any():
        if saturate or beyond is None or rounding in ("trunc", "odd"):
            out[over] = fmt.largest
        elif rounding in ("floor", "ceil"):
            outward = numbers.negative == (rounding == "floor")
            out[over] = np.where(outward, beyond, fmt.largest)[over]
        else:
            out[over] = beyond
    if numbers.infinite.any():
        out[numbers.infinite] = fmt.largest if saturate or beyond is None else beyond
    out |= numbers.negative.astype(np.int64) << (fmt.bits - 1)
    if numbers.nan.any():
        out[numbers.nan] = fmt.nan or 0
    return canonical(fmt, out.astype(fmt.storage))


def round_to_integer(numbers: Exact, fmt: Format, rounding: Rounding, saturate: bool) -> Lanes:
    """The bit patterns (storage dtype of `fmt`) of numbers rounded to an integer format."""
    down = np.clip(-numbers.exponent, 0, 63)
    up = np.maximum(numbers.exponent, 0)
    rounded = _drop(numbers.magnitude, down, numbers.negative, rounding)
    shift = np.minimum(up, 63).astype(np.uint64)
    magnitude = np.where(up > 63, np.uint64(0), rounded << shift)
    if saturate:
        limit = np.where(numbers.negative, np.uint64(-fmt.minimum), np.uint64(fmt.maximum))
        beyond = (rounded > (limit >> shift)) | ((up > 63) & (rounded > 0)) | numbers.infinite
        magnitude = np.where(beyond, limit, magnitude)
    else:
        magnitude[numbers.infinite] = 0
    magnitude[numbers.nan] = 0
    return np.where(numbers.negative, np.uint64(0) - magnitude, magnitude).astype(fmt.storage)


def convert_exactly(src: Format, dst: Format, bits: Lanes, rounding: Rounding, saturate: bool) -> Lanes:
    """The bit patterns in `dst` of the numbers that `bits` means in `src`, by integer arithmetic alone: a new array."""
    numbers = split(src, bits)
    return (round_to_float if dst.is_float else round_to_integer)(numbers, dst, rounding, saturate)


def _to_float_directly(src: Format, dst: Format, bits: Lanes, rounding: Rounding) -> Lanes | None:
    """What the host's conversion to a float format gives, if it is exact or rounds once to nearest even, else None.

    Exact: a format that `dst` includes. Once: from float32 to a narrower format; from an integer to float32; from an
    integer that float32 holds, through which such conversions go.
    """
    if dst.bits == 4 or (src.dtype == src.storage and src.bits == 4):
        return None
    if src.is_float:
        includes = dst.exponent_bits >= src.exponent_bits and dst.mantissa_bits >= src.mantissa_bits
        once = rounding == "rint" and src.exponent_bits <= F32.exponent_bits and src.bits > dst.bits
    else:
        includes = src.bits <= dst.mantissa_bits
        once = rounding == "rint" and (dst is F32 or src.bits <= F32.mantissa_bits)
    if not includes and not once:
        return None
    with np.errstate(all="ignore"):
        return canonical(dst, np.ascontiguousarray(bits).view(src.dtype).astype(dst.dtype).view(dst.storage))


def _clamp(fmt: Format, bits: Lanes, negative: Flags, nan: Flags) -> None:
    """Replace what overflowed in float bit patterns, in place, by the largest finite value of its sign."""
    over = ((bits & fmt.storage.type(fmt.magnitude_mask)) > fmt.largest) & ~nan
    if over.any():
        bits[over] = np.where(negative, fmt.largest | 1 << (fmt.bits - 1), fmt.largest)[over]


_HOST_ROUNDING = {"rint": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}


def _to_integer_directly(src: Format, dst: Format, bits: Lanes, rounding: Rounding, saturate: bool) -> Lanes | None:
    """What the host's conversion to an integer format gives, if float64 and int64 hold all of it, else None."""
    if rounding not in _HOST_ROUNDING or dst.bits > 32 or src.bits == 4:
        return None
    with np.errstate(invalid="ignore"):
        whole = _HOST_ROUNDING[rounding](np.ascontiguousarray(bits).view(src.dtype).astype(np.float64))
    whole[np.isnan(whole)] = 0
    if saturate:
        whole = np.minimum(np.maximum(whole, dst.minimum), dst.maximum)
    elif np.abs(whole).max(initial=0) >= 2.0**62:
        return None
    integers: Lanes = whole.astype(np.int64).astype(dst.storage)
    return integers


def convert(src: Format, dst: Format, bits: Lanes, rounding: Rounding = "rint", saturate: bool = False) -> Lanes:
    """The bit patterns in `dst` of the numbers that `bits` means in `src`, rounded once; a new array.

    Any pair of formats is accepted except float64 as a target. Where the host's own conversion gives the same bits it
    is used, as it is ten times as fast. Source of the rounding names: HIVM round_mode; of
    saturation and wrapping: the PTO ISA document, conversion operations.

    >>> convert(F32, INTEGERS[8, True], np.array([300.0, -2.5], np.float32).view(np.uint32)).view(np.int8).tolist()
    [44, -2]
    >>> convert(F32, INTEGERS[8, True], np.array([300.0], np.float32).view(np.uint32), "rint", True).tolist()
    [127]
    """
    direct = None
    if dst.is_float:
        direct = _to_float_directly(src, dst, bits, rounding) if src.is_float or not saturate else None
        if direct is not None and saturate:
            _clamp(dst, direct, (bits >> (src.bits - 1)) > 0, is_nan(src, bits))
    elif src.is_float:
        direct = _to_integer_directly(src, dst, bits, rounding, saturate)
    elif saturate and src.bits <= 32 and dst.bits <= 32:
        wide = np.ascontiguousarray(bits).view(src.dtype).astype(np.int64)
        direct = np.minimum(np.maximum(wide, dst.minimum), dst.maximum).astype(dst.storage)
    elif not saturate:
        direct = np.ascontiguousarray(bits).view(src.dtype).astype(dst.dtype).view(dst.storage)
    return convert_exactly(src, dst, bits, rounding, saturate) if direct is None else direct


_VALUE_FORMATS: dict[np.dtype[Any], Format] = {
    np.dtype(np.float64): F64,
    np.dtype(np.float32): F32,
    np.dtype(np.float16): F16,
    **{fmt.dtype: fmt for fmt in INTEGERS.values()},
}


def encode(fmt: Format, values: Lanes, rounding: Rounding = "rint", saturate: bool = False) -> Lanes:
    """The bit patterns of numeric values (numpy integers, float16, float32 or float64), rounded once; a new array.

    Raises KeyError for another dtype.

    >>> from layoutsolver_models.hardware.formats import BF16
    >>> [hex(bits) for bits in encode(BF16, np.array([1.0, -0.0, 1e39])).tolist()]
    ['0x3f80', '0x8000', '0x7f80']
    """
    src = _VALUE_FORMATS[values.dtype]
    return convert(src, fmt, np.ascontiguousarray(values).view(src.storage), rounding, saturate)


def encode_scalar(fmt: Format, value: float) -> int:
    """The bit pattern of one number: integers keep their low bits, floats are rounded to nearest even.

    Raises TypeError for a fractional number in an integer format.

    >>> encode_scalar(F16, 1.0) == 0x3C00, encode_scalar(INTEGERS[8, True], -1)
    (True, 255)
    """
    if not fmt.is_float:
        if not isinstance(value, int | np.integer):
            raise TypeError(f"a scalar of format {fmt} is an integer, not {value!r}")
        return int(value) & ((1 << fmt.bits) - 1)
    if fmt is F32 or fmt is F16:
        with np.errstate(over="ignore"):
            return int(np.array([value], fmt.dtype).view(fmt.storage)[0])
    return int(encode(fmt, np.array([value]))[0])


def round_to_integral(fmt: Format, bits: Lanes, rounding: Rounding) -> Lanes:
    """The bit patterns of floats rounded to a whole number in the same format; the sign of zero is kept.

    A rounded value needs no more bits than the value had, so the second step of writing it back is exact.
    """
    numbers = split(fmt, bits)
    down = np.clip(-numbers.exponent, 0, 63)
    whole = _drop(numbers.magnitude, down, numbers.negative, rounding)
    exponent = np.where(numbers.exponent < 0, 0, numbers.exponent)
    return round_to_float(
        Exact(numbers.negative, whole, exponent, numbers.nan, numbers.infinite), fmt, "trunc", saturate=False
    )
