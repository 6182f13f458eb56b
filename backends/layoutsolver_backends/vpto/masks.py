"""Masks that are made of numbers, in every layout: patterns and prefixes, and bits that repeat with the groups."""

from __future__ import annotations

from layoutsolver.vmi.masks import known_bits
from layoutsolver.vmi.program import Operand
from layoutsolver_backends.vpto.build import Builder, UnsupportedError
from layoutsolver_backends.vpto.code import Ssa, element_bits, mask_type
from layoutsolver_backends.vpto.indices import ramp
from layoutsolver_backends.vpto.site import Shape, Site, carrier_bits, mask_shape, split_mask
from layoutsolver_models.rules.vmi.layouts import register_lanes
from layoutsolver_models.rules.vmi.patterns import Pattern, register_patterns


def emit_free_mask(site: Site) -> None:
    """A mask of a number or of a constant."""
    value, layout = site.vector("result"), site.layout["result"]
    shape, bits = mask_shape(value, layout), carrier_bits(layout)
    build, op = site.build, site.op.op
    known = known_bits(build.program, site.op)
    if known is not None:
        site.put("result", _known(build, layout, bits, known))
        return
    if op == "constant_mask":
        raise UnsupportedError("a constant mask has another number of bits than its type")
    active = site.operand("active_lanes" if op == "create_mask" else "active_elems_per_group")
    if op == "create_mask":
        site.put("result", _prefixes(build, shape, bits, active))
    else:
        size = int(site.op.attrs["group_size"])
        limit = _count(build, active, size)
        if site.uses("pxor"):
            site.put("result", _uneven(build, shape, bits, size, limit))
            return
        ramps: dict[int, Ssa] = {}
        site.put("result", [
            _periodic(build, shape, bits, register, size, limit, ramps) for register in shape.registers
        ])  # fmt: skip


# -- numbers that are known ---------------------------------------------------------------------------------------


def _known(build: Builder, layout: str, carried: int, on: tuple[bool, ...]) -> list[Ssa]:
    """The registers of a mask that is known; equal ones are one."""
    known: dict[Pattern, Ssa] = {}
    lane: Ssa | None = None
    governed, name = split_mask(layout)
    listed = register_patterns(name, governed, on)
    for pattern in listed:
        if pattern not in known:
            inside = None
            if pattern.period:
                lane = lane or ramp(build, 0, carried)
                inside = number_inside(build, lane, pattern.period)
            known[pattern] = of_pattern(build, carried, pattern, inside)
    return [known[pattern] for pattern in listed]


def of_pattern(build: Builder, bits: int, pattern: Pattern, inside: Ssa | None) -> Ssa:
    """A predicate of known bits; if they repeat, `inside` has the number of each lane in its run."""
    if inside is not None:
        return below(build, bits, inside, build.constant(pattern.turns[0], f"i{bits}"), pattern.lanes)
    mask = build.prefix(bits, pattern.turns[0] if pattern.turns else 0, counted=True)
    for turn in pattern.turns[1:]:
        mask = build.mask_op("pxor", mask, build.prefix(bits, turn, counted=True))
    return mask


def number_inside(build: Builder, lane: Ssa, period: int) -> Ssa:
    """The number of every lane inside of its run."""
    bits = element_bits(lane.type)
    return build.binary("vand", lane, build.splat(build.constant(period - 1, f"i{bits}"), lane.type))


def below(build: Builder, bits: int, inside: Ssa, limit: Ssa, live: int) -> Ssa:
    """The lanes whose number is below a limit."""
    return build.one("vcmps", (inside, limit, build.prefix(bits, live)), mask_type(bits), ("lt",), hint="%m")


# -- numbers ------------------------------------------------------------------------------------------------------


def _count(build: Builder, operand: Operand, most: int) -> Ssa:
    """A number of lanes as an `i32`, at most so many."""
    number = build.as_i32(build.scalar(operand))
    return build.arith("minsi", number, build.constant(most, "i32"))


