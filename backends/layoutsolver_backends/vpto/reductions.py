"""What reductions are made of: the instructions by what is sought, and what elements that a mask leaves out become."""

from __future__ import annotations

from collections.abc import Sequence

from layoutsolver_backends.vpto.build import Builder, UnsupportedError
from layoutsolver_backends.vpto.code import Ssa, element_bits, element_of, register_type
from layoutsolver_backends.vpto.site import Site

COMBINE = {"add": "vadd", "max": "vmax", "min": "vmin"}
REDUCE = {"add": "vcadd", "max": "vcmax", "min": "vcmin"}
REDUCE_GROUP = {"add": "vcgadd", "max": "vcgmax", "min": "vcgmin"}


def what_of(op: str) -> str:
    """What a reduction seeks.

    >>> what_of("group_reduce_addf"), what_of("reduce_maxi")
    ('add', 'max')
    """
    return op.rpartition("_")[2][:3]


def summed_element(site: Site) -> str:
    """The element type in which a reduction is made: signless integers are unsigned where it matters."""
    element = site.vector("source").element
    extreme = what_of(site.op.op) in ("max", "min")
    return f"u{element}" if extreme and element[:1] == "i" and element[1:].isdigit() else element


def reduction(build: Builder, reduce: str, value: Ssa, mask: Ssa) -> Ssa:
    """A reduction of one register; a sum of narrow integers comes out twice as wide.

    Raises `UnsupportedError` for sums of bf16: the instruction set lists integers, f16 and f32 alone.
    """
    bits, element = element_bits(value.type), element_of(value.type)
    if reduce == "vcadd" and bits < 32 and element.lstrip("su")[:1] == "i":
        wide = f"{element.rstrip('0123456789')}{2 * bits}"
        return build.as_type(build.one(reduce, (value, mask), register_type(wide, 2 * bits)), value.type)
    if reduce in ("vcadd", "vcgadd") and element == "bf16":
        raise UnsupportedError(
            f"`pto.{reduce}` adds lanes of integers, f16 and f32, not of bf16: convert to f32 before"
        )
    return build.one(reduce, (value, mask), value.type)


def joined(build: Builder, what: str, values: Sequence[Ssa], mask: Ssa | None = None) -> Ssa:
    """Some registers brought together element by element, on all lanes unless a mask is given."""
    total = values[0]
    for other in values[1:]:
        total = build.binary(COMBINE[what], total, other, mask)
    return total


def plus_zero(build: Builder, value: Ssa, mask: Ssa | None = None) -> Ssa:
    """A register to which zero is added, which makes what a mask leaves out zero, and -0 to +0."""
    element, bits = element_of(value.type), element_bits(value.type)
    whole = element.lstrip("su")[:1] == "i"
    zero = build.constant(0 if whole else "0.0", f"i{bits}" if whole else element)
    return build.one("vadds", (value, zero, mask or build.all_true(bits)), value.type)


def governed(site: Site, values: Sequence[Ssa]) -> list[Ssa]:
    """Registers of the source in which what the mask leaves out is an element that changes nothing."""
    build, masks = site.build, site.registers("mask")
    if not site.uses("vsel") or not _selects(site):
        zeroed = site.way.steps[0].instruction == "vadds"
        return [plus_zero(build, *one) for one in zip(values, masks, strict=True)] if zeroed else list(values)
    nothing = build.splat(_nothing(build, what_of(site.op.op), values[0].type), values[0].type)
    return [build.one("vsel", (value, nothing, mask), value.type) for value, mask in zip(values, masks, strict=True)]


def _selects(site: Site) -> bool:
    """Whether the sequence that was chosen begins with a selection between elements and what changes nothing."""
    return [step.instruction for step in site.way.steps[:2]] == ["vdup", "vsel"]


_INFINITY = {"f32": "7F800000", "f16": "7C00", "bf16": "7F80"}


def _nothing(build: Builder, what: str, type_: str) -> Ssa:
    """The scalar that changes nothing: the smallest number where the largest is sought, or the largest."""
    element, bits = element_of(type_), element_bits(type_)
    if element in _INFINITY:
        digits = _INFINITY[element]
        return build.constant(f"0x{digits}" if what == "min" else f"0xF{digits[1:]}", element)
    if element[0] == "s":
        return build.constant((1 << (bits - 1)) - 1 if what == "min" else -(1 << (bits - 1)), f"i{bits}")
    return build.constant(-1 if what == "min" else 0, f"i{bits}")
