"""What elementwise instructions compute, lane by lane, on arrays of one number format.

Integers wrap. Addition, subtraction, multiplication and division of floats happen in the format's own arithmetic: in
float32, rounded to nearest even once more for narrower formats, which gives the correctly rounded result for all of
them. Functions without such a rule are computed in float64 and rounded. Every NaN is the canonical one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from layoutsolver_models.hardware.formats import F16, F32, Flags, Format, Lanes, canonical
from layoutsolver_models.hardware.lanewise import Inactive, place
from layoutsolver_models.hardware.rounding import encode
from layoutsolver_models.hardware.state import PReg, VReg


def require(fmt: Format, floats: bool, instruction: str) -> None:
    """Return if the format is a float one (or, with `floats` false, an integer one); raise ValueError otherwise."""
    if fmt.is_float != floats:
        raise ValueError(f"{instruction} has no form for {fmt}")


def from_float64(fmt: Format, values: Lanes) -> Lanes:
    """The bit patterns of float64 values rounded to nearest even: an array of the format's storage dtype."""
    if fmt is F32 or fmt is F16:
        with np.errstate(over="ignore", invalid="ignore"):
            return values.astype(fmt.dtype).view(fmt.storage)
    return encode(fmt, values)


def apply(
    fmt: Format,
    function: Callable[..., Lanes],
    sources: tuple[VReg, ...],
    mask: PReg,
    inactive: Inactive,
    undefined: Flags | None = None,
) -> VReg:
    """The register of `function` of the lanes of the sources, read as numbers of the format.

    The function returns numbers in the format's dtype, or bit patterns in its storage dtype.
    """
    with np.errstate(all="ignore"):
        values = function(*[source.view(fmt) for source in sources])
    bits = values.view(fmt.storage)
    return place(canonical(fmt, bits) if fmt.is_float else bits, fmt.width, mask, sources, inactive, undefined)


def apply_float64(
    fmt: Format, function: Callable[..., Lanes], sources: tuple[VReg, ...], mask: PReg, inactive: Inactive
) -> VReg:
    """The register of `function`, computed in float64 and rounded to the format, of the lanes of the sources."""
    return apply(
        fmt, lambda *lanes: from_float64(fmt, function(*[x.astype(np.float64) for x in lanes])), sources, mask, inactive
    )


def larger(lhs: Lanes, rhs: Lanes) -> Lanes:
    """`lhs > rhs ? lhs : rhs`: a NaN on either side, like a tie, selects `rhs`. PTO ISA document, pto.vmax."""
    return np.where(lhs > rhs, lhs, rhs)


def smaller(lhs: Lanes, rhs: Lanes) -> Lanes:
    """`lhs < rhs ? lhs : rhs`: a NaN on either side, like a tie, selects `rhs`. PTO ISA document, pto.vmin."""
    return np.where(lhs < rhs, lhs, rhs)


def quotient(lhs: Lanes, rhs: Lanes) -> Lanes:
    """The integer quotients rounded towards zero; zero divisors count as one. The most negative number by -1 is itself.

    Source: PTO ISA document, pto.vdiv.
    """
    divisor = np.where(rhs == 0, rhs.dtype.type(1), rhs)
    floor = lhs // divisor
    up = (floor * divisor != lhs) & ((lhs < 0) != (divisor < 0))
    truncated: Lanes = floor + up
    return truncated


def remainder(lhs: Lanes, rhs: Lanes) -> Lanes:
    """The integer remainders of `quotient`, with the sign of the dividend; zero divisors count as one."""
    divisor = np.where(rhs == 0, rhs.dtype.type(1), rhs)
    left: Lanes = lhs - quotient(lhs, divisor) * divisor
    return left


def saturated_sum(lhs: Lanes, rhs: Lanes) -> Lanes:
    """The integer sums, clamped to the ends of the dtype."""
    ends = np.iinfo(lhs.dtype)
    total = lhs + rhs
    if ends.min == 0:
        return np.where(total < lhs, lhs.dtype.type(ends.max), total)
    over = ((lhs ^ total) & (rhs ^ total)) < 0
    return np.where(over, np.where(lhs < 0, lhs.dtype.type(ends.min), lhs.dtype.type(ends.max)), total)


def saturated_difference(lhs: Lanes, rhs: Lanes) -> Lanes:
    """The integer differences, clamped to the ends of the dtype."""
    ends = np.iinfo(lhs.dtype)
    total = lhs - rhs
    if ends.min == 0:
        return np.where(lhs < rhs, lhs.dtype.type(0), total)
    over = ((lhs ^ rhs) & (lhs ^ total)) < 0
    return np.where(over, np.where(lhs < 0, lhs.dtype.type(ends.min), lhs.dtype.type(ends.max)), total)


def shifted(lanes: Lanes, left: Lanes | np.int64) -> Lanes:
    """The integers shifted left by int64 amounts, right (arithmetically if signed) where the amount is negative.

    A shift by the width of the lane or more shifts everything out: 0, or -1 for a negative number shifted right.
    """
    bits = 8 * lanes.dtype.itemsize
    up = np.clip(left, 0, bits).astype(lanes.dtype)
    down = np.clip(-left, 0, bits).astype(lanes.dtype)
    out: Lanes = (lanes << up) >> down
    return out


def rounded_right(lanes: Lanes, amount: Lanes) -> Lanes:
    """The integers divided by two to the power of unsigned amounts, halves rounded up; 0 for more than the lane has."""
    bits = 8 * lanes.dtype.itemsize
    down = np.minimum(amount, amount.dtype.type(bits)).astype(lanes.dtype)
    half: Lanes = (lanes >> np.maximum(down, lanes.dtype.type(1)) - lanes.dtype.type(1)) & lanes.dtype.type(1)
    half[down == 0] = 0
    out: Lanes = (lanes >> down) + half
    out[amount > bits] = 0
    return out


def fused(acc: Lanes, lhs: Lanes, rhs: Lanes) -> Lanes:
    """`acc + lhs * rhs` of float64 arrays that hold numbers of at most 24 bits, for one rounding to such a format.

    The product is exact. The sum is rounded to odd, so that rounding it once more gives what rounding the exact sum
    would.
    """
    product = lhs * rhs
    total = product + acc
    back = total - product
    error = (product - (total - back)) + (acc - back)
    bits = total.view(np.int64)
    inexact = np.isfinite(total) & (error != 0) & (bits & 1 == 0)
    towards = np.where((error > 0) == (total > 0), 1, -1)
    rounded: Lanes = np.where(inexact, bits + towards, bits).view(np.float64)
    return rounded
