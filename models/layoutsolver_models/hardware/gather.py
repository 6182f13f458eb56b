"""Indexed loads and stores: one request per index lane, addressed in elements from a base.

Indices are unsigned, 16 bits wide for 8- and 16-bit elements (128 requests) and 32 bits wide for 32-bit elements (64
requests); the predicate is read at the width of an index. A request with a poisoned index or predicate bit returns
poison; stored, it could have gone anywhere, so all memory from the base on that an index can reach is poison.
Source: the PTO ISA document, pto.vgather2 and pto.vscatter.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from layoutsolver_models.hardware.formats import Lanes
from layoutsolver_models.hardware.lanewise import births_of, settle
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.ub import BLOCK, HardwareFault, Memory

Element = Literal[1, 2, 4]
"""Bytes of an element in memory."""


def _request_width(element: int) -> int:
    return max(element, 2)


def _offsets(index: VReg, element: int) -> Lanes:
    return index.lanes(_request_width(element)).astype(np.int64) * element


def _check_base(base: int, element: int) -> None:
    """Return if a base is a multiple of an element; it need not be in range, as every request is checked."""
    if base % element:
        raise HardwareFault("misaligned", base, 0, f"address {base} is not a multiple of {element}")


def _extent(memory: Memory, base: int, offsets: Lanes, element: int) -> tuple[int, int]:
    """The first offset and the end of the last element; raises HardwareFault for the first request out of range."""
    outside = (offsets + base < 0) | (offsets + (base + element) > memory.size)
    if outside.any():
        memory.check(base + int(offsets[outside][0]), element)
    return int(offsets.min()), int(offsets.max()) + element


def vgather2(memory: Memory, base: int, index: VReg, mask: PReg, element: Element) -> VReg:
    """The register whose request lane i is the element at `base + element * index[i]`, zero where inactive.

    `base` is a byte address and a multiple of `element`, the size of an element; single bytes are zero-extended to
    16-bit lanes. Raises HardwareFault for an active request out of range.
    """
    width = _request_width(element)
    _check_base(base, element)
    offsets = _offsets(index, element)
    undecided = mask.lane_poison(width) | index.lane_poison(width)
    active = mask.lanes(width) & ~undecided
    wanted = offsets[active]
    data = np.zeros((256 // width, width), np.uint8)
    poison = np.zeros(256 // width, np.bool_)
    births = births_of((index, mask), width)
    if wanted.size:
        start, stop = _extent(memory, base, wanted, element)
        window, flags, born = memory.read(base + start, stop - start)
        at = (wanted - start)[:, None] + np.arange(element)
        data[active, :element] = window[at]
        poison[active] = flags[at].any(axis=1)
        if born is not None:
            births = np.full(256 // width, -1, np.int32) if births is None else births.copy()
            births[active] = np.where(poison[active], born[at].max(axis=1), births[active])
    maybe = undecided & (mask.lanes(width) | mask.lane_poison(width))
    return settle(data.ravel(), width, active, poison, maybe if maybe.any() else None, "z", births)


def vgatherb(memory: Memory, base: int, offsets: VReg, mask: PReg) -> VReg:
    """The register whose block b is the 32 bytes at `base + offsets[b]`, zero where bit 4b of the predicate is clear.

    `base` and the 32-bit byte offsets are multiples of 32. Raises HardwareFault. Source: the PTO ISA document,
    pto.vgatherb.
    """
    memory.check(base, 0, BLOCK)
    data, poison = np.zeros(256, np.uint8), np.zeros(256, np.bool_)
    birth = np.full(256, -1, np.int32)
    for block in range(256 // BLOCK):
        cut = slice(BLOCK * block, BLOCK * (block + 1))
        on = mask.lanes(4)[block]
        if mask.lane_poison(4)[block] or (on and offsets.lane_poison(4)[block]):
            poison[cut] = True
            birth[cut] = max(mask.lane_birth(4)[block], offsets.lane_birth(4)[block])
        elif on:
            at = base + int(offsets.lanes(4)[block])
            data[cut], poison[cut], births = memory.read(at, BLOCK, BLOCK)
            birth[cut] = -1 if births is None else births
    return VReg(data, poison, birth if (birth >= 0).any() else None)


def vscatter(memory: Memory, base: int, value: VReg, index: VReg, mask: PReg, element: Element) -> Memory:
    """The memory after the element of each active request lane was stored at `base + element * index[i]`.

    Of 16-bit request lanes with single bytes the low byte is stored. Where two active requests meet, either may win:
    the element is poison. Raises HardwareFault for an active request out of range.
    """
    width = _request_width(element)
    _check_base(base, element)
    lanes = mask.lanes(width)
    if (mask.lane_poison(width) | (lanes & index.lane_poison(width))).any():
        reach = min(memory.size - base, element << (8 * width))
        return memory.write(base, memory.read(base, reach)[0], np.ones(reach, np.bool_))
    offsets = _offsets(index, element)[lanes]
    if not offsets.size:
        return memory
    start, stop = _extent(memory, base, offsets, element)
    at = (offsets - start)[:, None] + np.arange(element)
    size = stop - start
    data, written = np.zeros(size, np.uint8), np.zeros(size, np.bool_)
    poison, birth = np.zeros(size, np.bool_), np.full(size, -1, np.int32)
    rows = np.flatnonzero(lanes)
    data[at] = value.data.reshape(-1, width)[rows, :element]
    poison[at] = value.poison.reshape(-1, width)[rows, :element]
    written[at] = True
    places, count = np.unique(offsets, return_counts=True)
    for offset in places[count > 1].tolist():
        poison[offset - start : offset - start + element] = True
    if value.birth is not None:
        birth[at] = value.birth.reshape(-1, width)[rows, :element]
    return memory.write(base + start, data, poison, birth if value.birth is not None else None, written)
