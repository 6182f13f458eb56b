"""What each operation of a target has: syntax, layout rules, effect; and what is missing."""

from __future__ import annotations

from dataclasses import dataclass

from layoutsolver.ops.registry import TABLES
from layoutsolver.ops.spec import OpSpec

_AVE = {
    "predicate": "AVE.PRED", "predicate_pair": "AVE.PRED", "predicate_cast": "AVE.PCAST", "load": "AVE.LOAD",
    "store": "AVE.STORE", "strided_store": "AVE.VSSTB", "unaligned_store": "AVE.STORE", "gather": "AVE.GATHER",
    "scatter": "AVE.SCATTER", "broadcast": "AVE.BRC", "splat": "AVE.SPLAT", "ramp": "AVE.VCI",
    "elementwise": "AVE.ELT", "select": "AVE.ELT", "compare": "AVE.VCMP", "compare_scalar": "AVE.VCMPS",
    "convert": "AVE.EXT AVE.TRUNC AVE.ELT", "truncate": "AVE.TRUNC AVE.C2C", "interleave": "AVE.INTLV",
    "repack": "AVE.SAME", "slide": "AVE.SAME", "layout_cast": "AVE.LCAST", "none": "-",
    "return": "AVE.BOUNDARY", "call": "AVE.BOUNDARY AVE.CALL", "loop": "tie", "branch": "tie", "yield": "tie",
    "reshape": "tie AVE.BITCAST", "bitcast": "tie AVE.BITCAST", "constant": "any", "annotation": "any",
    "print": "any",
}  # fmt: skip

_VMI = {
    "free": "VMI.FREE", "free_mask": "VMI.FREE", "iota": "VMI.IOTA", "contiguous": "VMI.IOTA", "same": "VMI.SAME",
    "single": "VMI.SINGLE", "reduce": "VMI.REDUCE", "group_reduce": "VMI.GREDUCE", "group_broadcast": "VMI.GBRC",
    "histogram": "VMI.HIST", "cast": "VMI.CAST", "bitcast": "VMI.BITCAST", "vexpdif": "VMI.EXPDIF",
    "load": "VMI.LOAD", "deinterleave_load": "VMI.DLOAD", "group_load": "VMI.GLOAD", "group_slot_load": "VMI.GSLOT",
    "group_broadcast_load": "VMI.GBLOAD", "stride": "VMI.STRIDE", "masked_load": "VMI.MLOAD", "gather": "VMI.GATHER",
    "store": "VMI.STORE", "interleave_store": "VMI.ISTORE", "group_store": "VMI.GSTORE",
    "masked_store": "VMI.MSTORE", "shuffle": "VMI.SHUFFLE", "channel_split": "VMI.SPLIT",
    "channel_merge": "VMI.MERGE", "vselr": "VMI.SELR", "vintlv": "VMI.INTLV", "vdintlv": "VMI.DINTLV",
    "convert": "VMI.CONV", "convert_mask": "VMI.MCONV", "granularity": "VMI.GRAN",
    "identity": "VMI.IDENTITY", "registers": "VMI.REGISTERS",
}  # fmt: skip

_VPTO = {
    "load": "load pipe", "store": "store pipe", "execute": "execute pipe", "predicate": "predicate", "free": "no cost",
    "scalar": "scalar", "around": "-",
}  # fmt: skip

_BUCKYBALL = {
    "tile": "tile legalisation", "matrix": "bank expansion", "banks": "bank assignment", "bank": "bank dataflow",
    "instruction": "instruction", "intrinsic": "encoding", "debug": "-",
}  # fmt: skip

RULE_FAMILIES: dict[str, dict[str, str]] = {
    "ave": _AVE,
    "structural": _AVE,
    "vmi": _VMI,
    "vpto": _VPTO,
    "buckyball": _BUCKYBALL,
}
"""The rule ids, by prefix, that each rule family of an operation table stands for; for VPTO, the pipe."""

SURFACE = "-"
"""The family of operations for which others are put before layouts are asked for."""


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
    instead = _instead() if target == "vmi" else {}
    return [_row(spec, RULE_FAMILIES[target], instead) for spec in TABLES[target]()]


def _instead() -> dict[str, str]:
    """What is put for each surface operation of VMI."""
    from layoutsolver.ops.vmi_canonical import ADDED, CANONICAL

    names: dict[str, list[str]] = {}
    for row in (*CANONICAL, *ADDED):
        names.setdefault(f"pto.vmi.{row.surface}", []).extend(step.op for step in row.steps)
    return {name: f"as {', '.join(dict.fromkeys(ops))}" for name, ops in names.items()}


def _row(spec: OpSpec, families: dict[str, str], instead: dict[str, str]) -> Coverage:
    rule = families.get(spec.rule, "") if spec.rule != SURFACE else instead.get(spec.name, "")
    missing = []
    if not spec.assembly and spec.name.startswith(("ave.hir.", "pto.vmi.")):
        missing.append("syntax")
    if not rule:
        missing.append("rule")
    return Coverage(spec.name, _short(spec.assembly) or "by shape", rule, spec.effect.value, tuple(missing))


def _short(assembly: str) -> str:
    """A custom form; of several, the first and how many there are."""
    first, *others = assembly.split(" | ")
    return f"{first} (or {len(others)} more)" if others else first
