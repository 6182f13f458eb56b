"""Operations that move elements: interleaving, selection by index, channels, compression, histograms."""

from __future__ import annotations

from layoutsolver_models.rules.vmi.row import UNLISTED, Limit, Lowering, VmiRule, ours, upstream, wrong

_FREE = (upstream(""),)
_PARTLY = "N % lp != 0"


_WIDE = "(W > 8 and 2 * N > lp)"
"""Where the lanes of a register that is turned round are not counted modulo its lanes by themselves."""
_TURNED = f"~vci * 1 + {_WIDE}; ~vsel * {_WIDE}"
"""The indices by which a register is turned round: a ramp, or two of which one is taken behind some lane."""
_OVER = "(2 * (N % lp) > lp)"
"""Whether what the last registers of two vectors hold takes more than one."""

_APART: dict[str, tuple[Lowering, ...]] = {
    "vintlv": (
        ours("~vci * 2; ~vsel * 1; vselr * 2; vintlv * 1", "N < lp and 2 * N > lp and N % 2 == 0"),
        ours(f"{_TURNED}; vintlv * R; vselr * R + {_OVER}; vsel * N // lp + {_OVER}",
             "N > 1 and N % lp != 0 and (N > lp or 2 * N <= lp or N % 2 == 1)")),
    "vdintlv": (ours(f"{_TURNED}; vselr * R; vsel * R; vdintlv * R", "N > 1 and N % lp != 0"),),
}  # fmt: skip
"""Of vectors whose last register is not full, the second half begins inside of a register: elements move there by
indices. What two registers hold of it is put together by selections. An even number of elements of a register is
brought into such places that one interleaving makes both halves."""


def _pair(op: str, source: str, result: str) -> VmiRule:
    """Interleaving by naming the registers anew, or by instructions on pairs of registers."""
    layouts = {"lhs": source, "rhs": source, "mask": source, "low": result, "high": result}
    limits: tuple[Limit, ...] = ()
    name = source if source == result else f"{source}_{result}"
    ways: tuple[Lowering, ...]
    if source == result:
        stride = source[2:] if source[:2] == "ls" else "1"
        wide = {"1": "", "2": " and W in (8, 16)", "4": " and W == 8"}[stride]
        when = listed = f"N * {stride} <= lp{wide}"
        ways = (upstream(f"{op} * 1", f"N * {stride} == lp"),)
        limits = (wrong(f"N * {stride} < lp"),)
        if stride == "1":
            when = "N <= lp or N % (2 * lp) != 0"
            ways = (*ways, ours("", "N == 1"), ours(f"{op} * R", "N > lp and N % lp == 0"), *_APART[op])
    else:
        chunks, parts = ("(2, 4)", 2) if "d4" not in (source, result) else ("(4,)", 4)
        when, listed, ways = f"N % ({parts} * lp) == 0", f"R in {chunks}", _FREE
    return VmiRule(f"VMI.{op[1:].upper()}.{name.upper()}", op, layouts, when, ways, "3.10", limits, listed=listed)


_SINGLE = ("c", "ls2", "ls4")

INTERLEAVE: tuple[VmiRule, ...] = (
    _pair("vintlv", "c", "d2"), _pair("vintlv", "d2", "d4"), *(_pair("vintlv", name, name) for name in _SINGLE),
    _pair("vdintlv", "d2", "c"), _pair("vdintlv", "d4", "d2"), *(_pair("vdintlv", name, name) for name in _SINGLE),
)  # fmt: skip
"""Pairs of vectors by turns. Where registers only get other names, `zero_copy` says which."""


