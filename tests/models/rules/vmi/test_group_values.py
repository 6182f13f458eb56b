"""Rows for groups of any size: where each holds and where it does not, and how their conditions read."""

from __future__ import annotations

import re

import pytest

from layoutsolver.pose.vmi.planned import planned_facts
from layoutsolver.pose.vmi.reasons import condition_words
from layoutsolver_models.rules.expression import Fact
from layoutsolver_models.rules.vmi.group_values import GROUP_VALUES
from layoutsolver_models.rules.vmi.row import Shape, VmiRule, cost, facts
from layoutsolver_models.rules.vmi.table import RULES


def known(rule: VmiRule, lanes: int, bits: int, groups: int, **more: Fact) -> dict[str, Fact]:
    shapes = {role: Shape(groups if layout.startswith("gs") else lanes, bits) for role, layout in rule.layouts.items()}
    return facts(rule, shapes, G=groups, S=lanes // groups, **more)


@pytest.mark.parametrize(
    ("row", "where", "nowhere"),
    [
        ("VMI.GREDUCE.PAIRS.C_GS8", [(96, 32, 48), (64, 16, 16), (32, 8, 8), (12, 32, 12)],
         [(96, 32, 12), (96, 32, 32), (64, 16, 8), (64, 8, 8)]),
        ("VMI.GREDUCE.GATHER.C_GS8", [(96, 32, 8), (384, 32, 8), (288, 16, 8), (24, 8, 8)],
         [(100, 32, 4), (128, 32, 8), (272, 16, 8), (480, 32, 5), (64, 16, 8)]),
        ("VMI.GREDUCE.PIECES.C_GS1", [(100, 32, 4), (96, 32, 1), (64, 16, 1), (390, 32, 2)],
         [(64, 16, 4), (128, 32, 2), (128, 32, 1), (8, 32, 1)]),
        ("VMI.GBRC.ANY.GS8_C", [(192, 32, 4), (64, 32, 16), (99, 8, 9)], [(128, 32, 16), (32, 32, 8), (128, 32, 2)]),
        ("VMI.GBRC.ANY.GS1_C", [(96, 32, 8), (64, 32, 8)], [(128, 32, 8), (128, 32, 2)]),
    ],
)  # fmt: skip
def test_a_row_holds_for_sizes_that_no_other_has(
    row: str, where: list[tuple[int, int, int]], nowhere: list[tuple[int, int, int]]
) -> None:
    rule = RULES[row]
    for shape in where:
        found = known(rule, *shape)
        assert rule.allows(found), shape
        assert not rule.is_listed(found), shape
    for shape in nowhere:
        assert not rule.allows(known(rule, *shape)), shape


@pytest.mark.parametrize(
    ("row", "shape", "more", "execute", "setup"),
    [
        ("VMI.GREDUCE.PAIRS.C_GS8", (256, 32, 64), {}, 3 + 3 + 7, 7),
        ("VMI.GREDUCE.PAIRS.C_GS8", (256, 32, 64), {"op": "group_reduce_addf"}, 3 + 3 + 1 + 7, 7),
        ("VMI.GREDUCE.PAIRS.C_GS8", (256, 32, 64), {"op": "group_reduce_addf", "full": False}, 4 + 3 + 3 + 7, 7),
        ("VMI.GREDUCE.GATHER.C_GS8", (96, 32, 8), {}, 1 + 1 + 1 + 1, 4 + 3),
        ("VMI.GREDUCE.GATHER.C_GS8", (96, 32, 8), {"op": "group_reduce_minf", "full": False}, 2 + 4, 1 + 4 + 3),
        ("VMI.GREDUCE.PIECES.C_GS1", (192, 32, 2), {}, 4 + 2, 0),
        ("VMI.GREDUCE.PIECES.C_GS1", (352, 32, 1), {}, 4 + 2 + 1, 0),
        ("VMI.GREDUCE.PIECES.C_GS1", (352, 32, 1), {"full": False}, 6 + 5, 0),
        ("VMI.GBRC.ANY.GS8_C", (192, 32, 4), {}, 3, 4 + 3),
        ("VMI.GBRC.ANY.GS1_C", (192, 32, 4), {}, 4 + 3, 0),
    ],
)
def test_a_row_counts_what_was_counted_by_hand(
    row: str, shape: tuple[int, int, int], more: dict[str, Fact], execute: int, setup: int
) -> None:
    """Each sum by the instructions of the row in order: what is taken apart, joined, selected and reduced."""
    rule = RULES[row]
    lanes, bits, groups = shape
    found = known(rule, lanes, bits, groups, **more)
    found.update(planned_facts(rule, found))
    way = rule.lowering(found)
    assert way is not None
    assert (cost(way, found).execute, cost(way, found).setup) == (execute, setup)


@pytest.mark.parametrize("rule", GROUP_VALUES, ids=[rule.id for rule in GROUP_VALUES])
def test_conditions_on_groups_read_without_the_names_of_facts(rule: VmiRule) -> None:
    assert re.findall(r"\b(?:S|B|lp|G|W)\b", condition_words(f"needs {rule.when}")) == []
