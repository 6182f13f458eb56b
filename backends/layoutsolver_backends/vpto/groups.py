"""Reductions of groups and of all elements, and histograms."""

from __future__ import annotations

from layoutsolver_backends.vpto.build import Builder, UnsupportedError
from layoutsolver_backends.vpto.code import Ssa, element_bits, element_of, register_type
from layoutsolver_backends.vpto.group_memory import group_size
from layoutsolver_backends.vpto.site import Shape, Site, data_shape

COMBINE = {"add": "vadd", "max": "vmax", "min": "vmin"}
REDUCE = {"add": "vcadd", "max": "vcmax", "min": "vcmin"}
REDUCE_GROUP = {"add": "vcgadd", "max": "vcgmax", "min": "vcgmin"}


def _what(op: str) -> str:
    return op.rpartition("_")[2][:3]


def emit_group_reduce(site: Site) -> None:
    """One element for each group: parts are brought together first where all masks are the same."""
    what, build = _what(site.op.op), site.build
    shape = data_shape(site.vector("source"), site.layout["source"])
    values = [build.as_element(one, _summed(site)) for one in site.registers("source")]
    masks = site.registers("mask")
    if site.uses("vdintlv"):
        site.put("result", [_by_pairs(site, what, values[0], masks[0])])
        return
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


def _by_pairs(site: Site, what: str, value: Ssa, mask: Ssa) -> Ssa:
    """The elements of one register, two and two, until one is left of each group."""
    build, size = site.build, group_size(site, "source")
    scalar = "f32" if element_of(value.type) == "f32" else "i32"
    nothing = build.splat(
        build.constant(_NOTHING[what, element_of(value.type).rstrip("0123456789")], scalar), value.type
    )
    value = build.one("vsel", (value, nothing, mask), value.type)
    while size > 1:
        low, high = build.pair("vdintlv", value, value)
        value, size = build.binary(COMBINE[what], low, high), size // 2
    return build.as_type(value, site.type("result"))


_NOTHING: dict[tuple[str, str], int | str] = {
    **dict.fromkeys((("add", kind) for kind in ("si", "ui", "i")), 0), ("add", "f"): "0.0",
    ("max", "f"): "0xFF800000", ("min", "f"): "0x7F800000", ("max", "si"): -(1 << 31), ("min", "si"): (1 << 31) - 1,
    ("max", "ui"): 0, ("min", "ui"): -1,
}  # fmt: skip
"""What words are taken for that a mask leaves out, by the operation and the kind of element."""


def _summed(site: Site) -> str:
    """The element type in which a reduction is made: signless integers are unsigned where it matters."""
    element = site.vector("source").element
    extreme = _what(site.op.op) in ("max", "min")
    return f"u{element}" if extreme and element[:1] == "i" and element[1:].isdigit() else element


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
    combine = COMBINE[what]
    if together:
        total = values[0]
        for other in values[1:]:
            total = build.binary(combine, total, other)
        return _reduction(build, reduce, total, masks[0])
    parts = [_reduction(build, reduce, value, mask) for value, mask in zip(values, masks, strict=True)]
    total = parts[0]
    for other in parts[1:]:
        total = build.binary(combine, total, other, build.prefix(element_bits(total.type), slots))
    return total


def _reduction(build: Builder, reduce: str, value: Ssa, mask: Ssa) -> Ssa:
    """A reduction of one register; a sum of narrow integers comes out twice as wide.

    Raises `UnsupportedError` for sums of bf16: the instruction set lists integers, f16 and f32 alone.
    """
    bits, element = element_bits(value.type), value.type.partition("x")[2].removesuffix(">")
    if reduce == "vcadd" and bits < 32 and element.lstrip("su")[:1] == "i":
        wide = f"{element.rstrip('0123456789')}{2 * bits}"
        return build.as_type(build.one(reduce, (value, mask), register_type(wide, 2 * bits)), value.type)
    if reduce in ("vcadd", "vcgadd") and element == "bf16":
        raise UnsupportedError(
            f"`pto.{reduce}` adds lanes of integers, f16 and f32, not of bf16: convert to f32 before"
        )
    return build.one(reduce, (value, mask), value.type)


def emit_reduce(site: Site) -> None:
    """All elements to one."""
    build, what = site.build, _what(site.op.op)
    values = [build.as_element(one, _summed(site)) for one in site.registers("source")]
    together = site.way.steps[0].instruction == "combine"
    total = _reduced(build, REDUCE[what], what, values, list(site.registers("mask")), together, 1)
    site.put("result", [build.as_type(total, site.type("result"))])


def emit_histogram(site: Site) -> None:
    """Samples counted into one or two registers of bins."""
    build = site.build
    name = "dhistv2" if site.op.op == "vdhist" else "chistv2"
    bins = list(site.registers("acc"))
    masks = site.registers("mask")
    for source, mask in zip(site.registers("source"), masks, strict=True):
        for half in range(len(bins)):
            number = build.constant(half, "i32")
            bins[half] = build.one(name, (bins[half], source, mask, number), bins[half].type)
    site.put("result", bins)