def zero_copy(chunks: int, four_parts: bool = False) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The registers of low and high of an interleaving that moves nothing, in those of lhs, then those of rhs.

    `four_parts` is whether the layout with more parts is `d4`.

    >>> zero_copy(4)
    ((0, 1, 4, 5), (2, 3, 6, 7))
    >>> zero_copy(4, four_parts=True)
    ((0, 4, 2, 6), (1, 5, 3, 7))
    """
    starts = (0, chunks, chunks // 2, chunks + chunks // 2) if four_parts else (0, chunks)
    size = chunks // len(starts)
    low = tuple(start + number for start in starts for number in range(size))
    return low, tuple(number + size for number in low)


_SELECTED = "N_to == N and ((W == 8 and N in (64, 128, 256)) or (W == 16 and N in (64, 128)) or (W == 32 and N == 64))"

_PREDICATES = "~plt * prefixes; ~pxor * joins; ~vcmps * ramps"

SELECT = (
    VmiRule("VMI.SELR.C", "vselr", {"source": "c", "index": "c", "result": "c"}, "",
            (upstream("vselr * 1", _SELECTED),
             ours("vselr * A(result)", f"not ({_SELECTED}) and (R == 1 or W == 8)"),
             ours("~vdup * 1; vand * A(result); vselr * R * A(result); vcmps * (R - 1) * A(result); "
                  "vsel * (R - 1) * A(result)", "R > 1 and W > 8")), "3.11", listed=_SELECTED),
    VmiRule("VMI.SHUFFLE.C", "shuffle", {"source": "c", "result": "c"},
            "op in ('same', 'forward', 'splat', 'ramp', 'other')",
            (upstream("", "op in ('same', 'forward')"), upstream("vdup LOWEST * 1", "op == 'splat'"),
             upstream("~vci * 1; vselr * 1", "op == 'ramp'"),
             ours(f"~vci * indexing; vselr * picks; vsel * merges; {_PREDICATES}", "op == 'other'")), "3.11",
            listed="op != 'other'"),
    *(VmiRule(f"VMI.SHUFFLE.{name.upper()}", "shuffle", {"source": name, "result": name},
              "op == 'same'" + (f" and N >= {name[1]}" if name in ("d2", "d4") else ""), _FREE, "3.11")
      for name in ("ls2", "ls4", "d2", "d4", "bd2", "bd4")),
)  # fmt: skip
"""Selection by index: bytes reach the first 256 elements alone; wider elements are selected from each register of the
source by what the index is inside of one, and by comparisons of the index. A shuffle that changes nothing (`same`),
passes registers on (`forward`), repeats the first element (`splat`), takes elements of one register in rising or
falling order (`ramp`), or any elements (`other`), for which indices are made and selections from several registers are
merged, under predicates of patterns where one register comes up again and again.
"""

CHANNELS: tuple[VmiRule, ...] = (
    VmiRule("VMI.SPLIT.2.C", "channel_split", {"source": "c", "results": "c"}, "G == 2 and N % (2 * lp) == 0",
            (upstream("vdintlv * A(source) // 2"),), "3.11"),
    VmiRule("VMI.SPLIT.4.C", "channel_split", {"source": "c", "results": "c"}, "G == 4 and N % (4 * lp) == 0",
            (upstream("vdintlv * A(source)"),), "3.11"),
    VmiRule("VMI.SPLIT.2.D2", "channel_split", {"source": "d2", "results": "c"}, "G == 2 and N >= 2", _FREE, "3.11"),
    VmiRule("VMI.SPLIT.4.D4", "channel_split", {"source": "d4", "results": "c"}, "G == 4 and N >= 4", _FREE, "3.11"),
    VmiRule("VMI.MERGE.2.C", "channel_merge", {"inputs": "c", "result": "c"}, "G == 2 and N % (2 * lp) == 0",
            (upstream("vintlv * A(result) // 2"),), "3.11"),
    VmiRule("VMI.MERGE.4.C", "channel_merge", {"inputs": "c", "result": "c"}, "G == 4 and N % (4 * lp) == 0",
            (upstream("vintlv * A(result)"),), "3.11"),
    VmiRule("VMI.MERGE.2.D2", "channel_merge", {"inputs": "c", "result": "d2"}, "G == 2 and N >= 2", _FREE, "3.11"),
    VmiRule("VMI.MERGE.4.D4", "channel_merge", {"inputs": "c", "result": "d4"}, "G == 4 and N >= 4", _FREE, "3.11"),
)  # fmt: skip
"""G channels that lie by turns, taken apart or put together; N is the number of all elements."""

_LAST = f"; plt * ({_PARTLY}); pand * ({_PARTLY})"
_LAST_OF_LS2 = "; plt * (N % (lp // 2) != 0); pand * (N % (lp // 2) != 0)"
_COUNTED = "vdup * 2 * A(result) - 1; vusqz * A(result); vadd * 2 * (A(result) - 1)"
"""How many bits are set before each lane, in several registers with what the one before comes to."""
_MORE = "(A(source) - 1)"
_BEHIND = f"vdup * 2 * {_MORE}; vcadd * {_MORE}; vsub * {_MORE}; vselr * {_MORE}"
"""Where the elements of all registers before end, and those of a register turned to there."""
_TOGETHER = (f"~vci * {_MORE}; ~vdup * 1; vsqz * A(source); {_BEHIND}; vadd * A(source) - 2; vand * {_MORE}; "
             f"vcmp * A(source) * {_MORE} // 2; vsel * A(source) * {_MORE} // 2")  # fmt: skip

SINGLE: tuple[VmiRule, ...] = (
    VmiRule("VMI.SINGLE.COMPRESS.C", "single", {"source": "c", "mask": "c", "result": "c"},
            "op == 'compress' and (W > 8 or R <= 2)",
            (upstream("vsqz * 1", "N == lp"), ours(f"vsqz * 1{_LAST}", "N < lp"),
             ours(f"{_TOGETHER}{_LAST}", "N > lp and W > 8"),
             ours(f"~vci * 1; ~vdup * 1; vsqz * 3; {_BEHIND}; vcmps * 1; vsel * 1{_LAST}", "N > lp and W == 8")),
            "3.11", listed="N == lp"),
    VmiRule("VMI.SINGLE.COMPRESS.LS2", "single", {"source": "ls2", "mask": "ls2", "result": "ls2"},
            "op == 'compress' and W == 8 and N > lp", (ours(f"{_TOGETHER}{_LAST_OF_LS2}"),), "3.11", listed=UNLISTED),
    VmiRule("VMI.SINGLE.COMPRESS_STORE.C", "single", {"value": "c", "mask": "c"}, "op == 'compress_store'",
            (upstream("vsqz * 1; vstur * 1; vstar * 1", "N == lp"),
             ours(f"vsqz * R; vstur * R; vstar * 1{_LAST}", "N != lp")), "3.11", listed="N == lp"),
    VmiRule("VMI.SINGLE.PREFIX.C", "single", {"mask": "c", "result": "c"}, "op == 'active_prefix_index'",
            (upstream("vdup * 1; vusqz * 1", "N == lp"), ours(_COUNTED, "N != lp")), "3.11", listed="N == lp"),
    VmiRule("VMI.SINGLE.EXPAND.C", "single", {"mask": "c", "passthru": "c", "result": "c"},
            "op == 'expand_load' and W in (16, 32)",
            (upstream("vdup * 1; vusqz * 1; vgather2_bc * 1; vsel * 1", "W == 32 and N == lp"),
             ours(f"{_COUNTED}; vgather2_bc * A(result); vsel * A(result){_LAST}", "W == 32 and N != lp"),
             ours(f"{_COUNTED}; vgather2 * A(result); vsel * A(result){_LAST}", "W == 16")), "3.11",
            listed="W == 32 and N == lp"),
    VmiRule("VMI.SINGLE.EXPAND.LS2", "single", {"mask": "ls2", "passthru": "ls2", "result": "ls2"},
            "op == 'expand_load' and W == 8",
            (ours(f"{_COUNTED}; vgather2 * A(result); vsel * A(result){_LAST_OF_LS2}"),), "3.11", listed=UNLISTED),
)  # fmt: skip
"""Operations on the elements that a mask picks: one full register, or more and less by ours.

Bits of a mask behind the last element are put out. A gather brings bytes in lanes of 16 bits, which is every second
byte of a register. Of bytes, no lane can say that all 256 of a register are picked, so that of two registers,
compression tells the picked ones of the first from the others by ones that are compressed alike; of more, it is done
in lanes of 16 bits.
"""

HISTOGRAM = (
    VmiRule("VMI.HIST.C", "histogram", {"acc": "c", "source": "c", "mask": "c", "result": "c"}, "W == 8",
            (upstream("dhistv2 * A(acc) * A(source)", "", "", f"{_PARTLY} and not full"),
             ours(f"dhistv2 * A(acc) * A(source){_LAST}", f"{_PARTLY} and not full")), "3.11"),
)  # fmt: skip
"""Samples into one or two registers of bins, each by an instruction of its own. Of a register that is filled in part,
the rest is left out: a mask may have any bit set there.
"""

REARRANGE: tuple[VmiRule, ...] = (*INTERLEAVE, *SELECT, *CHANNELS, *SINGLE, *HISTOGRAM)
"""All rows."""
