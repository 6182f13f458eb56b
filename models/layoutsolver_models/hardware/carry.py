"""Additions and subtractions of 32-bit integers with a carry per lane, for numbers of several words.

The carry of a subtraction says that there was no borrow. Carries of inactive lanes are clear. Source: the PTO ISA
document, binary and vector-scalar operations.
"""

from __future__ import annotations

import numpy as np

from layoutsolver_models.hardware.formats import Flags, Format, Lanes
from layoutsolver_models.hardware.lanewise import Inactive, births_of, place, poison_of
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.vecmem import REGISTER_BYTES

_WORD = 4
_LOW = np.uint64(0xFFFF_FFFF)


def _require(fmt: Format, name: str) -> None:
    if fmt.is_float or fmt.bits != 32:
        raise ValueError(f"{name} has no form for {fmt}")


def _carry(bits: Flags, sources: tuple[VReg, ...], carry: PReg | None, mask: PReg) -> PReg:
    active = mask.lanes(_WORD)
    unknown = poison_of(sources, _WORD)
    flags = np.zeros(active.shape, np.bool_) if unknown is None else unknown
    if carry is not None:
        flags = flags | carry.lane_poison(_WORD)
    out, poison = np.zeros(REGISTER_BYTES, np.bool_), np.zeros(REGISTER_BYTES, np.bool_)
    out[::_WORD] = bits & active
    poison[::_WORD] = flags & active | mask.lane_poison(_WORD)
    found = births_of((*sources, mask) if carry is None else (*sources, carry, mask), _WORD)
    if found is None:
        return PReg(out, poison)
    birth = np.full(REGISTER_BYTES, -1, np.int32)
    birth[::_WORD] = np.where(poison[::_WORD], found, np.int32(-1))
    return PReg(out, poison, birth)


def _words(src: VReg) -> Lanes:
    return src.lanes(_WORD).astype(np.uint64)


def vaddc(
    fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, carry: PReg | None = None, inactive: Inactive = "z"
) -> tuple[VReg, PReg]:
    """The sums (with the carries of lanes below, if given) and the carries. Raises ValueError unless 32-bit integers.

    >>> from layoutsolver_models.hardware.formats import U32
    >>> ones = VReg.from_lanes(np.full(64, 0xFFFFFFFF, np.uint32))
    >>> total, over = vaddc(U32, ones, VReg.from_lanes(np.arange(64, dtype=np.uint32)), PReg.full())
    >>> total.lanes(4)[:3].tolist(), over
    ([4294967295, 0, 1], PReg(b32: 0 1*63))
    """
    _require(fmt, "vaddc")
    total = _words(lhs) + _words(rhs)
    undefined = None
    if carry is not None:
        total = total + carry.lanes(_WORD).astype(np.uint64)
        undefined = carry.lane_poison(_WORD) if carry.lane_poison(_WORD).any() else None
    values = (total & _LOW).astype(np.uint32)
    made = place(values, _WORD, mask, (lhs, rhs), inactive, undefined)
    return made, _carry(total > _LOW, (lhs, rhs), carry, mask)


def vsubc(
    fmt: Format, lhs: VReg, rhs: VReg, mask: PReg, carry: PReg | None = None, inactive: Inactive = "z"
) -> tuple[VReg, PReg]:
    """The differences (less one where a given carry is clear) and the carries.

    Raises ValueError unless the format is one of 32-bit integers.
    """
    _require(fmt, "vsubc")
    taken = _words(rhs)
    undefined = None
    if carry is not None:
        taken = taken + (~carry.lanes(_WORD)).astype(np.uint64)
        undefined = carry.lane_poison(_WORD) if carry.lane_poison(_WORD).any() else None
    values = ((_words(lhs) - taken) & _LOW).astype(np.uint32)
    made = place(values, _WORD, mask, (lhs, rhs), inactive, undefined)
    return made, _carry(_words(lhs) >= taken, (lhs, rhs), carry, mask)
