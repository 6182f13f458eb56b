"""Rows for groups of one size class: its size against a 32-byte block (B lanes) and a register (lp lanes)."""

from __future__ import annotations

from layoutsolver_models.rules.vmi.row import Limit, Lowering, VmiRule

CLASSES: dict[str, str] = {
    "1/4": "4 * S == B", "1/2": "2 * S == B", "1": "S == B", "2": "S == 2 * B", "4": "S == 4 * B",
    "FULL": "S >= lp and S % lp == 0", "FULL2": "S >= 2 * lp and S % (2 * lp) == 0",
    "FULL4": "S >= 4 * lp and S % (4 * lp) == 0",
}  # fmt: skip
"""The classes and the condition of each. A group may be of several: the first row that fits is preferred."""

_ID = {"1/4": "QUARTER", "1/2": "HALF", "1": "ONE", "2": "TWO", "4": "FOUR"}


def group_rule(
    prefix: str,
    family: str,
    size: str,
    layouts: str,
    when: str,
    ways: tuple[Lowering, ...],
    source: str,
    limits: tuple[Limit, ...] = (),
    listed: str = "",
) -> VmiRule:
    """A row for groups of a size class, or of any (`size` is then a name), whose layouts are told as `role=name …`."""
    chosen = dict(part.split("=") for part in layouts.split())
    shown = dict.fromkeys(name for role, name in chosen.items() if role != "mask")
    name = ".".join(part for part in (prefix, _ID.get(size, size), "_".join(shown).upper()) if part)
    condition = " and ".join(part for part in (CLASSES.get(size, ""), when) if part)
    return VmiRule(name, family, chosen, condition, ways, source, limits, listed=listed)
