"""Operations that move elements: selection by index, channels, registers in and out."""

from __future__ import annotations

from layoutsolver.vmi.permute import plan_of
from layoutsolver.vmi.program import Outside, VmiValue
from layoutsolver.vmi.shuffle import forwarded, indices_of
from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Ssa, element_bits, mask_type, register_type
from layoutsolver_backends.vpto.indices import selected, signed_number
from layoutsolver_backends.vpto.moves import moved
from layoutsolver_backends.vpto.site import Registers, Site, data_shape
from layoutsolver_backends.vpto.trees import data_pairs, flattened, join, split
from layoutsolver_models.rules.vmi.layouts import register_lanes


def emit_select(site: Site) -> None:
    """A selection by index, from one register or from each that an index can name."""
    build, sources, indices = site.build, site.registers("source"), site.registers("index")
    if site.uses("vand"):
        bits = element_bits(indices[0].type)
        type_ = register_type(f"ui{bits}", bits)
        last = build.splat(build.constant(register_lanes(bits) - 1, f"i{bits}"), type_)
        site.put("result", [_among(build, sources, build.as_type(one, type_), last) for one in indices])
    else:
        site.put("result", [selected(build, sources[0], one) for one in indices])


def _among(build: Builder, sources: Registers, index: Ssa, last: Ssa) -> Ssa:
    """The elements of several registers that indices name; `last` is the number of a register's last lane."""
    bits = element_bits(index.type)
    inside = build.binary("vand", index, last)
    total = selected(build, sources[0], inside)
    for number, source in enumerate(sources[1:], 1):
        first = build.constant(signed_number(number * register_lanes(bits), bits), f"i{bits}")
        behind = build.one("vcmps", (index, first, build.all_true(bits)), mask_type(bits), ("ge",), hint="%m")
        total = build.one("vsel", (selected(build, source, inside), total, behind), total.type)
    return total


def emit_channel_split(site: Site) -> None:
    """Channels that lie by turns, each by itself."""
    registers = site.registers("source")
    roles = list(site.op.results)
    per = len(registers) // len(roles)
    if site.way.steps:
        _, deinterleave = data_pairs(site.build)
        parts = split(deinterleave, registers, len(roles))
    else:
        chunks = data_shape(site.vector("source"), site.layout["source"]).chunks
        starts = [sum(chunks[:part]) for part in range(len(roles))]
        parts = [list(registers[start : start + chunks[part]]) for part, start in enumerate(starts)]
    for role, part in zip(roles, parts, strict=True):
        count = sum(data_shape(site.vector(role), "c").chunks)
        site.held.setdefault((site.vector(role).number, "c"), tuple(part[: max(per, count)]))


def emit_channel_merge(site: Site) -> None:
    """Channels put together by turns."""
    inputs: list[list[Ssa]] = []
    for value in site.op.operands.values():
        if isinstance(value, VmiValue):
            inputs.append(list(site.held[value.number, "c"]))
    value = site.vector("result")
    if not site.way.steps:
        site.put("result", flattened(inputs, data_shape(value, site.layout["result"]).chunks))
        return
    interleave, _ = data_pairs(site.build)
    count = sum(data_shape(value, "c").chunks)
    site.put("result", join(interleave, inputs, count))


def emit_shuffle(site: Site) -> None:
    """Registers of the source, its first element repeated, or its elements in order from one on."""
    held, build = site.registers("source"), site.build
    indices, bits = indices_of(site.op), site.vector("source").bits
    if site.uses("vselr"):
        site.put("result", moved(build, plan_of(indices, bits), held))
    elif site.uses("vdup"):
        shape = data_shape(site.vector("result"), site.layout["result"])
        operands = (held[0], build.all_true(shape.bits))
        spread = build.one("vdup", operands, site.type("result"), position="LOWEST")
        site.put("result", [spread] * sum(shape.chunks))
    else:
        passed = range(len(held)) if site.layout["source"] != "c" else forwarded(indices, register_lanes(bits))
        assert passed is not None
        site.put("result", [held[number] for number in passed])


def emit_identity(site: Site) -> None:
    """A vector as it is: what its type asks for is done by conversions."""
    site.put("result", site.registers("source"))


def emit_registers(site: Site) -> None:
    """Registers that the text names, as those of a vector, or the other way round."""
    build, op = site.build, site.op
    if op.op == "pack":
        made = [build.of_text(part.value) for part in op.operands.values() if isinstance(part, Outside)]
        wanted = site.type("result")
        site.put("result", [one if one.type.startswith("!pto.mask") else build.as_type(one, wanted) for one in made])
        return
    graph = build.program.graph
    for value, register in zip(graph.ops[op.origin].results, site.registers("source"), strict=True):
        type_ = graph.values[value].type.text
        build.outside[value] = register if type_.startswith("!pto.mask") else build.as_type(register, type_)
