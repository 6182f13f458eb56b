"""Operations on groups of a vector: reductions to one element for each group, and broadcasts of one to all of a group.

What goes depends on the size class of a group, its size against a 32-byte block (B lanes) and a register (lp lanes).
"""

from __future__ import annotations

from layoutsolver_models.rules.vmi.group_classes import group_rule
from layoutsolver_models.rules.vmi.row import UNLISTED, Limit, Lowering, VmiRule, fails, ours, upstream


def _lanes(parts: int) -> tuple[Lowering, ...]:
    """A reduction inside of blocks, the parts brought together before it if all masks are the same."""
    if parts == 1:
        return (upstream("reduce_group * A(result)"),)
    return (
        upstream(f"combine * {parts - 1} * A(result); reduce_group * A(result)", "same_masks"),
        upstream(f"reduce_group * {parts} * A(result); combine * {parts - 1} * A(result)", "not same_masks"),
    )


_REGISTERS = (
    ("combine * A(source) - G; reduce * G", "same_masks"),
    ("reduce * A(source); combine * A(source) - G", "not same_masks"),
)


def _reduce(
    size: str, source: str, ways: tuple[Lowering, ...], slots: str = "gs8", limits: tuple[Limit, ...] = ()
) -> VmiRule:
    layouts = f"source={source} mask={source} result={slots}"
    return group_rule("VMI.GREDUCE", "group_reduce", size, layouts, "", ways, "3.7", limits)


GROUP_REDUCE: tuple[VmiRule, ...] = (
    _reduce("1/4", "ls4", _lanes(1), limits=(fails("W in (16, 32)"),)),
    *(group_rule("VMI.GREDUCE", "group_reduce", size, "source=c mask=c result=gs8", "W == 32 and G <= 8",
                 (ours(f"~vdup * 1; vsel * 1; vdintlv * {halvings}; combine * {halvings}"),), "3.7", listed=UNLISTED)
      for size, halvings in (("1/4", 1), ("1/2", 2))),
    _reduce("1/2", "ls2", _lanes(1), limits=(fails("W == 32"),)),
    _reduce("1", "c", _lanes(1)),
    _reduce("2", "d2", _lanes(2)), _reduce("2", "bd2", _lanes(2)),
    _reduce("4", "d4", _lanes(4)), _reduce("4", "bd4", _lanes(4)),
    _reduce("FULL", "c", tuple(upstream(*way) for way in _REGISTERS), "gs1"),
    _reduce("FULL2", "d2", tuple(upstream(*way) for way in _REGISTERS), "gs1"),
    _reduce("FULL4", "d4", tuple(ours(*way) for way in _REGISTERS), "gs1", (fails(),)),
)  # fmt: skip
"""One element of the result for each group; source and mask share a layout.

Groups of less than a block of words are brought together pair by pair, which leaves one element behind the other.
"""

REDUCE = (
    VmiRule("VMI.REDUCE.C", "reduce", {"source": "c", "mask": "c", "result": "c"}, "",
            (upstream("combine * A(source) - 1; reduce * 1", "same_masks"),
             upstream("reduce * A(source); combine * A(source) - 1", "not same_masks")), "3.7",
            listed="N % lp == 0"),
)  # fmt: skip
"""Reductions to one element that are no group reductions."""

_INDEX = "~vci * 1; ~vshrs * 1"


def _starts(size: int, spread: bool = False) -> Lowering:
    """A selection for each register, of which as many as eight slots fill begin at different ones.

    `size` registers share eight slots; where slots are apart, indices are scaled (`spread`).
    """
    scaled = "; ~vshls * 1" if spread else ""
    starts = f"; ~vadds * min({size}, A(result)) - 1" if size > 1 else ""
    return upstream(f"{_INDEX}{scaled}{starts}; vselr * A(result)")


_SELECT = _starts(1)
_SHARED = upstream(f"{_INDEX}; vselr * ceil(G, 8)")
_EACH_SLOT = upstream("~vdup * min(G, 8); vselr * A(result)")
_COPIES = upstream("vdup LOWEST * G")
_MERGED = (
    upstream("vdup LOWEST * G; ~pnot * lp // S - 1; ~pand * lp // S - 1; vsel * G - A(result)"),
    ours("vdup LOWEST * G; vsel * G - A(result)"),
)
"""Upstream takes the lanes behind a boundary; those before it are a pattern, and need no logic."""
_HALF_FULL = (fails("N % lp != 0", "3.7"),)
_EIGHTS = (fails("G % 8 != 0", "3.7"),)


def _spread(
    size: str, source: str, result: str, way: Lowering | tuple[Lowering, ...], limits: tuple[Limit, ...] = ()
) -> VmiRule:  # fmt: skip
    layouts = f"source={source} result={result}"
    ways = (way,) if isinstance(way, Lowering) else way
    return group_rule("VMI.GBRC", "group_broadcast", size, layouts, "", ways, "3.7", limits)


GROUP_BROADCAST: tuple[VmiRule, ...] = (
    _spread("1/4", "gs8", "ls4", _SELECT), _spread("1/2", "gs8", "ls2", _SELECT),
    *(group_rule("VMI.GBRC", "group_broadcast", size, "source=gs8 result=c", "G <= 8", (_SELECT._replace(by="ours"),),
                 "3.7", listed=UNLISTED) for size in ("1/4", "1/2")),
    _spread("1", "gs8", "c", _SELECT, _HALF_FULL), _spread("1", "gs8", "ls2", _starts(2)),
    _spread("1", "gs8.2", "c", _starts(1, True), _HALF_FULL),
    _spread("1", "gs8.4", "c", _starts(1, True), _HALF_FULL),
    _spread("2", "gs8", "c", _starts(2), _HALF_FULL), _spread("2", "gs8", "d2", _SHARED, _EIGHTS),
    _spread("2", "gs8", "bd2", _SHARED, _EIGHTS), _spread("2", "gs1", "c", _MERGED, _HALF_FULL),
    _spread("4", "gs8", "c", _starts(4), _HALF_FULL), _spread("4", "gs8", "d4", _SHARED, _EIGHTS),
    _spread("4", "gs8", "bd4", _SHARED, _EIGHTS), _spread("4", "gs1", "c", _MERGED, _HALF_FULL),
    _spread("FULL", "gs8", "c", _EACH_SLOT), _spread("FULL", "gs1", "c", _COPIES),
    _spread("FULL2", "gs1", "d2", _COPIES), _spread("FULL4", "gs1", "d4", _COPIES),
)  # fmt: skip
"""The element of each group for all of its elements; index vectors are made once."""

GROUP_VALUES: tuple[VmiRule, ...] = (*GROUP_REDUCE, *REDUCE, *GROUP_BROADCAST)
"""All rows."""
