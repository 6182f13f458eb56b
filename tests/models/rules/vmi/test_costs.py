"""Whole chains cost what section 4.5 counts, upstream's choice and the best one."""

from __future__ import annotations

import pytest

from layoutsolver_models.rules.expression import Fact, holds
from layoutsolver_models.rules.vmi.row import Cost, Shape, cost, facts
from layoutsolver_models.rules.vmi.table import RULES

Item = tuple[str, dict[str, Shape], dict[str, Fact]]


def item(rule: str, lanes: int, bits: int, wide: int = 0, **more: Fact) -> Item:
    roles = RULES[rule].layouts
    shapes = {role: Shape(lanes, (wide or bits) if role == "result" else bits) for role in roles}
    return rule, shapes, more


def total(chain: list[Item], upstream: bool) -> Cost:
    sums = [0] * len(Cost._fields)
    for name, shapes, more in chain:
        rule = RULES[name]
        found = facts(rule, shapes, **more)
        assert rule.allows(found), name
        way = rule.lowering(found, upstream)
        assert way is not None, name
        sums = [left + right for left, right in zip(sums, cost(way, found), strict=True)]
    return Cost(*sums)


def chain(text: str, lanes: int) -> list[Item]:
    """`load f32.c`, `cast 32>8 c>ls4`, `same 32 d4`, `store 8.ls4` …"""
    out = []
    for step in text.split(";"):
        kind, *words = step.split()
        if kind in ("load", "store"):
            bits, name = words[0].split(".")
            out.append(item(f"VMI.{kind}.{name}".upper(), lanes, int(bits)))
        elif kind == "cast":
            source, wide = map(int, words[0].split(">"))
            pair = words[1].replace(">", "_").upper()
            out.append(item(f"VMI.CAST.{source}_{wide}.{pair}", lanes, source, wide, op=words[2]))
        elif kind == "same":
            out.append(item(f"VMI.SAME.{words[1].upper()}", lanes, int(words[0]), op="mulf"))
        elif kind == "convert":
            pair = words[1].replace(">", "_").upper()
            out.append(item(f"VMI.CONV.{pair}", lanes, int(words[0])))
    return out


UPSTREAM = [
    ("f8 x 256 to f32, scaled, to f8", 256,
     "load 8.ls4; cast 8>32 ls4>c extf; same 32 c; cast 32>8 c>ls4 truncf; store 8.ls4", (4, 12, 4)),
    ("f32 x 256 to f8", 256, "load 32.c; cast 32>8 c>ls4 truncf; store 8.ls4", (4, 4, 4)),
    ("f32 x 128 to f8", 128, "load 32.c; cast 32>8 c>ls4 truncf; store 8.ls4", (2, 2, 2)),
    ("f32 x 256 to f16", 256, "load 32.c; cast 32>16 c>ls2 truncf; store 16.ls2", (4, 4, 4)),
    ("f16 x 128 to f8", 128, "load 16.c; cast 16>8 c>ls2 truncf; store 8.ls2", (1, 1, 1)),
    ("f16 x 256 to f8", 256, "load 16.c; cast 16>8 c>ls2 truncf; store 8.ls2", (2, 2, 2)),
    ("f16 x 64 to f32", 64, "load 16.ls2; cast 16>32 ls2>c extf; store 32.c", (1, 1, 1)),
    ("f16 x 128 to f32", 128, "load 16.c; cast 16>32 c>d2 extf; store 32.d2", (1, 2, 1)),
    ("f16 x 256 to f32", 256, "load 16.c; cast 16>32 c>d2 extf; store 32.d2", (2, 4, 2)),
    ("f8 x 128 to f32", 128, "load 8.c; cast 8>32 c>d4 extf; store 32.d4", (1, 7, 2)),
    ("FP4 x 256", 256, "load 8.c; cast 8>32 c>d4 extf; store 32.d4", (1, 8, 4)),
    ("FP4 x 128 with the added row", 128, "load 8.ls4; cast 8>32 ls4>c extf; store 32.c", (2, 2, 2)),
]  # fmt: skip
BEST = [
    ("f8 x 256 to f32, scaled, to f8", 256,
     "load 8.c; cast 8>32 c>d4 extf; same 32 d4; cast 32>8 d4>c truncf; store 8.c", (1, 15, 1)),
    ("f32 x 256 to f8", 256, "load 32.d2; cast 32>8 d2>ls2 truncf; store 8.ls2", (2, 6, 2)),
    ("f32 x 128 to f8", 128, "load 32.d2; cast 32>8 d2>ls2 truncf; store 8.ls2", (1, 3, 1)),
    ("f32 x 128 to f16", 128, "load 32.d2; cast 32>16 d2>c truncf; store 16.c", (1, 3, 1)),
    ("f32 x 256 to f16", 256, "load 32.d2; cast 32>16 d2>c truncf; store 16.c", (2, 6, 2)),
    ("f16 x 256 to f8", 256, "load 16.d2; cast 16>8 d2>c truncf; store 8.c", (1, 3, 1)),
    ("f8 x 128 to f32", 128, "load 8.ls2; cast 8>32 ls2>d2 extf; store 32.d2", (1, 2, 1)),
    ("FP4 x 256", 256, "load 8.ls2; cast 8>32 ls2>d2 extf; store 32.d2", (2, 4, 2)),
    ("FP4 x 128 made contiguous", 128, "load 8.ls2; cast 8>32 ls2>d2 extf; convert 32 d2>c", (1, 3, 0)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "lanes", "text", "pipes"), UPSTREAM, ids=[row[0] for row in UPSTREAM])
