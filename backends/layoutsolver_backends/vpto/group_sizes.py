"""Reductions of groups of any size: piece by piece, brought to blocks of their own, or pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from layoutsolver.vmi.group_plans import Piece, block_plan, gathering, pieces_of_groups
from layoutsolver_backends.vpto.build import Builder, UnsupportedError
from layoutsolver_backends.vpto.code import Ssa, mask_bits
from layoutsolver_backends.vpto.group_memory import group_size
from layoutsolver_backends.vpto.indices import ramp, selected
from layoutsolver_backends.vpto.masks import below, number_inside
from layoutsolver_backends.vpto.moves import moved
from layoutsolver_backends.vpto.reductions import (
    COMBINE,
    REDUCE,
    REDUCE_GROUP,
    governed,
    joined,
    plus_zero,
    reduction,
    summed_element,
    what_of,
)
from layoutsolver_backends.vpto.site import Site
from layoutsolver_backends.vpto.trees import data_pairs, split
from layoutsolver_models.rules.vmi.layouts import register_lanes


def _values(site: Site) -> list[Ssa]:
    return [site.build.as_element(one, summed_element(site)) for one in site.registers("source")]


def _put(site: Site, made: Sequence[Ssa]) -> None:
    type_ = site.type("result")
    site.put("result", [site.build.as_type(one, type_) for one in made])


def _halved(build: Builder, what: str, values: list[Ssa], times: int) -> list[Ssa]:
    """Neighbours brought together two and two, so often."""
    _, deinterleave = data_pairs(build)
    for _ in range(times):
        even, odd = split(deinterleave, values, 2)
        values = [build.binary(COMBINE[what], *both) for both in zip(even, odd, strict=True)]
    return values


def _by_pairs(site: Site) -> None:
    """Halved until one element is left of each group, eight of which are then brought to each register."""
    build, what = site.build, what_of(site.op.op)
    made = _halved(build, what, governed(site, _values(site)), group_size(site, "source").bit_length() - 1)
    if any(step.instruction == "vadds" for step in site.way.steps[1:]):
        made = [plus_zero(build, one) for one in made]
    bits, turns = site.vector("source").bits, register_lanes(site.vector("source").bits) // 8
    eights, ramps = [], dict[int, Ssa]()
    for number in range(-(-site.groups // 8)):
        one, first = made[number // turns], 8 * (number % turns)
        if first:
            index = ramps.get(first) or ramps.setdefault(first, ramp(build, first, bits))
            one = selected(build, one, index)
        eights.append(one)
    _put(site, eights)


def _gathered(site: Site) -> None:
    """Halved until a block holds a group, then eight groups at a time brought to the blocks of a register."""
    build, what, source = site.build, what_of(site.op.op), site.vector("source")
    bits = source.bits
    way = gathering(bits, source.lanes, site.groups)
    if way is None:
        raise UnsupportedError("groups are not halved until a block holds one")
    values = _halved(build, what, governed(site, _values(site)), way.halvings)
    block = register_lanes(bits) // 8
    mask, lanes = build.all_true(bits), ramp(build, 0, bits)
    if way.size < block:
        inside = number_inside(build, lanes, block)
        mask = below(build, bits, inside, build.constant(way.size, f"i{bits}"), 8 * block)
    made = moved(build, block_plan(bits, site.groups, way.size), values, lanes)
    _put(site, [reduction(build, REDUCE_GROUP[what], one, mask) for one in made])


def by_pieces(site: Site) -> None:
    """Each group by itself: registers that belong to it joined and reduced, other parts of it reduced, all joined."""
    build, what, source = site.build, what_of(site.op.op), site.vector("source")
    values, masks = _values(site), site.registers("mask")
    full = not site.uses("pand")
    found = pieces_of_groups(source.bits, source.lanes, site.groups, full)
    made: list[Ssa] = []
    known: dict[tuple[int, int], Ssa] = {}
    for whole, pieces in zip(found.whole, found.pieces, strict=True):
        parts = []
        if whole:
            total = joined(build, what, [values[number] for number in whole])
            parts.append(reduction(build, REDUCE[what], total, build.all_true(source.bits)))
        for piece in pieces:
            parts.append(
                reduction(build, REDUCE[what], values[piece.register], _lanes(build, masks, piece, full, known))
            )
        made.append(joined(build, what, parts, build.prefix(source.bits, 1)))
    _put(site, made)


def _lanes(
    build: Builder, masks: Sequence[Ssa], piece: Piece, full: bool, known: dict[tuple[int, int], Ssa]
) -> Ssa:  # fmt: skip
    """The predicate of a piece, of those lanes that the mask picks if that is not full; `known` are runs of lanes."""
    mask = masks[piece.register]
    bits = mask_bits(mask.type)
    run = piece.first, piece.end
    if run == (0, register_lanes(bits)):
        return mask
    if run not in known:
        lanes = build.prefix(bits, piece.end)
        known[run] = build.mask_op("pxor", lanes, build.prefix(bits, piece.first)) if piece.first else lanes
    return known[run] if full else build.mask_op("pand", mask, known[run])


ANY_SIZE: dict[str, Callable[[Site], None]] = {"PAIRS": _by_pairs, "GATHER": _gathered, "PIECES": by_pieces}
"""By the kind of row."""
