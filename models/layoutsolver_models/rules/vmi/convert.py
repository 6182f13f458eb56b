"""Conversions between layouts: data, masks, and masks of another granularity.

A row tells what upstream converts and by how many instructions, and by how many it can be done. The instructions
themselves are what `layoutsolver_models.lanes.convert` finds for the two layouts, which tests hold against `ours`.
"""

from __future__ import annotations

from layoutsolver_models.rules.vmi.row import Limit, Lowering, VmiRule, fails, ours, upstream

_SOURCE = "3.8, 4.4"

_PACKED = "2 * A(result) - (A(source) % 2)"
_DEEP = "ceil(R, 2) + 2 * ceil(R, 4)"

_DATA: tuple[tuple[str, str, str, str, str], ...] = (
    ("c", "d2", "(W == 16 and N == 256) or (W == 32 and N in (128, 256))",
     "vdintlv * A(result) // 2", "vdintlv * A(result) // 2"),
    ("d2", "c", "(W == 16 and N == 256) or (W == 32 and N in (128, 256))",
     "vintlv * A(source) // 2", "vintlv * A(source) // 2"),
    ("c", "d4", "W == 32 and N == 256", "vdintlv * A(result)", f"vdintlv * {_DEEP}"),
    ("d4", "c", "W == 32 and N == 256", "vintlv * A(source)", f"vintlv * {_DEEP}"),
    ("d2", "d4", "W == 32 and N in (256, 512)",
     "vintlv * R // 2; vdintlv * R", "vdintlv * 2 * ceil(A(source), 4)"),
    ("d4", "d2", "W == 32 and N in (256, 512)",
     "vintlv * R; vdintlv * R // 2", "vintlv * 2 * ceil(A(result), 4)"),
    ("c", "ls2", "W in (8, 16)", "vzunpack * A(result)", "vintlv * ceil(A(result), 2)"),
    ("ls2", "c", "W in (8, 16)", f"vpack * {_PACKED}; vor * A(source) // 2", "vdintlv * A(result)"),
    ("c", "ls4", "W == 8", "vzunpack * A(result) + ceil(A(result), 2)",
     "vintlv * ceil(A(result), 2) + ceil(A(result), 4)"),
    ("ls4", "c", "W == 8", "vpack * A(source) + ceil(A(source), 2); vor * A(source) - A(result)",
     "vdintlv * ceil(A(source), 2) + A(result)"),
    ("gs8", "gs8.2", "W in (8, 16)", "vzunpack * A(source)", ""),
    ("gs8.2", "gs8", "W in (8, 16)", "vpack * A(source)", ""),
    ("gs8", "gs8.4", "W == 8", "vzunpack * 2 * A(source)", ""),
    ("gs8.4", "gs8", "W == 8", "vpack * 2 * A(source)", ""),
    ("gs8.2", "gs8.4", "W == 8", "vzunpack * A(source)", ""),
    ("gs8.4", "gs8.2", "W == 8", "vpack * A(source)", ""),
    ("c", "gs1", "N == 1", "", ""),
    ("gs1", "c", "N == 1", "", ""),
)  # fmt: skip
"""Source, result, where upstream has the conversion, its instructions, and ours if there are fewer or it has none."""

_POSSIBLE = {
    **dict.fromkeys((("c", "d2"), ("d2", "c")), "N >= 2"),
    **dict.fromkeys((("c", "d4"), ("d4", "c"), ("d2", "d4"), ("d4", "d2")), "N >= 4"),
    **dict.fromkeys((("c", "ls2"), ("ls2", "c")), "W in (8, 16)"),
    **dict.fromkeys((("c", "ls4"), ("ls4", "c")), "W == 8"),
}
"""Where the conversions of ours exist: wherever the two layouts do."""


def _data(source: str, result: str, when: str, theirs: str, best: str) -> VmiRule:
    ways: tuple[Lowering, ...] = (upstream(theirs, when),)
    possible = _POSSIBLE.get((source, result), when)
    if best:
        ways = (*ways, ours(best))
    if "ls" in source + result or "gs8" in source + result:
        ways = (*ways, ours("", "N == 1"))
    return VmiRule(f"VMI.CONV.{source}_{result}".upper(), "convert", {"source": source, "result": result}, possible,
                   ways, _SOURCE)  # fmt: skip


