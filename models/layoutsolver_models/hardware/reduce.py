"""Reductions of the active lanes of a register to one value in lane 0; all other lanes are zero.

The order in which the hardware adds floats is not documented. Here their sum is the exact one, rounded to float64 and
then to the format, so it depends neither on the order nor on where the active lanes lie. If an active lane or any
predicate bit is poison, so is the result. Source: the PTO ISA document, reductions.
"""

from __future__ import annotations

import math

import numpy as np

from layoutsolver_models.hardware.elementwise import from_float64
from layoutsolver_models.hardware.formats import INTEGERS, Format, Lanes, canonical
from layoutsolver_models.hardware.lanewise import births_of
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.vecmem import REGISTER_BYTES


def _result(fmt: Format, values: Lanes, width: int, src: VReg, mask: PReg) -> VReg:
    """The register whose first lanes are `values` (bits of `fmt`), which come from the `width`-byte lanes of `src`."""
    raw = values.view(np.uint8)
    data = np.zeros(REGISTER_BYTES, np.uint8)
    data[: raw.size] = raw
    unknown = (src.lane_poison(width) & mask.lanes(width)) | mask.lane_poison(width)
    if not unknown.any():
        return VReg(data)
    poison = np.zeros(REGISTER_BYTES, np.bool_)
    poison[: raw.size] = True
    births = births_of((src, mask), width)
    if births is None:
        return VReg(data, poison)
    birth = np.full(REGISTER_BYTES, -1, np.int32)
    birth[: raw.size] = births[unknown].max()
    return VReg(data, poison, birth)


def _active(fmt: Format, src: VReg, mask: PReg) -> Lanes:
    return src.view(fmt)[mask.lanes(fmt.width)]


def sum_format(fmt: Format) -> Format:
    """The format of a sum: integers of 8 and 16 bits widen to twice that, others stay."""
    return INTEGERS[2 * fmt.bits, fmt.signed] if not fmt.is_float and fmt.bits < 32 else fmt


def vcadd(fmt: Format, src: VReg, mask: PReg) -> VReg:
    """The sum of the active lanes in lane 0 of `sum_format(fmt)`, where integers wrap; 0 of no lanes.

    >>> from layoutsolver_models.hardware.formats import I8, I16
    >>> vcadd(I8, VReg.from_lanes(np.full(256, 127, np.int8)), PReg.full()).view(I16)[:2].tolist()
    [32512, 0]
    """
    out = sum_format(fmt)
    lanes = _active(fmt, src, mask)
    if not fmt.is_float:
        total = lanes.astype(INTEGERS[64, fmt.signed].dtype).sum(dtype=INTEGERS[64, fmt.signed].dtype)
        values = np.array([total]).astype(out.dtype).view(out.storage)
        return _result(out, values, fmt.width, src, mask)
    wide = lanes.astype(np.float64)
    with np.errstate(all="ignore"):
        total = math.fsum(wide) if np.isfinite(wide).all() else wide.sum()
        values = canonical(fmt, from_float64(fmt, np.array([total])))
    return _result(fmt, values, fmt.width, src, mask)


def _extreme(fmt: Format, src: VReg, mask: PReg, sign: int) -> VReg:
    """The largest (sign 1) or smallest (sign -1) active value and the index of its first lane; NaN is passed over."""
    if not fmt.is_float:
        best = fmt.minimum if sign > 0 else fmt.maximum
        start = np.array([best], fmt.dtype).view(fmt.storage)
    else:
        outermost = fmt.largest if fmt.infinity is None else fmt.infinity
        start = np.array([outermost | (1 << (fmt.bits - 1) if sign > 0 else 0)], fmt.storage)
    active = np.flatnonzero(mask.lanes(fmt.width))
    lanes = src.view(fmt)[active]
    if fmt.is_float:
        lanes = lanes.astype(np.float64)
        active, lanes = active[~np.isnan(lanes)], lanes[~np.isnan(lanes)]
    index = 0
    if active.size:
        index = int(active[int(lanes.argmax() if sign > 0 else lanes.argmin())])
        start = src.lanes(fmt.width)[index : index + 1]
    return _result(fmt, np.concatenate([start, np.array([index], fmt.storage)]), fmt.width, src, mask)


def vcmax(fmt: Format, src: VReg, mask: PReg) -> VReg:
    """The largest active value in lane 0 and in lane 1, as an unsigned integer, the index of the first lane with it.

    Of no lanes, or NaN alone: the smallest integer or minus infinity, and index 0.
    """
    return _extreme(fmt, src, mask, 1)


def vcmin(fmt: Format, src: VReg, mask: PReg) -> VReg:
    """The smallest active value in lane 0 and in lane 1, as an unsigned integer, the index of the first lane with it.

    Of no lanes, or NaN alone: the largest integer or infinity, and index 0.
    """
    return _extreme(fmt, src, mask, -1)
