"""The variants of an operation: what its rules allow, with the cheapest lowering of each that its address permits."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from layoutsolver.pose.vmi.planned import planned_facts
from layoutsolver.pose.vmi.ports import (
    MASK_BITS,
    MASK_CONVERSIONS,
    MASK_LOGIC,
    facts_of,
    governed_bits,
    layouts_of,
    shapes_of,
)
from layoutsolver.vmi.program import Operand, VmiOp, VmiProgram, VmiValue
from layoutsolver_models.problems.selection import Variant
from layoutsolver_models.rules.expression import ExpressionError, Fact, count, holds
from layoutsolver_models.rules.vmi.cast import CAST_TYPES
from layoutsolver_models.rules.vmi.layouts import register_lanes
from layoutsolver_models.rules.vmi.patterns import have_equal_parts, known_patterns, made
from layoutsolver_models.rules.vmi.row import Lowering, VmiRule, cost, facts
from layoutsolver_models.rules.vmi.table import family

PIPES = ("load", "execute", "store", "predicate")
BOUNDED = PIPES[:3]
COMPARING = frozenset({"cmpf", "cmpi", "select"})
"""Operations whose mask must be as wide as their elements, whatever the layout."""


LIMITS = {
    "fails": "the released compiler has no instructions for it",
    "wrong": "the released compiler makes wrong code of it",
    "rejected": "the released compiler's validator refuses what it makes of it",
}
"""What is said of a rule that the released compiler lists and does not carry out."""


class Refusal(NamedTuple):
    """Why a rule does not serve an operation."""

    rule: str
    reason: str


Found = tuple[tuple[Variant, ...], tuple[Refusal, ...]]
"""The variants of an operation, and the rules of its family that are none."""


def variants_of(
    program: VmiProgram, op: VmiOp, rule_family: str, known: dict[Hashable, Found], released: bool = False
) -> Found:
    """The variants of an operation, and the rules of its family that are none, with the reason.

    `known` remembers them for operations of the same kind, shapes and facts. With `released`, they are those that the
    released compiler carries out, by its own instructions, whether addresses are aligned or not.
    """
    facts_known = facts_of(program, op)
    vectors = (*op.vectors().items(), *op.results.items())
    shapes = tuple((role, value.is_mask, value.lanes, value.element, value.bits) for role, value in vectors)
    key = (op.op, rule_family, shapes, tuple(facts_known.items()), setup_operand(op), op.attrs.get("group_size"))
    found = known.get(key)
    if found is None:
        found = known[key] = _variants(op, rule_family, facts_known, released)
    return found


def _variants(op: VmiOp, rule_family: str, known: dict[str, Fact], released: bool) -> Found:
    found: list[Variant] = []
    refused: list[Refusal] = []
    for rule in rules_of(op, rule_family):
        for bits in _widths(op, rule_family):
            layouts = layouts_of(rule, op, bits)
            if layouts is None:
                refused.append(Refusal(rule.id, "does not speak of all operands"))
                continue
            made = _variant(rule, op, bits, layouts, known, released)
            if isinstance(made, Refusal):
                refused.append(made)
            else:
                found += made
    return tuple(found), tuple(refused)


def rules_of(op: VmiOp, rule_family: str) -> tuple[VmiRule, ...]:
    """The rules of an operation; a cast that keeps the width and changes the kind moves nothing."""
    if rule_family == "cast" and op.op in ("fptosi", "sitofp"):
        source, result = op.vectors().get("source"), op.results.get("result")
        if source is not None and result is not None and source.bits == result.bits:
            return family("same")
    if op.op == "ensure_mask_granularity" and op.vectors()["source"].bits == op.results["result"].bits:
        return family("identity")
    if op.op == "broadcast" and isinstance(op.operands.get("value"), VmiValue):
        return family("free_lane")
    return family(rule_family)


def _widths(op: VmiOp, rule_family: str) -> tuple[int, ...]:
    """The widths that the operation's masks may govern."""
    if op.op in MASK_LOGIC or rule_family in ("free_mask", "identity", "registers"):
        fixed = {value.bits for value in (*op.vectors().values(), *op.results.values()) if value.bits}
        return tuple(sorted(fixed)) if len(fixed) == 1 else MASK_BITS
    if op.op in MASK_CONVERSIONS:
        values = (*op.vectors().values(), *op.results.values())
        return (values[0].bits,) if all(value.bits for value in values) else ()
    return (governed_bits(op),)


def _variant(
    rule: VmiRule, op: VmiOp, bits: int, layouts: tuple[str, ...], known: dict[str, Fact], released: bool
) -> list[Variant] | Refusal:
    """What a rule comes to: the cheapest lowering, and others that take fewer instructions on some pipe."""
    shapes = shapes_of(rule, op, bits)
    try:
        now = facts(rule, shapes, **known)
        if not rule.allows(now):
            return Refusal(rule.id, f"needs {rule.when}")
        if rule.family == "cast" and not types_exist(rule, now):
            return Refusal(rule.id, f"there is no {op.op} from {now['element']} to {now['to']}")
        stopped = (
            no_carrier(rule, op, bits)
            or _is_narrow(rule, op)
            or _is_uneven(rule, op, bits, known)
            or _no_sum(rule, op, now)
        )
        if stopped:
            return Refusal(rule.id, stopped)
        on = known.get("bits")
        if isinstance(on, tuple) and rule.family == "free_mask":
            now.update(made(known_patterns(rule.layouts["result"], bits, tuple(map(bool, on))))._asdict())
        masked = known.get("mask_bits")
        if isinstance(masked, tuple) and rule.family in ("group_reduce", "reduce"):
            together = rule.layouts["result"] != "gs8"
            now["same_masks"] = have_equal_parts(rule.layouts["mask"], bits, tuple(map(bool, masked)), together)
        now.update(planned_facts(rule, now))
        limit = rule.limit(now) if released else None
        if limit is not None:
            return Refusal(rule.id, LIMITS[limit.kind])
        ways = [way for way in rule.lowerings if holds(way.when, now) and not (released and way.by != "upstream")]
        usable = [way for way in ways if released or (way.works(now) and _is_aligned(way, now))]
    except (ExpressionError, ValueError) as error:
        return Refusal(rule.id, str(error))
    if not usable:
        needed = ", ".join(sorted({way.align for way in ways if way.align}))
        reason = f"the address is a multiple of {_known(now)} bytes, {needed} are needed" if ways else "has no lowering"
        return Refusal(rule.id, reason)
    if released:
        return [_priced(rule, layouts, usable[0], now)]
    ranked = [_priced(rule, layouts, way, now) for way in sorted(usable, key=lambda one: _price(one, now))]
    kept: list[Variant] = []
    for variant in ranked:
        if not any(all(map(int.__le__, _all_costs(one), _all_costs(variant))) for one in kept):
            kept.append(variant)
    return kept


