"""Loads and stores of whole vectors in every layout."""

from __future__ import annotations

from collections.abc import Sequence

from layoutsolver.vmi.program import Operand
from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Ssa, element_bits, element_of, mask_bits, register_type
from layoutsolver_backends.vpto.site import Shape, Site, data_shape
from layoutsolver_backends.vpto.streams import load_stream, moved, store_stream
from layoutsolver_backends.vpto.trees import chunked, data_pairs, flattened, join, mask_pairs, split
from layoutsolver_models.rules.vmi.layouts import register_lanes

GATHERS = {8: "vgather2", 16: "vgather2", 32: "vgather2_bc"}
"""Loads of elements by indices, by the bits of an element."""

_BYTES = ("i8", "ui8", "si8")


def gather(build: Builder, pointer: Ssa, index: Ssa, mask: Ssa, type_: str, occupies: int = 1) -> Ssa:
    """The elements of a register that are at indices; bytes are gathered as integers, each in a lane of 16 bits."""
    element, bits = element_of(type_), element_bits(type_)
    if bits == 8:
        if element not in _BYTES:
            element = "ui8"
            pointer = build.one("castptr", (pointer,), "!pto.ptr<ui8, ub>", hint="%p")
        type_ = register_type(element.replace("8", "16"), 16)
    return build.one(GATHERS[bits], (pointer, index, mask), type_, occupies=occupies)


UNPACKED = {"ls2": "UNPK_B{W}", "ls4": "UNPK4"}
PACKED = {"ls2": "PK_B{2W}", "ls4": "PK4_B32"}


def mode(text: str, bits: int) -> str:
    """A distribution mode for elements of so many bits.

    >>> mode("PK_B{2W}", 16)
    'PK_B32'
    """
    return text.replace("{2W}", str(2 * bits)).replace("{W}", str(bits))


