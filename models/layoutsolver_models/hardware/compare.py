"""Comparisons, which make a predicate at the granularity of the elements, and selection by predicate.

Floats compare as IEEE 754 says: with NaN only `ne` holds, and the zeros are equal. Signed or unsigned is a matter of
the integer format. Result bits of inactive lanes, and bits that no lane reads, are clear. Source: the PTO ISA
document, compare and select.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from layoutsolver_models.hardware.arithmetic import splat
from layoutsolver_models.hardware.formats import Flags, Format, Lanes
from layoutsolver_models.hardware.lanewise import births_of, poison_of
from layoutsolver_models.hardware.state import CLEAN, PReg, VReg, of_bytes
from layoutsolver_models.vecmem import REGISTER_BYTES

Comparison = Literal["eq", "ne", "gt", "ge", "lt", "le"]

COMPARISONS: dict[Comparison, Callable[[Lanes, Lanes], Flags]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
}


def vcmp(fmt: Format, comparison: Comparison, lhs: VReg, rhs: VReg, mask: PReg) -> PReg:
    """The predicate of the active lanes for which the comparison holds; the unsigned ones need an unsigned format.

    A bit is poison if its lane is active and poison in a source, or if the predicate bit is poison.

    >>> from layoutsolver_models.hardware.formats import F32
    >>> vcmp(F32, "lt", VReg.from_lanes(np.arange(64, dtype=np.float32)), splat(F32, 2.0), PReg.full())
    PReg(b32: 1*2 0*62)
    """
    width = fmt.width
    active = mask.lanes(width)
    bits = np.zeros(REGISTER_BYTES, np.bool_)
    with np.errstate(invalid="ignore"):
        bits[::width] = COMPARISONS[comparison](lhs.view(fmt), rhs.view(fmt)) & active
    unknown = poison_of((lhs, rhs), width)
    if unknown is None and mask.poison is CLEAN:
        return PReg(bits)
    poison = np.zeros(REGISTER_BYTES, np.bool_)
    poison[::width] = mask.lane_poison(width) if unknown is None else unknown & active | mask.lane_poison(width)
    birth = births_of((lhs, rhs, mask), width)
    if birth is None:
        return PReg(bits, poison)
    births = np.full(REGISTER_BYTES, -1, np.int32)
    births[::width] = np.where(poison[::width], birth, np.int32(-1))
    return PReg(bits, poison, births)


def vcmps(fmt: Format, comparison: Comparison, src: VReg, scalar: float, mask: PReg) -> PReg:
    """The predicate of the active lanes for which the comparison with a scalar holds, as `vcmp`."""
    return vcmp(fmt, comparison, src, splat(fmt, scalar), mask)


def vsel(width: int, true: VReg, false: VReg, select: PReg) -> VReg:
    """The register whose `width`-byte lanes are those of `true` where the predicate is set, else of `false`.

    Lanes move with the poison of their bytes; a lane is poison if its predicate bit is.
    """
    take = of_bytes(select.lanes(width), width)
    data = np.where(take, true.data, false.data)
    if true.poison is CLEAN and false.poison is CLEAN and select.poison is CLEAN:
        return VReg(data)
    undecided = of_bytes(select.lane_poison(width), width)
    poison = np.where(take, true.poison, false.poison) | undecided
    birth = None
    if any(source.birth is not None for source in (true, false, select)):
        chosen = np.where(take, true.lane_birth(1), false.lane_birth(1))
        own = of_bytes(select.lane_birth(width), width)
        birth = np.where(poison, np.where(chosen < 0, own, chosen), np.int32(-1))
    return VReg(data, poison, birth)
