"""Reductions of groups and of all elements, and histograms."""

from __future__ import annotations

from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Ssa, element_bits
from layoutsolver_backends.vpto.group_memory import group_size
from layoutsolver_backends.vpto.group_sizes import ANY_SIZE, by_pieces
from layoutsolver_backends.vpto.memory import within
from layoutsolver_backends.vpto.reductions import REDUCE, REDUCE_GROUP, joined, reduction, summed_element, what_of
from layoutsolver_backends.vpto.site import Shape, Site, data_shape
from layoutsolver_models.rules.vmi.layouts import register_lanes


def emit_group_reduce(site: Site) -> None:
    """One element for each group: parts are brought together first where all masks are the same."""
    kind = site.rule.id.split(".")[2]
    if kind in ANY_SIZE:
        ANY_SIZE[kind](site)
        return
    what, build = what_of(site.op.op), site.build
    shape = data_shape(site.vector("source"), site.layout["source"])
    values = [build.as_element(one, summed_element(site)) for one in site.registers("source")]
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
    if together:
        return reduction(build, reduce, joined(build, what, values), masks[0])
    parts = [reduction(build, reduce, value, mask) for value, mask in zip(values, masks, strict=True)]
    if len(parts) == 1:
        return parts[0]
    return joined(build, what, parts, build.prefix(element_bits(parts[0].type), slots))


def emit_reduce(site: Site) -> None:
    """All elements to one."""
    source = site.vector("source")
    if source.lanes % register_lanes(source.bits):
        by_pieces(site)
        return
    build, what = site.build, what_of(site.op.op)
    values = [build.as_element(one, summed_element(site)) for one in site.registers("source")]
    together = site.way.steps[0].instruction == "combine"
    total = _reduced(build, REDUCE[what], what, values, list(site.registers("mask")), together, 1)
    site.put("result", [build.as_type(total, site.type("result"))])


def emit_histogram(site: Site) -> None:
    """Samples counted into one or two registers of bins."""
    build = site.build
    name = "dhistv2" if site.op.op == "vdhist" else "chistv2"
    bins = list(site.registers("acc"))
    masks = list(site.registers("mask"))
    if site.uses("pand"):
        rest = site.vector("source").lanes - 256 * (len(masks) - 1)
        masks[-1] = within(build, masks[-1], rest)
    for source, mask in zip(site.registers("source"), masks, strict=True):
        for half in range(len(bins)):
            number = build.constant(half, "i32")
            bins[half] = build.one(name, (bins[half], source, mask, number), bins[half].type)
    site.put("result", bins)
