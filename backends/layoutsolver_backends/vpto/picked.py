"""Operations on the elements that a mask picks: brought together, counted, stored one behind the other, spread."""

from __future__ import annotations

from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Ssa, element_bits, mask_bits, mask_type, register_type
from layoutsolver_backends.vpto.indices import ramp, selected
from layoutsolver_backends.vpto.memory import gather, within
from layoutsolver_backends.vpto.site import Site, data_shape
from layoutsolver_backends.vpto.streams import ALIGN, moved
from layoutsolver_models.rules.vmi.layouts import register_lanes


def emit_single(site: Site) -> None:
    """An operation on the elements that a mask picks, of one register or several."""
    _EMITTED[site.op.op](site)


def _masks(site: Site, role: str) -> list[Ssa]:
    """The registers of the mask, without bits behind the last element of the vector in a role."""
    shape = data_shape(site.vector(role), site.layout[role])
    return [within(site.build, mask, len(shape.live(0, number))) for number, mask in enumerate(site.registers("mask"))]


# -- brought together ---------------------------------------------------------------------------------------------


def _compress(site: Site) -> None:
    """The elements of each register are brought together there, and turned to where those before them end."""
    build, masks = site.build, _masks(site, "source")
    bits = mask_bits(masks[0].type)
    sources = [build.as_lanes(one, bits) for one in site.registers("source")]
    packed = [build.unary("vsqz", one, mask) for one, mask in zip(sources, masks, strict=True)]
    made, total = packed[:1], None
    full = register_lanes(bits)
    lanes = [ramp(build, number * full, bits) for number in range(len(packed) - 1)]
    last = None  # bytes are counted modulo their number in a register by themselves
    if lanes and bits > 8:
        last = build.splat(build.constant(full - 1, f"i{bits}"), lanes[0].type)
    for number, one in enumerate(packed[1:]):
        on = _ones(build, masks[number])
        total = on if total is None else build.binary("vadd", total, on)
        end = _sum(build, total)
        place = build.binary("vsub", lanes[0], end)
        shifted = selected(build, one, place if last is None else build.binary("vand", place, last))
        for before, other in enumerate(made):
            filled = _first(build, masks[0]) if bits == 8 else _before(build, lanes[before], end)
            made[before] = build.one("vsel", (other, shifted, filled), other.type)
        made.append(shifted)
    site.put("result", [build.as_type(one, site.type("result")) for one in made])


def _before(build: Builder, lane: Ssa, end: Ssa) -> Ssa:
    """The lanes whose number is less than an end."""
    bits = element_bits(end.type)
    return build.one("vcmp", (lane, end, build.all_true(bits)), mask_type(bits), ("lt",), hint="%m")


def _first(build: Builder, mask: Ssa) -> Ssa:
    """As many first lanes as a mask of bytes has bits: no byte can say that it has all of them."""
    ones = build.splat(build.constant(1, "i8"), register_type("ui8", 8))
    operands = (build.unary("vsqz", ones, mask), build.constant(0, "i8"), build.all_true(8))
    return build.one("vcmps", operands, mask_type(8), ("ne",), hint="%m")


def _ones(build: Builder, mask: Ssa) -> Ssa:
    """1 where a mask is set, 0 elsewhere."""
    bits = mask_bits(mask.type)
    return build.one("vdup", (build.constant(1, f"i{bits}"), mask), register_type(f"ui{bits}", bits))


def _sum(build: Builder, value: Ssa) -> Ssa:
    """The sum of all lanes in each lane, modulo what a lane holds."""
    bits = element_bits(value.type)
    wide = min(32, 2 * bits)
    total = build.unary("vcadd", value, type_=register_type(f"ui{wide}", wide))
    operands = (build.as_type(total, value.type), build.all_true(bits))
    return build.one("vdup", operands, value.type, position="LOWEST")


# -- counted ------------------------------------------------------------------------------------------------------


def _prefix(site: Site) -> None:
    site.put("result", _counts(site.build, list(site.registers("mask")), site.type("result")))


def _counts(build: Builder, masks: list[Ssa], type_: str) -> list[Ssa]:
    """How many bits of all masks are set before each lane."""
    bits = element_bits(type_)
    carrier = build.splat(build.constant(0, f"i{bits}"), type_)
    made: list[Ssa] = []
    for number, mask in enumerate(masks):
        count = build.one("vusqz", (carrier, mask), type_)
        if number:
            all_of_them = build.binary("vadd", made[-1], build.as_type(_ones(build, masks[number - 1]), type_))
            operands = (all_of_them, build.all_true(bits))
            count = build.binary("vadd", count, build.one("vdup", operands, type_, position="HIGHEST"))
        made.append(count)
    return made


# -- memory -------------------------------------------------------------------------------------------------------


def _compress_store(site: Site) -> None:
    """A stream of what each register keeps: how much that is goes from its `vsqz` to the `vstur` behind it.

    Where the stream stands is counted by a special register from the address on, and by the streams before.
    """
    build = site.build
    pointer = moved(build, build.scalar(site.operand("destination")), build.scalar(site.operand("offset")))
    align = build.one("init_align", (), ALIGN, counted=False)
    build.emit("sprclr", (), words=("AR",), counted=False)
    for value, mask in zip(site.registers("value"), _masks(site, "value"), strict=True):
        kept = build.tied("vsqz", (value, mask), value.type)
        align = build.one("vstur", (align, kept, pointer), ALIGN, ("POST_UPDATE",))
    build.emit("vstar", (align, pointer))


def _expand_load(site: Site) -> None:
    """Each picked element by its number among them; bytes come in lanes of 16 bits."""
    build, type_, masks = site.build, site.type("result"), _masks(site, "result")
    bits = mask_bits(masks[0].type)
    pointer = moved(build, build.scalar(site.operand("source")), build.scalar(site.operand("offset")))
    indices = _counts(build, masks, register_type(f"i{bits}", bits))
    made = []
    for index, mask, other in zip(indices, masks, site.registers("passthru"), strict=True):
        found = gather(build, pointer, index, mask, type_)
        one = build.one("vsel", (found, build.as_type(other, found.type), mask), found.type)
        made.append(build.as_type(one, type_))
    site.put("result", made)


_EMITTED = {
    "compress": _compress, "active_prefix_index": _prefix, "compress_store": _compress_store,
    "expand_load": _expand_load,
}  # fmt: skip
"""By operation."""
