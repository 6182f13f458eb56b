"""Memory accesses after layout: the instructions of a load or store, by distribution, functionType and alignment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import compress, count
from operator import is_not

import numpy as np

from layoutsolver.verify.logical_memory import LogicalMemory, block_stride
from layoutsolver.verify.operation import Operation
from layoutsolver.verify.spread import densified, packed_mask, sparsified, spread_mask
from layoutsolver.verify.values import Value
from layoutsolver_models.hardware import memory as mem
from layoutsolver_models.hardware.formats import Flags, Format
from layoutsolver_models.hardware.gather import Element, vgather2, vscatter
from layoutsolver_models.hardware.predicate import movvp, ppack, punpack
from layoutsolver_models.hardware.predicate_memory import plds, psts, pstu
from layoutsolver_models.hardware.state import CLEAN, PReg, VReg
from layoutsolver_models.hardware.streams import init_align, vldas, vldus, vstas
from layoutsolver_models.hardware.ub import HardwareFault, Memory
from layoutsolver_models.vecmem import REGISTER_BYTES

PAGE = 4096
"""Bytes of a page of `Memory`."""

Get = Callable[[int], Value]

UNALIGNED = "ave.unaligned_ub_access"
_UNPACK = {("pk", 8): "UNPK_B8", ("pk", 16): "UNPK_B16", ("pk4", 8): "UNPK4_B8"}
_PACK = {("pk", 8): "PK_B16", ("pk", 16): "PK_B32", ("pk4", 8): "PK4_B32"}
_TIMES = {"pk": 1, "pk4": 2, "dintlv2": 1, "dintlv4": 2}
_GRANULES = {"pb8": 0, "pb16": 1, "pb32": 2}


@dataclass(slots=True)
class PhysicalMemory:
    """Runs accesses on a chip; `ram` holds the memory and notes what was written."""

    ram: LogicalMemory
    is_950: bool

    def note(self, node: int, before: Memory, after: Memory) -> None:
        """Take over the memory after a store, and note what it wrote."""
        self.ram.memory = after
        if before is after:
            return
        for at in compress(count(), map(is_not, before.pages, after.pages)):
            old, new = before.pages[at], after.pages[at]
            changed = (old.data != new.data) | (old.poison != new.poison)
            self.ram.writers[PAGE * at : PAGE * at + changed.size][changed] = node

    # -- loads ------------------------------------------------------------------------------------------------

    def load(self, op: Operation, get: Get, fmt: Format | None, dist: str) -> list[VReg | PReg]:
        """The registers that a load makes under a functionType."""
        _, bit = self.ram.address(op, get)
        unaligned = UNALIGNED in op.attrs
        memory = self.ram.memory
        if fmt is None:
            return [self._load_mask(op, bit, unaligned, dist)]
        address = bit // 8
        pattern = op.attrs.get("dist", "NORM")
        if pattern.startswith("BRC"):
            if pattern != f"BRC_B{fmt.bits}":
                raise op.fail(f"broadcasts by `{pattern}` what has {fmt.bits} bits")
            return [mem.vld(memory, address, pattern)]
        if pattern in mem.PAIR_LOADS:
            return list(mem.vldx2(memory, address, pattern))
        if pattern != "NORM":
            if pattern not in mem.LOADS:
                raise op.fail(f"with distribution `{pattern}` is not known")
            return [mem.vld(memory, address, pattern, "poison")]
        if dist in ("norm", ""):
            return [self._whole(address, unaligned)]
        spread = _UNPACK.get((dist, fmt.bits))
        if spread is None:
            raise op.fail(f"of {fmt.bits}-bit elements with functionType `{dist}` is not known")
        if unaligned or (dist == "pk4" and not self.is_950):
            made = sparsified(fmt.width, self._whole(address, unaligned), _TIMES[dist])
            return [made if self.is_950 or dist == "pk4" else _unpacked(made, fmt.width)]
        return [mem.vld(memory, address, spread, "poison")]

    def _whole(self, address: int, unaligned: bool) -> VReg:
        memory = self.ram.memory
        return vldus(memory, address, vldas(memory, address))[0] if unaligned else mem.vld(memory, address)

    def _load_mask(self, op: Operation, bit: int, unaligned: bool, dist: str) -> PReg:
        if bit % 8:
            raise HardwareFault("misaligned", bit // 8, 32, f"masks are loaded from bit {bit % 8} of a byte on")
        times = _GRANULES.get(dist)
        if times is None:
            raise op.fail(f"of masks with functionType `{dist}` is not known")
        if not unaligned:
            return spread_mask(plds(self.ram.memory, bit // 8), times)
        found = self._whole(bit // 8, True)
        if times == 0:
            return ppack(movvp(2, found))
        return movvp(2, found) if times == 1 else movvp(4, found)

    def gather(self, op: Operation, get: Get, fmt: Format, index: VReg, mask: PReg) -> VReg:
        """The register that a gather makes; requests outside of the buffer return poison."""
        buffer, bit = self.ram.address(op, get)
        return self.gather_at(self.ram.extent(buffer), bit // 8, fmt.width, index, mask)

    def gather_at(self, extent: tuple[int, int], address: int, size: int, index: VReg, mask: PReg) -> VReg:
        """The register of elements of `size` bytes that a gather finds from an address on, within an allocation."""
        width = max(size, 2)
        inside = _inside(extent, address, size, index)
        outside = ~inside & mask.lanes(width)
        bits = mask.bits.copy()
        bits[::width] &= inside
        found = vgather2(self.ram.memory, address, index, PReg(bits, mask.poison), _element(size))
        if not outside.any():
            return found
        births = found.birth
        return VReg(found.data, found.poison | np.repeat(outside, width), births)

    # -- stores -----------------------------------------------------------------------------------------------

    def store(self, op: Operation, get: Get, fmt: Format | None, value: VReg | PReg, mask: PReg, dist: str) -> None:
        """Store a register under a functionType."""
        _, bit = self.ram.address(op, get)
        unaligned = UNALIGNED in op.attrs or op.name == "unaligned.masked.store"
        before = self.ram.memory
        if fmt is None:
            assert isinstance(value, PReg)
            self.note(op.node.index, before, self._store_mask(op, bit, value, unaligned, dist))
            return
        assert isinstance(value, VReg)
        address, pattern = bit // 8, op.attrs.get("dist", "")
        if pattern.startswith("ONEPT"):
            if pattern != f"ONEPT_B{fmt.bits}":
                raise op.fail(f"stores by `{pattern}` what has {fmt.bits} bits")
            self.note(op.node.index, before, mem.vst(before, address, value, mask, pattern))
        elif pattern.startswith("PK"):
            self.note(op.node.index, before, mem.vst(before, address, value, mask, pattern))
        elif pattern and not pattern.startswith("NORM"):
            raise op.fail(f"with distribution `{pattern}` is not known")
        else:
            self._store_data(op, before, address, fmt, value, mask, dist, unaligned)

    def _store_data(
        self, op: Operation, before: Memory, address: int, fmt: Format, value: VReg, mask: PReg, dist: str,
        unaligned: bool,
    ) -> None:  # fmt: skip
        """Store elements as they lie, or brought together on the way.

        An unaligned store is a stream of bytes without a predicate, whose length the compiler takes from what made
        the mask; here it writes the active elements, which is the same for a mask of the first elements.
        """
        if dist in ("norm", "none", ""):
            times, packed = 0, f"NORM_B{fmt.bits}"
        elif (dist, fmt.bits) in _PACK:
            times, packed = _TIMES[dist], _PACK[dist, fmt.bits]
        else:
            raise op.fail(f"of {fmt.bits}-bit elements with functionType `{dist}` is not known")
        if unaligned or (dist == "pk4" and not self.is_950):
            value, mask = densified(fmt.width, value, times), packed_mask(mask, times)
            packed = f"NORM_B{fmt.bits}"
        if unaligned:
            active = np.repeat(mask.lanes(fmt.width) | mask.lane_poison(fmt.width), fmt.width)
            poison = value.poison | np.repeat(mask.lane_poison(fmt.width), fmt.width)
            self.note(op.node.index, before, before.write(address, value.data, poison, value.birth, active))
        else:
            self.note(op.node.index, before, mem.vst(before, address, value, mask, packed))

    def _store_mask(self, op: Operation, bit: int, value: PReg, unaligned: bool, dist: str) -> Memory:
        memory, address = self.ram.memory, bit // 8
        if bit % 8:
            raise HardwareFault("misaligned", address, 32, f"masks are stored from bit {bit % 8} of a byte on")
        times = _GRANULES.get(dist)
        if times is None:
            raise op.fail(f"of masks with functionType `{dist}` is not known")
        if times == 0 and not unaligned:
            return psts(memory, address, value)
        masks = [value]
        if times == 0:
            lanes = op.vector(op.value("val")).lanes
            masks = [punpack(value), punpack(value, "HIGHER")] if lanes > 128 else [punpack(value)]
            times = 2 if lanes <= 64 else 1
            masks = [punpack(mask) for mask in masks] if times == 2 else masks
        align = init_align()
        for mask in masks:
            memory, align, address = pstu(memory, address, mask, 2 if times == 1 else 4, align)
        return vstas(memory, address, align)

    def store_strided(self, op: Operation, get: Get, fmt: Format, value: VReg, mask: PReg, dist: str) -> None:
        """Store blocks with a stride, brought together first as the functionType says; the mask is per element."""
        _, bit = self.ram.address(op, get)
        before = self.ram.memory
        if dist not in ("norm", "none", "") and dist not in ("dintlv2", "dintlv4"):
            raise op.fail(f"with functionType `{dist}` is not known")
        value = densified(fmt.width, value, _TIMES.get(dist, 0))
        stride = block_stride(op, get, fmt)
        self.note(op.node.index, before, mem.vsstb(before, bit // 8, value, mask, stride, width=fmt.width))

    def scatter(self, op: Operation, get: Get, fmt: Format, value: VReg, index: VReg, mask: PReg) -> None:
        """Store elements where an index register points; those outside of the buffer stay away."""
        buffer, bit = self.ram.address(op, get)
        self.scatter_at(op.node.index, self.ram.extent(buffer), bit // 8, fmt.width, value, index, mask)

    def scatter_at(
        self, node: int, extent: tuple[int, int], address: int, size: int, value: VReg, index: VReg, mask: PReg
    ) -> None:
        """Store elements of `size` bytes where an index register points from an address on, within an allocation."""
        width = max(size, 2)
        bits = mask.bits.copy()
        bits[::width] &= _inside(extent, address, size, index)
        before = self.ram.memory
        poison = mask.poison if mask.poison is CLEAN else mask.poison.copy()
        self.note(node, before, vscatter(before, address, value, index, PReg(bits, poison), _element(size)))


def _unpacked(made: VReg, width: int) -> VReg:
    """A register whose every second element is nothing: what other chips load at once, the Ascend950 interleaves."""
    between = np.arange(REGISTER_BYTES) % (2 * width) >= width
    return VReg(made.data, made.poison | between, made.birth)


def _inside(extent: tuple[int, int], address: int, size: int, index: VReg) -> Flags:
    """For each request, whether it stays in the allocation."""
    places = address + index.lanes(max(size, 2)).astype(np.int64) * size
    inside: Flags = (places >= extent[0]) & (places + size <= extent[1])
    return inside


def _element(size: int) -> Element:
    return 1 if size == 1 else 2 if size == 2 else 4
