"""Intrinsics that access memory, by the numbers of their distributions."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver.verify.intrin.call import SHORT_FORMATS, Call
from layoutsolver.verify.operation import Get, Run
from layoutsolver.verify.physical_memory import PhysicalMemory
from layoutsolver.verify.values import Aggregate, Pointer, Value
from layoutsolver_models.hardware import memory as mem
from layoutsolver_models.hardware.encoding import BARRIERS, LOAD_DISTS, STORE_DISTS
from layoutsolver_models.hardware.predicate_memory import plds, psts, pstu
from layoutsolver_models.hardware.streams import init_align, vldas, vldus, vstas, vstus
from layoutsolver_models.hardware.ub import HardwareFault
from layoutsolver_models.vecmem import REGISTER_BYTES

_LOADS = {number: name for name, number in LOAD_DISTS.items()}
_STORES = {number: name for name, number in STORE_DISTS.items()}
_SHORT = frozenset(SHORT_FORMATS)
_LONG = frozenset(
    f"v{REGISTER_BYTES * 8 // bits}{name}"
    for bits, names in ((8, "s8 u8 f8e4m3 f8e5m2"), (16, "s16 u16 f16 bf16"), (32, "s32 u32 f32"), (64, "s64 u64"))
    for name in names.split()
)
_POST = frozenset({"post"})

Access = Callable[[Call, PhysicalMemory], Run]


def load(call: Call, access: PhysicalMemory) -> Run:
    """`vldsx1`: one register."""
    call.expect(4, _LONG)

    def run(get: Get) -> list[Value]:
        call.nothing(get, 1, 3)
        name = _LOADS.get(call.number(get, 2), "")
        if name not in mem.LOADS:
            raise call.fail(f"has the distribution {call.number(get, 2)}, which is not known")
        return [mem.vld(access.ram.memory, call.pointer(get, 0).address, name, "poison")]

    return run


def load_pair(call: Call, access: PhysicalMemory) -> Run:
    """`vldsx2`: two registers."""
    call.expect(4, _LONG)

    def run(get: Get) -> list[Value]:
        call.nothing(get, 1, 3)
        name = _LOADS.get(call.number(get, 2), "")
        if name not in mem.PAIR_LOADS:
            raise call.fail(f"has the distribution {call.number(get, 2)}, which is not known")
        return [Aggregate(tuple(mem.vldx2(access.ram.memory, call.pointer(get, 0).address, name)))]

    return run


def store(call: Call, access: PhysicalMemory) -> Run:
    """`vstsx1`: one register."""
    call.expect(6, _LONG)
    node = call.op.node.index

    def run(get: Get) -> list[Value]:
        call.nothing(get, 2, 4)
        name = _STORES.get(call.number(get, 3), "")
        if name not in mem.STORES:
            raise call.fail(f"has the distribution {call.number(get, 3)}, which is not known")
        before = access.ram.memory
        after = mem.vst(before, call.pointer(get, 1).address, call.data(get, 0), call.mask(get, 5), name)
        access.note(node, before, after)
        return []

    return run


def store_strided(call: Call, access: PhysicalMemory) -> Run:
    """`vsstb`: blocks, their distance in the upper half of a word; its predicate is read at the element width."""
    call.expect(5, _LONG)
    width, node = call.short(call.rest[0]).width, call.op.node.index

    def run(get: Get) -> list[Value]:
        call.nothing(get, 3)
        strides = call.scalar(get, 2)
        if not strides.defined:
            raise call.fail("has strides that are not defined")
        step, repeat = _signed16(strides.bits >> 16), _signed16(strides.bits)
        before = access.ram.memory
        value, mask = call.data(get, 0), call.mask(get, 4)
        after = mem.vsstb(before, call.pointer(get, 1).address, value, mask, step, repeat, width)
        access.note(node, before, after)
        return []

    return run


def _signed16(number: int) -> int:
    return (number + 0x8000) % 0x10000 - 0x8000


def start_load_stream(call: Call, access: PhysicalMemory) -> Run:
    """`vldas`."""
    call.expect(1)
    return lambda get: [vldas(access.ram.memory, call.pointer(get, 0).address)]


def load_stream(call: Call, access: PhysicalMemory) -> Run:
    """`vldus.post`."""
    call.expect(3, _POST, _SHORT)

    def run(get: Get) -> list[Value]:
        start = call.pointer(get, 0)
        value, align, end = vldus(access.ram.memory, start.address, call.align(get, 1), call.number(get, 2))
        return [Aggregate((value, align, Pointer(start.base, end)))]

    return run


def start_store_stream(call: Call, access: PhysicalMemory) -> Run:
    """`init.vector.align.data`."""
    call.expect(0, frozenset({"vector"}), frozenset({"align"}), frozenset({"data"}))
    return lambda get: [init_align()]


def store_stream(call: Call, access: PhysicalMemory) -> Run:
    """`vstus.post`."""
    call.expect(4, _POST, _SHORT)
    node = call.op.node.index

    def run(get: Get) -> list[Value]:
        start, size, before = call.pointer(get, 1), call.number(get, 2), access.ram.memory
        if not 0 <= size <= REGISTER_BYTES:
            detail = f"{size} bytes are stored from a register of {REGISTER_BYTES}"
            raise HardwareFault("out of range", start.address, size, detail)
        after, align, end = vstus(before, start.address, call.data(get, 0), size, call.align(get, 3))
        access.note(node, before, after)
        return [Aggregate((align, Pointer(start.base, end)))]

    return run


def end_store_stream(call: Call, access: PhysicalMemory) -> Run:
    """`vstas`."""
    call.expect(4)
    node = call.op.node.index

    def run(get: Get) -> list[Value]:
        call.nothing(get, 2, 3)
        before = access.ram.memory
        access.note(node, before, vstas(before, call.pointer(get, 1).address, call.align(get, 0)))
        return []

    return run


def load_predicate(call: Call, access: PhysicalMemory) -> Run:
    """`plds`: 256 packed bits."""
    call.expect(4, frozenset({"b8"}))

    def run(get: Get) -> list[Value]:
        call.nothing(get, 1, 2, 3)
        return [plds(access.ram.memory, call.pointer(get, 0).address)]

    return run


def store_predicate(call: Call, access: PhysicalMemory) -> Run:
    """`psts`: 256 packed bits."""
    call.expect(5, frozenset({"b8"}))
    node = call.op.node.index

    def run(get: Get) -> list[Value]:
        call.nothing(get, 2, 3, 4)
        before = access.ram.memory
        access.note(node, before, psts(before, call.pointer(get, 1).address, call.mask(get, 0)))
        return []

    return run


def predicate_stream(call: Call, access: PhysicalMemory) -> Run:
    """`pstu`: one bit for each lane of 16 or 32 bits."""
    call.expect(3, frozenset({"b16", "b32"}))
    node = call.op.node.index

    def run(get: Get) -> list[Value]:
        start, before = call.pointer(get, 1), access.ram.memory
        width = 2 if call.rest[0] == "b16" else 4
        after, align, end = pstu(before, start.address, call.mask(get, 0), 2 if width == 2 else 4, call.align(get, 2))
        access.note(node, before, after)
        return [Aggregate((align, Pointer(start.base, end)))]

    return run


def gather(call: Call, access: PhysicalMemory) -> Run:
    """`vgather2_v300`."""
    call.expect(3, _LONG)
    width = call.short(call.rest[0]).width

    def run(get: Get) -> list[Value]:
        start = call.pointer(get, 0)
        extent = access.ram.extent_of(start.base)
        return [access.gather_at(extent, start.address, width, call.data(get, 1), call.mask(get, 2))]

    return run


def scatter(call: Call, access: PhysicalMemory) -> Run:
    """`vscatter`."""
    names = frozenset(f"{name}_v300" for name in _LONG)
    call.expect(4, names)
    width, node = call.short(call.rest[0].removesuffix("_v300")).width, call.op.node.index

    def run(get: Get) -> list[Value]:
        start = call.pointer(get, 1)
        extent = access.ram.extent_of(start.base)
        value, index, mask = call.data(get, 0), call.data(get, 2), call.mask(get, 3)
        access.scatter_at(node, extent, start.address, width, value, index, mask)
        return []

    return run


def barrier(call: Call, access: PhysicalMemory) -> Run:
    """`mem.bar`: nothing, as everything runs in order."""
    if call.rest[:1] != ("bar",) or ".".join(call.rest[1:]) not in BARRIERS:
        raise call.unknown()
    call.expect_operands(0)
    return lambda get: []


ACCESSES: dict[str, Access] = {
    "vldsx1": load, "vldsx2": load_pair, "vstsx1": store, "vsstb": store_strided, "vldas": start_load_stream,
    "vldus": load_stream, "init": start_store_stream, "vstus": store_stream, "vstas": end_store_stream,
    "plds": load_predicate, "psts": store_predicate, "pstu": predicate_stream, "vgather2_v300": gather,
    "vscatter": scatter, "mem": barrier,
}  # fmt: skip
"""The intrinsics that access memory, by the first part of their names."""
