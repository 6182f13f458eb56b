"""Masks that are made of numbers, in every layout: patterns and prefixes, and bits that repeat with the groups."""

from __future__ import annotations

from layoutsolver.vmi.program import Operand
from layoutsolver_backends.vpto.build import Builder, UnsupportedError
from layoutsolver_backends.vpto.code import Ssa, mask_type, register_type
from layoutsolver_backends.vpto.site import Shape, Site, carrier_bits, mask_shape
from layoutsolver_models.rules.vmi.layouts import register_lanes


def emit_free_mask(site: Site) -> None:
    """A mask of a number or of a constant."""
    value, layout = site.vector("result"), site.layout["result"]
    shape, bits = mask_shape(value, layout), carrier_bits(layout)
    build, op = site.build, site.op.op
    if op == "constant_mask":
        site.put("result", _constant(build, shape, bits, _dense(str(site.op.attrs.get("value", "")), value.lanes)))
        return
    active = site.operand("active_lanes" if op == "create_mask" else "active_elems_per_group")
    known = build.number(active)
    size = value.lanes if op == "create_mask" else int(site.op.attrs["group_size"])
    if known is not None:
        on = [number % size < known for number in range(value.lanes)]
        site.put("result", _constant(build, shape, bits, on))
    elif op == "create_mask":
        site.put("result", _prefixes(build, shape, bits, active))
    else:
        limit = _count(build, active, size)
        site.put("result", [
            _periodic(build, shape, bits, register, size, limit) for register in shape.registers
        ])  # fmt: skip


def _dense(text: str, lanes: int) -> list[bool]:
    """The bits that a dense attribute tells."""
    body = text.strip().removeprefix("dense<").partition(">")[0].strip()
    words = [word.strip() for word in body.strip("[]").split(",")]
    bits = [word in ("true", "1") for word in words]
    if len(bits) == 1:
        return bits * lanes
    if len(bits) != lanes:
        raise UnsupportedError("a constant mask has another number of bits than its type")
    return bits


# -- constants ----------------------------------------------------------------------------------------------------


def _constant(build: Builder, shape: Shape, bits: int, on: list[bool]) -> list[Ssa]:
    """The registers of a mask that is known; equal ones are one."""
    known: dict[tuple[bool, ...], Ssa] = {}
    made: list[Ssa] = []
    for part, chunk in shape.registers:
        lit = tuple(on[shape.element(part, chunk, at)] for at in shape.live(part, chunk))
        if lit not in known:
            known[lit] = _of_bits(build, bits, lit)
        made.append(known[lit])
    return made


def _of_bits(build: Builder, bits: int, lit: tuple[bool, ...]) -> Ssa:
    """A predicate of known bits: a prefix, the difference of some prefixes, or bits that repeat."""
    framed = (False, *lit, False)
    turns = [at for at in range(len(lit) + 1) if framed[at] != framed[at + 1]]
    if len(turns) > 4:
        repeated = _repeating(lit)
        if repeated is not None:
            return _repeated(build, bits, *repeated, len(lit))
    prefixes = [build.prefix(bits, turn, counted=True) for turn in turns if turn] or [build.prefix(bits, 0, True)]
    mask = prefixes[0]
    for other in prefixes[1:]:
        mask = build.mask_op("pxor", mask, other)
    return mask


def _repeating(lit: tuple[bool, ...]) -> tuple[int, int] | None:
    """The period of bits of which the first few of every period are set, and how many those are."""
    for period in (2 << power for power in range(8)):
        if period < len(lit) and all(bit == lit[at % period] for at, bit in enumerate(lit)):
            count = lit[:period].index(False)
            return (period, count) if not any(lit[count:period]) else None
    return None


def _repeated(build: Builder, bits: int, period: int, count: int, live: int) -> Ssa:
    """The first lanes of each `period` of them."""
    return _below(build, bits, period, build.constant(count, f"i{bits}"), live)


def _below(build: Builder, bits: int, period: int, limit: Ssa, live: int) -> Ssa:
    """The lanes whose number inside of a period is below a limit."""
    type_ = register_type(f"ui{bits}", bits)
    lane = build.one("vci", (build.constant(0, f"i{bits}"),), type_)
    inside = build.binary("vand", lane, build.splat(build.constant(period - 1, f"i{bits}"), type_))
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


def _periodic(build: Builder, shape: Shape, bits: int, register: tuple[int, int], size: int, limit: Ssa) -> Ssa:
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
    if bits != 32:
        number = build.one("arith.trunci", (number,), f"i{bits}", counted=False, hint="%i")
    return _below(build, bits, period, number, len(inside))
