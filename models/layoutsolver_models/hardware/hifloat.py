"""HiFloat8, an 8-bit float whose exponent takes as many bits as it needs.

Behind the sign a prefix says how many bits the exponent has: 11 four, 10 three, 01 two, 001 one, 0001 none; 0000 marks
powers of two from 2^-22 to 2^-16. The exponent is a sign and a magnitude whose leading one is not written; the rest is
mantissa. 00 is zero, 80 not a number, 6f and ef are the infinities. Source: the decoder of PTOAS' test of low-precision
conversions. Of rounding, only ties away from zero are documented; what becomes of finite numbers beyond the largest one
is not, so they give poison.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from layoutsolver_models.hardware.formats import Flags, Format, Lanes
from layoutsolver_models.hardware.lanewise import births_of, settle
from layoutsolver_models.hardware.state import PReg, VReg

NAN, INFINITY = 0x80, 0x6F


def _value(code: int) -> float:
    """The number of a code.

    >>> [_value(code) for code in (0x08, 0x18, 0x10, 0x20, 0x6E, 0x01, 0x9C)]
    [1.0, 0.5, 2.0, 4.0, 32768.0, 2.384185791015625e-07, -0.75]
    """
    low, sign = code & 0x7F, -1.0 if code & 0x80 else 1.0
    if low == 0:
        return float("nan") if code else 0.0
    if low == INFINITY:
        return sign * float("inf")
    if low < 8:
        return sign * 2.0 ** (low - 23)
    width, prefix = next(
        (width, prefix)
        for width, prefix, shift, wanted in ((4, 2, 5, 3), (3, 2, 5, 2), (2, 2, 5, 1), (1, 3, 4, 1), (0, 4, 3, 1))
        if low >> shift == wanted
    )
    mantissa_bits = 7 - prefix - width
    exponent = 0
    if width:
        field = low >> mantissa_bits & ((1 << width) - 1)
        exponent = field | 1 << (width - 1)
        exponent = -exponent if field >> (width - 1) else exponent
    mantissa = low & ((1 << mantissa_bits) - 1)
    return sign * (1 + mantissa / (1 << mantissa_bits)) * 2.0**exponent


VALUES: npt.NDArray[np.float64] = np.array([_value(code) for code in range(256)])
"""The numbers of all codes."""

_CODES = np.array([code for code in range(128) if np.isfinite(VALUES[code])])
_ORDERED = _CODES[np.argsort(VALUES[_CODES])]
_MIDDLES = (VALUES[_ORDERED][1:] + VALUES[_ORDERED][:-1]) / 2


def decode_hif8(codes: Lanes) -> Lanes:
    """The bit patterns of the codes' numbers in float32, which has all of them."""
    numbers = VALUES[codes].astype(np.float32).view(np.uint32)
    return np.where(np.isnan(VALUES[codes]), np.uint32(0x7FC00000), numbers)


def encode_hif8(numbers: Lanes) -> tuple[Lanes, Flags]:
    """The codes nearest to float64 numbers, ties away from zero, and which of them are beyond the largest number.

    >>> codes, beyond = encode_hif8(np.array([1.0, -1.0625, 1.0, -0.0, np.nan, -np.inf, 1e6]))
    >>> [hex(code) for code in codes.tolist()], beyond.tolist()[-1]
    (['0x8', '0x89', '0x8', '0x0', '0x80', '0xef', '0x6e'], True)
    """
    size = np.abs(numbers)
    nan, infinite = np.isnan(numbers), np.isinf(numbers)
    codes = _ORDERED[np.searchsorted(_MIDDLES, np.where(nan, 0.0, size), side="right")]
    codes = np.where(infinite, INFINITY, codes)
    codes = np.where(np.signbit(numbers) & (codes > 0), codes | 0x80, codes)
    beyond: Flags = (size > VALUES[_ORDERED[-1]]) & ~infinite
    return np.where(nan, NAN, codes).astype(np.uint8), beyond


def vcvt_from_hif8(src: VReg, mask: PReg, part: int) -> VReg:
    """The float32 lanes of the codes in byte lanes `4 i + part`; zero where inactive."""
    cut = slice(part, None, 4)
    births = births_of((src, mask), 1)
    return settle(
        decode_hif8(src.data[cut]), 4, mask.lanes(1)[cut], src.poison[cut], mask.poison[cut].copy(), "z",
        None if births is None else births[cut],
    )  # fmt: skip


def vcvt_to_hif8(fmt: Format, src: VReg, mask: PReg, part: int) -> VReg:
    """The codes of float lanes in byte lanes `r i + part` for lanes of r bytes; zero where inactive and between."""
    width = fmt.width
    codes, beyond = encode_hif8(src.view(fmt).astype(np.float64))
    births = births_of((src, mask), width)

    def spread(lanes: Lanes, rest: int) -> Lanes:
        out = np.full(256, rest, lanes.dtype)
        out[part::width] = lanes
        return out

    return settle(
        spread(codes, 0), 1, spread(mask.lanes(width), True), spread(src.lane_poison(width) | beyond, False),
        spread(mask.lane_poison(width), False), "z", None if births is None else spread(births, -1),
    )  # fmt: skip
