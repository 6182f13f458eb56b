"""Instructions that move lanes within and between registers, and those that fill a register.

Lanes move with the poison of their bytes. `width` is the size of a lane in bytes. Sources: the PTO ISA document, data
rearrangement and materialization; HIVMAVEOps.td for vslide.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from layoutsolver_models.hardware.arithmetic import splat
from layoutsolver_models.hardware.elementwise import from_float64
from layoutsolver_models.hardware.formats import Format
from layoutsolver_models.hardware.lanewise import Inactive, settle
from layoutsolver_models.hardware.state import CLEAN, PReg, VReg
from layoutsolver_models.vecmem import REGISTER_BYTES

Part = Literal[0, 1]


@cache
def _interleaving(width: int, inverse: bool) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """For two results, the byte of the two sources (0..511) that each of their bytes is."""
    byte = np.arange(2 * REGISTER_BYTES)
    grid = byte.reshape(-1, 2, width) if inverse else byte.reshape(2, -1, width)
    order = grid.swapaxes(0, 1).ravel()
    return order[:REGISTER_BYTES], order[REGISTER_BYTES:]


def _picked(lhs: VReg, rhs: VReg, *orders: npt.NDArray[np.intp]) -> list[VReg]:
    """The registers whose bytes are those of `lhs` followed by `rhs`, taken in each order."""
    data = np.concatenate([lhs.data, rhs.data])
    if lhs.poison is CLEAN and rhs.poison is CLEAN:
        return [VReg(data[order]) for order in orders]
    poison = np.concatenate([lhs.poison, rhs.poison])
    if lhs.birth is None and rhs.birth is None:
        return [VReg(data[order], poison[order]) for order in orders]
    birth = np.concatenate([lhs.lane_birth(1), rhs.lane_birth(1)])
    return [VReg(data[order], poison[order], birth[order]) for order in orders]


def vintlv(width: int, lhs: VReg, rhs: VReg) -> tuple[VReg, VReg]:
    """The two registers in which lanes of both alternate: those of the first halves, then those of the second.

    >>> low, high = vintlv(1, VReg.from_lanes(np.arange(256, dtype=np.uint8)), VReg.zeros())
    >>> low.lanes(1)[:6].tolist(), high.lanes(1)[:4].tolist()
    ([0, 0, 1, 0, 2, 0], [128, 0, 129, 0])
    """
    low, high = _picked(lhs, rhs, *_interleaving(width, False))
    return low, high


def vdintlv(width: int, lhs: VReg, rhs: VReg) -> tuple[VReg, VReg]:
    """The two registers of the even and of the odd lanes of `lhs` followed by `rhs`; undoes `vintlv`."""
    low, high = _picked(lhs, rhs, *_interleaving(width, True))
    return low, high


def vpack(width: int, src: VReg, part: Part = 0) -> VReg:
    """The low halves of the `width`-byte lanes, in the lower (part 0) or upper half; the other half is zero."""
    half = width // 2
    byte = np.arange(REGISTER_BYTES // 2)
    order = np.full(REGISTER_BYTES, REGISTER_BYTES)
    start = part * (REGISTER_BYTES // 2)
    order[start : start + REGISTER_BYTES // 2] = byte // half * width + byte % half
    return _picked(src, VReg.zeros(), order)[0]


def vzunpack(width: int, src: VReg, part: Part = 0) -> VReg:
    """The `width`-byte lanes of the lower (part 0) or upper half, zero-extended to twice their width."""
    byte = np.arange(REGISTER_BYTES)
    lane, inner = byte // (2 * width), byte % (2 * width)
    order = np.where(inner < width, part * (REGISTER_BYTES // 2) + lane * width + inner, REGISTER_BYTES)
    return _picked(src, VReg.zeros(), order)[0]


def vsunpack(width: int, src: VReg, part: Part = 0) -> VReg:
    """The `width`-byte lanes of the lower (part 0) or upper half, sign-extended to twice their width.

    >>> vsunpack(1, VReg.from_lanes(np.full(256, 0xFE, np.uint8))).lanes(2)[0].item()
    65534
    """
    wide = vzunpack(width, src, part)
    lanes = wide.lanes(2 * width)
    sign = lanes >> np.array(8 * width - 1, lanes.dtype)
    high = np.array(((1 << (8 * width)) - 1) << (8 * width), lanes.dtype)
    data = (lanes | np.where(sign > 0, high, np.array(0, lanes.dtype))).view(np.uint8)
    if wide.poison is CLEAN:
        return VReg(data)
    poison = np.repeat(wide.lane_poison(2 * width), 2 * width)
    return VReg(data, poison, None if wide.birth is None else np.repeat(wide.lane_birth(2 * width), 2 * width))


def vselr(width: int, src: VReg, index: VReg) -> VReg:
    """The register whose lane j is lane `index[j]` of `src`; an index that no lane has gives poison.

    >>> index = VReg.from_lanes(np.full(64, 3, np.uint32))
    >>> vselr(4, VReg.from_lanes(np.arange(64, dtype=np.uint32)), index).lanes(4)[:2].tolist()
    [3, 3]
    """
    lanes = REGISTER_BYTES // width
    wanted = index.lanes(width).astype(np.int64)
    inside = wanted < lanes
    order = np.repeat(np.where(inside, wanted, 0) * width, width) + np.arange(REGISTER_BYTES) % width
    picked = _picked(src, src, order)[0]
    bad = ~inside | index.lane_poison(width)
    if not bad.any():
        return picked
    flags = np.repeat(bad, width)
    birth = None
    if picked.birth is not None or index.birth is not None:
        own = np.repeat(index.lane_birth(width), width)
        birth = np.where(flags, own, picked.lane_birth(1))
    return VReg(np.where(flags, np.uint8(0), picked.data), picked.poison | flags, birth)


def vslide(width: int, low: VReg, high: VReg, amount: int) -> VReg:
    """The window of one register, `amount` lanes up, over `low` followed by `high`; lanes beyond either are poison.

    That the first source is the lower of the two consecutive registers is not documented.
    """
    order = np.arange(REGISTER_BYTES) + amount * width
    inside = (order >= 0) & (order < 2 * REGISTER_BYTES)
    window = _picked(low, high, np.where(inside, order, 0))[0]
    if inside.all():
        return window
    births = None if window.birth is None else np.where(inside, window.birth, np.int32(-1))
    return VReg(np.where(inside, window.data, np.uint8(0)), window.poison | ~inside, births)


def vbr(fmt: Format, value: float) -> VReg:
    """The register that holds a number in every lane; there is no predicate."""
    return splat(fmt, value)


def vdups(fmt: Format, value: float, mask: PReg, inactive: Inactive = "z") -> VReg:
    """The register that holds a number in every active lane."""
    return _filled(splat(fmt, value), fmt.width, 0, mask, inactive)


def vdup(width: int, src: VReg, mask: PReg, inactive: Inactive = "z") -> VReg:
    """The register that holds the lowest lane of `src` in every active lane."""
    return _filled(src, width, 0, mask, inactive)


def vdupm(width: int, src: VReg, mask: PReg, inactive: Inactive = "z") -> VReg:
    """The register that holds the highest lane of `src` in every active lane."""
    return _filled(src, width, REGISTER_BYTES // width - 1, mask, inactive)


def _filled(src: VReg, width: int, lane: int, mask: PReg, inactive: Inactive) -> VReg:
    lanes = REGISTER_BYTES // width
    values = np.full(lanes, src.lanes(width)[lane])
    unknown = np.full(lanes, True) if src.poison is not CLEAN and src.lane_poison(width)[lane] else None
    undecided = None if mask.poison is CLEAN else mask.lane_poison(width)
    birth = None
    if src.birth is not None or mask.birth is not None:
        born = src.lane_birth(width)[lane]
        birth = np.full(lanes, born) if born >= 0 else mask.lane_birth(width)
    return settle(values, width, mask.lanes(width), unknown, undecided, inactive, birth)


def vci(fmt: Format, base: float, order: Literal["INCREASE", "DECREASE"] = "INCREASE") -> VReg:
    """The register whose lane j is `base + j` or `base - j`: integers wrap, floats are rounded to nearest even.

    Raises TypeError for a fractional base of an integer format.

    >>> from layoutsolver_models.hardware.formats import I16
    >>> vci(I16, 3, "DECREASE").view(I16)[:5].tolist()
    [3, 2, 1, 0, -1]
    """
    start = splat(fmt, base)
    steps = np.arange(fmt.lanes)
    steps = steps if order == "INCREASE" else -steps
    if not fmt.is_float:
        return VReg((start.lanes(fmt.width) + steps.astype(fmt.storage)).view(np.uint8))
    return VReg(from_float64(fmt, start.view(fmt).astype(np.float64) + steps).view(np.uint8))
