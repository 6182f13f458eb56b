"""Elementwise instructions: arithmetic, logic, shifts and activations on one, two or three registers.

Each takes the element format, the sources, the predicate, and what becomes of inactive lanes (see `lanewise`). A
scalar operand is a number that is rounded to the format; integers keep their low bits. Formulas are from the PTO ISA
document (unary, binary and vector-scalar operations) and from HIVMRegbaseIntrins.td.
"""

from __future__ import annotations

import numpy as np

from layoutsolver_models.hardware import elementwise as ew
from layoutsolver_models.hardware.formats import F16, F32, INTEGERS, Format, Lanes, canonical
from layoutsolver_models.hardware.lanewise import Inactive, place
from layoutsolver_models.hardware.rounding import encode_scalar
from layoutsolver_models.hardware.state import PReg, VReg


def splat(fmt: Format, value: float) -> VReg:
    """The register that holds a number in every lane."""
    return VReg(np.full(fmt.lanes, encode_scalar(fmt, value), fmt.storage).view(np.uint8))


def vabs(fmt: Format, src: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The absolute values; that of the most negative integer is itself."""
    return ew.apply(fmt, np.abs, (src,), mask, inactive)


def vneg(fmt: Format, src: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The negated values."""
    return ew.apply(fmt, np.negative, (src,), mask, inactive)


def vnot(fmt: Format, src: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The complemented bits."""
    return place(~src.lanes(fmt.width), fmt.width, mask, (src,), inactive)


def vrelu(fmt: Format, src: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The values where they are at least 0, else +0; so NaN gives +0, and -0 stays.

    Source: HIVMRegbaseIntrins.td, vrelu.
    """
    return ew.apply(fmt, lambda x: np.where(x >= x.dtype.type(0), x, x.dtype.type(0)), (src,), mask, inactive)


def vexp(fmt: Format, src: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The exponentials. Raises ValueError for an integer format."""
    ew.require(fmt, True, "vexp")
    return ew.apply_float64(fmt, np.exp, (src,), mask, inactive)


def vln(fmt: Format, src: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The natural logarithms: NaN of negative numbers, -inf of zeros. Raises ValueError for an integer format."""
    ew.require(fmt, True, "vln")
    return ew.apply_float64(fmt, np.log, (src,), mask, inactive)


def vsqrt(fmt: Format, src: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The square roots, NaN of negative numbers. Raises ValueError for an integer format."""
    ew.require(fmt, True, "vsqrt")
    return ew.apply_float64(fmt, np.sqrt, (src,), mask, inactive)


def vrsqrt(fmt: Format, src: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The reciprocal square roots. Raises ValueError for an integer format."""
    ew.require(fmt, True, "vrsqrt")
    return ew.apply_float64(fmt, lambda x: 1.0 / np.sqrt(x), (src,), mask, inactive)


def vadd(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The sums.

    >>> from layoutsolver_models.hardware.formats import I8
    >>> vadd(I8, splat(I8, 127), splat(I8, 2), PReg.from_lanes([1, 0, 1], 1), "z")
    VReg(81 00 81 00*253)
    """
    return ew.apply(fmt, np.add, (lhs, rhs), mask, inactive)


def vsub(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The differences."""
    return ew.apply(fmt, np.subtract, (lhs, rhs), mask, inactive)


def vmul(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The products; of integers their low bits."""
    return ew.apply(fmt, np.multiply, (lhs, rhs), mask, inactive)


def vdiv(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The quotients; of integers rounded towards zero, and poison for a zero divisor, which is documented undefined."""
    if fmt.is_float:
        return ew.apply(fmt, np.divide, (lhs, rhs), mask, inactive)
    return ew.apply(fmt, ew.quotient, (lhs, rhs), mask, inactive, rhs.lanes(fmt.width) == 0)


def vdivfhp(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The quotients of floats, correctly rounded. Raises ValueError for an integer format."""
    ew.require(fmt, True, "vdivfhp")
    return vdiv(fmt, lhs, rhs, mask, inactive)


def vmod(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The remainders of division towards zero, with the sign of the dividend; poison for a zero integer divisor."""
    if fmt.is_float:
        return ew.apply_float64(fmt, np.fmod, (lhs, rhs), mask, inactive)
    return ew.apply(fmt, ew.remainder, (lhs, rhs), mask, inactive, rhs.lanes(fmt.width) == 0)


def vmax(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The larger values: `lhs > rhs ? lhs : rhs`, so NaN and ties select `rhs`."""
    return ew.apply(fmt, ew.larger, (lhs, rhs), mask, inactive)


def vmin(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The smaller values: `lhs < rhs ? lhs : rhs`, so NaN and ties select `rhs`."""
    return ew.apply(fmt, ew.smaller, (lhs, rhs), mask, inactive)


def vand(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The bits set in both."""
    return place(lhs.lanes(fmt.width) & rhs.lanes(fmt.width), fmt.width, mask, (lhs, rhs), inactive)


def vor(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The bits set in either."""
    return place(lhs.lanes(fmt.width) | rhs.lanes(fmt.width), fmt.width, mask, (lhs, rhs), inactive)


def vxor(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The bits in which both differ."""
    return place(lhs.lanes(fmt.width) ^ rhs.lanes(fmt.width), fmt.width, mask, (lhs, rhs), inactive)


def vabs_diff(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The absolute values of the differences; of integers the low bits of the exact one."""

    def distance(a: Lanes, b: Lanes) -> Lanes:
        return np.abs(a - b) if fmt.is_float else np.where(a > b, a - b, b - a)

    return ew.apply(fmt, distance, (lhs, rhs), mask, inactive)


def vsadd(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The sums of integers, clamped to the range of the format. Raises ValueError for a float format."""
    ew.require(fmt, False, "vsadd")
    return ew.apply(fmt, ew.saturated_sum, (lhs, rhs), mask, inactive)


def vssub(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The differences of integers, clamped to the range of the format. Raises ValueError for a float format."""
    ew.require(fmt, False, "vssub")
    return ew.apply(fmt, ew.saturated_difference, (lhs, rhs), mask, inactive)


def _amounts(fmt: Format, amount: VReg) -> Lanes:
    """The shift amounts, which are signed whatever the format."""
    return amount.view(INTEGERS[fmt.bits, True]).astype(np.int64)


def vshl(fmt: Format, src: VReg, amount: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The integers shifted left by the signed amounts of a register, right where the amount is negative.

    A right shift copies the sign of a signed format. A shift by all bits or more, of which no document says more than
    that it depends on the target, shifts everything out. Raises ValueError for a float format.
    Source: HIVMRegbaseIntrins.td, vshl.
    """
    ew.require(fmt, False, "vshl")
    left = _amounts(fmt, amount)
    return place(ew.shifted(src.view(fmt), left), fmt.width, mask, (src, amount), inactive)


def vshr(fmt: Format, src: VReg, amount: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The integers shifted right by the signed amounts of a register, left where the amount is negative; as `vshl`."""
    ew.require(fmt, False, "vshr")
    left = -_amounts(fmt, amount)
    return place(ew.shifted(src.view(fmt), left), fmt.width, mask, (src, amount), inactive)


def vrnd(fmt: Format, src: VReg, amount: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The integers divided by two to the power of unsigned amounts, halves rounded up; 0 for more bits than a lane has.

    That the rounded value is shifted down is inferred from the last rule. Raises ValueError for a float format.
    Source: HIVMRegbaseIntrins.td, vrnd.
    """
    ew.require(fmt, False, "vrnd")
    values = ew.rounded_right(src.view(fmt), amount.lanes(fmt.width))
    return place(values, fmt.width, mask, (src, amount), inactive)


def _leaky(lanes: Lanes, slope: Lanes) -> Lanes:
    return np.where(lanes >= lanes.dtype.type(0), lanes, slope * lanes)


def vprelu(fmt: Format, src: VReg, slope: VReg, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The values where they are at least 0, else their product with `slope`.

    Raises ValueError for an integer format.
    """
    ew.require(fmt, True, "vprelu")
    return ew.apply(fmt, _leaky, (src, slope), mask, inactive)


def vexpdif(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, part: int = 0, inactive: Inactive = "x") -> VReg:
    """The float32 lanes `exp(lhs - rhs)`, rounded once, of all lanes of f32 or of the even or odd (`part`) of f16.

    Raises ValueError for another format. Source: PTO ISA document, pto.vexpdif.
    """
    if fmt is not F32 and fmt is not F16:
        raise ValueError(f"vexpdif has no form for {fmt}")
    step = 4 // fmt.width
    first = part % step
    cut = slice(first, None, step)
    with np.errstate(all="ignore"):
        difference = lhs.view(fmt)[cut].astype(np.float64) - rhs.view(fmt)[cut].astype(np.float64)
        values = canonical(F32, ew.from_float64(F32, np.exp(difference)))
    at = _selected_byte(mask, first * fmt.width)
    return place(values, 4, at, (_shifted_poison(lhs, fmt, cut), _shifted_poison(rhs, fmt, cut)), inactive)


def _selected_byte(mask: PReg, byte: int) -> PReg:
    """The predicate whose 32-bit lane j is governed by bit `4j + byte` of `mask`."""
    if byte == 0:
        return mask
    return PReg(np.roll(mask.bits, -byte), np.roll(mask.poison, -byte), _rolled(mask.birth, byte))


def _rolled(birth: Lanes | None, byte: int) -> Lanes | None:
    return None if birth is None else np.roll(birth, -byte)


def _shifted_poison(src: VReg, fmt: Format, cut: slice) -> VReg:
    """The register in which each 32-bit lane is poison exactly if the element it is computed from is."""
    if fmt is F32:
        return src
    poison = np.repeat(src.lane_poison(2)[cut], 4)
    return VReg(src.data, poison, None if src.birth is None else np.repeat(src.lane_birth(2)[cut], 4))


def vmula(fmt: Format, acc: VReg, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive | None = None) -> VReg:
    """The sums `acc + lhs * rhs`, of floats rounded once.

    Inactive lanes keep the accumulator, unless `inactive` says otherwise. Source: PTO ISA document, pto.vmula, a fused
    operation.
    """

    def sum_of_product(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
        if not fmt.is_float:
            total: Lanes = a + b * c
            return total
        return ew.from_float64(fmt, ew.fused(*(x.astype(np.float64) for x in (a, b, c))))

    return ew.apply(fmt, sum_of_product, (acc, lhs, rhs), mask, acc if inactive is None else inactive)


def vmull(fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, inactive: Inactive = "x") -> tuple[VReg, VReg]:
    """The low and the high halves of the 64-bit products of 32-bit integers. Raises ValueError for another format.

    Source: HIVMRegbaseIntrins.td, vmull.
    """
    if fmt.is_float or fmt.bits != 32:
        raise ValueError(f"vmull has no form for {fmt}")
    wide = INTEGERS[64, fmt.signed].dtype
    product = (lhs.view(fmt).astype(wide) * rhs.view(fmt).astype(wide)).view(np.uint64)
    low, high = (product & np.uint64(0xFFFF_FFFF)).astype(np.uint32), (product >> np.uint64(32)).astype(np.uint32)
    return place(low, 4, mask, (lhs, rhs), inactive), place(high, 4, mask, (lhs, rhs), inactive)


def vadds(fmt: Format, src: VReg, scalar: float, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The sums with a scalar."""
    return vadd(fmt, src, splat(fmt, scalar), mask, inactive)


def vmuls(fmt: Format, src: VReg, scalar: float, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The products with a scalar."""
    return vmul(fmt, src, splat(fmt, scalar), mask, inactive)


def vmaxs(fmt: Format, src: VReg, scalar: float, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The larger of the values and a scalar, as `vmax`."""
    return vmax(fmt, src, splat(fmt, scalar), mask, inactive)


def vmins(fmt: Format, src: VReg, scalar: float, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The smaller of the values and a scalar, as `vmin`."""
    return vmin(fmt, src, splat(fmt, scalar), mask, inactive)


def vlrelu(fmt: Format, src: VReg, slope: float, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The values where they are at least 0, else their product with a scalar.

    Raises ValueError for an integer format.
    """
    return vprelu(fmt, src, splat(fmt, slope), mask, inactive)


def vshls(fmt: Format, src: VReg, amount: int, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The integers shifted left by a signed 16-bit scalar, as `vshl`. Raises ValueError for a float format."""
    ew.require(fmt, False, "vshls")
    return place(ew.shifted(src.view(fmt), np.int64(amount)), fmt.width, mask, (src,), inactive)


def vshrs(fmt: Format, src: VReg, amount: int, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The integers shifted right by a signed 16-bit scalar, as `vshr`. Raises ValueError for a float format."""
    ew.require(fmt, False, "vshrs")
    return place(ew.shifted(src.view(fmt), np.int64(-amount)), fmt.width, mask, (src,), inactive)
