"""Casts: which source layout goes with which result layout, and the parts of `vcvt` that do it.

A widening by the ratio r reads part p of every source register: wide lane i takes narrow lane r i + p. So the parts
that a row names must be those that hold elements, in the order in which the result wants them; narrowing is the
mirror image, with the parts of a result brought together by `vor`. Where zeros lie between unsigned elements, they
are wide elements already: see section 5.6 for who leaves zeros. Elements side by side in slots are spread first, which
widens integers and leaves floats to be converted.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_models.rules.vmi.row import Limit, Lowering, VmiRule, fails, ours, upstream, wrong

_SOURCE = "3.3"
_TWO, _FOUR = ("EVEN", "ODD"), ("P0", "P1", "P2", "P3")

WIDTHS: tuple[tuple[int, int], ...] = ((16, 16), (8, 16), (16, 32), (8, 32), (16, 8), (32, 16), (32, 8))
"""The pairs of source and result widths that a cast can have."""

_DENSE: dict[int, tuple[tuple[str, str, tuple[str, ...]], ...]] = {
    1: (("c", "c", ()),),
    2: (("c", "d2", _TWO), ("ls2", "c", _TWO[:1]), ("d2", "d4", _TWO)),
    4: (("c", "d4", _FOUR), ("ls2", "d2", ("P0", "P2")), ("ls4", "c", _FOUR[:1])),
}
"""Narrow layout, wide layout and parts, by the ratio of the widths; narrowing reads these rows backwards."""

_SLOTS: dict[int, tuple[tuple[str, str], ...]] = {
    2: (("gs1", "gs1"), ("gs8.2", "gs8"), ("gs2", "gs2"), ("gs4", "gs4"), ("gs8", "gs8")),
    4: (("gs1", "gs1"), ("gs8.4", "gs8"), ("gs2", "gs2"), ("gs4", "gs4"), ("gs8", "gs8")),
}
"""Narrow and wide layouts of slots; narrowing has only those two of each that keep 32-bit lanes apart."""

_NARROW_ORDER: dict[int, tuple[int, ...]] = {2: (0, 1, 2), 4: (0, 2, 1)}
"""The order in which upstream lists the narrowing rows."""


def _name(source: str, result: str) -> str:
    return f"{source}_{result}".upper()


def _rule(
    widths: tuple[int, int],
    source: str,
    result: str,
    lowerings: tuple[Lowering, ...],
    limits: tuple[Limit, ...] = (),
    parts: tuple[str, ...] = (),
) -> VmiRule:
    needed = [f"N >= {name[1:]}" for name in (source, result) if name in ("d2", "d4")]
    when = " and ".join((f"W == {widths[0]} and W_to == {widths[1]}", *dict.fromkeys(needed)))
    return VmiRule(
        f"VMI.CAST.{widths[0]}_{widths[1]}.{_name(source, result)}", "cast", {"source": source, "result": result}, when,
        lowerings, _SOURCE, limits, parts,
    )  # fmt: skip


def _widen(widths: tuple[int, int]) -> list[VmiRule]:
    ratio = widths[1] // widths[0]
    rows = []
    for source, result, parts in _DENSE[ratio]:
        limits = (fails("op == 'extf' and to in ('f16', 'bf16')"),) if widths == (8, 16) else ()
        text = "vcvt * A(result)"
        if (source, result) == ("ls2", "d2"):
            rows.append(_rule(widths, source, result, (ours(text),), (fails(),), parts))
        else:
            free = (upstream("vbitcast * A(source)", "op == 'extui' and zero_gap"),) if source[:2] == "ls" else ()
            rows.append(_rule(widths, source, result, (*free, upstream(text)), limits, parts))
    for source, result in _SLOTS.get(ratio, ()):
        unpack = source == result and source != "gs1"
        first = "P0" if ratio == 4 else "EVEN"
        ways: tuple[Lowering, ...] = (upstream("vcvt * A(source)"),)
        limit = fails("op == 'extf'")
        if unpack:
            spread = f"vzunpack * {ratio // 2} * A(source)"
            ways = (upstream(spread, "op in ('extsi', 'extui')"),
                    ours(f"{spread}; vcvt * A(source)", "op not in ('extsi', 'extui')"))  # fmt: skip
            limit = fails("op not in ('extsi', 'extui')")
        rows.append(_rule(widths, source, result, ways, (limit,), () if unpack else (first,)))
    return rows


def _narrow(widths: tuple[int, int]) -> list[VmiRule]:
    ratio = widths[0] // widths[1]
    rows = []
    truncated = wrong("op == 'trunci' and element == 'si32' and to == 'si8' and saturate == 'SAT'")
    byte = (truncated,) if ratio == 4 else ()
    for number in _NARROW_ORDER[ratio]:
        result, source, parts = _DENSE[ratio][number]
        merged = "vcvt * A(source); vor * A(source) - A(result)"
        ways: tuple[Lowering, ...] = (upstream(merged),)
        limits: tuple[Limit, ...] = byte
        if source == "c":
            ways = (upstream("vbitcast * A(source)", "op == 'trunci' and saturate == 'NOSAT'"), *ways)
        elif ratio == 4 and source == "d2":
            limits = (fails("op == 'trunci'"), *byte)
        else:
            several = "" if result == "d2" else " and A(result) >= 2"
            limits = (wrong(f"op == 'trunci'{several}"), *byte)
        rows.append(_rule(widths, source, result, ways, limits, parts))
    slots = fails(
        "(op == 'truncf' and (W == 16 or element == '!pto.bf16x2')) or op in ('fptosi', 'fptoui') "
        "or (op == 'trunci' and to == 'si8')"
    )
    for result, source in (("gs1", "gs1"), (f"gs8.{ratio}", "gs8")):
        first = "P0" if ratio == 4 else "EVEN"
        rows.append(_rule(widths, source, result, (upstream("vcvt * A(source)"),), (slots, *byte), (first,)))
    return rows


CAST: tuple[VmiRule, ...] = tuple(
    row for widths in WIDTHS for row in (_widen(widths) if widths[0] <= widths[1] else _narrow(widths))
)
"""Casts between widths, and from `bf16` to `f16`."""

EXPDIF: tuple[VmiRule, ...] = tuple(
    VmiRule(
        f"VMI.EXPDIF.16_32.{_name(source, result)}", "vexpdif",
        {"x": source, "max": source, "mask": source, "result": result},
        " and ".join(("W == 16", *(f"N >= {name[1:]}" for name in (source, result) if name[0] == "d"))),
        (upstream("vexpdif * A(result)"),), _SOURCE, (fails(),) if source == "ls2" else (), parts,
    )
    for source, result, parts in _DENSE[2]
)  # fmt: skip
"""`vexpdif` of 16-bit elements, which widens as a cast does; of 32-bit ones it is an elementwise operation."""


class CastTypes(NamedTuple):
    """Element types between which a cast exists; `only` says which of the layouts, if not all of its widths."""

    op: str
    sources: tuple[str, ...]
    results: tuple[str, ...]
    only: str = ""


FP8 = ("f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ")
FP4 = ("!pto.f4E1M2x2", "!pto.f4E2M1x2")

CAST_TYPES: tuple[CastTypes, ...] = (
    CastTypes("extf", ("f16", "bf16", *FP8, "!pto.hif8"), ("f32",)),
    CastTypes("extf", FP4, ("!pto.bf16x2",)),
    CastTypes("truncf", ("f32",), ("f16", "bf16", *FP8, "!pto.hif8")),
    CastTypes("truncf", ("f16", "bf16"), FP8),
    CastTypes("truncf", ("f16",), ("!pto.hif8",)),
    CastTypes("truncf", ("!pto.bf16x2",), FP4),
    CastTypes("truncf", ("bf16",), ("f16",)),
    CastTypes("extui", ("ui8", "i8"), ("ui16", "i16", "ui32", "i32")),
    CastTypes("extui", ("ui16", "i16"), ("ui32", "i32")),
    CastTypes("extsi", ("si8",), ("si16", "si32")),
    CastTypes("extsi", ("si16",), ("si32",)),
    CastTypes("trunci", ("ui32", "si32", "i32"), ("ui16", "si16", "i16")),
    CastTypes("trunci", ("ui32", "si32", "i32"), ("ui8",)),
    CastTypes("trunci", ("ui16", "si16"), ("ui8",)),
    CastTypes("trunci", ("si32",), ("si8",)),
    CastTypes("trunci", ("i32",), ("i8",), "saturate == 'NOSAT' and source == 'c'"),
    CastTypes("trunci", ("si16",), ("si8",), "saturate == 'NOSAT' and source == 'c'"),
    CastTypes("fptosi", ("f32",), ("si16", "si32")),
    CastTypes("fptosi", ("f16",), ("si8", "si16", "si32")),
    CastTypes("fptosi", ("bf16",), ("si32",)),
    CastTypes("fptoui", ("f16",), ("ui8", "i8")),
    CastTypes("sitofp", ("si32",), ("f32",)),
)
"""The types of casts that can be carried out. Source: section 3.3, behind the table of rows."""
