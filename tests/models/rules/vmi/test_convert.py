"""Conversions take as many instructions as rows say: no fewer are found, and those found do it."""

from __future__ import annotations

import pytest

from layoutsolver_models.lanes.convert import convert
from layoutsolver_models.lanes.layout import carrier, data_map, mask_map
from layoutsolver_models.rules.expression import holds
from layoutsolver_models.rules.vmi.convert import CONVERT, CONVERT_MASK, GRANULARITY
from layoutsolver_models.rules.vmi.layouts import layout_of
from layoutsolver_models.rules.vmi.row import Shape, VmiRule, cost, facts
from tests.models.rules.vmi.shapes import cases

SLOTS = [rule for rule in CONVERT if any(name.startswith("gs8") for name in rule.layouts.values())]
DENSE = [rule for rule in CONVERT if rule not in SLOTS]


@pytest.mark.parametrize("rule", DENSE, ids=[rule.id for rule in DENSE])
def test_no_conversion_takes_fewer_instructions_than_ours(rule: VmiRule) -> None:
    tried = 0
    for lanes, bits, _, _, found in cases(rule):
        way = rule.lowering(found)
        assert way is not None
        source, target = (data_map(layout_of(rule.layouts[role], lanes), bits, lanes) for role in ("source", "result"))
        plan = convert(source, target, 8)
        assert plan is not None
        assert plan.cost == cost(way, found).total, (lanes, bits)
        assert plan.run(source).covers(target)
        tried += 1
    assert tried


@pytest.mark.parametrize("rule", SLOTS, ids=[rule.id for rule in SLOTS])
@pytest.mark.parametrize("groups", [2, 8, 12, 16])
def test_slots_are_spread_and_packed_register_by_register(rule: VmiRule, groups: int) -> None:
    for bits in (8, 16):
        found = facts(rule, {"source": Shape(groups, bits), "result": Shape(groups, bits)})
        if rule.allows(found):
            maps = [data_map(layout_of(rule.layouts[role], groups), bits, groups) for role in ("source", "result")]
            plan = convert(maps[0], maps[1])
            way = rule.lowering(found, upstream=True)
            assert plan is not None
            assert plan.cost == (0 if way is None else cost(way, found).total)


@pytest.mark.parametrize(
    ("source", "result", "bits", "lanes", "upstream", "ours"),
    [
        ("c", "d2", 32, 128, 1, 1), ("c", "d2", 16, 256, 1, 1), ("c", "d2", 16, 128, None, 1),
        ("c", "d2", 8, 512, None, 1), ("c", "d4", 32, 256, 4, 4), ("c", "d4", 32, 128, None, 3),
        ("d2", "d4", 32, 256, 6, 2), ("d4", "d2", 32, 512, 12, 4), ("c", "ls2", 16, 128, 2, 1),
        ("ls2", "c", 16, 128, 3, 1), ("ls2", "c", 16, 64, 1, 1), ("c", "ls4", 8, 256, 6, 3),
        ("ls4", "c", 8, 256, 9, 3),
    ],
)  # fmt: skip
def test_upstream_takes_more_or_has_no_conversion(
    source: str, result: str, bits: int, lanes: int, upstream: int | None, ours: int
) -> None:
    rule = next(rule for rule in CONVERT if rule.layouts == {"source": source, "result": result})
    found = facts(rule, {"source": Shape(lanes, bits), "result": Shape(lanes, bits)})
    best, theirs = rule.lowering(found), rule.lowering(found, upstream=True)
    assert best is not None
    assert cost(best, found).total == ours
    assert (None if theirs is None else cost(theirs, found).total) == upstream


def test_nothing_is_converted_to_or_from_blocks_and_no_pair_is_missing() -> None:
    pairs = {(rule.layouts["source"], rule.layouts["result"]) for rule in CONVERT}
    assert not {name for pair in pairs for name in pair if name.startswith("bd")}
    assert pairs == {(result, source) for source, result in pairs}


@pytest.mark.parametrize("rule", CONVERT_MASK, ids=[rule.id for rule in CONVERT_MASK])
def test_masks_that_upstream_converts_take_what_the_search_takes(rule: VmiRule) -> None:
    for lanes in (1, 2, 4, 8, 64, 128, 256, 512):
        for bits in (8, 16, 32):
            found = facts(rule, {"source": Shape(lanes, bits), "result": Shape(lanes, bits)})
            if not rule.allows(found):
                continue
            names = [rule.layouts[role] for role in ("source", "result")]
            carried = all(carrier(layout_of(name), bits) for name in names)
            way = rule.lowering(found, upstream=True)
            assert way is None or rule.limit(found) is None
            assert way is None or carried
            if way is not None and holds("N >= 2", found):
                maps = [mask_map(layout_of(name), lanes, bits) for name in names]
                plan = convert(maps[0], maps[1], 8)
                assert plan is not None
                assert plan.cost == cost(way, found).predicate, (lanes, bits)


@pytest.mark.parametrize("rule", GRANULARITY, ids=[rule.id for rule in GRANULARITY])
def test_a_granularity_is_changed_for_nothing_exactly_where_the_register_stays_the_same(rule: VmiRule) -> None:
    tried = 0
    for lanes, bits, wide, _, found in cases(rule):
        names = [rule.layouts[role] for role in ("source", "result")]
        if lanes != 256 and not names[0].startswith("gs"):
            continue
        maps = [mask_map(layout_of(name, lanes), lanes, width) for name, width in zip(names, (bits, wide), strict=True)]
        way = rule.lowering(found, upstream=True)
        assert way is not None
        assert (cost(way, found).predicate == 0) == (maps[0] == maps[1])
        tried += 1
    assert tried