def _prefixes(build: Builder, shape: Shape, bits: int, operand: Operand) -> list[Ssa]:
    """The first lanes of a vector, in the registers of each part one after the other."""
    number = _count(build, operand, shape.lanes)
    made: list[Ssa] = []
    for part, chunks in enumerate(shape.chunks):
        left = _in_part(build, shape, part, number)
        if shape.slots:
            made += _slots(build, bits, shape, number, chunks)
            continue
        for _ in range(chunks):
            mask, left = build.first(bits, left)
            made.append(mask)
    return made


def _slots(build: Builder, bits: int, shape: Shape, number: Ssa, chunks: int) -> list[Ssa]:
    """The first slots of each register."""
    made = []
    most = build.constant(shape.slots, "i32")
    for chunk in range(chunks):
        left = build.arith("subi", number, build.constant(chunk * shape.slots, "i32")) if chunk else number
        mask, _ = build.first(bits, build.arith("minsi", left, most))
        made.append(mask)
    return made


def _in_part(build: Builder, shape: Shape, part: int, number: Ssa) -> Ssa:
    """How many of the first lanes lie in a part."""
    if shape.parts == 1:
        return number
    if not shape.blocks:
        more = shape.parts - 1 - part
        shifted = build.arith("addi", number, build.constant(more, "i32")) if more else number
        return build.arith("divsi", shifted, build.constant(shape.parts, "i32"))
    block = register_lanes(shape.bits) // 8
    around = build.constant(block * shape.parts, "i32")
    whole = build.arith("muli", build.arith("divsi", number, around), build.constant(block, "i32"))
    rest = build.arith("subi", build.arith("remsi", number, around), build.constant(part * block, "i32"))
    inside = build.arith("minsi", build.arith("maxsi", rest, build.constant(0, "i32")), build.constant(block, "i32"))
    return build.arith("addi", whole, inside)


def _uneven(build: Builder, shape: Shape, bits: int, size: int, limit: Ssa) -> list[Ssa]:
    """The first elements of each group: of each that begins in a register, a prefix without the lanes before it."""
    limit = build.arith("maxsi", limit, build.constant(0, "i32"))
    made = []
    for part, chunk in shape.registers:
        begun = shape.element(part, chunk, 0) % size
        left = limit
        if begun:
            left = build.arith("subi", limit, build.constant(begun, "i32"))
            left = build.arith("maxsi", left, build.constant(0, "i32"))
        mask, _ = build.first(bits, left)
        for start in range(size - begun, len(shape.live(part, chunk)), size):
            end, _ = build.first(bits, build.arith("addi", limit, build.constant(start, "i32")))
            mask = build.mask_op("pxor", build.mask_op("pxor", mask, build.prefix(bits, start)), end)
        made.append(mask)
    return made


def _periodic(
    build: Builder, shape: Shape, bits: int, register: tuple[int, int], size: int, limit: Ssa, ramps: dict[int, Ssa]
) -> Ssa:  # fmt: skip
    """The lanes of a register whose element is among the first of its group.

    Inside of a period the elements of lanes go up in equal steps: first, first + step, ... So lane q counts if
    q % period is below (limit - first) / step, rounded up.
    """
    part, chunk = register
    inside = [shape.element(part, chunk, at) % size for at in shape.live(part, chunk)]
    period = next((count for count in range(1, len(inside)) if inside[count] == inside[0]), len(inside))
    step = max(1, inside[1] - inside[0]) if period > 1 else 1
    if period & (period - 1) or any(one != inside[0] + step * (at % period) for at, one in enumerate(inside)):
        raise UnsupportedError("a mask of groups whose bits do not follow a ramp")
    number = build.arith("subi", limit, build.constant(inside[0] - step + 1, "i32"))
    number = build.arith("divsi", build.arith("maxsi", number, build.constant(0, "i32")), build.constant(step, "i32"))
    if period == len(inside):
        return build.first(bits, build.arith("minsi", number, build.constant(period, "i32")))[0]
    if period not in ramps:
        ramps[period] = number_inside(build, ramp(build, 0, bits), period)
    if bits != 32:
        number = build.one("arith.trunci", (number,), f"i{bits}", counted=False, hint="%i")
    return below(build, bits, ramps[period], number, len(inside))
