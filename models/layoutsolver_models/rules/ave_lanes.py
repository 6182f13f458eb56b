"""Which layouts do what an operation means: where elements end up, and what masks govern besides elements.

The layout rules (`rules.ave`) say what the released analyzer accepts. Some of that moves elements elsewhere, or lets
bits of a mask take part that belong to no element; the rows here say which, as the hardware model shows it. Sources:
the instruction formulas of `layoutsolver_models.hardware`, on which every row is run.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Whole = Literal["always", "never", "sources", "results", "dense", "sparse"]
"""When all elements of an interleave's result are right.

`sources`: the sources fill their registers; `results`: the results do; `dense`: the elements taken from each source
fill the source's register; `sparse`: half of a source is half of its register.
"""

Reach = Literal["none", "one", "half_up", "half_down", "half_result"]
"""How many leading elements are right where not all are: of a source's elements half, rounded up or down, or half of
the result's."""


class LaneRule(NamedTuple):
    """Why a layout does not do what an operation means; `help` says what would, where something does."""

    id: str
    why: str
    help: str = ""


_CLEAR = "`ave.hir.preg.and` of the mask with itself under a `pge` or `plt` of the elements clears these bits"

LANE_RULES: dict[str, LaneRule] = {
    rule.id: rule
    for rule in (
        LaneRule("AVE.LANES.STORE.MASK",
                 "its mask may be set in {extent} slots, {lanes} of which hold elements: more would be stored", _CLEAR),
        LaneRule("AVE.LANES.VSSTB.MASK",
                 "its mask may be set in {extent} slots, {lanes} of which hold elements: more would be stored", _CLEAR),
        LaneRule("AVE.LANES.SCATTER.MASK",
                 "its mask may be set in {extent} slots, {lanes} of which hold elements: more would be stored", _CLEAR),
        LaneRule("AVE.LANES.SCATTER.BETWEEN",
                 "its mask may be set between elements, and what lies there would be stored", _CLEAR),
        LaneRule("AVE.LANES.REDUCE.MASK",
                 "its mask may be set in {extent} slots, {lanes} of which hold elements: more would be reduced",
                 _CLEAR),
        LaneRule("AVE.LANES.REDUCE.BETWEEN",
                 "its mask may be set between elements, and what lies there would be reduced", _CLEAR),
        LaneRule("AVE.LANES.INTLV",
                 "element {at} of `{result}` would not be the one that is meant: the instruction moves register slots"),
        LaneRule("AVE.LANES.REPACK", "it moves whole register lanes, and elements of this layout lie apart"),
        LaneRule("AVE.LANES.SLIDE",
                 "it moves register slots, and the {lanes} elements of a source do not fill its register"),
        LaneRule("AVE.LANES.SPREAD.SLIDE", "it moves whole register lanes, and elements of this layout lie apart"),
        LaneRule("AVE.LANES.LAST",
                 "it takes the last lane of the register, which does not hold the last of the {lanes} elements"),
        LaneRule("AVE.LANES.EXT.PART", "it reads part {part} of each slot, and elements lie in part 0"),
        LaneRule("AVE.LANES.TRUNC.PART", "it writes part {part} of each slot, and elements lie in part 0"),
        LaneRule("AVE.LANES.PGE", "the pattern {pattern} counts {slots} slots, and there are {lanes} elements"),
        LaneRule("AVE.LANES.PLT.REST",
                 "what is left of the count is that behind {slots} slots, and there are {lanes} elements"),
        LaneRule("AVE.LANES.PLTM",
                 "without a functionType the compiler counts {slots} slots, and its layout has {own}"),
        LaneRule("AVE.LANES.LOAD.MASK", "without alignment only 128 bits of a mask can be loaded at this granularity"),
        LaneRule("AVE.LANES.LOAD.DIST", "its distribution {dist} puts elements elsewhere"),
        LaneRule("AVE.LANES.STORE.DIST", "its distribution {dist} takes elements from elsewhere"),
        LaneRule("AVE.LANES.PCAST", "the mode {mode} changes the granularity, and both masks have the same"),
        LaneRule("AVE.LANES.RESULTS", "its results have different layouts"),
        LaneRule("AVE.LANES.CALL", "`{value}` is {given} here and {taken} in {symbol}"),
        LaneRule("AVE.LANES.WIDTH", "elements of `{value}` have {bits} bits, those of its layout {other}"),
    )
}  # fmt: skip
"""The rows by id; braces are filled in for the operation at hand."""


class Interleaved(NamedTuple):
    """How far the result number `result` of an interleave is right, by whether elements of the sources lie apart."""

    op: str
    change: str
    spread: bool
    result: int
    whole: Whole
    reach: Reach


def _rows() -> dict[tuple[str, str, bool, int], Interleaved]:
    rows: list[Interleaved] = []
    for change in ("", "UNCHANGED"):
        rows += [
            Interleaved("vintlv", change, False, 0, "always", "none"),
            Interleaved("vintlv", change, False, 1, "results", "none"),
            Interleaved("vdintlv", change, False, 0, "sources", "half_up"),
            Interleaved("vdintlv", change, False, 1, "sources", "half_down"),
        ]
    rows += [
        Interleaved("vintlv", "UNCHANGED", True, 0, "never", "one"),
        Interleaved("vintlv", "UNCHANGED", True, 1, "never", "none"),
        Interleaved("vdintlv", "UNCHANGED", True, 0, "sources", "half_up"),
        Interleaved("vdintlv", "UNCHANGED", True, 1, "never", "none"),
        Interleaved("vdintlv", "DENSE", True, 0, "dense", "half_result"),
        Interleaved("vdintlv", "DENSE", True, 1, "always", "none"),
        Interleaved("vintlv", "DENSE", True, 0, "never", "one"),
        Interleaved("vintlv", "DENSE", True, 1, "never", "none"),
    ]
    for spread in (False, True):
        rows += [
            Interleaved("vintlv", "SPARSE", spread, 0, "always", "none"),
            Interleaved("vintlv", "SPARSE", spread, 1, "sparse", "none"),
            Interleaved("vdintlv", "SPARSE", spread, 0, "never", "one"),
            Interleaved("vdintlv", "SPARSE", spread, 1, "never", "none"),
        ]
    return {(row.op, row.change, row.spread, row.result): row for row in rows}


INTERLEAVED = _rows()
"""The rows by operation, layout_change, spread sources and result; combinations that have no layout rule are not here.

`vintlv` alternates lanes: elements alternate where they lie side by side. `vdintlv` takes every other lane of one
source behind the other: of spread elements every other one (UNCHANGED), or all, side by side (DENSE). The high result
begins where the register of the low one ends.
"""
