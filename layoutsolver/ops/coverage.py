"""What each operation of a target has: syntax, layout rules, effect; and what is missing."""

from __future__ import annotations

from dataclasses import dataclass

from layoutsolver.ops.registry import TABLES
from layoutsolver.ops.spec import OpSpec

RULE_FAMILIES: dict[str, str] = {
    "predicate": "AVE.PRED", "predicate_pair": "AVE.PRED", "predicate_cast": "AVE.PCAST", "load": "AVE.LOAD",
    "store": "AVE.STORE", "strided_store": "AVE.VSSTB", "unaligned_store": "AVE.STORE", "gather": "AVE.GATHER",
    "scatter": "AVE.SCATTER", "broadcast": "AVE.BRC", "splat": "AVE.SPLAT", "ramp": "AVE.VCI",
    "elementwise": "AVE.ELT", "select": "AVE.ELT", "compare": "AVE.VCMP", "compare_scalar": "AVE.VCMPS",
    "convert": "AVE.EXT AVE.TRUNC AVE.ELT", "truncate": "AVE.TRUNC AVE.C2C", "interleave": "AVE.INTLV",
    "repack": "AVE.SAME", "slide": "AVE.SAME AVE.SLIDE", "layout_cast": "AVE.LCAST", "none": "-",
    "return": "AVE.BOUNDARY", "call": "AVE.BOUNDARY AVE.CALL", "loop": "tie", "branch": "tie", "yield": "tie",
    "reshape": "tie AVE.BITCAST", "bitcast": "tie AVE.BITCAST", "constant": "any", "annotation": "any",
    "print": "any",
}  # fmt: skip
"""The rule ids, by prefix, that each rule family of the operation tables stands for."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """One operation: its custom form, rule ids by prefix, effect, and which of these it lacks."""

    name: str
    syntax: str
    rule: str
    effect: str
    missing: tuple[str, ...]


def coverage(target: str) -> list[Coverage]:
    """A row for each operation of a target's table, in its order."""
    return [_row(spec) for spec in TABLES[target]]


def _row(spec: OpSpec) -> Coverage:
    missing = []
    if not spec.assembly and spec.name.startswith("ave.hir."):
        missing.append("syntax")
    if spec.rule not in RULE_FAMILIES:
        missing.append("rule")
    return Coverage(
        spec.name,
        spec.assembly or "by shape",
        RULE_FAMILIES.get(spec.rule, ""),
        spec.effect.value,
        tuple(missing),
    )
