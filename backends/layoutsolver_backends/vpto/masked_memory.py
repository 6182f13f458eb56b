"""Loads and stores of the elements that a mask names."""

from __future__ import annotations

from layoutsolver.vmi.program import Operand
from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Ssa, element_bits, register_type
from layoutsolver_backends.vpto.indices import ramp
from layoutsolver_backends.vpto.memory import (
    PACKED,
    gather,
    load,
    mode,
    some_blocks,
    store,
    store_dense,
    within,
)
from layoutsolver_backends.vpto.site import Site, data_shape, mask_shape
from layoutsolver_backends.vpto.streams import load_stream, moved
from layoutsolver_backends.vpto.trees import chunked, data_pairs, join, mask_pairs
from layoutsolver_models.rules.vmi.layouts import register_lanes
from layoutsolver_models.rules.vmi.row import OCCUPIED


def emit_masked_store(site: Site) -> None:
    """A store of the elements that a mask names."""
    value, mask = site.vector("value"), site.vector("mask")
    shape, masks = data_shape(value, site.layout["value"]), list(site.registers("mask"))
    values, build = site.registers("value"), site.build
    if shape.parts == 1:
        dist = mode(PACKED.get(shape.name, ""), shape.bits)
        destination, offset = build.scalar(site.operand("destination")), site.operand("offset")
        lane = ramp(build, 0, max(16, shape.bits)) if site.uses("vscatter") else None
        for number, one in enumerate(values):
            at = build.plus(offset, number * shape.per_register)
            let = within(build, masks[number], len(shape.live(0, number)))
            if lane is None:
                store(build, one, destination, at, let, dist)
            else:
                build.emit("vscatter", (one, moved(build, destination, at), lane, let), occupies=OCCUPIED)
        return
    count = -(-value.lanes // register_lanes(value.bits))
    interleave, _ = data_pairs(build)
    interleave_masks, _ = mask_pairs(build)
    mask_parts = chunked(masks, mask_shape(mask, site.layout["mask"]).chunks)
    dense = join(interleave, chunked(values, shape.chunks), count)
    store_dense(site, dense, join(interleave_masks, mask_parts, count))


def emit_masked_load(site: Site) -> None:
    """A load of the elements that a mask names, the others from another vector."""
    build, type_ = site.build, site.type("result")
    registers = zip(_elements(site), site.registers("passthru"), site.registers("mask"), strict=True)
    site.put("result", [build.one("vsel", operands, type_) for operands in registers])


def _elements(site: Site) -> list[Ssa]:
    """All elements of a vector, one register behind the other, of which only the last may not be full."""
    value, type_, build = site.vector("result"), site.type("result"), site.build
    source, offset, full = build.scalar(site.operand("source")), site.operand("offset"), register_lanes(value.bits)
    count, rest = divmod(value.lanes, full)
    if site.uses("vgather2") or site.uses("vgather2_bc"):
        return [_gathered(build, source, offset, value.lanes, type_)]
    if not (site.uses("vselr") or site.uses("vsldb")):
        count += rest > 0
    if site.uses("vlds"):
        found = [load(build, source, build.plus(offset, number * full), type_) for number in range(count)]
    else:
        found = load_stream(build, source, build.plus(offset, 0), count, full, type_)
    if site.uses("vsldb"):
        found.append(some_blocks(build, source, build.plus(offset, count * full), rest * value.bits // 256, type_))
    if site.uses("vselr"):
        (last,) = load_stream(build, source, build.plus(offset, value.lanes - full), 1, 0, type_)
        found.append(build.one("vselr", (last, ramp(build, full - rest, value.bits)), type_))
    return found


def _gathered(build: Builder, source: Ssa, offset: Operand, lanes: int, type_: str) -> Ssa:
    """The elements of one register, each by itself; bytes go to every other one, and are brought together."""
    bits = element_bits(type_)
    index, per = ramp(build, 0, max(16, bits)), min(register_lanes(bits), 128)
    parts = [
        gather(build, moved(build, source, build.plus(offset, first)), index,
               build.prefix(max(16, bits), min(per, lanes - first)), type_, OCCUPIED)
        for first in range(0, lanes, per)
    ]  # fmt: skip
    if len(parts) == 2:
        return build.pair("vdintlv", build.as_type(parts[0], type_), build.as_type(parts[1], type_))[0]
    if bits > 8:
        return parts[0]
    narrow = build.one("vpack", (build.as_lanes(parts[0], 16),), register_type("ui8", 8), ("LOWER",))
    return build.as_type(narrow, type_)