_ALIKE = (("c", "gs8", 8), ("c", "gs4", 4), ("c", "gs2", 2), ("ls2", "gs8.2", 8), ("ls4", "gs8.4", 8))
"""Layouts in which a few elements stand in the same lanes of one register, and how many those are."""

CONVERT: tuple[VmiRule, ...] = (
    *(_data(*row) for row in _DATA),
    *(VmiRule(f"VMI.CONV.{source}_{result}".upper(), "convert", {"source": source, "result": result},
              f"N <= {few} and N > 1", (ours(""),), _SOURCE)
      for one, other, few in _ALIKE for source, result in ((one, other), (other, one))),
)  # fmt: skip
"""Data: every pair in both directions. Nothing leads to or from blocks; the same layout costs nothing."""

_FEW = "(1, 2, 4, 8, 64)"
_SPLIT = "ceil(R, 2) + 2 * ceil(R, 4)"

_MASKS: tuple[tuple[str, str, str, str, str, str], ...] = (
    ("c", "d2", "(W == 16 and N == 256) or (W == 32 and N in (128, 256, 512))", "pdintlv * A(result) // 2",
     "pdintlv * ceil(R, 2)", "N >= 2"),
    ("d2", "c", "(W == 16 and N == 256) or (W == 32 and N in (128, 256, 512))", "pintlv * A(source) // 2",
     "pintlv * A(source) // 2", "N >= 2"),
    ("c", "d4", "W == 32 and N == 256", "pdintlv * A(result)", f"pdintlv * {_SPLIT}", "N >= 4"),
    ("d4", "c", "W == 32 and N == 256", "pintlv * A(source)", f"pintlv * {_SPLIT}", "N >= 4"),
    ("c", "bd2", "W == 32 and N == 128", "", "", ""), ("bd2", "c", "W == 32 and N == 128", "", "", ""),
    ("c", "bd4", "W == 32 and N == 256", "", "", ""), ("bd4", "c", "W == 32 and N == 256", "", "", ""),
    ("c", "ls2", f"W != 32 and ((W == 8 and N == 128) or N in {_FEW})", "punpack * 1", "punpack * A(result)",
     "W in (8, 16) and N > 1"),
    ("ls2", "c", f"W != 32 and ((W == 8 and N == 128) or N in {_FEW})", "ppack * 1",
     "pdintlv * A(source) // 2; ppack * A(source) % 2", "W in (8, 16) and N > 1"),
    ("c", "ls4", "", "", "punpack * ceil(N, 128) + A(result)", "W == 8 and N > 1"),
    ("ls4", "c", "", "",
     "pdintlv * A(source) // 2 + ceil(A(source), 2) // 2; ppack * A(source) % 2 + ceil(A(source), 2) % 2",
     "W == 8 and N > 1"),
)  # fmt: skip
"""Source, result, where upstream has the conversion, its instructions, ours, and where those are possible.

Ours leave the bits between lanes empty, as nothing says what they do.
"""

_LISTED = {
    **dict.fromkeys((("c", "ls2"), ("ls2", "c")), f"(W == 8 and N == 128) or N in {_FEW}"),
    **dict.fromkeys((("c", "ls4"), ("ls4", "c")), f"(W == 8 and N in {_FEW}) or N in (1, 2, 4, 8)"),
}
"""Where upstream lists a conversion between lanes that are apart; it has none for masks of lanes of 64 bits."""


def _mask(source: str, result: str, when: str, theirs: str, best: str, possible: str) -> VmiRule:
    listed = _LISTED.get((source, result), when)
    ways: tuple[Lowering, ...] = (upstream(theirs, when),) if theirs else ()
    if best:
        ways = (*ways, ours(best, possible))
    limits: tuple[Limit, ...] = ()
    if not theirs:
        limits = (fails(),)
    elif possible:
        limits = (fails(f"not ({when})"),)
    usable = f"({listed}) or ({possible})" if possible else listed
    if "ls" in source + result:
        ways = (*ways, ours("", "N == 1"))
    return VmiRule(f"VMI.MCONV.{source}_{result}".upper(), "convert_mask", {"source": source, "result": result}, usable,
                   ways, _SOURCE, limits, listed=listed)  # fmt: skip


CONVERT_MASK: tuple[VmiRule, ...] = tuple(_mask(*row) for row in _MASKS)
"""Masks, W being the width of what they govern. Masks that are made of numbers are made anew instead."""

