"""Casts between widths: the parts of `vcvt`, and what each conversion must say of rounding and saturation.

Source: section 5.7 for what a conversion says, 3.3 for the parts.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_backends.vpto.build import Builder, UnsupportedError, unsigned_element
from layoutsolver_backends.vpto.code import Ssa, element_bits, register_type
from layoutsolver_backends.vpto.site import Site, data_shape
from layoutsolver_models.rules.vmi.cast import FP4, FP8

PAIRS = frozenset({"!pto.bf16x2"})
"""Element types that are pairs: conversions see registers of single elements."""


class Controls(NamedTuple):
    """What conversions between element types say besides the part: rounding, saturation."""

    sources: tuple[str, ...]
    results: tuple[str, ...]
    says: str


CONTROLS: tuple[Controls, ...] = (
    Controls(("f32",), (*FP8, "!pto.hif8", "f16", "bf16", "si16", "si32"), "rnd sat"),
    Controls(("f16",), (*FP8, "!pto.hif8", "si16", "si8", "ui8"), "rnd sat"),
    Controls(("f16",), ("si32",), "rnd"),
    Controls(("f16", "bf16", *FP8, "!pto.hif8"), ("f32",), ""),
    Controls(("bf16",), (*FP8, "f16", "si32"), "rnd sat"),
    Controls(("bf16",), FP4, "rnd"),
    Controls(FP4, ("bf16",), ""),
    Controls(("ui8",), ("f16", "ui16", "ui32"), ""),
    Controls(("si8",), ("f16", "si16", "si32"), ""),
    Controls(("ui16",), ("ui32",), ""),
    Controls(("ui16",), ("ui8",), "sat"),
    Controls(("si16",), ("f32", "ui32", "si32"), ""),
    Controls(("si16",), ("ui8",), "sat"),
    Controls(("ui32", "si32"), ("ui8", "ui16", "si16"), "sat"),
    Controls(("si32", "si16"), ("f32", "f16"), "rnd"),
)
"""The conversions that there are; what is named must be said, and nothing else."""

_DEFAULT_ROUNDING = {"!pto.hif8": "A"}


def controls(source: str, result: str, rounding: str, saturate: str) -> tuple[str, str, bool]:
    """Rounding and saturation of a conversion, empty where it says none, and whether there is such a one.

    >>> controls("f32", "f16", "", "SAT"), controls("f16", "f32", "", ""), controls("f32", "si8", "R", "SAT")
    (('R', 'SAT', True), ('', '', True), ('', '', False))
    """
    row = next((row for row in CONTROLS if source in row.sources and result in row.results), None)
    if row is None:
        return "", "", False
    rounded = (rounding or _DEFAULT_ROUNDING.get(result, "R")) if "rnd" in row.says else ""
    return rounded, (saturate or "NOSAT") if "sat" in row.says else "", True


def emit_cast(site: Site) -> None:
    """A cast between widths, by the parts that the rule names."""
    if site.uses("vzunpack"):
        _unpack_slots(site)
    elif site.uses("vbitcast"):
        type_ = site.type("result")
        site.put("result", [site.build.as_type(value, type_) for value in site.registers("source")])
    elif site.vector("source").bits <= site.vector("result").bits:
        _widen(site)
    else:
        _narrow(site)


def _unpack_slots(site: Site) -> None:
    """Elements in slots, each register widened by halves; floats are converted where they stand then."""
    build, type_ = site.build, site.type("result")
    converted = site.uses("vcvt")
    bits = site.vector("source").bits
    signed = site.op.op == "extsi"
    made = []
    for value in site.registers("source"):
        value = build.as_element(value, f"{'si' if signed else 'ui'}{bits}")
        width = bits
        while width < site.vector("result").bits:
            width *= 2
            wide = register_type(f"{'si' if signed else 'ui'}{width}", width)
            value = build.one("vsunpack" if signed else "vzunpack", (value, build.constant(0)), wide)
        if converted:
            value = build.as_type(value, register_type(site.vector("source").element, bits))
            made.append(_convert(site, value, "P0" if width == 4 * bits else "EVEN"))
        else:
            made.append(build.as_type(value, type_))
    site.put("result", made)


def _widen(site: Site) -> None:
    source, result = site.vector("source"), site.vector("result")
    before, after = data_shape(source, site.layout["source"]), data_shape(result, site.layout["result"])
    registers = site.registers("source")
    made: list[Ssa | None] = [None] * sum(after.chunks)
    for number, part in enumerate(site.rule.parts or ("",)):
        for at, (place, chunk) in enumerate(before.registers):
            to = after.index(number * before.parts + place, chunk)
            if to is not None:
                made[to] = _convert(site, registers[at], part)
    site.put("result", [value for value in made if value is not None])


def _narrow(site: Site) -> None:
    source, result = site.vector("source"), site.vector("result")
    before, after = data_shape(source, site.layout["source"]), data_shape(result, site.layout["result"])
    registers = site.registers("source")
    made: list[Ssa] = []
    for place, chunk in after.registers:
        merged: Ssa | None = None
        for number, part in enumerate(site.rule.parts):
            at = before.index(number * after.parts + place, chunk)
            if at is None:
                continue
            value = _convert(site, registers[at], part)
            merged = value if merged is None else site.build.binary("vor", merged, value)
        assert merged is not None
        made.append(merged)
    site.put("result", made)


def _convert(site: Site, value: Ssa, part: str) -> Ssa:
    """One `vcvt`, with the free casts that its types ask for."""
    build = site.build
    rounding, saturate = str(site.op.attrs.get("rounding", "")), str(site.op.attrs.get("saturate", ""))
    return convert(build, value, site.type("result"), part, rounding, saturate, site.op.op)


def convert(
    build: Builder, value: Ssa, type_: str, part: str, rounding: str, saturate: str, op: str = ""
) -> Ssa:  # fmt: skip
    """A register converted to a type; pairs are converted as their elements, signless integers as unsigned ones."""
    source, result = unsigned_element(value.type), unsigned_element(type_)
    if source in PAIRS:
        source = "bf16"
    if result in PAIRS:
        result = "bf16"
    if op == "fptosi" and result[:2] == "ui":
        result = result[1:].replace("i", "si", 1)
    if (source, result) == ("si32", "si8"):
        if saturate == "SAT":
            raise UnsupportedError("si32 cannot be narrowed to si8 with saturation")
        source, result = "ui32", "ui8"
    rounded, saturated, exists = controls(source, result, rounding, saturate)
    if not exists:
        raise UnsupportedError(f"there is no conversion from {source} to {result}")
    bits = 16 if source == "bf16" else element_bits(value.type)
    narrow = 16 if result == "bf16" else element_bits(type_)
    value = build.as_type(value, register_type(source, bits))
    made = build.one(
        "vcvt", (value, build.all_true(bits)), register_type(result, narrow), part=part, rnd=rounded, sat=saturated
    )
    return build.as_type(made, type_)


def emit_expdif(site: Site) -> None:
    """Exponentials of differences; 16-bit elements widen as in a cast."""
    build, type_ = site.build, site.type("result")
    x, high, masks = site.registers("x"), site.registers("max"), site.registers("mask")
    if site.vector("x").bits == site.vector("result").bits:
        operands = zip(x, high, masks, strict=True)
        site.put("result", [build.one("vexpdif", one, type_, ("ODD",)) for one in operands])
        return
    before, after = data_shape(site.vector("x"), site.layout["x"]), data_shape(site.vector("result"),
                                                                              site.layout["result"])  # fmt: skip
    made: list[Ssa | None] = [None] * sum(after.chunks)
    for number, part in enumerate(site.rule.parts):
        for at, (place, chunk) in enumerate(before.registers):
            to = after.index(number * before.parts + place, chunk)
            if to is not None:
                made[to] = build.one("vexpdif", (x[at], high[at], masks[at]), type_, (part,))
    site.put("result", [value for value in made if value is not None])
