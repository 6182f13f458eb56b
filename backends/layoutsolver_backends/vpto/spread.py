"""Values that are the same in many lanes, and ramps: splats, broadcasts of groups, loads that repeat, `iota`."""

from __future__ import annotations

from itertools import pairwise

from layoutsolver.vmi.group_plans import broadcast_plan
from layoutsolver.vmi.program import Constant, Operand, VmiValue
from layoutsolver_backends.vpto.build import Builder, UnsupportedError
from layoutsolver_backends.vpto.code import Ssa, element_bits, element_of, register_type
from layoutsolver_backends.vpto.group_memory import (
    gathered_groups,
    group_size,
    load_single_slots,
    load_slots,
    row_address,
    slots_per_load,
)
from layoutsolver_backends.vpto.group_places import indices
from layoutsolver_backends.vpto.memory import load
from layoutsolver_backends.vpto.moves import moved
from layoutsolver_backends.vpto.site import Shape, Site, data_shape
from layoutsolver_backends.vpto.streams import load_stream

SLOT_STRIDES = {"gs8": 1, "gs8.2": 2, "gs8.4": 4}


def emit_free(site: Site) -> None:
    """A splat: one register, which all parts share."""
    type_ = site.type("result")
    count = sum(data_shape(site.vector("result"), site.layout["result"]).chunks)
    if site.op.op == "constant":
        scalar = _dense_scalar(site.build, str(site.op.attrs.get("value", "")), element_of(type_), element_bits(type_))
    else:
        value = site.operand("value")
        if isinstance(value, VmiValue):
            raise UnsupportedError("a vector is spread by a broadcast of groups")
        scalar = site.build.scalar(value, _scalar_type(element_of(type_), element_bits(type_)))
    site.put("result", [site.build.splat(scalar, type_)] * count)


def emit_free_lane(site: Site) -> None:
    """The element of a vector that has only one, repeated."""
    type_ = site.type("result")
    count = sum(data_shape(site.vector("result"), site.layout["result"]).chunks)
    operands = (site.registers("value")[0], site.build.all_true(element_bits(type_)))
    site.put("result", [site.build.one("vdup", operands, type_, position="LOWEST")] * count)


def _scalar_type(element: str, bits: int) -> str:
    """The type of a scalar that fills elements: integers are signless."""
    return f"i{bits}" if element.lstrip("su")[:1] == "i" else element


def _dense_scalar(build: Builder, text: str, element: str, bits: int) -> Ssa:
    """The scalar that a dense attribute, or a number, repeats."""
    body = text.strip()
    if body.startswith("dense<"):
        body = body.removeprefix("dense<").partition(">")[0].strip()
    if "," in body or body.startswith("["):
        raise UnsupportedError("a constant vector whose elements are not all the same")
    type_ = _scalar_type(element, bits)
    if type_ == element and "." not in body and not body.startswith("0x") and body.lstrip("-").isdigit():
        body = f"{body}.0"
    return build.constant(body, type_)


# -- ramps --------------------------------------------------------------------------------------------------------


def emit_iota(site: Site) -> None:
    """The base and on, up or down, one for each element."""
    build, type_ = site.build, site.type("result")
    value = site.vector("result")
    shape = data_shape(value, site.layout["result"])
    down = str(site.op.attrs.get("order", "ASC")) == "DESC"
    base = site.operand("base")
    if shape.parts == 1:
        made = []
        for _, chunk in shape.registers:
            start = _moved_base(build, base, (-1 if down else 1) * chunk * shape.per_register, type_)
            made.append(build.one("vci", (start,), type_, order="DESC" if down else ""))
        site.put("result", made)
        return
    scale = -shape.parts if down else shape.parts
    zero = _number(build, 0, type_)
    lane = build.one("vci", (zero,), type_)
    governed = build.all_true(element_bits(type_))
    lane = build.one("vmuls", (lane, _number(build, scale, type_), governed), type_)
    made = []
    for part, chunk in shape.registers:
        first = shape.element(part, chunk, 0)
        start = _moved_base(build, base, -first if down else first, type_)
        made.append(build.one("vadds", (lane, start, governed), type_))
    site.put("result", made)


def _number(build: Builder, number: int, type_: str) -> Ssa:
    """A number as a scalar for elements of a register."""
    scalar = _scalar_type(element_of(type_), element_bits(type_))
    return build.constant(f"{number}.0" if scalar == element_of(type_) and scalar[0] != "i" else number, scalar)


def _moved_base(build: Builder, base: Operand, more: int, type_: str) -> Ssa:
    """A base with a number added."""
    scalar = build.scalar(base, _scalar_type(element_of(type_), element_bits(type_)))
    if more == 0:
        return scalar
    integral = scalar.type.lstrip("su")[:1] == "i"
    if isinstance(base, Constant):
        return build.constant(base.value + more, scalar.type)
    added = build.constant(more if integral else f"{more}.0", scalar.type)
    return build.arith("addi" if integral else "addf", scalar, added)


