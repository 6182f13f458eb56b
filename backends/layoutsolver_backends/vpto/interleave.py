"""Two vectors put together by turns or taken apart, of any number of elements."""

from __future__ import annotations

from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Ssa, element_bits
from layoutsolver_backends.vpto.indices import joined, ramp, selected, turned
from layoutsolver_backends.vpto.site import Registers, Site, data_shape
from layoutsolver_models.rules.vmi.layouts import register_lanes
from layoutsolver_models.rules.vmi.rearrange import zero_copy


def emit_pair(site: Site) -> None:
    """Two vectors by turns: other names for their registers, or instructions on pairs of them."""
    build, op = site.build, site.op.op
    left, right = site.registers("lhs"), site.registers("rhs")
    shape = data_shape(site.vector("lhs"), site.layout["lhs"])
    if site.layout["lhs"] != site.layout["low"]:
        both, names = (*left, *right), zero_copy(len(left), "d4" in (site.layout["lhs"], site.layout["low"]))
        low, high = ([both[number] for number in some] for some in names)
    elif shape.lanes == 1:
        low, high = [left[0]], [right[0]]
    elif shape.stride > 1:
        low, high = ([one] for one in build.pair(op, left[0], right[0], shape.bits * shape.stride))
    else:
        low, high = (_by_turns if op == "vintlv" else _apart)(build, left, right, shape.lanes)
    site.put("low", low)
    site.put("high", high)


def _by_turns(build: Builder, left: Registers, right: Registers, lanes: int) -> tuple[list[Ssa], list[Ssa]]:
    """Contiguous registers of the elements of both by turns, the second half from its first element on."""
    bits = element_bits(left[0].type)
    full = register_lanes(bits)
    if full < 2 * lanes < 2 * full and lanes % 2 == 0:
        half = ramp(build, lanes // 2 - full // 2, bits)
        index = build.one("vsel", (ramp(build, 0, bits), half, build.prefix(bits, full // 2)), half.type)
        low, high = build.pair("vintlv", selected(build, left[0], index), selected(build, right[0], index))
        return [low], [high]
    whole, rest = divmod(lanes, full)
    turns = [one for pair in zip(left, right, strict=True) for one in build.pair("vintlv", *pair)]
    if not rest:
        return turns[:whole], turns[whole:]
    index = turned(build, rest, bits, 2 * lanes > full)
    moved = [selected(build, one, index) for one in turns[whole : -(-2 * lanes // full)]]
    return turns[: len(left)], joined(build, moved, full - rest)[: len(left)]


def _apart(build: Builder, left: Registers, right: Registers, lanes: int) -> tuple[list[Ssa], list[Ssa]]:
    """Contiguous registers of the even and of the odd elements of both, one behind the other."""
    bits = element_bits(left[0].type)
    full = register_lanes(bits)
    whole, rest = divmod(lanes, full)
    row = [*left, *right]
    if rest:
        index = turned(build, -rest, bits, 2 * lanes > full)
        moved = [selected(build, one, index) for one in right]
        row = [*left[:whole], *joined(build, [left[whole], *moved], rest)]
    pairs = [build.pair("vdintlv", row[at], row[at + 1]) for at in range(0, len(row), 2)]
    return [even for even, _ in pairs], [odd for _, odd in pairs]
