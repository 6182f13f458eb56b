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


_FLOAT_SUM = "op == 'group_reduce_addf'"
_ZEROED = (
    "(op in ('group_reduce_addf', 'group_reduce_addi') "
    "or op == 'group_reduce_maxi' and element not in ('si8', 'si16', 'si32'))"
)
"""Reductions in which zero changes nothing, which is what an instruction under a mask leaves of an element."""

_CLASSES = "S in (B, 2 * B, 4 * B) or W < 32 and 2 * S == B or W == 8 and 4 * S == B"
"""The sizes of groups that upstream has instructions for, whole registers left out."""

_EIGHT_EACH = "~vci * min(ceil(G, 8), B) - 1; vselr * ceil(G, 8) - ceil(G, lp)"
"""Neighbours brought to registers of eight, of which the first in a register are in their place."""

_NOT_FULL = "not (S >= lp and S % lp == 0)"
_HALVABLE = "(S <= B or S <= 2 * B and S % 2 == 0 or S <= 4 * B and S % 4 == 0 or S < lp and S % 8 == 0)"
_SELECTED = (
    "".join(
        f"~{name} * made({name}); "
        for name in ("vci", "vdup", "vshrs", "vshls", "vmuls", "vadds", "vadd", "vsub", "vand", "vsel")
    )
    + "vselr * picks; vsel * merges"
)
"""Selections by the indices that a plan makes."""

_GATHERED = f"~vdup * blocks; ~vand * blocks; ~vcmps * blocks; {_SELECTED}"


def _governed(text: str, when: str = "") -> tuple[Lowering, ...]:
    """Instructions before which what a mask leaves out is made an element that changes nothing."""
    also = f"{when} and " if when else ""
    return (
        ours(text, f"{also}full"),
        ours(f"vadds * A(source); {text}", f"{also}not full and {_ZEROED}"),
        ours(f"~vdup * 1; vsel * A(source); {text}", f"{also}not full and not {_ZEROED}"),
    )


def _any(name: str, result: str, when: str, ways: tuple[Lowering, ...]) -> VmiRule:
    """A reduction of contiguous groups of sizes that upstream does not know."""
    layouts = f"source=c mask=c result={result}"
    return group_rule("VMI.GREDUCE", "group_reduce", name, layouts, when, ways, "3.7, 5.5", listed=UNLISTED)


GROUP_REDUCE: tuple[VmiRule, ...] = (
    _reduce("1/4", "ls4", _lanes(1), limits=(fails("W in (16, 32)"),)),
    _reduce("1/2", "ls2", _lanes(1), limits=(fails("W == 32"),)),
    _reduce("1", "c", _lanes(1)),
    _reduce("2", "d2", _lanes(2)), _reduce("2", "bd2", _lanes(2)),
    _reduce("4", "d4", _lanes(4)), _reduce("4", "bd4", _lanes(4)),
    _reduce("FULL", "c", tuple(upstream(*way) for way in _REGISTERS), "gs1"),
    _reduce("FULL2", "d2", tuple(upstream(*way) for way in _REGISTERS), "gs1"),
    _reduce("FULL4", "d4", tuple(ours(*way) for way in _REGISTERS), "gs1", (fails(),)),
    _any("PAIRS", "gs8", "B % S == 0 and (W == 32 and S < B or W == 16 and 2 * S < B or W == 8 and 4 * S < B)",
         (*_governed(f"vdintlv * pairs; combine * sums; {_EIGHT_EACH}", f"not ({_FLOAT_SUM} and full)"),
          ours(f"vdintlv * pairs; combine * sums; vadds * ceil(G, lp); {_EIGHT_EACH}", f"{_FLOAT_SUM} and full"))),
    _any("GATHER", "gs8", f"{_HALVABLE} and not ({_CLASSES})",
         _governed(f"vdintlv * pairs; combine * sums; {_GATHERED}; reduce_group * A(result)")),
    _any("PIECES", "gs1", f"(G == 1 and S > B or not ({_CLASSES})) and {_NOT_FULL}",
         (ours("combine * joins; reduce * reduces; ~pxor * ranges", "full"),
          ours("combine * joins; reduce * reduces; ~pxor * ranges; pand * partial", "not full"))),
)  # fmt: skip
"""One element of the result for each group; source and mask share a layout.

Groups of any size are reduced piece by piece, each piece a part of a register (`PIECES`), or brought to blocks of their
own (`GATHER`), halved before that until a block holds one. Halved to the end they leave one element behind the other,
which are then brought to registers of eight (`PAIRS`).
"""

REDUCE = (
    VmiRule("VMI.REDUCE.C", "reduce", {"source": "c", "mask": "c", "result": "c"}, "",
            (upstream("combine * A(source) - 1; reduce * 1", "same_masks and N % lp == 0"),
             upstream("reduce * A(source); combine * A(source) - 1", "not same_masks and N % lp == 0"),
             ours("combine * joins; reduce * reduces", "full and N % lp != 0"),
             ours("combine * joins; reduce * reduces; pand * partial", "not full and N % lp != 0")), "3.7",
            listed="N % lp == 0"),
)  # fmt: skip
"""Reductions to one element that are no group reductions. Of a register that is filled in part, the rest is left out:
a mask may have any bit set there.
"""

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
_EACH_SLOT = (
    upstream("~vdup * min(G, 8); vselr * A(result)"),
    ours("~vdup * min(G, 8); vselr * G", "S > lp"),
)
"""Registers of one group are one."""
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
    group_rule("VMI.GBRC", "group_broadcast", "ANY", "source=gs8 result=c",
               f"not (S in (B, 2 * B, 4 * B) or G <= 8 and (2 * S == B or 4 * S == B)) and {_NOT_FULL}",
               (ours(_SELECTED),), "3.7, 5.5", listed=UNLISTED),
    group_rule("VMI.GBRC", "group_broadcast", "ANY", "source=gs1 result=c", f"S not in (2 * B, 4 * B) and {_NOT_FULL}",
               (ours("vdup LOWEST * G; vsel * merges"),), "3.7, 5.5", listed=UNLISTED),
)  # fmt: skip
"""The element of each group for all of its elements; index vectors are made once.

Groups of any size are selected by indices that are quotients, by as many selections as registers have slots of.
"""

GROUP_VALUES: tuple[VmiRule, ...] = (*GROUP_REDUCE, *REDUCE, *GROUP_BROADCAST)
"""All rows."""
