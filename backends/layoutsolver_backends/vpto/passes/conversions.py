"""Conversions that are free, or equal to another one. Source: section 5.6."""

from __future__ import annotations

from dataclasses import replace

from layoutsolver_backends.vpto.code import Code, Instruction, Ssa, element_bits, element_of

REPEATING = ("BRC_B", "US_B", "E2B_B")
"""Loads whose lanes are equal in pairs, by the beginning of their distribution."""

ZERO_FILLED: dict[tuple[int, int], str] = {(8, 16): "UNPK_B8", (16, 32): "UNPK_B16", (8, 32): "UNPK4"}
"""The distribution that leaves zeros between elements, by their width and that of the lanes around them."""

FIRST = {2: "EVEN", 4: "P0"}
RATIOS = {"EVEN": 2, "ODD": 2, "P0": 4, "P1": 4, "P2": 4, "P3": 4}
"""How many lanes share a slot, by the part; a pair of 4-bit elements becomes two lanes of 16 bits."""


def simplify_conversions(code: Code) -> None:
    """Name the first part where all are equal; widen what lies between zeros by reading it as wider lanes."""
    makers = {value: one for _, one in code.all() for value in one.results}
    stands_for: dict[Ssa, Ssa] = {}
    for place, some in code.places.items():
        made: list[Instruction] = []
        for instruction in some:
            one = instruction.renamed(stands_for)
            if one.name == "pto.vcvt":
                one = _conversion(one, makers)
            if one.name == "pto.vbitcast":
                source = _stripped(one.operands[0], makers)
                if source.type == one.results[0].type:
                    stands_for[one.results[0]] = source
                    continue
                one = replace(one, operands=(source,))
            made.append(one)
        code.places[place] = made
    code.replaced(stands_for)


def _conversion(one: Instruction, makers: dict[Ssa, Instruction]) -> Instruction:
    source, result = one.operands[0], one.results[0]
    narrow, wide = element_bits(source.type), element_bits(result.type)
    part = one.attr("part")
    if narrow >= wide or not part or not _is_all_true(one.operands[1], makers):
        return one
    ratio = RATIOS[part]
    if part != FIRST[ratio] and _has_equal_lanes(source, narrow, ratio, makers):
        part = FIRST[ratio]
        attrs = tuple((name, f'"{part}"' if name == "part" else text) for name, text in one.attrs)
        one = replace(one, attrs=attrs)
    unsigned = element_of(source.type)[:2] == "ui" and element_of(result.type)[:2] == "ui"
    if unsigned and part == FIRST[ratio] and _is_between_zeros(source, narrow, wide, makers):
        return Instruction("pto.vbitcast", (source,), one.results, owner=one.owner)
    return one


def _stripped(value: Ssa, makers: dict[Ssa, Instruction]) -> Ssa:
    """The register behind casts that cost nothing."""
    while value in makers and makers[value].name == "pto.vbitcast":
        value = makers[value].operands[0]
    return value


def _is_all_true(mask: Ssa, makers: dict[Ssa, Instruction]) -> bool:
    made = makers.get(mask)
    return made is not None and made.name.startswith("pto.pset_b") and made.words == ("PAT_ALL",)


def _has_equal_lanes(value: Ssa, bits: int, ratio: int, makers: dict[Ssa, Instruction]) -> bool:
    """Whether the lanes of so many bits are equal in runs of `ratio`."""
    base = _stripped(value, makers)
    made = makers.get(base)
    if made is None or element_bits(base.type) != bits:
        return False
    if made.name == "pto.vdup":
        return _is_all_true(made.operands[1], makers)
    dist = made.attr("dist") if made.name == "pto.vlds" else ""
    return dist.startswith(REPEATING) and int(dist.rpartition("B")[2]) == bits and (ratio == 2 or dist[:2] != "US")


def _is_between_zeros(value: Ssa, narrow: int, wide: int, makers: dict[Ssa, Instruction]) -> bool:
    """Whether every lane of `wide` bits holds an element of `narrow` bits, and zeros above it."""
    base = _stripped(value, makers)
    made = makers.get(base)
    if made is None:
        return False
    if made.name == "pto.vlds":
        return element_bits(base.type) == narrow and made.attr("dist") == ZERO_FILLED.get((narrow, wide))
    if made.name == "pto.vcvt":
        before, after = element_bits(made.operands[0].type), element_bits(base.type)
        first = FIRST.get(before // after) if before > after else None
        fits = (before, after) == (wide, narrow) and made.attr("part") == first
        return fits and _is_all_true(made.operands[1], makers)
    if made.name == "pto.vzunpack":
        before, after = element_bits(made.operands[0].type), element_bits(base.type)
        if after != wide or narrow > before:
            return False
        return narrow == before or _is_between_zeros(made.operands[0], narrow, before, makers)
    return False
