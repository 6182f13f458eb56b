"""Operations on groups: memory with one row or one scalar for each group, and reductions."""

from __future__ import annotations

from layoutsolver.vmi.program import Operand
from layoutsolver_backends.vpto.build import Builder, UnsupportedError
from layoutsolver_backends.vpto.code import Ssa, element_bits, element_of, register_type
from layoutsolver_backends.vpto.memory import blocks, load, mode, moved, store, store_pair
from layoutsolver_backends.vpto.site import Shape, Site, data_shape
from layoutsolver_models.rules.vmi.layouts import register_lanes

COMBINE = {"add": "vadd", "max": "vmax", "min": "vmin"}
REDUCE = {"add": "vcadd", "max": "vcmax", "min": "vcmin"}
REDUCE_GROUP = {"add": "vcgadd", "max": "vcgmax", "min": "vcgmin"}


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
    if not shape.blocks:
        site.put("result", [
            load(build, source, row_address(build, offset, stride, number * full, size), type_)
            for number in range(len(shape.registers))
        ])  # fmt: skip
        return
    known = build.number(site.operand("row_stride"))
    if known is None:
        raise UnsupportedError("rows of blocks need a constant stride")
    block = full // 8
    apart = build.constant(known // block, "i16")
    made = []
    for part, chunk in shape.registers:
        at = build.plus(offset, 8 * chunk * known + part * block)
        made.append(blocks(build, moved(build, source, at), apart, build.all_true(value.bits), type_))
    site.put("result", made)


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
    still, stride = build.constant(0, "i16"), site.op.operands.get("source_group_stride")
    return [
        blocks(build, moved(build, source, build.strided(offset, stride, number)), still, build.prefix(bits, 1), type_)
        for number in range(site.groups)
    ]


def emit_group_slot_load(site: Site) -> None:
    """One scalar for each group."""
    layout, type_, bits = site.layout["result"], site.type("result"), site.vector("result").bits
    if layout == "gs1":
        site.put("result", load_single_slots(site, type_, bits))
        return
    if layout != "gs8":
        raise UnsupportedError(f"slots are not loaded in the layout `{layout}`")
    build, made = site.build, []
    per = slots_per_load(site.groups, bits)
    loaded = load_slots(site, type_, bits)
    for first in range(0, site.groups, 8):
        one, inside = loaded[first // per], first % per
        made.append(build.one("vselr", (one, ramp(build, inside, bits)), type_) if inside else one)
    site.put("result", made)


def ramp(build: Builder, first: int, bits: int) -> Ssa:
    """The indices of lanes from a number on."""
    return build.one("vci", (build.constant(first, f"i{bits}"),), register_type(f"ui{bits}", bits))


def emit_group_store(site: Site) -> None:
    """Rows of a dense vector, or one scalar for each group."""
    build, value = site.build, site.vector("value")
    layout, values = site.layout["value"], site.registers("value")
    destination, offset = build.scalar(site.operand("destination")), site.operand("offset")
    stride, bits = site.op.operands.get("row_stride"), value.bits
    full = register_lanes(bits)
    if layout == "gs1":
        if site.uses("vdup"):
            raise UnsupportedError("slots are stored one by one")
        for number, one in enumerate(values):
            at = build.strided(offset, stride, number)
            store(build, one, destination, at, build.prefix(bits, 1), f"1PT_B{bits}")
        return
    if layout[:2] == "gs":
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
    if site.uses("vsstb"):
        known = build.number(site.operand("row_stride"))
        if known is None:
            raise UnsupportedError("rows of blocks need a constant stride")
        apart, still = build.constant(known // (full // 8), "i16"), build.constant(0, "i16")
        for number, one in enumerate(values):
            pointer = moved(build, destination, build.plus(offset, 8 * number * known))
            rows = min(8, site.groups - 8 * number)
            mask = build.prefix(32, rows) if bits == 32 else build.all_true(bits)
            build.emit("vsstb", (one, pointer, apart, still, build.all_true(bits) if rows == 8 else mask))
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
    for first in range(0, site.groups, per):
        total = values[first // 8]
        for inside in range(8, min(per, site.groups - first), 8):
            one = values[(first + inside) // 8]
            shifted = build.one("vselr", (one, ramp(build, -inside, bits)), one.type)
            total = build.one("vsel", (total, shifted, build.prefix(bits, inside)), one.type)
        mask = build.prefix(bits, min(per, site.groups - first))
        store(build, total, destination, build.plus(offset, first), mask, f"NORM_B{bits}")


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


# -- reductions ---------------------------------------------------------------------------------------------------


def _what(op: str) -> str:
    return op.rpartition("_")[2][:3]


def emit_group_reduce(site: Site) -> None:
    """One element for each group: parts are brought together first where all masks are the same."""
    what, build = _what(site.op.op), site.build
    shape = data_shape(site.vector("source"), site.layout["source"])
    values = [build.as_element(one, _summed(site)) for one in site.registers("source")]
    masks = site.registers("mask")
    together = site.way.steps[0].instruction == "combine"
    if site.layout["result"] == "gs1":
        sets = _by_group(shape, group_size(site, "source"))
        made = [_reduced(build, REDUCE[what], what, [values[k] for k in one], [masks[k] for k in one], together, 1)
                for one in sets]  # fmt: skip
    else:
        made = []
        for chunk in range(shape.chunks[0]):
            one = [shape.index(part, chunk) for part in range(len(shape.chunks))]
            known = [number for number in one if number is not None]
            slots = min(8, site.groups - 8 * chunk)
            made.append(
                _reduced(build, REDUCE_GROUP[what], what, [values[k] for k in known], [masks[k] for k in known],
                         together, slots)
            )  # fmt: skip
    type_ = site.type("result")
    site.put("result", [build.as_type(one, type_) for one in made])


def _summed(site: Site) -> str:
    """The element type in which a reduction is made: signless integers are unsigned where it matters."""
    element = site.vector("source").element
    extreme = _what(site.op.op) in ("max", "min")
    return f"u{element}" if extreme and element[:1] == "i" and element[1:].isdigit() else element


def _by_group(shape: Shape, size: int) -> list[list[int]]:
    """The registers of each group, where every register is of one."""
    out: dict[int, list[int]] = {}
    for number, (part, chunk) in enumerate(shape.registers):
        out.setdefault(shape.element(part, chunk, 0) // size, []).append(number)
    return [out[group] for group in sorted(out)]


def _reduced(
    build: Builder, reduce: str, what: str, values: list[Ssa], masks: list[Ssa], together: bool, slots: int
) -> Ssa:
    """The reduction of some registers to one."""
    combine = COMBINE[what]
    if together:
        total = values[0]
        for other in values[1:]:
            total = build.binary(combine, total, other)
        return _reduction(build, reduce, total, masks[0])
    parts = [_reduction(build, reduce, value, mask) for value, mask in zip(values, masks, strict=True)]
    total = parts[0]
    for other in parts[1:]:
        total = build.binary(combine, total, other, build.prefix(element_bits(total.type), slots))
    return total


def _reduction(build: Builder, reduce: str, value: Ssa, mask: Ssa) -> Ssa:
    """A reduction of one register; a sum of narrow integers comes out twice as wide."""
    bits, element = element_bits(value.type), value.type.partition("x")[2].removesuffix(">")
    if reduce == "vcadd" and bits < 32 and element.lstrip("su")[:1] == "i":
        wide = f"{element.rstrip('0123456789')}{2 * bits}"
        return build.as_type(build.one(reduce, (value, mask), register_type(wide, 2 * bits)), value.type)
    return build.one(reduce, (value, mask), value.type)


def emit_reduce(site: Site) -> None:
    """All elements to one."""
    build, what = site.build, _what(site.op.op)
    values = [build.as_element(one, _summed(site)) for one in site.registers("source")]
    together = site.way.steps[0].instruction == "combine"
    total = _reduced(build, REDUCE[what], what, values, list(site.registers("mask")), together, 1)
    site.put("result", [build.as_type(total, site.type("result"))])


def emit_histogram(site: Site) -> None:
    """Samples counted into one or two registers of bins."""
    build = site.build
    name = "dhistv2" if site.op.op == "vdhist" else "chistv2"
    bins = list(site.registers("acc"))
    masks = site.registers("mask")
    for source, mask in zip(site.registers("source"), masks, strict=True):
        for half in range(len(bins)):
            number = build.constant(half, "i32")
            bins[half] = build.one(name, (bins[half], source, mask, number), bins[half].type)
    site.put("result", bins)
