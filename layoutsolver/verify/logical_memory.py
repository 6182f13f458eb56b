"""Memory accesses before layout: element i of a vector is the i-th element from an address on.

Loads behind the end of a buffer find nothing defined; stores there are faults. Memory holds i1 packed, lowest bit
first; a store of predicates writes whole granules of the predicate register, so that the bits of a granule that are no
elements are not defined afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from layoutsolver.verify.elements import all_of_rows
from layoutsolver.verify.operation import Operation
from layoutsolver.verify.values import Buffer, Elements, Scalar, Value, resized
from layoutsolver_models.hardware.formats import Flags, Format
from layoutsolver_models.hardware.memory import LOADS
from layoutsolver_models.hardware.state import Births, Bytes
from layoutsolver_models.hardware.ub import BLOCK, Memory

Get = Callable[[int], Value]

PREDICATE_BITS = 256
"""Bits that a store of predicates may write."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An access that the hardware answers with an exception, or that leaves its buffer."""

    node: int
    kind: str
    detail: str


@dataclass(slots=True)
class LogicalMemory:
    """Memory, the extents (first and last byte) of the buffers in it, and what went wrong.

    `writers` says of each byte which operation (graph index) wrote it last, -1 for none; `loose` flags the bytes that
    may hold anything although no element was written there. With `lenient`, a gather may leave its buffer, where it
    finds nothing defined.
    """

    memory: Memory
    extents: tuple[tuple[int, int], ...]
    lenient: bool = False
    faults: list[Fault] = field(default_factory=list)
    writers: Births = field(init=False)
    loose: Flags = field(init=False)

    def __post_init__(self) -> None:
        self.begin(self.memory, self.extents)

    def begin(self, memory: Memory, extents: tuple[tuple[int, int], ...]) -> None:
        """Start anew with this memory, of which nothing is written yet."""
        self.memory, self.extents, self.faults = memory, extents, []
        self.writers = np.full(memory.size, -1, np.int32)
        self.loose = np.zeros(memory.size, np.bool_)

    # -- addresses --------------------------------------------------------------------------------------------

    def address(self, op: Operation, get: Get) -> tuple[Buffer, int]:
        """The buffer of an access and its address in bits; an undefined index leads nowhere, and is a fault."""
        base = get(op.value("base"))
        if not isinstance(base, Buffer):
            raise op.fail("has no buffer to access")
        indices = op.values("indices")
        if len(indices) != len(base.strides):
            raise op.fail(f"has {len(indices)} indices, its memref {len(base.strides)} dimensions")
        place = base.offset
        for value, stride in zip(indices, base.strides, strict=True):
            index = get(value)
            if not isinstance(index, Scalar) or not index.defined:
                raise op.fail("is indexed by a value that is not defined")
            place += index.signed * stride
        return base, 8 * base.base + place * base.element_bits

    def extent(self, buffer: Buffer) -> tuple[int, int]:
        """The first and the last byte of the allocation that a buffer lies in."""
        return self.extent_of(buffer.base)

    def extent_of(self, base: int) -> tuple[int, int]:
        """The first and the last byte of the allocation around an address."""
        return next(((a, b) for a, b in self.extents if a <= base < b), (base, self.memory.size))

    def fault(self, op: Operation, kind: str, detail: str) -> None:
        """Note a fault, once for each operation and kind."""
        found = Fault(op.node.index, kind, detail)
        if all((known.node, known.kind) != (found.node, kind) for known in self.faults):
            self.faults.append(found)

    def read(self, start: int, size: int) -> tuple[Bytes, Flags]:
        """Bytes and whether each is defined; what does not exist is not defined."""
        low, high = max(start, 0), min(start + size, self.memory.size)
        data, known = np.zeros(size, np.uint8), np.zeros(size, np.bool_)
        if low < high:
            window, poison, _ = self.memory.read(low, high - low)
            data[low - start : high - start] = window
            known[low - start : high - start] = ~poison
        return data, known

    def write(self, op: Operation, buffer: Buffer, start: int, data: Bytes, known: Flags, where: Flags) -> None:
        """Write bytes where flagged; those outside of the buffer are a fault and stay away."""
        first, last = self.extent(buffer)
        places = np.arange(data.size) + start
        inside = (places >= first) & (places < last)
        if (where & ~inside).any():
            at = int(places[where & ~inside][0])
            self.fault(op, "out of bounds", f"a byte at {at - first} of a buffer of {last - first} bytes is written")
        where = where & inside
        if where.any():
            touched = places[where]
            self.writers[touched] = op.node.index
            self.memory = self.memory.write(start, data, ~known, None, where)

    # -- loads ------------------------------------------------------------------------------------------------

    def load(self, op: Operation, get: Get) -> list[Value]:
        """The vectors that a `vload` makes."""
        _, bit = self.address(op, get)
        result = op.vector(op.node.results[0])
        fmt, count = op.format(op.node.results[0]), result.lanes
        dist = op.attrs.get("dist", "NORM")
        if fmt is None:
            return [self.load_bits(bit, count)]
        if dist.startswith("BRC"):
            return [_repeated(self._elements(fmt, bit // 8, 1), count)]
        if dist.startswith("DINTLV") or dist == "BDINTLV":
            if dist != f"DINTLV_B{fmt.bits}" or len(op.node.results) != 2:
                raise op.fail(f"with distribution `{dist}` and elements of {fmt.bits} bits is not known")
            both = self._elements(fmt, bit // 8, 2 * count)
            return [Elements(fmt, both.bits[k::2], both.defined[k::2]) for k in (0, 1)]
        if dist == "NORM" or dist.startswith("UNPK"):
            return [self._elements(fmt, bit // 8, count)]
        if dist not in LOADS:
            raise op.fail(f"with distribution `{dist}` is not known")
        return [resized(self._register(fmt, bit // 8, dist), count)]

    def load_bits(self, bit: int, count: int) -> Elements:
        """`count` packed bits from a bit address on."""
        start, shift = divmod(bit, 8)
        data, known = self.read(start, (shift + count + 7) // 8)
        bits = np.unpackbits(data, bitorder="little").view(np.bool_)[shift : shift + count]
        return Elements(None, bits, np.repeat(known, 8)[shift : shift + count])

    def _elements(self, fmt: Format, address: int, count: int) -> Elements:
        data, known = self.read(address, count * fmt.width)
        return Elements(fmt, data.view(fmt.storage), all_of_rows(known.reshape(-1, fmt.width)))

    def _register(self, fmt: Format, address: int, dist: str) -> Elements:
        """The elements of a register that a load fills by places: elements repeated, left out, a block everywhere.

        How many elements a load fills that leaves out every second one is not documented beyond half a register.
        """
        spread = LOADS[dist]
        data, known = self.read(address, spread.size)
        flags = known[spread.index]
        if dist.startswith("DS"):
            flags[flags.size // 2 :] = False
        return Elements(fmt, data[spread.index].view(fmt.storage), all_of_rows(flags.reshape(-1, fmt.width)))

    def gather(self, op: Operation, get: Get) -> list[Value]:
        """The elements that an index vector points to, zero where inactive."""
        buffer, bit = self.address(op, get)
        fmt, count = op.data_format(op.node.results[0]), op.vector(op.node.results[0]).lanes
        index, mask = get(op.value("index_vec")), get(op.value("mask"))
        assert isinstance(index, Elements)
        assert isinstance(mask, Elements)
        index, mask = resized(index, count), resized(mask, count)
        first, last = self.extent(buffer)
        places = bit // 8 + index.bits.astype(np.int64) * fmt.width
        inside = (places >= first) & (places + fmt.width <= last)
        active = mask.bits & mask.defined & index.defined
        if (active & ~inside).any() and not self.lenient:
            detail = f"element {int(index.bits[active & ~inside][0])} is read from a buffer of {last - first} bytes"
            self.fault(op, "out of bounds", detail)
        bits = np.zeros(count, fmt.storage)
        known = mask.defined & (index.defined | ~mask.bits) & (inside | ~mask.bits)
        for at in np.flatnonzero(active & inside).tolist():
            one = self._elements(fmt, int(places[at]), 1)
            bits[at], known[at] = one.bits[0], one.defined[0]
        return [Elements(fmt, bits, known)]

    # -- stores -----------------------------------------------------------------------------------------------

    def store(self, op: Operation, get: Get) -> list[Value]:
        """Write the active elements of a vector; of a one-point store element 0, whatever the mask says."""
        buffer, bit = self.address(op, get)
        value, mask = get(op.value("val")), get(op.value("mask"))
        assert isinstance(value, Elements)
        assert isinstance(mask, Elements)
        if value.format is None:
            self._store_bits(op, buffer, bit, value, mask.count)
            return []
        width = value.format.width
        mask = resized(mask, value.count)
        if op.attrs.get("dist", "").startswith("ONEPT"):
            value, mask = resized(value, 1), Elements(None, np.ones(1, np.bool_), np.ones(1, np.bool_))
        data = np.ascontiguousarray(value.bits).view(np.uint8)
        known = np.repeat(value.defined & mask.defined, width)
        self.write(op, buffer, bit // 8, data, known, np.repeat(mask.bits | ~mask.defined, width))
        return []

    def _store_bits(self, op: Operation, buffer: Buffer, bit: int, value: Elements, governed: int) -> None:
        """Write packed bits, whatever the mask says; the rest of the granule is not defined afterwards."""
        if bit % 8:
            self.fault(op, "misaligned", f"masks are stored from bit {bit % 8} of a byte on")
            return
        whole = resized(resized(value, min(value.count, governed)), PREDICATE_BITS)
        data = np.packbits(whole.bits, bitorder="little")
        known = all_of_rows(whole.defined.reshape(-1, 8))
        places = np.arange(data.size) + bit // 8
        needed = np.arange(data.size) < (min(value.count, governed) + 7) // 8
        self.write(op, buffer, bit // 8, data, known, needed)
        rest = ~needed & (places < self.memory.size)
        self.loose[places[rest]] = True
        self.memory = self.memory.write(bit // 8, data, ~known, None, rest)

    def store_strided(self, op: Operation, get: Get) -> list[Value]:
        """Write 32-byte blocks of a vector, each the stride behind the one before; active elements only."""
        buffer, bit = self.address(op, get)
        value, mask = get(op.value("val")), get(op.value("mask"))
        assert isinstance(value, Elements)
        assert isinstance(mask, Elements)
        fmt = op.data_format(op.value("val"))
        mask = resized(mask, value.count)
        step = block_stride(op, get, fmt) * BLOCK
        per = BLOCK // fmt.width
        for start in range(0, min(value.count, 256 // fmt.width), per):
            cut = slice(start, start + per)
            data = np.ascontiguousarray(value.bits[cut]).view(np.uint8)
            known = np.repeat(value.defined[cut] & mask.defined[cut], fmt.width)
            where = np.repeat(mask.bits[cut] | ~mask.defined[cut], fmt.width)
            self.write(op, buffer, bit // 8 + start // per * step, data, known, where)
        return []

    def scatter(self, op: Operation, get: Get) -> list[Value]:
        """Write each active element where the index vector points; where two meet, nothing is defined."""
        buffer, bit = self.address(op, get)
        value, index, mask = get(op.value("val")), get(op.value("index_vec")), get(op.value("mask"))
        assert isinstance(value, Elements)
        assert isinstance(index, Elements)
        assert isinstance(mask, Elements)
        fmt = op.data_format(op.value("val"))
        index, mask = resized(index, value.count), resized(mask, value.count)
        first, last = self.extent(buffer)
        maybe = (mask.bits & ~index.defined) | ~mask.defined
        if maybe.any():
            size = last - first
            self.write(op, buffer, first, self.read(first, size)[0], np.zeros(size, np.bool_), np.ones(size, np.bool_))
            return []
        taken: set[int] = set()
        for at in np.flatnonzero(mask.bits).tolist():
            place = bit // 8 + int(index.bits[at]) * fmt.width
            data = value.bits[at : at + 1].view(np.uint8)
            known = np.full(fmt.width, bool(value.defined[at]) and place not in taken)
            taken.add(place)
            self.write(op, buffer, place, data, known, np.ones(fmt.width, np.bool_))
        return []


def block_stride(op: Operation, get: Get, fmt: Format) -> int:
    """The stride of a strided store in 32-byte blocks."""
    stride = get(op.value("stride"))
    assert isinstance(stride, Scalar)
    if not stride.defined:
        raise op.fail("has a stride that is not defined")
    per = BLOCK // fmt.width
    if stride.signed % per:
        raise op.fail(f"has a stride of {stride.signed} elements, which is no multiple of the {per} of a block")
    return stride.signed // per


def _repeated(one: Elements, count: int) -> Elements:
    return Elements(one.format, np.repeat(one.bits, count), np.repeat(one.defined, count))
