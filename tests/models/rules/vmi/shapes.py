"""Shapes that rules are tried on, and the facts of each."""

from __future__ import annotations

from collections.abc import Iterator

from layoutsolver_models.rules.expression import Fact, Facts
from layoutsolver_models.rules.vmi.row import Shape, VmiRule, facts

LANES = (1, 2, 4, 8, 16, 32, 64, 96, 128, 256, 512)
WIDTHS = (8, 16, 32)
GROUPED = ("group_load", "group_slot_load", "group_store", "group_reduce", "group_broadcast", "group_broadcast_load")
SLOTS = ("gs",)


def shape(rule: VmiRule, role: str, lanes: int, bits: int, groups: int) -> Shape:
    """The shape of a role's value: as many elements as groups where the layout holds one for each."""
    return Shape(groups if rule.layouts[role].startswith(SLOTS) else lanes, bits)


def cases(rule: VmiRule, **more: Fact) -> Iterator[tuple[int, int, int, int, Facts]]:
    """Elements, width, width of the result, groups and facts for everything that a rule allows."""
    widened = rule.family in ("cast", "granularity") or rule.id == "VMI.BITCAST.C.WIDTH"
    results = (*WIDTHS, None) if widened else (None,)
    for bits in WIDTHS:
        for result in results:
            for lanes in LANES:
                for groups in (1, 2, 4, 8, 16) if rule.family in (*GROUPED, "channel_split", "channel_merge") else (1,):
                    if lanes % groups:
                        continue
                    wide = result or bits
                    slots = all(name.startswith(SLOTS) for name in rule.layouts.values())
                    count = lanes if slots and rule.family not in GROUPED else groups
                    cast = lanes * bits // wide if rule.family == "bitcast" else lanes
                    shapes = {
                        role: shape(rule, role, cast, wide, count)
                        if role == "result"
                        else shape(rule, role, lanes, bits, count)
                        for role in rule.layouts
                    }
                    for index in (16, 32) if "indices" in shapes else (0,):
                        if index:
                            shapes["indices"] = Shape(lanes, index)
                        known: dict[str, Fact] = {"G": groups, "S": lanes // groups, **more}
                        if more.get("stride") == "S":
                            known["stride"] = lanes // groups
                        found = facts(rule, shapes, **known)
                        if rule.allows(found):
                            yield lanes, bits, wide, groups, found
