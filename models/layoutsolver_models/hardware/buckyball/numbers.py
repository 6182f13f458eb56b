"""Multiplying by a scale and rounding, as the conversion units of both revisions do it.

Source: buckyball 7.2 and 7.3. `ieee` is an f32 product; `unit` is the multiplier of the newer units, which has no
infinities, NaN or subnormal numbers among its inputs.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

INT32 = (-(2**31), 2**31 - 1)
INT8 = (-128, 127)


def multiply(values: Floats, scale_bits: int, revision: str) -> Floats:
    """Values times the f32 whose bits are given.

    >>> multiply(np.array([-0.0, 1.5], np.float32), 0x3F800000, "NEW").tolist()
    [0.0, 1.5]
    """
    if revision == "ERA":
        scale = np.array(scale_bits, np.uint32).view(np.float32)
        with np.errstate(all="ignore"):
            return (values * scale).astype(np.float32)
    return _unit_product(values.view(np.uint32), np.uint32(scale_bits)).view(np.float32)


def _unit_product(a: npt.NDArray[np.uint32], b: np.uint32) -> npt.NDArray[np.uint32]:
    """The bits of a product: implicit ones everywhere, round to nearest even, exponents of 0 and 255 as they come."""
    wide_a, wide_b = a.astype(np.int64), np.int64(b)
    sign = (wide_a ^ wide_b) & 0x80000000
    exponent = ((wide_a >> 23) & 0xFF) + ((wide_b >> 23) & 0xFF) - 127
    product = ((wide_a & 0x7FFFFF) | 0x800000) * ((wide_b & 0x7FFFFF) | 0x800000)
    high = product >= 1 << 47
    exponent = exponent + high
    shift = np.where(high, 24, 23)
    fraction = product >> shift
    rest, half = product & ((np.int64(1) << shift) - 1), np.int64(1) << (shift - 1)
    fraction = fraction + ((rest > half) | ((rest == half) & (fraction & 1 == 1)))
    carry = fraction >= 1 << 24
    fraction, exponent = np.where(carry, fraction >> 1, fraction), exponent + carry
    bits = sign | (exponent << 23) | (fraction & 0x7FFFFF)
    bits = np.where(exponent >= 256, sign | 0x7F800000, bits)
    zero = ((wide_a & 0x7FFFFFFF) == 0) | ((wide_b & 0x7FFFFFFF) == 0) | (exponent < 0)
    return np.where(zero, 0, bits).astype(np.uint32)


def to_integers(values: Floats, rounding: str, limits: tuple[int, int]) -> Ints:
    """Values rounded and held within limits; NaN is 0.

    >>> [to_integers(np.array([0.5, 2.5, -1.5], np.float32), how, INT8).tolist() for how in ("rne", "half_away")]
    [[0, 2, -2], [1, 3, -2]]
    """
    with np.errstate(invalid="ignore"):
        exact = values.astype(np.float64)
    if rounding == "rne":
        rounded = np.rint(exact)
    elif rounding == "half_away":
        rounded = np.copysign(np.floor(np.abs(exact) + 0.5), exact)
    else:
        small = np.where(np.abs(exact) >= 0.5, np.sign(exact), 0.0)
        rounded = np.where(np.abs(exact) >= 1, np.trunc(exact), small)
    held = np.clip(np.where(np.isnan(exact), 0.0, rounded), *limits)
    return held.astype(np.int64)


def fp2int(values: Floats, scale_bits: int, limits: tuple[int, int], revision: str, rounding: str) -> Ints:
    """What `fp2int` makes of values."""
    if rounding == "era_rtl":
        scale = np.array(scale_bits, np.uint32).view(np.float32).astype(np.float64)
        with np.errstate(all="ignore"):
            exact = values.astype(np.float64) * scale
        return _truncated(exact, limits)
    return to_integers(multiply(values, scale_bits, revision), rounding, limits)


def _truncated(exact: npt.NDArray[np.float64], limits: tuple[int, int]) -> Ints:
    """The synthesised unit of June 2026: the product truncated, then towards zero, but halves and more to one."""
    size = np.abs(exact)
    whole = np.where(size >= 1, np.trunc(exact), np.where(size >= 0.5, np.sign(exact), 0.0))
    held = np.clip(np.where(np.isnan(exact), 0.0, whole), *limits)
    return held.astype(np.int64)


def int2fp(values: npt.NDArray[np.int32], scale_bits: int, revision: str) -> Floats:
    """What `int2fp` makes of integers.

    >>> int2fp(np.array([3, -5], np.int32), 0x3F000000, "ERA").tolist()
    [1.5, -2.5]
    """
    return multiply(values.astype(np.float32), scale_bits, revision)
