"""The rule row by which an operation of the net is carried out, given the layouts that it ends with."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.ops.registry import pto_specs
from layoutsolver.pose.vmi.ports import MASK_BITS, facts_of, layouts_of, mask_layout, shapes_of
from layoutsolver.pose.vmi.reasons import condition_words
from layoutsolver.pose.vmi.upstream.net import Node, Val
from layoutsolver.pose.vmi.variants import no_carrier, rules_of, types_exist
from layoutsolver.vmi.canonical import PREFIX
from layoutsolver.vmi.program import Operand, VmiOp, VmiProgram, VmiValue
from layoutsolver_models.rules.expression import ExpressionError, Fact
from layoutsolver_models.rules.vmi.row import VmiRule, facts

UNMET, NO_PAIR = "needs", "there is no"
"""How a reason begins that a condition does not hold, and that there is no conversion between two types."""


class Row(NamedTuple):
    """A rule that gives an operation its layouts, the facts under it, and why nobody carries it out, if so.

    `missing` is empty where the released compiler has instructions for it.
    """

    rule: VmiRule
    facts: dict[str, Fact]
    missing: str


def as_op(node: Node) -> VmiOp:
    """An operation of the net as one of a program."""
    operands: dict[str, Operand] = {use.role: as_value(use.value) for use in node.uses}
    operands.update(node.scalars)
    results = {role: as_value(value) for role, value in zip(node.roles, node.results, strict=True)}
    return VmiOp(-1, node.name, operands, results, dict(node.attrs), node.origin, 1)


def as_value(value: Val) -> VmiValue:
    """A value of the net as one of a program."""
    return VmiValue(value.number, "", value.is_mask, value.lanes, value.element, value.bits, value.layout, -1, 1, -1)


def layout_name(value: Val) -> str:
    """The layout of a value by its short name, that of a mask behind the width that it governs."""
    return mask_layout(value.bits, value.layout) if value.is_mask else value.layout


def row_of(program: VmiProgram, node: Node) -> Row | None:
    """The first row that gives an operation its layouts, None if none does.

    One that is carried out comes before others, and one whose condition holds before one of another width.
    """
    spec = pto_specs().get(PREFIX + node.name)
    if spec is None:
        return None
    op = as_op(node)
    has = tuple(layout_name(value) for value in (*(use.value for use in node.uses), *node.results))
    bits = next((value.bits for value in (*(use.value for use in node.uses), *node.results) if value.is_mask), 0)
    known = facts_of(program, op)
    found: Row | None = None
    for rule in rules_of(op, spec.rule):
        if layouts_of(rule, op, bits) != has or (bits and bits not in MASK_BITS):
            continue
        try:
            now = facts(rule, shapes_of(rule, op, bits), **known)
            missing = _missing(rule, op, now, bits)
        except (ExpressionError, ValueError) as error:
            now, missing = dict(known), str(error)
        if not missing:
            return Row(rule, now, "")
        if found is None or (found.missing.startswith(UNMET) and not missing.startswith(UNMET)):
            found = Row(rule, now, missing)
    return found


def _missing(rule: VmiRule, op: VmiOp, now: dict[str, Fact], bits: int) -> str:
    if not rule.is_listed(now):
        return condition_words(f"{UNMET} {rule.listed if rule.allows(now) else rule.when}")
    if rule.family == "cast" and not types_exist(rule, now):
        return f"{NO_PAIR} {op.op} from {now['element']} to {now['to']}"
    limit = rule.limit(now)
    if limit is not None and limit.kind == "fails":
        return "is listed without instructions"
    is_wrong = limit is not None and limit.kind == "wrong"
    if rule.lowering(now, upstream=True) is None and not is_wrong:
        return "is not carried out"
    return no_carrier(rule, op, bits)