def _priced(rule: VmiRule, layouts: tuple[str, ...], way: Lowering, now: dict[str, Fact]) -> Variant:
    paid = cost(way, now)
    spent = (paid.load, paid.execute, paid.store, paid.predicate)
    once = (0, paid.setup, 0, paid.setup_predicate)
    attrs = {"lowering": str(rule.lowerings.index(way))}
    return Variant(rule.id, layouts, spent, once if any(once) else (), (), attrs)


def _all_costs(variant: Variant) -> tuple[int, ...]:
    return (*variant.cost, *(variant.once or (0,) * len(variant.cost)))


def setup_operand(op: VmiOp) -> Operand | None:
    """The scalar that a setup is made of, if there is one."""
    roles = ("value", "active_lanes", "active_elems_per_group")
    found = next((op.operands[role] for role in roles if role in op.operands), None)
    return None if isinstance(found, VmiValue) else found


def _price(way: Lowering, now: dict[str, Fact]) -> tuple[int, int]:
    paid = cost(way, now)
    return paid.total + paid.setup, paid.predicate + paid.setup_predicate


def _is_aligned(way: Lowering, now: dict[str, Fact]) -> bool:
    """Whether an address keeps what a lowering needs; an address of which nothing is known is taken to."""
    known = _known(now)
    return not way.align or not isinstance(known, int) or known % count(way.align, now) == 0


def _known(now: dict[str, Fact]) -> Fact:
    return now["align"] if isinstance(now["align"], int) else now["reach"]


def types_exist(rule: VmiRule, now: dict[str, Fact]) -> bool:
    """Whether a cast exists between these element types in the rule's layouts."""
    layouts: dict[str, Fact] = {**now, "source": rule.layouts["source"]}
    return any(
        row.op == now["op"] and now["element"] in row.sources and now["to"] in row.results and holds(row.only, layouts)
        for row in CAST_TYPES
    )


_STRIDES = {"ls2": 2, "ls4": 4, "gs8.2": 2, "gs8.4": 4}


def no_carrier(rule: VmiRule, op: VmiOp, bits: int) -> str:
    """Why a mask has no register in a rule's layout: with a lane stride it governs lanes of 64 bits or more."""
    masked = any(value.is_mask for value in (*op.vectors().values(), *op.results.values()))
    name = rule.layouts.get("mask") or (rule.layouts.get("result", "") if rule.family == "free_mask" else "")
    width = bits * _STRIDES.get(name, 1)
    return f"a mask of {width}-bit lanes does not exist" if masked and width > 32 else ""


def _is_uneven(rule: VmiRule, op: VmiOp, bits: int, known: dict[str, Fact]) -> str:
    """Why a mask of groups cannot be made of a count that is no constant: no ramp begins anew with every group."""
    if op.op != "create_group_mask" or not known["dynamic"]:
        return ""
    size, name = int(op.attrs["group_size"]), rule.layouts["result"]
    full, parts = register_lanes(bits), int(name[-1]) if name in ("d2", "d4", "bd2", "bd4") else 1
    if name[0] == "b":
        even = parts * (full // 8) % size == 0
    else:
        turn = int(name[2]) if name[:2] == "gs" else full // (int(name[2]) if name[:2] == "ls" else 1)
        each, rest = divmod(size, parts)
        even = size == 1 or (rest == 0 and (turn % each == 0 or each % turn == 0))
    if rule.id == "VMI.FREE.MASK.UNEVEN.C":
        return "groups begin anew in equal turns" if even else ""
    return "" if even else f"groups of {size} do not begin anew in equal turns, as a count that is no constant needs"


def _is_narrow(rule: VmiRule, op: VmiOp) -> str:
    """Why a comparison cannot be made in a rule's layout: the mask would be of wider lanes than the data."""
    if op.op in COMPARING and _STRIDES.get(rule.layouts.get("data", ""), 1) > 1:
        return "the mask of a comparison is as wide as its elements"
    return ""


def _no_sum(rule: VmiRule, op: VmiOp, now: dict[str, Fact]) -> str:
    """Why no instruction adds the lanes of a register; registers are added to each other in any type (section 1.3)."""
    if op.op not in ("reduce_addf", "group_reduce_addf") or now["element"] in ("f16", "f32"):
        return ""
    over_lanes = any(step.instruction in ("reduce", "reduce_group") for way in rule.lowerings for step in way.steps)
    reason = f"`vcadd` adds lanes of integers, f16 or f32, not of {now['element']}: convert to f32 before"
    return reason if over_lanes else ""
