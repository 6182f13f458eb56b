"""Instructions on predicate registers: patterns, counts, logic, packing.

A mask of granularity `width` bytes has 256 / width lanes; its lane j is bit `j * width`. Generated masks have all
other bits clear, which is inferred from the formulas of ppack and punpack. Source of the formulas: the PTO ISA
document, predicate materialization.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from layoutsolver_models.hardware.formats import Flags
from layoutsolver_models.hardware.lanewise import births_of
from layoutsolver_models.hardware.state import CLEAN, PReg, VReg
from layoutsolver_models.vecmem import REGISTER_BYTES

Part = Literal["LOWER", "HIGHER"]

_FIRST = {f"VL{n}": n for n in (1, 2, 3, 4, 8, 16, 32, 64, 128)}
PATTERNS: tuple[str, ...] = ("ALL", *_FIRST, "M3", "M4", "H", "Q", "ALLF")
"""The patterns of pge, by their names in the PgePattern enumeration of HIVMAVEAttrs.td."""


def pge(width: int, pattern: str) -> PReg:
    """The mask of a pattern: ALL lanes, the first n (VLn, at most all), the multiples of 3 or 4 (M3, M4), the first
    half or quarter (H, Q), none (ALLF).

    That H and Q are the first lanes is what the comments and tests of HIVMAVE say; the PTO ISA document calls them
    high and upper. Raises KeyError for another pattern.

    >>> pge(4, "VL3"), pge(2, "H")
    (PReg(b32: 1*3 0*61), PReg(b16: 1*64 0*64))
    """
    lanes = REGISTER_BYTES // width
    if pattern in ("M3", "M4"):
        return PReg.from_lanes(np.arange(lanes) % int(pattern[1]) == 0, width)
    count = {"ALL": lanes, "H": lanes // 2, "Q": lanes // 4, "ALLF": 0, **_FIRST}[pattern]
    return PReg.from_lanes(np.ones(min(count, lanes), np.bool_), width)


def plt(width: int, count: int) -> tuple[PReg, int]:
    """The mask of the first `count` lanes, and the count less a register of lanes, at least 0.

    >>> plt(4, 70)[1], plt(4, 3)
    (6, (PReg(b32: 1*3 0*61), 0))
    """
    lanes = REGISTER_BYTES // width
    return PReg.from_lanes(np.ones(min(max(count, 0), lanes), np.bool_), width), max(0, count - lanes)


def pltm(width: int, loop: int, bound: int) -> PReg:
    """The mask of the lanes i for which `i + loop * lanes < bound`."""
    return plt(width, bound - loop * (REGISTER_BYTES // width))[0]


def _logic(bits: Flags, sources: tuple[PReg, ...], mask: PReg, unknown: Flags | None = None) -> PReg:
    """The predicate of `bits` where `mask` is set, else clear; a clear bit and one that is unknown make a clear one.

    `unknown` are the bits that are not determined, by default those that are not in some source.
    """
    poison: Flags = CLEAN
    if any(source.poison is not CLEAN for source in (*sources, mask)):
        if unknown is None:
            unknown = np.logical_or.reduce([source.poison for source in sources])
        poison = unknown & (mask.bits | mask.poison) | mask.poison & (bits | unknown)
    birth = births_of((*sources, mask), 1)
    return PReg(bits & mask.bits, poison, None if birth is None else np.where(poison, birth, np.int32(-1)))


def pand(lhs: PReg, rhs: PReg, mask: PReg) -> PReg:
    """The bits set in both, where `mask` is set."""
    unknown: Flags = lhs.poison & (rhs.bits | rhs.poison) | rhs.poison & (lhs.bits | lhs.poison)
    return _logic(lhs.bits & rhs.bits, (lhs, rhs), mask, unknown)


def por(lhs: PReg, rhs: PReg, mask: PReg) -> PReg:
    """The bits set in either, where `mask` is set."""
    unknown: Flags = lhs.poison & ~(rhs.bits & ~rhs.poison) | rhs.poison & ~(lhs.bits & ~lhs.poison)
    return _logic(lhs.bits | rhs.bits, (lhs, rhs), mask, unknown)


def pxor(lhs: PReg, rhs: PReg, mask: PReg) -> PReg:
    """The bits in which both differ, where `mask` is set."""
    return _logic(lhs.bits ^ rhs.bits, (lhs, rhs), mask)


def pnot(src: PReg, mask: PReg) -> PReg:
    """The bits that are clear, where `mask` is set."""
    return _logic(~src.bits, (src,), mask)


def psel(true: PReg, false: PReg, select: PReg) -> PReg:
    """The bits of `true` where `select` is set, else those of `false`; where both agree, it does not matter which."""
    either = true.poison | false.poison | (true.bits != false.bits)
    poison: Flags = np.where(select.poison, either, np.where(select.bits, true.poison, false.poison))
    birth = None
    if any(source.birth is not None for source in (true, false, select)):
        chosen = np.where(select.bits, true.lane_birth(1), false.lane_birth(1))
        birth = np.where(poison, np.where(chosen < 0, select.lane_birth(1), chosen), np.int32(-1))
    return PReg(np.where(select.bits, true.bits, false.bits), poison if poison.any() else CLEAN, birth)


def ppack(src: PReg, part: Part = "LOWER") -> PReg:
    """The even bits in the lower or higher half, the other half clear: a mask of half the granularity.

    >>> ppack(pge(4, "VL3"))
    PReg(b16: 1*3 0*125)
    """
    half = REGISTER_BYTES // 2
    to = slice(0, half) if part == "LOWER" else slice(half, None)
    bits, poison = np.zeros(REGISTER_BYTES, np.bool_), np.zeros(REGISTER_BYTES, np.bool_)
    bits[to], poison[to] = src.bits[::2], src.poison[::2]
    birth = None
    if src.birth is not None:
        birth = np.full(REGISTER_BYTES, -1, np.int32)
        birth[to] = src.birth[::2]
    return PReg(bits, poison if src.poison is not CLEAN else CLEAN, birth)


def punpack(src: PReg, part: Part = "LOWER") -> PReg:
    """The bits of one half at the even places, the odd places clear: a mask of twice the granularity.

    >>> punpack(pge(2, "VL3"))
    PReg(b32: 1*3 0*61)
    """
    half = REGISTER_BYTES // 2
    of = slice(0, half) if part == "LOWER" else slice(half, None)
    bits, poison = np.zeros(REGISTER_BYTES, np.bool_), np.zeros(REGISTER_BYTES, np.bool_)
    bits[::2], poison[::2] = src.bits[of], src.poison[of]
    birth = None
    if src.birth is not None:
        birth = np.full(REGISTER_BYTES, -1, np.int32)
        birth[::2] = src.birth[of]
    return PReg(bits, poison if src.poison is not CLEAN else CLEAN, birth)


def _permuted(lhs: PReg, rhs: PReg, order: npt.NDArray[np.intp]) -> tuple[PReg, PReg]:
    """The two predicates whose bits are those of `lhs` and then `rhs`, taken in `order`."""
    bits = np.concatenate([lhs.bits, rhs.bits])[order]
    clean = lhs.poison is CLEAN and rhs.poison is CLEAN
    poison = None if clean else np.concatenate([lhs.poison, rhs.poison])[order]
    birth = None
    if lhs.birth is not None or rhs.birth is not None:
        birth = np.concatenate([lhs.lane_birth(1), rhs.lane_birth(1)])[order]

    def half(cut: slice) -> PReg:
        return PReg(bits[cut], CLEAN if poison is None else poison[cut], None if birth is None else birth[cut])

    return half(slice(0, REGISTER_BYTES)), half(slice(REGISTER_BYTES, None))


def pintlv(width: int, lhs: PReg, rhs: PReg) -> tuple[PReg, PReg]:
    """The two predicates in which groups of `width` bits of both alternate: those of the first halves, then the rest.

    >>> pintlv(1, pge(1, "VL2"), pge(1, "ALLF"))[0]
    PReg(b16: 1*2 0*126)
    """
    order = np.arange(2 * REGISTER_BYTES).reshape(2, -1, width).swapaxes(0, 1).ravel()
    return _permuted(lhs, rhs, order)


def pdintlv(width: int, lhs: PReg, rhs: PReg) -> tuple[PReg, PReg]:
    """The two predicates of the even and the odd groups of `width` bits of `lhs` followed by `rhs`."""
    order = np.arange(2 * REGISTER_BYTES).reshape(-1, 2, width).swapaxes(0, 1).ravel()
    return _permuted(lhs, rhs, order)


def movvp(width: Literal[2, 4], src: VReg, part: int = 0) -> PReg:
    """The mask of granularity `width` bytes whose lane i is bit i of chunk `part` of a register.

    A chunk is 128 bits for width 2 and 64 bits for width 4. Each bit expands to a group of bits, of which only the
    first is documented to be read; the others are poison. Raises ValueError if the register has no such chunk.
    Source: HIVMRegbaseIntrins.td, movvp.
    """
    size = REGISTER_BYTES // width // 8
    if not 0 <= part < REGISTER_BYTES // size:
        raise ValueError(f"a register has {REGISTER_BYTES // size} chunks of {size} bytes, no chunk {part}")
    cut = slice(part * size, (part + 1) * size)
    bits = np.repeat(np.unpackbits(src.data[cut], bitorder="little").view(np.bool_), width)
    poison = np.ones(REGISTER_BYTES, np.bool_)
    poison[::width] = np.repeat(src.poison[cut], 8)
    birth = None
    if src.birth is not None:
        birth = np.full(REGISTER_BYTES, -1, np.int32)
        birth[::width] = np.repeat(src.birth[cut], 8)
    return PReg(bits, poison, birth)
