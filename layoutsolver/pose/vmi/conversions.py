"""The conversions of a value: all pairs of layouts between which a sequence of rules leads, by the cheapest one."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import NamedTuple

from layoutsolver.pose.vmi.ports import MASK_BITS, has_carrier, mask_layout
from layoutsolver.pose.vmi.variants import PIPES
from layoutsolver.vmi.program import VmiValue
from layoutsolver_models.problems.selection import Cost
from layoutsolver_models.rules.expression import ExpressionError
from layoutsolver_models.rules.vmi.convert import CONVERT, CONVERT_MASK, GRANULARITY
from layoutsolver_models.rules.vmi.convert_slots import CONVERT_SLOTS
from layoutsolver_models.rules.vmi.layouts import LAYOUT_NAMES
from layoutsolver_models.rules.vmi.row import Shape, VmiRule, cost, facts


class Way(NamedTuple):
    """A conversion: from and to which layout, what it costs on each pipe, and its rules in order."""

    before: str
    after: str
    cost: Cost
    rules: tuple[str, ...]


def conversions_of(value: VmiValue, released: bool = False, slots: bool = False) -> tuple[Way, ...]:
    """The conversions of a value's shape; with `released`, those of the released compiler by its instructions.

    With `slots`, those between slots of groups and elements side by side are among them.
    """
    return _ways(value.is_mask, value.lanes, value.bits, released, slots)


@lru_cache(maxsize=512)
def _ways(is_mask: bool, lanes: int, bits: int, released: bool, slots: bool) -> tuple[Way, ...]:
    rules = (*CONVERT, *CONVERT_SLOTS) if slots else CONVERT
    steps = list(_mask_steps(lanes, bits, released) if is_mask else _data_steps(rules, lanes, bits, released))
    best: dict[tuple[str, str], Way] = {}
    for step in steps:
        _keep(best, step)
    nodes = sorted({end for step in steps for end in (step.before, step.after)})
    for through, before, after in product(nodes, nodes, nodes):
        first, second = best.get((before, through)), best.get((through, after))
        if first is not None and second is not None and before != after:
            spent = tuple(a + b for a, b in zip(first.cost, second.cost, strict=True))
            _keep(best, Way(before, after, spent, (*first.rules, *second.rules)))
    return tuple(best.values())


def _keep(best: dict[tuple[str, str], Way], way: Way) -> None:
    known = best.get((way.before, way.after))
    if known is None or (sum(way.cost), len(way.rules)) < (sum(known.cost), len(known.rules)):
        best[way.before, way.after] = way


def _step(rule: VmiRule, source: Shape, result: Shape, before: str, after: str, released: bool) -> Way | None:
    """A rule as a conversion, None if it does not serve."""
    try:
        now = facts(rule, {"source": source, "result": result})
        if not rule.allows(now):
            return None
        way = rule.lowering(now, upstream=released)
    except (ExpressionError, ValueError):
        return None
    if way is None:
        return None
    paid = cost(way, now)
    spent = (paid.load, paid.execute + paid.setup, paid.store, paid.predicate)
    return Way(before, after, spent[: len(PIPES)], (rule.id,))


def _data_steps(rules: tuple[VmiRule, ...], lanes: int, bits: int, released: bool) -> list[Way]:
    shape = Shape(lanes, bits)
    made = (_step(rule, shape, shape, rule.layouts["source"], rule.layouts["result"], released) for rule in rules)
    return [way for way in made if way is not None]


def _mask_steps(lanes: int, bits: int, released: bool) -> list[Way]:
    """Conversions of masks, each for every width, and casts between widths."""
    widths = (bits,) if bits else MASK_BITS
    out: list[Way | None] = []
    for width in widths:
        for rule in CONVERT_MASK:
            source, result = (mask_layout(width, rule.layouts[role]) for role in ("source", "result"))
            out.append(_step(rule, Shape(lanes, width), Shape(lanes, width), source, result, released))
    for before, after in product(widths, widths):
        for rule in GRANULARITY:
            source, result = mask_layout(before, rule.layouts["source"]), mask_layout(after, rule.layouts["result"])
            out.append(_step(rule, Shape(lanes, before), Shape(lanes, after), source, result, released))
    return [way for way in out if way is not None and has_carrier(way.before) and has_carrier(way.after)]


def layout_names(is_mask: bool, bits: int) -> tuple[str, ...]:
    """All layouts of a vector, or of a mask that governs elements of so many bits (0: not fixed), by name."""
    if not is_mask:
        return LAYOUT_NAMES
    widths = (bits,) if bits else MASK_BITS
    return tuple(filter(has_carrier, (mask_layout(width, name) for width in widths for name in LAYOUT_NAMES)))
