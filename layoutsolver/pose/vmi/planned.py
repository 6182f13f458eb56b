"""What plans for groups of any size take: the facts that rows of such groups count by."""

from __future__ import annotations

from layoutsolver.vmi.group_plans import block_plan, broadcast_plan, gathering, halved, pieces_of_groups
from layoutsolver.vmi.permute import Plan
from layoutsolver_models.rules.expression import Fact
from layoutsolver_models.rules.vmi.row import VmiRule


def planned_facts(rule: VmiRule, now: dict[str, Fact]) -> dict[str, Fact]:
    """The facts of a row that has a plan, of an operation whose other facts are known and that the row allows."""
    kind = rule.id.rpartition(".")[0]
    if kind not in (
        "VMI.FREE.MASK.UNEVEN",
        "VMI.REDUCE",
        "VMI.GBRC.ANY",
        "VMI.GREDUCE.PAIRS",
        "VMI.GREDUCE.GATHER",
        "VMI.GREDUCE.PIECES",
    ):
        return {}
    lanes, bits, groups = (_number(now[name]) for name in ("N", "W", "G"))
    if kind == "VMI.FREE.MASK.UNEVEN":
        return {"ranges": _parts(bits, lanes, groups) - _number(now["R"])}
    if kind == "VMI.GBRC.ANY":
        if rule.layouts["source"] == "gs1":
            return {"merges": _parts(bits, lanes, groups) - _number(now["R"])}
        plan = broadcast_plan(bits, lanes, groups)
        return _selections(plan)
    if kind in ("VMI.REDUCE", "VMI.GREDUCE.PIECES"):
        pieces = pieces_of_groups(bits, lanes, groups, bool(now["full"]))
        return {
            "reduces": pieces.reduces, "joins": pieces.joins, "ranges": pieces.ranges, "partial": len(pieces.runs),
        }  # fmt: skip
    if kind == "VMI.GREDUCE.PAIRS":
        return halved(bits, lanes, _number(now["S"]).bit_length() - 1)._asdict()
    way = gathering(bits, lanes, groups)
    if way is None:
        raise ValueError(f"groups of {lanes // groups} are not halved until a block holds one")
    plan = block_plan(bits, groups, way.size)
    return {
        **halved(bits, lanes, way.halvings)._asdict(), **_selections(plan), "blocks": int(way.size < 256 // bits),
    }  # fmt: skip


def _parts(bits: int, lanes: int, groups: int) -> int:
    """Into how many parts registers cut groups."""
    found = pieces_of_groups(bits, lanes, groups)
    return sum(len(some) for some in (*found.whole, *found.pieces))


def _selections(plan: Plan) -> dict[str, Fact]:
    return {"picks": plan.count("vselr"), "merges": plan.merges, "made": plan.indices}


def _number(fact: Fact) -> int:
    assert isinstance(fact, int)
    return fact
