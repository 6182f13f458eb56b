"""Memory with one row or one scalar for each group."""

from __future__ import annotations

from layoutsolver.vmi.program import Operand
from layoutsolver_backends.vpto.build import Builder, UnsupportedError
from layoutsolver_backends.vpto.code import Ssa, element_of, register_type
from layoutsolver_backends.vpto.group_places import Index, indices, pieces
from layoutsolver_backends.vpto.indices import ramp
from layoutsolver_backends.vpto.memory import blocks, gather, load, mode, some_blocks, store, store_pair
from layoutsolver_backends.vpto.site import Shape, Site, data_shape
from layoutsolver_backends.vpto.streams import load_stream, moved, store_stream
from layoutsolver_models.rules.vmi.layouts import register_lanes
from layoutsolver_models.rules.vmi.row import OCCUPIED


def group_size(site: Site, role: str) -> int:
    """The elements of a group of a dense vector."""
    return site.vector(role).lanes // site.groups


# -- memory -------------------------------------------------------------------------------------------------------


def emit_group_load(site: Site) -> None:
    """Rows that are `row_stride` apart."""
    value, build = site.vector("result"), site.build
    shape, type_, size = data_shape(value, site.layout["result"]), site.type("result"), group_size(site, "result")
    source, offset = build.scalar(site.operand("source")), site.operand("offset")
    stride, full = site.op.operands.get("row_stride"), register_lanes(value.bits)
    if site.uses("vgather2") or site.uses("vgather2_bc"):
        _gather(site, _row_places(site, "result", "source"))
        return
    if site.uses("vsel"):
        _pieced_rows(site, shape)
        return
    if site.uses("vldus"):
        rows = [0] if size < full else range(0, value.lanes, size)
        per = len(shape.registers) // len(rows)
        starts = [row_address(build, offset, stride, first, size) for first in rows]
        site.put("result", [one for start in starts for one in load_stream(build, source, start, per, full, type_)])
        return
    if site.uses("vlds"):
        site.put("result", [
            load(build, source, row_address(build, offset, stride, number * full, size), type_)
            for number in range(len(shape.registers))
        ])  # fmt: skip
        return
    known = build.number(site.operand("row_stride"))
    if known is None:
        raise UnsupportedError("rows of blocks need a constant stride")
    block = full // 8
    made = []
    for part, chunk in shape.registers:
        at = build.plus(offset, 8 * chunk * known + part * block)
        there = min(8, site.groups - 8 * chunk)
        made.append(some_blocks(build, source, at, there, type_, known // block))
    site.put("result", made)


def _slot_places(site: Site, memory: str, stride: str) -> list[tuple[Ssa, Ssa, Ssa]]:
    """For every eight groups: the address of the first one, the places of all behind it, and which there are."""
    build, value = site.build, site.vector("result" if memory == "source" else "value")
    known, bits = build.number(site.operand(stride)), max(16, value.bits)
    if known is None:
        raise UnsupportedError("scalars that share registers need a constant stride")
    base, offset = build.scalar(site.operand(memory)), site.operand("offset")
    index = build.with_scalar("vmuls", ramp(build, 0, bits), known)
    return [
        (moved(build, base, build.plus(offset, first * known)), index,
         build.prefix(bits, min(8, site.groups - first)))
        for first in range(0, site.groups, 8)
    ]  # fmt: skip


def gathered_groups(site: Site) -> None:
    """One scalar for each group, for all of its elements, each from where it stands."""
    size = group_size(site, "result")

    def place(_: Ssa, group: Ssa) -> Ssa:
        return site.build.with_scalar("vmuls", group, _stride(site, "source_group_stride"))

    _gather(site, _places(site, "result", "source", "source_group_stride", size, place))


def _stride(site: Site, role: str) -> int:
    """The distance between rows."""
    known = site.build.number(site.operand(role))
    if known is None:
        raise UnsupportedError("rows or scalars that share registers need a constant stride")
    return known


def _places(
    site: Site, role: str, memory: str, stride_role: str, size: int, index: Index
) -> list[tuple[Ssa, Ssa, Ssa]]:  # fmt: skip
    """For each register: the address of the first row in it, the places of its elements from that on, and which of
    them there are.
    """
    build, value = site.build, site.vector(role)
    shape, base, offset = (
        data_shape(value, site.layout[role]),
        build.scalar(site.operand(memory)),
        site.operand("offset"),
    )
    bits, live, stride = max(16, shape.bits), _live(shape), _stride(site, stride_role)
    found = indices(build, len(live), size, shape.per_register, bits, index)
    return [
        (moved(build, base, build.plus(offset, group * stride)), one, build.prefix(bits, count))
        for (group, one), count in zip(found, live, strict=True)
    ]


def _gather(site: Site, places: list[tuple[Ssa, Ssa, Ssa]]) -> None:
    build, type_ = site.build, site.type("result")
    found = [gather(build, *place, type_, OCCUPIED) for place in places]
    site.put("result", [build.as_type(one, type_) for one in found])


def _row_places(site: Site, role: str, memory: str) -> list[tuple[Ssa, Ssa, Ssa]]:
    """The places of rows of which several share a register, element by element."""
    build, size = site.build, group_size(site, role)

    def place(lane: Ssa, group: Ssa) -> Ssa:
        return build.binary("vadd", lane, build.with_scalar("vmuls", group, _stride(site, "row_stride") - size))

    return _places(site, role, memory, "row_stride", size, place)


def _pieced_rows(site: Site, shape: Shape) -> None:
    """Rows that begin or end inside of registers: each piece is loaded and put beside the ones before.

    It is loaded from where its register would begin if it lay in memory as the piece does, or by itself, and is then
    turned round.
    """
    build, type_, size = site.build, site.type("result"), group_size(site, "result")
    source, offset, full = build.scalar(site.operand("source")), site.operand("offset"), shape.per_register
    stride = site.op.operands.get("row_stride")
    turns: dict[int, Ssa] = {}
    made: list[Ssa] = []
    for piece in pieces(shape.lanes, size, full):
        first = piece.register * full
        if site.uses("vselr"):
            at = row_address(build, offset, stride, first + piece.start, size)
        else:
            at = build.plus(offset, first + piece.group * (_stride(site, "row_stride") - size))
        row = load(build, source, at, type_) if site.uses("vlds") else load_stream(build, source, at, 1, 0, type_)[0]
        if not piece.start:
            made.append(row)
            continue
        if site.uses("vselr"):
            if piece.start not in turns:
                turns[piece.start] = ramp(build, -piece.start, shape.bits)
            row = build.one("vselr", (row, turns[piece.start]), type_)
        made[-1] = build.one("vsel", (made[-1], row, build.prefix(shape.bits, piece.start)), type_)
    site.put("result", made)


def _store_in_a_row(site: Site, shape: Shape) -> None:
    """Rows without gaps, which are one vector."""
    build, destination, offset = site.build, site.build.scalar(site.operand("destination")), site.operand("offset")
    counted = list(zip(site.registers("value"), _live(shape), strict=True))
    if site.uses("vstus"):
        store_stream(build, counted, destination, build.plus(offset, 0))
        return
    for number, (value, live) in enumerate(counted):
        at = build.plus(offset, number * shape.per_register)
        store(build, value, destination, at, build.prefix(shape.bits, live))


def _single_rows(site: Site, shape: Shape) -> None:
    """Rows that begin or end inside of registers, each brought to the first lanes and stored by itself."""
    build, size = site.build, group_size(site, "value")
    destination, offset, full = build.scalar(site.operand("destination")), site.operand("offset"), shape.per_register
    stride = site.op.operands.get("row_stride")
    turns: dict[int, Ssa] = {}
    rows: list[list[tuple[Ssa, int]]] = [[] for _ in range(site.groups)]
    for piece in pieces(shape.lanes, size, full):
        part = site.registers("value")[piece.register]
        if piece.start:
            if piece.start not in turns:
                turns[piece.start] = ramp(build, piece.start, shape.bits)
            part = build.one("vselr", (part, turns[piece.start]), part.type)
        rows[piece.group].append((part, piece.end - piece.start))
    for group, row in enumerate(rows):
        store_stream(build, row, destination, row_address(build, offset, stride, group * size, size))


def _stored_pieces(site: Site, shape: Shape) -> None:
    """Rows that begin or end inside of registers, stored where they lie in these from an address so far in front."""
    build, size, full = site.build, group_size(site, "value"), shape.per_register
    destination, offset = build.scalar(site.operand("destination")), site.operand("offset")
    masks: dict[tuple[int, int], Ssa] = {}
    for piece in pieces(shape.lanes, size, full):
        inside = piece.start, piece.end
        if inside not in masks:
            masks[inside] = mask = build.prefix(shape.bits, piece.end)
            if piece.start:
                masks[inside] = build.mask_op("pxor", mask, build.prefix(shape.bits, piece.start))
        at = build.plus(offset, piece.register * full + piece.group * (_stride(site, "row_stride") - size))
        store(build, site.registers("value")[piece.register], destination, at, masks[inside])


def _live(shape: Shape) -> list[int]:
    """How many elements each register holds."""
    return [len(shape.live(part, chunk)) for part, chunk in shape.registers]


def row_address(build: Builder, offset: Operand, stride: Operand | None, first: int, size: int) -> Ssa:
    """The address of an element of a row, by its number among all."""
    if stride is None:
        return build.plus(offset, first)
    group, inside = divmod(first, size)
    return build.strided(offset, stride, group, inside)


def slots_per_load(groups: int, bits: int) -> int:
    """How many scalars of groups one load brings: eight, or a block of narrow ones, whose eights are not aligned.

    >>> slots_per_load(16, 32), slots_per_load(8, 16), slots_per_load(16, 16)
    (8, 8, 16)
    """
    return 8 if groups <= 8 else register_lanes(bits) // 8


def load_slots(site: Site, type_: str, bits: int) -> list[Ssa]:
    """One scalar for each group, as many to a register as one load brings."""
    build, groups = site.build, site.groups
    source, offset = build.scalar(site.operand("source")), site.operand("offset")
    if site.uses("vldus"):
        return [
            load_stream(build, source, build.plus(offset, first), 1, 0, type_)[0] for first in range(0, groups, 8)
        ]  # fmt: skip
    still, per = build.constant(0, "i16"), slots_per_load(groups, bits)
    made = []
    for first in range(0, groups, per):
        mask = build.prefix(bits, min(per, groups - first))
        made.append(blocks(build, moved(build, source, build.plus(offset, first)), still, mask, type_))
    return made


def load_single_slots(site: Site, type_: str, bits: int) -> list[Ssa]:
    """One scalar for each group, each in a register of its own."""
    build = site.build
    source, offset = build.scalar(site.operand("source")), site.operand("offset")
    stride = site.op.operands.get("source_group_stride")
    if site.uses("vlds"):
        places = [build.strided(offset, stride, number) for number in range(site.groups)]
        return [load(build, source, at, type_, f"BRC_B{bits}") for at in places]
    still = build.constant(0, "i16")
    return [
        blocks(build, moved(build, source, build.strided(offset, stride, number)), still, build.prefix(bits, 1), type_)
        for number in range(site.groups)
    ]


def emit_group_slot_load(site: Site) -> None:
    """One scalar for each group."""
    layout, type_, bits = site.layout["result"], site.type("result"), site.vector("result").bits
    if site.uses("vgather2") or site.uses("vgather2_bc"):
        _gather(site, _slot_places(site, "source", "source_group_stride"))
        return
    if layout == "gs1":
        site.put("result", load_single_slots(site, type_, bits))
        return
    if layout != "gs8":
        raise UnsupportedError(f"slots are not loaded in the layout `{layout}`")
    build, made = site.build, []
    per = slots_per_load(site.groups, bits) if site.uses("vsldb") else 8
    loaded = load_slots(site, type_, bits)
    for first in range(0, site.groups, 8):
        one, inside = loaded[first // per], first % per
        made.append(build.one("vselr", (one, ramp(build, inside, bits)), type_) if inside else one)
    site.put("result", made)


def emit_group_store(site: Site) -> None:
    """Rows of a dense vector, or one scalar for each group."""
    build, value = site.build, site.vector("value")
    layout, values = site.layout["value"], site.registers("value")
    destination, offset = build.scalar(site.operand("destination")), site.operand("offset")
    stride, bits = site.op.operands.get("row_stride"), value.bits
    full = register_lanes(bits)
    if layout == "gs1":
        if site.uses("vdup"):
            _store_copied(site, values)
            return
        for number, one in enumerate(values):
            at = build.strided(offset, stride, number)
            store(build, one, destination, at, build.prefix(bits, 1), f"1PT_B{bits}")
        return
    if site.uses("vscatter") and layout[:2] == "gs":
        for one, (pointer, index, mask) in zip(values, _slot_places(site, "destination", "row_stride"), strict=True):
            build.emit("vscatter", (one, pointer, index, mask), occupies=OCCUPIED)
        return
    if layout[:2] == "gs":
        if site.uses("vstus"):
            counted = [(one, min(8, site.groups - 8 * number)) for number, one in enumerate(values)]
            store_stream(build, counted, destination, build.plus(offset, 0))
            return
        if site.uses("vselr"):
            together = any(step.instruction == "vsel" for step in site.way.steps)
            (_store_together if together else _store_words)(site, values)
            return
        if site.uses("vpack"):
            _store_packed(site, values[0], layout)
            return
        spread = {"gs8": 1, "gs8.2": 2, "gs8.4": 4}[layout]
        dist = {1: f"NORM_B{bits}", 2: mode("PK_B{2W}", bits), 4: "PK4_B32"}[spread]
        for number, one in enumerate(values):
            mask = build.prefix(min(32, bits * spread), min(8, site.groups - 8 * number))
            store(build, one, destination, build.plus(offset, 8 * number), mask, dist)
        return
    size = group_size(site, "value")
    if site.uses("vscatter"):
        for one, place in zip(values, _row_places(site, "value", "destination"), strict=True):
            build.emit("vscatter", (one, *place), occupies=OCCUPIED)
        return
    if size % full and build.number(site.operand("row_stride")) == size:
        _store_in_a_row(site, data_shape(value, layout))
        return
    if size % full:
        if site.uses("vstus"):
            _single_rows(site, data_shape(value, layout))
            return
        if site.uses("vsts"):
            _stored_pieces(site, data_shape(value, layout))
            return
    if site.uses("vstus"):
        per = size // full
        for first in range(0, len(values), per):
            row = [(one, full) for one in values[first : first + per]]
            store_stream(build, row, destination, row_address(build, offset, stride, first * full, size))
        return
    if site.uses("vsstb"):
        known = build.number(site.operand("row_stride"))
        if known is None:
            raise UnsupportedError("rows of blocks need a constant stride")
        apart, still = build.constant(known // (full // 8), "i16"), build.constant(0, "i16")
        for number, one in enumerate(values):
            pointer = moved(build, destination, build.plus(offset, 8 * number * known))
            rows = min(8, site.groups - 8 * number)
            mask = build.all_true(bits) if rows == 8 else build.prefix(32, rows)
            build.emit("vsstb", (one, pointer, apart, still, mask))
        return
    if site.uses("vstsx2"):
        half = len(values) // 2
        for number, pair in enumerate(zip(values[:half], values[half:], strict=True)):
            at = row_address(build, offset, stride, 2 * number * full, size)
            store_pair(build, pair, destination, at, bits)
        return
    for number, one in enumerate(values):
        store(build, one, destination, row_address(build, offset, stride, number * full, size), build.all_true(bits))


def _store_together(site: Site, values: tuple[Ssa, ...]) -> None:
    """Slots of several registers brought into one, so that stores are aligned."""
    build, bits = site.build, site.vector("value").bits
    destination, offset = build.scalar(site.operand("destination")), site.operand("offset")
    per = slots_per_load(site.groups, bits)
    turns = {inside: ramp(build, -inside, bits) for inside in range(8, min(per, 8 * len(values)), 8)}
    for first in range(0, site.groups, per):
        total = values[first // 8]
        for inside in range(8, min(per, site.groups - first), 8):
            one = values[(first + inside) // 8]
            shifted = build.one("vselr", (one, turns[inside]), one.type)
            total = build.one("vsel", (total, shifted, build.prefix(bits, inside)), one.type)
        mask = build.prefix(bits, min(per, site.groups - first))
        store(build, total, destination, build.plus(offset, first), mask, f"NORM_B{bits}")


def _store_copied(site: Site, values: tuple[Ssa, ...]) -> None:
    """Slots that lie in a register each: copied to all lanes, selected eight at a time, and stored as one."""
    build, bits = site.build, site.vector("value").bits
    destination, offset = build.scalar(site.operand("destination")), site.operand("offset")
    for first in range(0, site.groups, 8):
        slots = values[first : first + 8]
        copies = [build.one("vdup", (one, build.all_true(bits)), one.type, position="LOWEST") for one in slots]
        total = copies[0]
        for inside, copy in enumerate(copies[1:], start=1):
            total = build.one("vsel", (total, copy, build.prefix(bits, inside)), copy.type)
        store(build, total, destination, build.plus(offset, first), build.prefix(bits, len(slots)), f"NORM_B{bits}")


def _store_words(site: Site, values: tuple[Ssa, ...]) -> None:
    """A few narrow slots to an address that is no multiple of a block: word by word, the word in lane 0."""
    build, bits = site.build, site.vector("value").bits
    destination, offset = build.scalar(site.operand("destination")), site.operand("offset")
    words = build.as_lanes(values[0], 32)
    for number in range(site.groups * bits // 32):
        one = words
        if number:
            index = build.splat(build.constant(number, "i32"), register_type("ui32", 32), counted=False)
            one = build.one("vselr", (words, index), words.type)
        pointer = moved(build, destination, build.plus(offset, number * 32 // bits))
        pointer = build.one("castptr", (pointer,), f"!pto.ptr<{element_of(words.type)}, ub>", hint="%p")
        store(build, one, pointer, build.constant(0), build.prefix(32, 1), "1PT_B32")


def _store_packed(site: Site, value: Ssa, layout: str) -> None:
    """Slots that are apart, brought together and stored as one."""
    build, bits = site.build, site.vector("value").bits
    width = bits * {"gs8.2": 2, "gs8.4": 4}[layout]
    while width > bits:
        wide = build.as_type(value, register_type(f"ui{width}", width))
        width //= 2
        value = build.one("vpack", (wide,), register_type(f"ui{width}", width), ("LOWER",))
    value = build.as_type(value, site.type("value"))
    destination, offset = build.scalar(site.operand("destination")), site.operand("offset")
    mask = build.prefix(bits, site.groups)
    store(build, value, destination, build.plus(offset, 0), mask, f"NORM_B{bits}")
