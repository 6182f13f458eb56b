"""Operations that move elements: interleaving, selection by index, channels, compression, histograms."""

from __future__ import annotations

from layoutsolver_models.rules.vmi.row import Limit, VmiRule, ours, upstream, wrong

_FREE = (upstream(""),)


def _pair(op: str, source: str, result: str) -> VmiRule:
    """Interleaving by naming the registers anew, or by one instruction on single registers."""
    layouts = {"lhs": source, "rhs": source, "mask": source, "low": result, "high": result}
    limits: tuple[Limit, ...] = ()
    name = source if source == result else f"{source}_{result}"
    if source == result:
        stride = source[2:] if source[:2] == "ls" else "1"
        wide = {"1": "", "2": " and W in (8, 16)", "4": " and W == 8"}[stride]
        when, ways = f"N * {stride} <= lp{wide}", (upstream(f"{op} * 1", f"N * {stride} == lp"),)
        limits = (wrong(f"N * {stride} < lp"),)
    else:
        chunks = "(2, 4)" if "d4" not in (source, result) else "(4,)"
        when, ways = f"N % lp == 0 and R in {chunks}", _FREE
    return VmiRule(f"VMI.{op[1:].upper()}.{name.upper()}", op, layouts, when, ways, "3.10", limits)


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
    half = chunks // 2
    if four_parts:
        starts = (0, chunks, half, chunks + half)
        return starts, tuple(start + 1 for start in starts)
    low = (*range(half), *range(chunks, chunks + half))
    high = (*range(half, chunks), *range(chunks + half, 2 * chunks))
    return low, high


SELECT = (
    VmiRule("VMI.SELR.C", "vselr", {"source": "c", "index": "c", "result": "c"},
            "N_to == N and ((W == 8 and N in (64, 128, 256)) or (W == 16 and N in (64, 128)) or (W == 32 and N == 64))",
            (upstream("vselr * 1"),), "3.11"),
    VmiRule("VMI.SHUFFLE.C", "shuffle", {"source": "c", "result": "c"},
            "op in ('same', 'forward', 'splat', 'ramp', 'other')",
            (upstream("", "op in ('same', 'forward')"), upstream("vdup LOWEST * 1", "op == 'splat'"),
             upstream("~vci * 1; vselr * 1", "op == 'ramp'"),
             ours("~vci * indexing; vselr * picks; vsel * merges", "op == 'other'")), "3.11",
            listed="op != 'other'"),
    *(VmiRule(f"VMI.SHUFFLE.{name.upper()}", "shuffle", {"source": name, "result": name},
              "op == 'same'" + (f" and N >= {name[1]}" if name in ("d2", "d4") else ""), _FREE, "3.11")
      for name in ("ls2", "ls4", "d2", "d4", "bd2", "bd4")),
)  # fmt: skip
"""Selection by index; a shuffle that changes nothing (`same`), passes registers on (`forward`), repeats the first
element (`splat`), takes elements of one register in rising or falling order (`ramp`), or any elements (`other`), for
which indices are made and selections from several registers are merged.
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

SINGLE: tuple[VmiRule, ...] = (
    VmiRule("VMI.SINGLE.COMPRESS.C", "single", {"source": "c", "mask": "c", "result": "c"},
            "op == 'compress' and N == lp", (upstream("vsqz * 1"),), "3.11"),
    VmiRule("VMI.SINGLE.COMPRESS_STORE.C", "single", {"value": "c", "mask": "c"},
            "op == 'compress_store' and N == lp", (upstream("vsqz * 1; vstur * 1; vstar * 1"),), "3.11"),
    VmiRule("VMI.SINGLE.PREFIX.C", "single", {"mask": "c", "result": "c"},
            "op == 'active_prefix_index' and N == lp", (upstream("vdup * 1; vusqz * 1"),), "3.11"),
    VmiRule("VMI.SINGLE.EXPAND.C", "single", {"mask": "c", "passthru": "c", "result": "c"},
            "op == 'expand_load' and N == lp and W in (16, 32)",
            (upstream("vdup * 1; vusqz * 1; vgather2_bc * 1; vsel * 1", "W == 32"),
             ours("vdup * 1; vusqz * 1; vgather2 * 1; vsel * 1", "W == 16")), "3.11", listed="W == 32"),
)  # fmt: skip
"""Operations on the elements that a mask picks: one full register."""

HISTOGRAM = (
    VmiRule("VMI.HIST.C", "histogram", {"acc": "c", "source": "c", "mask": "c", "result": "c"}, "W == 8",
            (upstream("dhistv2 * A(acc) * A(source)"),), "3.11"),
)  # fmt: skip
"""Samples into one or two registers of bins, each by an instruction of its own."""

REARRANGE: tuple[VmiRule, ...] = (*INTERLEAVE, *SELECT, *CHANNELS, *SINGLE, *HISTOGRAM)
"""All rows."""
