"""Aligned loads and stores of vector registers, with the distributions that spread or pack elements on the way.

Addresses are bytes from the start of the unified buffer. Loads and stores of more than one element need 32-byte
alignment, which the compiler's split into aligned and unaligned accesses implies; broadcasts and one-point accesses
need that of their element. An address out of range or misaligned raises HardwareFault. Loaded poison stays poison,
stored poison makes memory poison. Inactive lanes of a store access nothing, so they cannot fault.

Distribution names are those of the LoadDist and StoreDist enumerations in HIVMAVEAttrs.td; lane formulas are from the
PTO ISA document, vector load/store. SPLT2CHN, SPLT4CHN, MRG2CHN and MRG4CHN have no documented lane order and are
not here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from layoutsolver_models.hardware.formats import Flags
from layoutsolver_models.hardware.state import CLEAN, Births, Bytes, PReg, VReg
from layoutsolver_models.hardware.ub import BLOCK, Memory
from layoutsolver_models.vecmem import REGISTER_BYTES

_BYTE = np.arange(REGISTER_BYTES)


@dataclass(frozen=True, slots=True)
class LoadDist:
    """A load distribution: reads `size` bytes and takes register byte b from byte `index[b]` of them, zero if `size`.

    `align` is the alignment of the address in bytes.
    """

    size: int
    align: int
    index: npt.NDArray[np.intp]

    @property
    def padded(self) -> bool:
        """Whether some register bytes are filled with zeros."""
        return bool((self.index == self.size).any())


def _expanded(bits: int, step: int) -> LoadDist:
    """Element i of `bits` bits goes to lane `step * i`; the lanes between are zero."""
    width, size = bits // 8, REGISTER_BYTES // step
    lane, byte = _BYTE // width, _BYTE % width
    return LoadDist(size, BLOCK, np.where(lane % step == 0, lane // step * width + byte, size))


def _selected(bits: int, size: int, align: int, element: npt.NDArray[np.intp]) -> LoadDist:
    """Lane j of `bits` bits is element `element[j]`."""
    width = bits // 8
    return LoadDist(size, align, element[_BYTE // width] * width + _BYTE % width)


LOADS: dict[str, LoadDist] = {
    "NORM": LoadDist(256, BLOCK, _BYTE),
    **{f"BRC_B{b}": _selected(b, b // 8, b // 8, 0 * _BYTE) for b in (8, 16, 32, 64)},
    "BLK": LoadDist(BLOCK, BLOCK, _BYTE % BLOCK),
    **{f"UNPK_B{b}": _expanded(b, 2) for b in (8, 16, 32)},
    "UNPK4_B8": _expanded(8, 4),
    **{f"US_B{b}": _selected(b, 128, BLOCK, _BYTE // 2) for b in (8, 16)},
    **{f"DS_B{b}": _selected(b, 512, BLOCK, _BYTE * 2) for b in (8, 16)},
    **{f"E2B_B{b}": _selected(b, b, b, _BYTE // (256 // b)) for b in (16, 32)},
}
"""The loads of one register: NORM 256 bytes as they are; BRC_Bw one element everywhere; BLK one 32-byte block
everywhere; UNPK_Bw element i in lane 2i, UNPK4_B8 byte i in byte lane 4i, zero between; US_Bw element i in lanes 2i and
2i+1; DS_Bw element 2i in lane i; E2B_Bw one of eight elements in every lane of each 32-byte block."""

PAIR_LOADS: dict[str, tuple[LoadDist, LoadDist]] = {
    **{
        f"DINTLV_B{b}": (_selected(b, 512, BLOCK, _BYTE * 2), _selected(b, 512, BLOCK, _BYTE * 2 + 1))
        for b in (8, 16, 32)
    },
    "BDINTLV": (_selected(256, 512, BLOCK, _BYTE * 2), _selected(256, 512, BLOCK, _BYTE * 2 + 1)),
}
"""The loads of two registers from 512 bytes: even and odd elements, or (BDINTLV) even and odd 32-byte blocks."""

_PADDING = {name: dist.padded for name, dist in LOADS.items()}


@dataclass(frozen=True, slots=True)
class StoreDist:
    """A store distribution: the low `kept` bytes of each `width`-byte lane are written one after the other.

    `single` stores write lane 0 alone and ignore the predicate. `align` is the alignment of the address in bytes.
    """

    width: int
    kept: int
    align: int = BLOCK
    single: bool = False


STORES: dict[str, StoreDist] = {
    **{f"NORM_B{b}": StoreDist(b // 8, b // 8) for b in (8, 16, 32, 64)},
    **{f"PK_B{b}": StoreDist(b // 8, b // 16) for b in (16, 32, 64)},
    "PK4_B32": StoreDist(4, 1),
    **{f"ONEPT_B{b}": StoreDist(b // 8, b // 8, b // 8, True) for b in (8, 16, 32, 64)},
}
"""The stores of one register: NORM_Bw whole lanes; PK_Bw the low half of each lane; PK4_B32 the low byte; ONEPT_Bw only
lane 0. The predicate is read at the width in the name."""

PAIR_STORES: dict[str, int] = {"INTLV_B8": 1, "INTLV_B16": 2, "INTLV_B32": 4}
"""The stores that interleave two registers, by the width of their lanes in bytes."""


def _gathered(
    window: Bytes, poison: Flags, birth: Births | None, dist: LoadDist, padding: Literal["zero", "poison"]
) -> VReg:
    data = np.zeros(dist.size + 1, np.uint8)
    data[:-1] = window
    flags = np.zeros(dist.size + 1, np.bool_)
    flags[:-1] = poison
    flags[-1] = padding == "poison"
    if birth is not None:
        birth = np.append(birth, np.int32(-1))[dist.index]
    return VReg(data[dist.index], flags[dist.index] if flags.any() else CLEAN, birth)


def vld(memory: Memory, address: int, dist: str = "NORM", padding: Literal["zero", "poison"] = "zero") -> VReg:
    """The register that a load of that distribution (a key of LOADS) returns.

    With `padding="poison"` the bytes that an expanding load fills with zeros are poison, so that what relies on them
    shows. Raises HardwareFault, and KeyError for another distribution.

    >>> memory = Memory.from_bytes(bytes(range(1, 65)) * 8)
    >>> vld(memory, 0, "UNPK4_B8").lanes(4)[:3].tolist(), vld(memory, 2, "BRC_B16").lanes(2)[:2].tolist()
    ([1, 2, 3], [1027, 1027])
    """
    spread = LOADS[dist]
    window, poison, birth = memory.read(address, spread.size, spread.align)
    if dist == "NORM":
        return VReg(window.copy(), poison.copy() if poison.any() else CLEAN, birth)
    return _gathered(window, poison, birth, spread, padding if _PADDING[dist] else "zero")


def vldx2(memory: Memory, address: int, dist: str) -> tuple[VReg, VReg]:
    """The two registers (even, odd) that a deinterleaving load (a key of PAIR_LOADS) returns.

    Raises HardwareFault, and KeyError for another distribution.
    """
    low, high = PAIR_LOADS[dist]
    window, poison, birth = memory.read(address, low.size, low.align)
    return _gathered(window, poison, birth, low, "zero"), _gathered(window, poison, birth, high, "zero")


def _written(mask: PReg, poison: Flags, width: int, kept: int) -> tuple[Flags, Flags]:
    """Which of the kept bytes a store may write, and which are poison afterwards.

    Where the predicate bit is poison, the byte is written or not: it is poison either way.
    """
    active = np.repeat(mask.lanes(width), kept)
    if mask.poison is CLEAN:
        return active, poison
    undecided = np.repeat(mask.lane_poison(width), kept)
    return active | undecided, poison | undecided


def vst(memory: Memory, address: int, value: VReg, mask: PReg, dist: str) -> Memory:
    """The memory after a store of that distribution (a key of STORES).

    Raises HardwareFault for a misaligned address or an active lane out of range, KeyError for another distribution.

    >>> value = VReg.from_lanes(np.arange(0x100, 0x180, dtype=np.uint16))
    >>> vst(Memory.zeros(64), 0, value, PReg.from_lanes([1, 0, 1], 2), "PK_B16").read(0, 4)[0].tolist()
    [0, 0, 2, 0]
    """
    shape = STORES[dist]
    if address % shape.align:
        memory.check(address, shape.kept, shape.align)
    if shape.single:
        cut = slice(0, shape.kept)
        return memory.write(
            address, value.data[cut], value.poison[cut], None if value.birth is None else value.birth[cut]
        )
    data, poison, birth = value.data, value.poison, value.birth
    width, kept = shape.width, shape.kept
    if kept < width:
        data = data.reshape(-1, width)[:, :kept].ravel()
        poison = poison.reshape(-1, width)[:, :kept].ravel()
        birth = None if birth is None else birth.reshape(-1, width)[:, :kept].ravel()
    active, poison = _written(mask, poison, width, kept)
    birth = _with_mask_births(birth, mask, width, kept)
    return memory.write(address, data, poison, birth, None if active.all() else active)


def _with_mask_births(birth: Births | None, mask: PReg, width: int, kept: int) -> Births | None:
    if mask.birth is None:
        return birth
    own = np.repeat(mask.lane_birth(width), kept)
    return own if birth is None else np.where(birth < 0, own, birth)


def vstx2(memory: Memory, address: int, low: VReg, high: VReg, dist: str) -> Memory:
    """The memory after 512 bytes of alternating lanes of two registers were stored; there is no predicate.

    `dist` is a key of PAIR_STORES, else KeyError; raises HardwareFault.
    """
    width = PAIR_STORES[dist]
    memory.check(address, 2 * REGISTER_BYTES, BLOCK)
    data = np.stack([low.data.reshape(-1, width), high.data.reshape(-1, width)], axis=1).ravel()
    poison = np.stack([low.poison.reshape(-1, width), high.poison.reshape(-1, width)], axis=1).ravel()
    birth = None
    if low.birth is not None or high.birth is not None:
        births = [r.lane_birth(1).reshape(-1, width) for r in (low, high)]
        birth = np.stack(births, axis=1).ravel()
    return memory.write(address, data, poison, birth)


def vsstb(
    memory: Memory,
    address: int,
    value: VReg,
    mask: PReg,
    block_stride: int,
    repeat_stride: int = 0,
    width: int | None = None,
) -> Memory:
    """The memory after block b (32 bytes, b = 0..7) was stored at `address + 32 * (repeat_stride + b * block_stride)`.

    Strides are in blocks. With `width`, each lane of that many bytes is stored if it is active; without, block b as a
    whole if bit 4b of the predicate is set, as the PTO ISA document has it. HIVMAVE passes a predicate of the element
    width, and no document says how the hardware reads it. Raises HardwareFault.
    """
    if address % BLOCK:
        memory.check(address, BLOCK, BLOCK)
    if width is None:
        active = np.repeat(mask.lanes(4)[:8], BLOCK)
        undecided = np.repeat(mask.lane_poison(4)[:8], BLOCK)
    else:
        active = np.repeat(mask.lanes(width), width)
        undecided = np.repeat(mask.lane_poison(width), width)
    poison = value.poison | undecided
    active = active | undecided
    for block in range(8):
        cut = slice(BLOCK * block, BLOCK * (block + 1))
        memory = memory.write(
            address + BLOCK * (repeat_stride + block * block_stride),
            value.data[cut],
            poison[cut],
            None if value.birth is None else value.birth[cut],
            active[cut],
        )
    return memory


def vsldb(memory: Memory, address: int, mask: PReg, block_stride: int, repeat_stride: int = 0) -> VReg:
    """The register whose block b is the 32 bytes at `address + 32 * (repeat_stride + b * block_stride)`.

    Block b is read if bit 4b of the predicate is set, else it is zero and not accessed. Raises HardwareFault.
    Source: the PTO ISA document, pto.vsldb.
    """
    if address % BLOCK:
        memory.check(address, BLOCK, BLOCK)
    data, poison = np.zeros(REGISTER_BYTES, np.uint8), np.zeros(REGISTER_BYTES, np.bool_)
    birth = np.full(REGISTER_BYTES, -1, np.int32)
    for block in range(8):
        cut = slice(BLOCK * block, BLOCK * (block + 1))
        if mask.poison[4 * block]:
            poison[cut] = True
        elif mask.bits[4 * block]:
            at = address + BLOCK * (repeat_stride + block * block_stride)
            data[cut], poison[cut], births = memory.read(at, BLOCK)
            birth[cut] = -1 if births is None else births
    return VReg(data, poison if poison.any() else CLEAN, birth if (birth >= 0).any() else None)
