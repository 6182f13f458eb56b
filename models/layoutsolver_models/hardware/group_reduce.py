"""Reductions of each 32-byte block of a register to one lane, and the running sum of its lanes.

Block g (0..7) gives lane g; all other lanes are zero. Inactive lanes count as zero, as minus or as plus infinity, or as
the end of the integer range. Integer sums wrap in their own width. Sums of floats are the exact ones rounded once, as
in `reduce`; NaN is passed over by the extremes. Source: the PTO ISA document, per-VLane reductions.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from layoutsolver_models.hardware.elementwise import from_float64, require
from layoutsolver_models.hardware.formats import Flags, Format, Lanes, canonical
from layoutsolver_models.hardware.lanewise import births_of
from layoutsolver_models.hardware.state import PReg, VReg, of_bytes
from layoutsolver_models.hardware.ub import BLOCK
from layoutsolver_models.vecmem import REGISTER_BYTES

GROUPS = REGISTER_BYTES // BLOCK
"""Blocks of a register."""


def exact_sum(fmt: Format, lanes: Lanes) -> Lanes:
    """The sum of lanes (numbers of the format) from +0 on: one bit pattern; integers wrap, floats are rounded once."""
    if not fmt.is_float:
        return np.array([int(lanes.astype(np.int64).sum()) & ((1 << fmt.bits) - 1)], np.uint64).astype(fmt.storage)
    wide = lanes.astype(np.float64)
    with np.errstate(all="ignore"):
        total = math.fsum(wide) + 0.0 if np.isfinite(wide).all() else wide.sum()
        return canonical(fmt, from_float64(fmt, np.array([total])))


def extreme(fmt: Format, lanes: Lanes, sign: int) -> Lanes:
    """The largest (sign 1) or smallest (sign -1) of the lanes: one bit pattern, the neutral one if there are none."""
    if not fmt.is_float:
        best = fmt.minimum if sign > 0 else fmt.maximum
        values = np.append(lanes, np.array([best], fmt.dtype))
        return np.ascontiguousarray(values.max(keepdims=True) if sign > 0 else values.min(keepdims=True)).view(
            fmt.storage
        )
    wide = lanes.astype(np.float64)
    kept = np.flatnonzero(~np.isnan(wide))
    if not kept.size:
        outermost = fmt.largest if fmt.infinity is None else fmt.infinity
        return np.array([outermost | (1 << (fmt.bits - 1) if sign > 0 else 0)], fmt.storage)
    at = int(kept[int(wide[kept].argmax() if sign > 0 else wide[kept].argmin())])
    return np.ascontiguousarray(lanes[at : at + 1]).view(fmt.storage)


def _by_block(fmt: Format, src: VReg, mask: PReg, reduce: Callable[[Lanes], Lanes]) -> VReg:
    width, per = fmt.width, BLOCK // fmt.width
    lanes = src.view(fmt).reshape(GROUPS, per)
    active = mask.lanes(width).reshape(GROUPS, per)
    values = np.concatenate([reduce(row[on]) for row, on in zip(lanes, active, strict=True)])
    data = np.zeros(REGISTER_BYTES, np.uint8)
    data[: GROUPS * width] = values.astype(fmt.storage).view(np.uint8)
    unknown = (src.lane_poison(width) & mask.lanes(width)) | mask.lane_poison(width)
    return _with_poison(data, unknown.reshape(GROUPS, per), births_of((src, mask), width), width)


def _with_poison(data: Lanes, unknown: Flags, births: Lanes | None, width: int) -> VReg:
    if not unknown.any():
        return VReg(data)
    poison = np.zeros(REGISTER_BYTES, np.bool_)
    poison[: GROUPS * width] = of_bytes(np.logical_or.reduce(unknown, axis=1), width)
    if births is None:
        return VReg(data, poison)
    birth = np.full(REGISTER_BYTES, -1, np.int32)
    latest = np.where(unknown, births.reshape(unknown.shape), np.int32(-1)).max(axis=1)
    birth[: GROUPS * width] = of_bytes(latest, width)
    return VReg(data, poison, birth)


def vcgadd(fmt: Format, src: VReg, mask: PReg) -> VReg:
    """The sum of the active lanes of each block.

    >>> from layoutsolver_models.hardware.formats import U32
    >>> vcgadd(U32, VReg.from_lanes(np.arange(64, dtype=np.uint32)), PReg.full()).lanes(4)[:3].tolist()
    [28, 92, 156]
    """
    return _by_block(fmt, src, mask, lambda lanes: exact_sum(fmt, lanes))


def vcgmax(fmt: Format, src: VReg, mask: PReg) -> VReg:
    """The largest active lane of each block."""
    return _by_block(fmt, src, mask, lambda lanes: extreme(fmt, lanes, 1))


def vcgmin(fmt: Format, src: VReg, mask: PReg) -> VReg:
    """The smallest active lane of each block."""
    return _by_block(fmt, src, mask, lambda lanes: extreme(fmt, lanes, -1))


def vcpadd(fmt: Format, src: VReg, mask: PReg) -> VReg:
    """The sums of the lanes up to each one; inactive lanes, of which the document says nothing, make the rest poison.

    Each sum is the exact one rounded once. Raises ValueError for an integer format.
    """
    require(fmt, True, "vcpadd")
    width = fmt.width
    lanes = src.view(fmt)
    values = np.concatenate([exact_sum(fmt, lanes[: at + 1]) for at in range(lanes.size)])
    bad = src.lane_poison(width) | mask.lane_poison(width) | ~mask.lanes(width)
    unknown = np.logical_or.accumulate(bad)
    if not unknown.any():
        return VReg(values.view(np.uint8))
    births = births_of((src, mask), width)
    if births is None:
        return VReg(values.view(np.uint8), np.ascontiguousarray(of_bytes(unknown, width)))
    latest = np.maximum.accumulate(np.where(bad, births, np.int32(-1)))
    return VReg(values.view(np.uint8), np.ascontiguousarray(of_bytes(unknown, width)), of_bytes(latest, width))
