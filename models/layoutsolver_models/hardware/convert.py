"""Conversions between number formats, which also change where elements lie when the element size changes.

With r = wide size / narrow size, a widening conversion of part p reads narrow lane `r * i + p` into wide lane i, and
a narrowing one writes wide lane i to narrow lane `r * i + p`, the other narrow lanes being zero. Parts 0 and 1 of
r = 2 are even and odd; r = 4 has parts pp0 to pp3. The predicate is read at the source lane. Two 4-bit elements count
as one byte that pairs with one 32-bit lane of two bf16. Source: the PTO ISA document, conversion operations; that
other lanes are zero is inferred from its idiom of joining an even and an odd half with `vor`.

Rounding and saturation are those of `rounding`: NaN becomes 0 in an integer.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from layoutsolver_models.hardware.formats import Format, Lanes, pack_nibbles, unpack_nibbles
from layoutsolver_models.hardware.lanewise import Inactive, births_of, place, settle
from layoutsolver_models.hardware.rounding import Rounding, convert, round_to_integral
from layoutsolver_models.hardware.state import CLEAN, PReg, VReg, any_of_lane

_TARGETS = {
    "f32": "f8E4M3FN f8E5M2 f16 bf16 i16 i32 i64 ui32",
    "f16": "f8E4M3FN f8E5M2 f32 bf16 i32 i16 i8 ui8 ui16",
    "bf16": "f8E4M3FN f8E5M2 f4E1M2 f4E2M1FN f16 f32 i32",
    "f8E4M3FN": "f32",
    "f8E5M2": "f32",
    "f4E1M2": "bf16",
    "f4E2M1FN": "bf16",
    "i8": "f16 i16 i32",
    "ui8": "f16 ui16 ui32",
    "i16": "f16 f32 i32 ui32 ui8 i8",
    "ui16": "ui8 i8 ui32",
    "i32": "f32 i64 i16 ui16 ui8 i8",
    "ui32": "ui8 i8 ui16 i16 ui64",
    "i64": "f32 i32 ui32",
    "ui64": "f32 i32 ui32",
}

CONVERSIONS: frozenset[tuple[str, str]] = frozenset(
    (source, target) for source, targets in _TARGETS.items() for target in targets.split()
)
"""The pairs of formats, by name, between which HIVMAVEOps.td and the PTO ISA document have conversions."""


def vcvt(
    src_format: Format,
    dst_format: Format,
    src: VReg,
    mask: PReg,
    *,
    part: int = 0,
    rounding: Rounding = "rint",
    saturate: bool = False,
    inactive: Literal["x", "z"] = "x",
) -> VReg:
    """The register of converted elements; see the module for which element goes where.

    Raises ValueError for a pair of formats that is not in CONVERSIONS and for a part that the pair does not have.

    >>> from layoutsolver_models.hardware.formats import U8, U32
    >>> src = VReg.from_lanes(np.arange(256, dtype=np.uint8))
    >>> vcvt(U8, U32, src, PReg.full(), part=2).lanes(4)[:3].tolist()
    [2, 6, 10]
    """
    if (src_format.name, dst_format.name) not in CONVERSIONS:
        raise ValueError(f"there is no conversion from {src_format} to {dst_format}")
    packed = src_format.bits == 4 or dst_format.bits == 4
    read, written = (1, 4) if src_format.bits == 4 else (4, 1) if packed else (src_format.width, dst_format.width)
    ratio = max(read, written) // min(read, written)
    if not 0 <= part < ratio:
        raise ValueError(f"a conversion from {src_format} to {dst_format} has parts 0 to {ratio - 1}, not {part}")
    source = slice(part, None, ratio) if written > read else slice(None)
    bits = src.lanes(read)[source]
    values = _converted(src_format, dst_format, bits, rounding, saturate)
    if dst_format.bits == 4:
        return _packed(values, src, mask, part, inactive)
    unknown = None if src.poison is CLEAN else src.lane_poison(read)[source]
    undecided = None if mask.poison is CLEAN else mask.lane_poison(read)[source]
    births = births_of((src, mask), read)
    birth = None if births is None else births[source]
    active = mask.lanes(read)[source]
    if written >= read:
        return settle(values, written, active, unknown, undecided, inactive, birth)
    return settle(
        _spread(values, ratio, part, 0),
        written,
        _spread(active, ratio, part, True),
        None if unknown is None else _spread(unknown, ratio, part, False),
        None if undecided is None else _spread(undecided, ratio, part, False),
        inactive,
        None if birth is None else _spread(birth, ratio, part, -1),
    )


def _converted(src: Format, dst: Format, bits: Lanes, rounding: Rounding, saturate: bool) -> Lanes:
    """The bits of the converted elements, pairs of 4-bit elements being read or made as a unit."""
    if src.bits == 4:
        return convert(src, dst, unpack_nibbles(bits), rounding, saturate).view(np.uint32)
    if dst.bits == 4:
        halves = np.ascontiguousarray(bits).view(np.uint16)
        return pack_nibbles(convert(src, dst, halves, rounding, saturate))
    return convert(src, dst, bits, rounding, saturate)


def _spread(lanes: Lanes, ratio: int, part: int, rest: int) -> Lanes:
    """An array in which every `ratio`-th element from `part` on is one of `lanes` and the others are `rest`."""
    out = np.full(lanes.size * ratio, rest, lanes.dtype)
    out[part::ratio] = lanes
    return out


def _packed(values: Lanes, src: VReg, mask: PReg, part: int, inactive: Literal["x", "z"]) -> VReg:
    """The register of packed pairs: as 16-bit source lanes have a predicate bit each, so do nibbles.

    An inactive nibble is zero or, with its whole byte, poison.
    """
    own = mask.lanes(2).reshape(-1, 2)
    keep = np.where(own[:, 0], 0x0F, 0) | np.where(own[:, 1], 0xF0, 0)
    read = any_of_lane(own.ravel(), 2) if inactive == "z" else own[:, 0] & own[:, 1]
    bad = any_of_lane(src.lane_poison(2) & own.ravel(), 2)
    undecided = any_of_lane(mask.lane_poison(2).copy(), 2)
    births = births_of((src, mask), 2)
    return settle(
        _spread(values & keep.astype(np.uint8), 4, part, 0),
        1,
        _spread(read, 4, part, True),
        _spread(bad, 4, part, False) if bad.any() else None,
        _spread(undecided, 4, part, False) if undecided.any() else None,
        inactive,
        None if births is None else _spread(births.reshape(-1, 2).max(axis=1), 4, part, -1),
    )


def vtrc(fmt: Format, src: VReg, rounding: Rounding, mask: PReg, inactive: Inactive = "x") -> VReg:
    """The floats rounded to whole numbers in their format (f16, bf16 or f32); a zero keeps its sign.

    Raises ValueError for another format. Source: the PTO ISA document, pto.vtrc.
    """
    if not fmt.is_float or fmt.bits < 16:
        raise ValueError(f"vtrc has no form for {fmt}")
    return place(round_to_integral(fmt, src.lanes(fmt.width), rounding), fmt.width, mask, (src,), inactive)
