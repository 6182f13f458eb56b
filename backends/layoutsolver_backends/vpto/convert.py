"""Conversions of values between layouts, by the instructions that the layout algebra finds for data.

Masks go by steps of their own, which keep the bits between lanes empty: what a predicate's bits mean that no lane
starts at is not documented.
"""

from __future__ import annotations

from functools import lru_cache

from layoutsolver.vmi.program import VmiValue
from layoutsolver_backends.vpto.build import Builder, UnsupportedError, vector_type
from layoutsolver_backends.vpto.code import Ssa, mask_type, register_type
from layoutsolver_backends.vpto.site import Site, carrier_bits, shape_of
from layoutsolver_backends.vpto.slots import collect_slots, spread_slots
from layoutsolver_backends.vpto.trees import chunked, data_pairs, flattened, join, mask_pairs, split
from layoutsolver_models.lanes.convert import Conversion, convert
from layoutsolver_models.lanes.layout import data_map
from layoutsolver_models.rules.vmi.layouts import layout_of
from layoutsolver_models.rules.vmi.row import VmiRule

_TREES = frozenset({("c", "d2"), ("c", "d4"), ("d2", "c"), ("d4", "c")})


def emit_conversion(build: Builder, value: VmiValue, registers: tuple[Ssa, ...], rules: list[VmiRule],
                    before: str) -> tuple[Ssa, ...]:  # fmt: skip
    """The registers of a value after some rules in a row, from the layout `before`."""
    if not value.is_mask:
        for rule in rules:
            registers = _data(build, value, registers, rule.layouts["source"], rule.layouts["result"])
        return registers
    bits = int(before.partition(" ")[0][1:])
    for rule in rules:
        source, result = rule.layouts["source"], rule.layouts["result"]
        to = int(rule.id.split(".")[2].partition("_")[2]) if rule.family == "granularity" else bits
        registers = convert_mask(build, value.lanes, registers, (bits, source), (to, result))
        bits = to
    return registers


def emit_explicit(site: Site) -> None:
    """A conversion that the program asks for."""
    source = site.vector("source")
    made = emit_conversion(site.build, source, site.registers("source"), [site.rule], site.layout["source"])
    site.put("result", made)


# -- data ---------------------------------------------------------------------------------------------------------


def _data(build: Builder, value: VmiValue, registers: tuple[Ssa, ...], source: str, result: str) -> tuple[Ssa, ...]:
    type_ = vector_type(value)
    if value.lanes == 1:
        return registers
    before, after = shape_of(source, value.bits, value.lanes), shape_of(result, value.bits, value.lanes)
    if "gs1" in (source, result) or (value.lanes > 8 and {source, result} == {"c", "gs8"}):
        move = spread_slots if after.per_register < before.per_register else collect_slots
        return tuple(move(build, registers, before, after))
    interleave, deinterleave = data_pairs(build)
    if (source, result) in _TREES:
        if before.parts == 1:
            return tuple(flattened(split(deinterleave, registers, after.parts), after.chunks))
        return tuple(join(interleave, chunked(registers, before.chunks), sum(after.chunks)))
    found = _sequence(source, result, value.bits, value.lanes)
    if found is None:
        raise UnsupportedError(f"no conversion from `{source}` to `{result}` is known")
    held = list(registers)
    for step in found.steps:
        name, _, half = str(step.instruction).partition(" ")
        mnemonic, _, width = name.partition(".b")
        held += _step(build, mnemonic, int(width), half, [held[number] for number in step.operands])
    return tuple(build.as_type(held[number], type_) for number in found.registers)


@lru_cache(maxsize=1024)
def _sequence(source: str, result: str, bits: int, lanes: int) -> Conversion | None:
    """The instructions from one layout of a shape to another."""
    return convert(data_map(layout_of(source, lanes), bits, lanes), data_map(layout_of(result, lanes), bits, lanes))