_GRANULARITY: dict[tuple[int, int], tuple[tuple[str, str, str], ...]] = {
    (8, 16): (("c", "d2", "punpack * 2; pdintlv * 1"), ("ls2", "c", ""),
              ("d2", "d4", "punpack * 2; pdintlv * 5"), ("gs8.2", "gs8", "")),
    (16, 32): (("c", "d2", "punpack * 4; pdintlv * 2"), ("ls2", "c", ""),
               ("d2", "d4", "punpack * 4; pdintlv * 6"), ("gs8.2", "gs8", "")),
    (8, 32): (("c", "d4", "punpack * 6; pdintlv * 4"), ("ls2", "d2", "punpack * 4; pdintlv * 2"), ("ls4", "c", ""),
              ("gs8.4", "gs8", "")),
    (16, 8): (("d2", "c", "ppack * 2; pintlv * 1"), ("c", "ls2", ""),
              ("d4", "d2", "ppack * 4; pintlv * 4"), ("gs8", "gs8.2", "")),
    (32, 16): (("d2", "c", "ppack * 4; por * 2; pintlv * 1"), ("c", "ls2", ""),
               ("d4", "d2", "ppack * 4; pintlv * 4"), ("gs8", "gs8.2", "")),
    (32, 8): (("d4", "c", "ppack * 8; pintlv * 3"), ("c", "ls4", ""), ("d2", "ls2", "ppack * 4; por * 2; pintlv * 1"),
              ("gs8", "gs8.4", "")),
}  # fmt: skip
"""By widths: source, result, and upstream's instructions for 256 elements; none where the register stays the same."""


_OURS: dict[tuple[int, str, str], str] = {
    (2, "c", "d2"): "punpack * ceil(N, lp // 2); pdintlv * R",
    (2, "d2", "d4"): "punpack * ceil(ceil(N, 2), lp // 2) + ceil(N // 2, lp // 2); pdintlv * A(source)",
    (4, "ls2", "d2"): "punpack * ceil(N, lp // 4); pdintlv * ceil(N, lp // 2)",
    (4, "c", "d4"): "punpack * ceil(N, lp // 2) + ceil(ceil(N, 2), lp // 4) + ceil(N // 2, lp // 4); "
                    "pdintlv * R + ceil(ceil(N, 2), lp // 2) + ceil(N // 2, lp // 2)",
    (-2, "d2", "c"): "ppack * A(source); pintlv * A(result)",
    (-2, "d4", "d2"): "ppack * A(source); pintlv * A(result)",
    (-4, "d2", "ls2"): "ppack * A(source); pintlv * A(result)",
    (-4, "d4", "c"): "ppack * A(source) + ceil(ceil(N, 2), 2 * lp) + ceil(N // 2, 2 * lp); "
                     "pintlv * A(result) + ceil(ceil(N, 2), 2 * lp) + ceil(N // 2, 2 * lp)",
}  # fmt: skip
"""By ratio (narrowing below 0), source and result: halves unpacked and their lanes taken apart, or the reverse.

Four times the width is twice double the width. `lp` is of the source's width.
"""

_HALVES: dict[tuple[tuple[int, int], str, str], tuple[tuple[str, str], ...]] = {
    ((32, 16), "d2", "c"): (("ppack * 2; pintlv * 1", "N == 128"),),
}
"""The same for 128 elements, where it is known."""


def _granularity(widths: tuple[int, int], source: str, result: str, text: str) -> VmiRule:
    needed = [f"N >= {name[1:]}" for name in (source, result) if name in ("d2", "d4")]
    when = " and ".join((f"W == {widths[0]} and W_to == {widths[1]}", *dict.fromkeys(needed)))
    ratio = widths[1] // widths[0] if widths[1] > widths[0] else -(widths[0] // widths[1])
    ways: tuple[Lowering, ...] = (upstream("pbitcast * A(source)"),)
    if text:
        halves = _HALVES.get((widths, source, result), ())
        ways = (upstream(text, "N == 256"), *(upstream(*more) for more in halves), ours(_OURS[ratio, source, result]))
    return VmiRule(f"VMI.GRAN.{widths[0]}_{widths[1]}.{source}_{result}".upper(), "granularity",
                   {"source": source, "result": result}, when, ways, "3.8")  # fmt: skip


GRANULARITY: tuple[VmiRule, ...] = tuple(
    _granularity(widths, *row) for widths, rows in _GRANULARITY.items() for row in rows
)
"""Masks for elements of another width, by the rows of casts; there is none that keeps the layout."""