def test_upstreams_choice_costs_what_was_counted(name: str, lanes: int, text: str, pipes: tuple[int, ...]) -> None:
    assert total(chain(text, lanes), upstream=True)[:3] == pipes


@pytest.mark.parametrize(("name", "lanes", "text", "pipes"), BEST, ids=[row[0] for row in BEST])
def test_the_best_choice_costs_what_was_counted(name: str, lanes: int, text: str, pipes: tuple[int, ...]) -> None:
    assert total(chain(text, lanes), upstream=False)[:3] == pipes


def test_a_reduction_by_parts_costs_what_was_counted() -> None:
    """The sums of 16 groups of 32 in four parts: combined first, if every part has the same mask."""
    rule = RULES["VMI.GREDUCE.FOUR.D4_GS8"]
    shapes = {"source": Shape(256, 32), "mask": Shape(256, 32), "result": Shape(8, 32)}
    for same, execute in ((True, 4), (False, 7)):
        found = facts(rule, shapes, G=8, S=32, same_masks=same)
        assert rule.allows(found)
        way = rule.lowering(found, upstream=True)
        assert way is not None
        assert cost(way, found).execute == execute


def test_where_the_base_lies_decides_between_repeating_and_selecting() -> None:
    rule = RULES["VMI.GBLOAD.TWO.D2"]
    found = facts(rule, {"result": Shape(256, 16)}, G=8, S=32, stride=1)
    ways = [way for way in rule.lowerings if holds(way.when, {**found, "align": 32})]
    assert [(way.align, cost(way, found).total) for way in ways] == [("W", 1), ("32", 2)]


@pytest.mark.parametrize(
    ("slots", "groups", "bits", "align", "pipes"),
    [
        ("GS8", 8, 16, None, (0, 3, 4)),
        ("GS8", 8, 16, 32, (0, 0, 1)),
        ("GS8", 8, 32, None, (0, 0, 1)),
        ("GS8", 12, 16, None, (0, 0, 2)),
        ("GS8.4", 8, 8, 64, (0, 2, 1)),
        ("GS8.4", 8, 8, None, (0, 0, 1)),
        ("GS8.2", 8, 16, 32, (0, 1, 1)),
        ("GS1", 8, 32, 32, (0, 15, 1)),
        ("GS1", 8, 32, None, (0, 0, 8)),
    ],
)
def test_what_is_known_of_the_base_decides_how_slots_are_stored(
    slots: str, groups: int, bits: int, align: int | None, pipes: tuple[int, int, int]
) -> None:
    rule = RULES[f"VMI.GSTORE.{slots}"]
    found = facts(rule, {"value": Shape(groups, bits)}, G=groups, stride=1, align=align)
    assert rule.allows(found)
    way = rule.lowering(found, upstream=True)
    assert way is not None
    assert cost(way, found)[:3] == pipes


def test_unsigned_elements_between_zeros_are_wide_already() -> None:
    rule = RULES["VMI.CAST.8_32.LS4_C"]
    shapes = {"source": Shape(128, 8), "result": Shape(128, 32)}
    for op, zero, execute in (("extui", True, 0), ("extui", False, 2), ("extsi", True, 2)):
        found = facts(rule, shapes, op=op, zero_gap=zero)
        way = rule.lowering(found, upstream=True)
        assert way is not None
        assert cost(way, found).execute == execute