def _step(build: Builder, name: str, bits: int, half: str, operands: list[Ssa]) -> tuple[Ssa, ...]:
    """One instruction on registers read in lanes of so many bits."""
    held = tuple(build.as_lanes(one, bits) for one in operands)
    if name in ("vintlv", "vdintlv"):
        return build.emit(name, held, (held[0].type, held[0].type))
    cast = build.as_type(held[0], register_type(f"ui{bits}", bits))
    if name == "vpack":
        return (build.one(name, (cast,), register_type(f"ui{bits // 2}", bits // 2), (half,)),)
    part = build.constant(0 if half == "LOWER" else 1)
    return (build.one(name, (cast, part), register_type(f"ui{2 * bits}", 2 * bits)),)


# -- masks --------------------------------------------------------------------------------------------------------

MaskLayout = tuple[int, str]
"""The width that a mask governs, and the layout."""


def convert_mask(
    build: Builder, lanes: int, registers: tuple[Ssa, ...], before: MaskLayout, after: MaskLayout
) -> tuple[Ssa, ...]:
    """The registers of a mask in another layout, or for elements of another width.

    What a mask with a lane stride is carried by is the mask of wider elements without one, so that every conversion
    is one of dense carriers: of the granularity, and of the parts.
    """
    start, end = _carried(*before), _carried(*after)
    if start == end or lanes == 1:
        type_ = mask_type(end[0])
        return tuple(build.as_mask(one, type_) for one in registers)
    if start[0] == end[0]:
        return _parts(build, lanes, registers, start, end)
    finer = start[0] < end[0]
    step = (2 * start[0] if finer else start[0] // 2, _on_the_way(start[1], end[1], finer))
    if step[1] == start[1]:
        made = _spread(build, lanes, registers, start, step) if finer else _pack(build, lanes, registers, start, step)
    else:
        made = _finer(build, lanes, registers, start, step) if finer else _coarser(build, lanes, registers, start, step)
    return convert_mask(build, lanes, made, step, end)


def _carried(bits: int, name: str) -> MaskLayout:
    """The width of the carrier, and the layout as that sees it."""
    if name[:2] == "ls":
        return carrier_bits(f"b{bits} {name}"), "c"
    if name in ("gs8.2", "gs8.4"):
        return carrier_bits(f"b{bits} {name}"), "gs8"
    return bits, name


_FINER = {"c": "d2", "d2": "d4"}
_COARSER = {"d2": "c", "d4": "d2"}


def _on_the_way(name: str, end: str, finer: bool) -> str:
    """The layout after one step to wider or narrower lanes, which doubles or halves the parts unless all stays."""
    if name == end:
        return name
    following = (_FINER if finer else _COARSER).get(name)
    if following is None:
        raise UnsupportedError(f"a mask in the layout `{name}` does not become one in the layout `{end}`")
    return following


def _parts(
    build: Builder, lanes: int, registers: tuple[Ssa, ...], start: MaskLayout, end: MaskLayout
) -> tuple[Ssa, ...]:
    """Parts of a mask taken apart or put together at its granularity."""
    before, after = shape_of(start[1], start[0], lanes), shape_of(end[1], end[0], lanes)
    interleave, deinterleave = mask_pairs(build)
    held = chunked(registers, before.chunks)
    if (before.parts, after.parts) == (2, 4):
        halves = [split(deinterleave, part, 2) for part in held]
        return tuple(flattened([halves[0][0], halves[1][0], halves[0][1], halves[1][1]], after.chunks))
    if (before.parts, after.parts) == (4, 2):
        joined = [join(interleave, [held[part], held[part + 2]], after.chunks[part]) for part in (0, 1)]
        return tuple(flattened(joined, after.chunks))
    if before.parts == 1:
        return tuple(flattened(split(deinterleave, registers, after.parts), after.chunks))
    return tuple(join(interleave, held, sum(after.chunks)))


def _finer(
    build: Builder, lanes: int, registers: tuple[Ssa, ...], start: MaskLayout, step: MaskLayout
) -> tuple[Ssa, ...]:
    """A mask for elements twice as wide: halves of registers unpacked, their lanes by turns in two parts."""
    before, after = shape_of(start[1], start[0], lanes), shape_of(step[1], step[0], lanes)
    wide = mask_type(step[0])
    _, deinterleave = mask_pairs(build)
    made: dict[tuple[int, int], Ssa] = {}
    for (part, chunk), one in zip(before.registers, registers, strict=True):
        held = len(before.live(part, chunk))
        halves = [build.one("punpack", (one,), wide, ("LOWER",), hint="%m")]
        if held > before.per_register // 2:
            halves.append(build.one("punpack", (one,), wide, ("HIGHER",), hint="%m"))
        even, odd = deinterleave(halves[0], halves[-1])
        made[part, chunk] = even
        made[part + before.parts, chunk] = odd
    return tuple(made[key] for key in after.registers)


def _coarser(
    build: Builder, lanes: int, registers: tuple[Ssa, ...], start: MaskLayout, step: MaskLayout
) -> tuple[Ssa, ...]:
    """A mask for elements half as wide: two parts packed, their lanes by turns in one."""
    before, after = shape_of(start[1], start[0], lanes), shape_of(step[1], step[0], lanes)
    narrow = mask_type(step[0])
    interleave, _ = mask_pairs(build)
    packed = {
        key: build.one("ppack", (one,), narrow, ("LOWER",), hint="%m")
        for key, one in zip(before.registers, registers, strict=True)
    }
    made = []
    for part, chunk in after.registers:
        other = packed.get((part + after.parts, chunk), packed[part, chunk])
        made.append(interleave(packed[part, chunk], other)[0])
    return tuple(made)


def _spread(
    build: Builder, lanes: int, registers: tuple[Ssa, ...], start: MaskLayout, step: MaskLayout
) -> tuple[Ssa, ...]:
    """A mask with its bits twice as far apart: each half of a register fills one."""
    before, after = shape_of(start[1], start[0], lanes), shape_of(step[1], step[0], lanes)
    wide = mask_type(step[0])
    if before.slots:
        return tuple(build.one("punpack", (one,), wide, ("LOWER",), hint="%m") for one in registers)
    return tuple(
        build.one("punpack", (registers[chunk // 2],), wide, ("HIGHER" if chunk % 2 else "LOWER",), hint="%m")
        for _, chunk in after.registers
    )


def _pack(
    build: Builder, lanes: int, registers: tuple[Ssa, ...], start: MaskLayout, step: MaskLayout
) -> tuple[Ssa, ...]:
    """A mask with its bits half as far apart: two registers fill one."""
    before = shape_of(start[1], start[0], lanes)
    narrow = mask_type(step[0])
    if before.slots:
        return tuple(build.one("ppack", (one,), narrow, ("LOWER",), hint="%m") for one in registers)
    made = []
    for at in range(0, len(registers), 2):
        if at + 1 < len(registers):
            made.append(build.mask_pair("pdintlv", registers[at], registers[at + 1], step[0])[0])
        else:
            made.append(build.one("ppack", (registers[at],), narrow, ("LOWER",), hint="%m"))
    return tuple(made)