def emit_load(site: Site) -> None:
    """A load: elements one by one, spread, or by turns into parts."""
    shape = data_shape(site.vector("result"), site.layout["result"])
    bits, type_ = shape.bits, site.type("result")
    source, offset = site.build.scalar(site.operand("source")), site.operand("offset")
    build, full = site.build, register_lanes(bits)
    count = -(-shape.lanes // full)
    if shape.parts == 1:
        if site.uses("vldus"):
            site.put("result", load_stream(build, source, build.plus(offset, 0), count, full, type_))
            return
        dist = mode(UNPACKED.get(shape.name, ""), bits)
        site.put("result", [
            load(build, source, build.plus(offset, number * shape.per_register), type_, dist)
            for number in range(shape.chunks[0])
        ])  # fmt: skip
        return
    _, deinterleave = data_pairs(build)
    if site.uses("vldus"):
        loaded = load_stream(build, source, build.plus(offset, 0), count, full, type_)
        site.put("result", flattened(split(deinterleave, loaded, shape.parts), shape.chunks))
        return
    if not site.uses("vldsx2"):
        loaded = [load(build, source, build.plus(offset, number * full), type_) for number in range(count)]
        site.put("result", flattened(split(deinterleave, loaded, shape.parts), shape.chunks))
        return
    halves: list[list[Ssa]] = [[], []]
    for number in range(sum(shape.chunks) // 2):
        pair = load_pair(build, source, build.plus(offset, 2 * number * full), type_, bits)
        halves[0].append(pair[0])
        halves[1].append(pair[1])
    if shape.parts == 4:
        evens, odds = split(deinterleave, halves[0], 2), split(deinterleave, halves[1], 2)
        halves = [evens[0], odds[0], evens[1], odds[1]]
    site.put("result", flattened(halves, shape.chunks))


def load(build: Builder, source: Ssa, offset: Ssa, type_: str, dist: str = "") -> Ssa:
    """One register from memory."""
    return build.one("vlds", (source, offset), type_, dist=dist)


def load_pair(build: Builder, source: Ssa, offset: Ssa, type_: str, bits: int) -> tuple[Ssa, Ssa]:
    """Two registers from memory by turns."""
    low, high = build.emit("vldsx2", (source, offset), (type_, type_), (f"DINTLV_B{bits}",))
    return low, high


def emit_deinterleave_load(site: Site) -> None:
    """A load of two vectors by turns."""
    value = site.vector("low")
    build, full = site.build, register_lanes(value.bits)
    source = build.scalar(site.operand("source"))
    if site.uses("vdintlv"):
        count, offset = -(-2 * value.lanes // full), site.operand("offset")
        if site.uses("vldus"):
            loaded = load_stream(build, source, build.plus(offset, 0), count, full, site.type("low"))
        else:
            loaded = [
                load(build, source, build.plus(offset, number * full), site.type("low")) for number in range(count)
            ]
        _, deinterleave = data_pairs(build)
        low, high = split(deinterleave, loaded, 2)
        site.put("low", low)
        site.put("high", high)
        return
    pairs = [
        load_pair(build, source, build.plus(site.operand("offset"), 2 * full * number), site.type("low"), value.bits)
        for number in range(-(-value.lanes // full))
    ]
    site.put("low", [low for low, _ in pairs])
    site.put("high", [high for _, high in pairs])


# -- stores -------------------------------------------------------------------------------------------------------


def store(build: Builder, value: Ssa, destination: Ssa, offset: Ssa, mask: Ssa, dist: str = "") -> None:
    """One register to memory."""
    build.emit("vsts", (value, destination, offset, mask), dist=dist)


def store_pair(build: Builder, pair: tuple[Ssa, Ssa], destination: Ssa, offset: Ssa, bits: int) -> None:
    """Two registers to memory by turns."""
    build.emit("vstsx2", (*pair, destination, offset, build.all_true(bits)), words=(f"INTLV_B{bits}",))


def stored_mask(build: Builder, shape: Shape, number: int) -> Ssa:
    """The predicate of what a register of a dense store holds, as fine as the store wants it."""
    live = len(shape.live(0, number))
    if shape.bits * shape.stride > 32:
        return build.prefix(32, 2 * live)
    return build.prefix(shape.bits * shape.stride, live)


def emit_store(site: Site) -> None:
    """A store of all elements."""
    shape = data_shape(site.vector("value"), site.layout["value"])
    values = site.registers("value")
    build, bits = site.build, shape.bits
    destination, offset = build.scalar(site.operand("destination")), site.operand("offset")
    full = register_lanes(bits)
    if shape.parts == 1:
        if site.uses("vstus"):
            store_stream(build, _counted(values, shape.lanes, full), destination, build.plus(offset, 0))
            return
        dist = mode(PACKED.get(shape.name, ""), bits)
        for number, value in enumerate(values):
            at = build.plus(offset, number * shape.per_register)
            store(build, value, destination, at, stored_mask(build, shape, number), dist)
        return
    parts = chunked(values, shape.chunks)
    interleave, _ = data_pairs(build)
    if site.uses("vstsx2"):
        if shape.parts == 4:
            count = 2 * len(parts[0])
            parts = [join(interleave, [parts[0], parts[2]], count), join(interleave, [parts[1], parts[3]], count)]
        for number, pair in enumerate(zip(*parts, strict=True)):
            low, high = pair
            store_pair(build, (low, high), destination, build.plus(offset, 2 * number * full), bits)
        return
    store_dense(site, join(interleave, parts, -(-shape.lanes // full)), None)


def store_dense(site: Site, values: list[Ssa], masks: list[Ssa] | None) -> None:
    """Contiguous registers to memory, those elements that a mask lets through."""
    _store_elements(site, values, masks, site.vector("value").lanes)


def _store_elements(site: Site, values: list[Ssa], masks: list[Ssa] | None, lanes: int) -> None:
    """So many elements of contiguous registers to memory."""
    value = next(one for one in site.op.vectors().values() if not one.is_mask)
    build, full = site.build, register_lanes(value.bits)
    destination, offset = build.scalar(site.operand("destination")), site.operand("offset")
    if site.uses("vstus"):
        store_stream(build, _counted(values, lanes, full), destination, build.plus(offset, 0))
        return
    for number, one in enumerate(values):
        live = min(full, lanes - number * full)
        at = build.plus(offset, number * full)
        mask = build.prefix(value.bits, live) if masks is None else within(build, masks[number], live)
        store(build, one, destination, at, mask)


def _counted(values: Sequence[Ssa], lanes: int, full: int) -> list[tuple[Ssa, int]]:
    """Registers with the number of elements that each holds."""
    return [(value, min(full, lanes - number * full)) for number, value in enumerate(values)]


def within(build: Builder, mask: Ssa, live: int) -> Ssa:
    """A mask that lets through nothing behind the last element of a register."""
    bits = mask_bits(mask.type)
    if live >= register_lanes(bits):
        return mask
    return build.one("pand", (mask, build.prefix(bits, live, counted=True), build.all_true(bits)), mask.type, hint="%m")


def emit_interleave_store(site: Site) -> None:
    """A store of two vectors by turns; where registers are not full, they are interleaved first."""
    if "mask" in site.layout:
        _masked_interleave_store(site)
        return
    low, high = site.registers("low"), site.registers("high")
    value = site.vector("low")
    build, full = site.build, register_lanes(value.bits)
    destination, offset = build.scalar(site.operand("destination")), site.operand("offset")
    if not site.uses("vintlv"):
        for number, pair in enumerate(zip(low, high, strict=True)):
            store_pair(build, pair, destination, build.plus(offset, 2 * number * full), value.bits)
        return
    if site.uses("vstus"):
        both = [half for pair in zip(low, high, strict=True) for half in build.pair("vintlv", *pair)]
        kept = both[: -(-2 * value.lanes // full)]
        store_stream(build, _counted(kept, 2 * value.lanes, full), destination, build.plus(offset, 0))
        return
    left = 2 * value.lanes
    for number, pair in enumerate(zip(low, high, strict=True)):
        for half, one in enumerate(build.pair("vintlv", *pair)):
            if left > 0:
                at = build.plus(offset, (2 * number + half) * full)
                store(build, one, destination, at, build.prefix(value.bits, min(full, left)))
            left -= full


def _masked_interleave_store(site: Site) -> None:
    """A store of two vectors by turns, of both where a bit of the mask is set."""
    build, value = site.build, site.vector("low")
    count = -(-2 * value.lanes // register_lanes(value.bits))
    masks = list(site.registers("mask"))
    interleave, _ = data_pairs(build)
    interleave_masks, _ = mask_pairs(build)
    parts = [list(site.registers("low")), list(site.registers("high"))]
    _store_elements(
        site, join(interleave, parts, count), join(interleave_masks, [masks, masks], count), 2 * value.lanes
    )


# -- addresses of each element, or of blocks -----------------------------------------------------------------------


def blocks(build: Builder, pointer: Ssa, stride: Ssa, mask: Ssa, type_: str, repeat: Ssa | None = None) -> Ssa:
    """A register of 32-byte blocks, `stride` blocks apart."""
    return build.one("vsldb", (pointer, stride, repeat or build.constant(0, "i16"), mask), type_)


def some_blocks(build: Builder, source: Ssa, offset: Ssa, count: int, type_: str, stride: int = 1) -> Ssa:
    """A register of which so many blocks are loaded from an address on, `stride` blocks apart, and nothing else.

    The predicate counts blocks, as it does for sure where elements have 32 bits.
    """
    apart, full = build.constant(stride, "i16"), register_lanes(32) // 8
    if count == full:
        return blocks(build, moved(build, source, offset), apart, build.all_true(element_bits(type_)), type_)
    pointer, wide = moved(build, source, offset), register_type("ui32", 32)
    if element_bits(type_) == 32:
        wide = type_
    else:
        pointer = build.one("castptr", (pointer,), f"!pto.ptr<{element_of(wide)}, ub>", hint="%p")
    found = blocks(build, pointer, apart, build.prefix(32, count), wide)
    return build.as_type(found, type_)


def emit_stride(site: Site) -> None:
    """A load or store of blocks with the strides of the program."""
    build = site.build
    if site.uses("vsts"):
        _store_blocks(site)
        return
    role = "source" if site.op.op == "stride_load" else "destination"
    pointer = moved(build, build.scalar(site.operand(role)), build.scalar(site.operand("offset")))
    strides = tuple(_as_i16(build, site.operand(name), "i16") for name in ("block_stride", "repeat_stride"))
    mask = site.registers("mask")[0]
    if role == "source":
        site.put("result", [build.one("vsldb", (pointer, *strides, mask), site.type("result"))])
    else:
        build.emit("vsstb", (site.registers("value")[0], pointer, *strides, mask))


def _store_blocks(site: Site) -> None:
    """Blocks stored one by one: each lies in its register as far from the beginning as its address is moved back."""
    build, value = site.build, site.vector("value")
    block, stride = register_lanes(value.bits) // 8, build.number(site.operand("block_stride"))
    destination, offset, repeat = build.scalar(site.operand("destination")), site.operand("offset"), 0
    at: Ssa | None = None
    known = build.number(site.operand("repeat_stride"))
    if known is None:
        rows = _as_index(build, site.operand("repeat_stride"))
        at = build.add(build.plus(offset, 0), build.arith("muli", rows, build.constant(block)))
    else:
        repeat = known * block
    if stride is None and at is None:
        at, repeat = build.plus(offset, repeat), 0
    apart = None if stride is not None else build.arith(
        "muli", _as_index(build, site.operand("block_stride")), build.constant(block))  # fmt: skip
    before: Ssa | None = None
    for number in range(-(-value.lanes // block)):
        more = repeat + number * ((stride or 0) - 1) * block
        place = build.plus(offset, more) if at is None else build.add(at, build.constant(more))
        if apart is not None and number:
            place = build.add(place, build.arith("muli", apart, build.constant(number)))
        mask = upto = build.prefix(value.bits, min(value.lanes, (number + 1) * block), counted=True)
        if before is not None:
            mask = build.mask_op("pxor", upto, before)
        before = upto
        store(build, site.registers("value")[0], destination, place,
              build.mask_op("pand", mask, site.registers("mask")[0]))  # fmt: skip


def _as_index(build: Builder, operand: Operand) -> Ssa:
    found = build.scalar(operand)
    return found if found.type == "index" else build.one("arith.index_cast", (found,), "index", counted=False)


def _as_i16(build: Builder, operand: Operand, type_: str) -> Ssa:
    """A stride as an integer of 16 bits."""
    found = build.scalar(operand, type_)
    if found.type == "index":
        return build.one("arith.index_cast", (found,), type_, counted=False)
    return found