def emit_group_iota(site: Site) -> None:
    """A ramp that starts anew in every group."""
    build, type_ = site.build, site.type("result")
    shape, size = data_shape(site.vector("result"), site.layout["result"]), group_size(site, "result")
    down = str(site.op.attrs.get("order", "ASC")) == "DESC"
    base = build.scalar(site.operand("base"), _scalar_type(element_of(type_), element_bits(type_)))
    if size < shape.per_register:
        one = _ramp_in_groups(build, base, size, type_, down) if size > 1 else build.splat(base, type_)
        site.put("result", [one] * len(shape.registers))
        return
    ramps = []
    for chunk in range(len(shape.registers) if site.way.by == "upstream" else size // shape.per_register):
        more = chunk * shape.per_register % size
        start = _moved_base(build, site.operand("base"), -more if down else more, type_) if more else base
        ramps.append(build.one("vci", (start,), type_, order="DESC" if down else ""))
    site.put("result", [ramps[chunk % len(ramps)] for _, chunk in shape.registers])


def _ramp_in_groups(build: Builder, base: Ssa, size: int, type_: str, down: bool) -> Ssa:
    """The base, and for each lane its number inside of its group added or taken off."""
    bits, element = element_bits(type_), element_of(type_)
    whole = register_type(f"si{bits}", bits) if element in ("f16", "f32") else type_
    lane = build.one("vci", (build.constant(0, f"i{bits}"),), whole)
    lane = build.binary("vand", lane, build.splat(build.constant(size - 1, f"i{bits}"), whole))
    governed = build.all_true(bits)
    if down:
        first = base if whole == type_ else build.constant(0, f"i{bits}")
        lane = build.binary("vsub", build.splat(first, whole), lane)
    if whole != type_:
        lane = build.one("vcvt", (lane, governed), type_, rnd="R")
    elif down:
        return lane
    return build.one("vadds", (lane, base, governed), type_)


# -- broadcasts of groups -----------------------------------------------------------------------------------------


def emit_group_broadcast(site: Site) -> None:
    """The element of each group for all of its elements."""
    value = site.vector("result")
    shape = data_shape(value, site.layout["result"])
    registers = site.registers("source")
    layout, size = site.layout["source"], group_size(site, "result")
    if site.uses("vselr") and ".ANY." in site.rule.id:
        plan = broadcast_plan(value.bits, value.lanes, site.groups)
        site.put("result", moved(site.build, plan, registers))
    elif layout == "gs1":
        site.put("result", _copies(site.build, list(registers), shape, size))
    elif layout in SLOT_STRIDES:
        site.put("result", _selected(site.build, list(registers), SLOT_STRIDES[layout], shape, size))
    else:
        raise UnsupportedError(f"slots are not spread from the layout `{layout}`")


def _selected(
    build: Builder, source: list[Ssa], stride: int, shape: Shape, size: int, per: int = 8
) -> list[Ssa]:  # fmt: skip
    """By a selection for each register; the same selection is made once. `per` slots are in a source register."""
    known: dict[tuple[int, tuple[int, ...]], Ssa] = {}
    ramps: dict[int, Ssa] = {}
    made: list[Ssa] = []
    for part, chunk in shape.registers:
        live = shape.live(part, chunk)
        groups = [shape.element(part, chunk, at) // size for at in live]
        register = groups[0] // per
        lanes = tuple(group % per * stride for group in groups)
        if any(group // per != register for group in groups):
            raise UnsupportedError("the groups of a register lie in several registers")
        if (register, lanes) not in known:
            run = size // shape.parts if size // shape.parts < shape.per_register else 0
            index = _index(build, lanes, stride, run, shape.stride, element_bits(source[0].type), ramps)
            known[register, lanes] = build.one("vselr", (source[register], index), source[register].type)
        made.append(known[register, lanes])
    return made


def _index(
    build: Builder, lanes: tuple[int, ...], stride: int, run: int, apart: int, bits: int, ramps: dict[int, Ssa]
) -> Ssa:  # fmt: skip
    """The vector of indices base + (lane >> period) << stride, for positions that are `apart` lanes from each other.

    `run` positions have the same index, all of them if that is 0.
    """
    type_, period = register_type(f"ui{bits}", bits), run * apart
    if not period:
        if -1 - lanes[0] not in ramps:
            ramps[-1 - lanes[0]] = build.splat(build.constant(lanes[0], f"i{bits}"), type_)
        return ramps[-1 - lanes[0]]
    if any(lane != lanes[0] + at * apart // period * stride for at, lane in enumerate(lanes)) or period & (period - 1):
        raise UnsupportedError("the elements of groups do not lie in equal runs")
    if period not in ramps:
        index = build.one("vci", (build.constant(0, f"i{bits}"),), type_)
        index = build.with_scalar("vshrs", index, period.bit_length() - 1)
        if stride > 1:
            index = build.with_scalar("vshls", index, stride.bit_length() - 1)
        ramps[period] = index
    if not lanes[0]:
        return ramps[period]
    key = period + 4096 * lanes[0]
    if key not in ramps:
        ramps[key] = build.with_scalar("vadds", ramps[period], lanes[0])
    return ramps[key]


def _copies(build: Builder, source: list[Ssa], shape: Shape, size: int) -> list[Ssa]:
    """By copies of the lowest lane, and selections between them where groups share a register."""
    copies = {
        group: build.one("vdup", (one, build.all_true(element_bits(one.type))), one.type, position="LOWEST")
        for group, one in enumerate(source)
    }
    return _merged(build, copies, shape, size)


def _merged(build: Builder, copies: dict[int, Ssa], shape: Shape, size: int) -> list[Ssa]:
    """Registers of what each group has everywhere, selected between where groups share a register."""
    made: list[Ssa] = []
    for part, chunk in shape.registers:
        groups = [shape.element(part, chunk, at) // size for at in shape.live(part, chunk)]
        starts = [at for at, group in enumerate(groups) if at == 0 or group != groups[at - 1]]
        total = copies[groups[starts[-1]]]
        for start, end in reversed(list(pairwise(starts))):
            mask = build.prefix(shape.bits, end)
            total = build.one("vsel", (copies[groups[start]], total, mask), total.type)
        made.append(total)
    return made


def _numbered(site: Site, shape: Shape) -> None:
    """Scalars that stand one behind the other, selected by the numbers of groups: of all, or of those of a register."""
    build, type_, size = site.build, site.type("result"), group_size(site, "result")
    source, offset, full = build.scalar(site.operand("source")), site.operand("offset"), shape.per_register
    groups = indices(build, len(shape.registers), size, full, shape.bits, lambda _, group: group)
    together = site.groups <= full
    if not together:
        made = [load_stream(build, source, build.plus(offset, first), 1, 0, type_)[0] for first, _ in groups]
    elif site.uses("vlds"):
        made = [load(build, source, build.plus(offset, 0), type_)] * len(groups)
    else:
        made = load_stream(build, source, build.plus(offset, 0), 1, 0, type_) * len(groups)
    for number, (first, index) in enumerate(groups):
        if together and first:
            index = build.with_scalar("vadds", index, first)
        made[number] = build.one("vselr", (made[number], index), type_)
    site.put("result", made)


# -- loads that repeat --------------------------------------------------------------------------------------------


def emit_group_broadcast_load(site: Site) -> None:
    """One scalar of memory for each group, for all of its elements."""
    build, value = site.build, site.vector("result")
    shape, type_ = data_shape(value, site.layout["result"]), site.type("result")
    source, offset = build.scalar(site.operand("source")), site.operand("offset")
    if site.uses("vgather2") or site.uses("vgather2_bc"):
        gathered_groups(site)
        return
    first = next(step.instruction for step in site.way.steps if not step.instruction.startswith("addptr"))
    count = len(shape.registers)
    if first.startswith("vlds E2B"):
        site.put("result", [load(build, source, build.plus(offset, 0), type_, f"E2B_B{value.bits}")] * count)
        return
    if site.rule.id == "VMI.GBLOAD.ANY.C" and site.uses("vselr"):
        _numbered(site, shape)
        return
    if site.uses("vsel"):
        found = load_single_slots(site, type_, value.bits)
        site.put("result", _merged(build, dict(enumerate(found)), shape, group_size(site, "result")))
        return
    if first.startswith("vlds BRC"):
        stride, size = site.op.operands.get("source_group_stride"), group_size(site, "result")
        known: dict[int, Ssa] = {}
        for part, chunk in shape.registers:
            group = shape.element(part, chunk, 0) // size
            if group not in known:
                at = row_address(build, offset, stride, group, 1) if stride is not None else build.plus(offset, group)
                known[group] = load(build, source, at, type_, f"BRC_B{value.bits}")
        groups = [shape.element(part, chunk, 0) // size for part, chunk in shape.registers]
        site.put("result", [known[group] for group in groups])
        return
    size = group_size(site, "result")
    if site.uses("vdup") and not site.uses("vselr"):
        site.put("result", _copies(build, load_single_slots(site, type_, value.bits), shape, size))
        return
    loaded = load_slots(site, type_, value.bits)
    per = slots_per_load(site.groups, value.bits) if site.uses("vsldb") else 8
    site.put("result", _selected(build, loaded, 1, shape, size, per))
