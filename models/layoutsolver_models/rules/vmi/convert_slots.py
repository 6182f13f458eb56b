"""Conversions between one element for each group in slots of registers, and elements that lie side by side.

The released compiler has none of them. Only values that group operations make or take are converted so
(`layoutsolver.pose.vmi.slotted`): others have no slots.
"""

from __future__ import annotations

from layoutsolver_models.rules.vmi.row import UNLISTED, Lowering, VmiRule, ours

_MOVED = "ceil(N, 8) - ceil(N, lp)"
"""Registers of eight slots that do not begin where a register of elements side by side does."""

_ROWS: tuple[tuple[str, str, str, tuple[Lowering, ...]], ...] = (
    ("gs8", "c", "N > 8",
     (ours(f"vci * min(ceil(N, 8), B) - 1; vselr * {_MOVED}; vsel * {_MOVED}", "min(ceil(N, 8), B) <= 4"),
      ours(f"vci * 1; vdup * 1; vand * 1; vselr * {_MOVED}; vsel * {_MOVED}", "min(ceil(N, 8), B) > 4"))),
    ("c", "gs8", "N > 8", (ours(f"vci * min(ceil(N, 8), B) - 1; vselr * {_MOVED}"),)),
    ("gs1", "gs8", "N > 1", (ours("vdup LOWEST * N - ceil(N, 8); vsel * N - ceil(N, 8)"),)),
    ("gs1", "c", "N > 1", (ours("vdup LOWEST * N - ceil(N, lp); vsel * N - ceil(N, lp)"),)),
    ("gs8", "gs1", "N > 1", (ours("vci * min(N, 8) - 1; vselr * N - ceil(N, 8)"),)),
    ("c", "gs1", "N > 1", (ours("vci * min(N, lp) - 1; vselr * N - ceil(N, lp)"),)),
)  # fmt: skip
"""Source, result, where, and the instructions."""

CONVERT_SLOTS: tuple[VmiRule, ...] = tuple(
    VmiRule(f"VMI.CONV.SLOTS.{source}_{result}".upper(), "convert", {"source": source, "result": result}, when, ways,
            "2.1, 5.5", listed=UNLISTED)
    for source, result, when, ways in _ROWS
)  # fmt: skip
"""All rows. Slots that share a register lie in its first lanes, in order."""
