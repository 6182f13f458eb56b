"""The rows as such: their ids, layouts, conditions and counts, and how many there are of each kind."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from layoutsolver.ops.coverage import RULE_FAMILIES
from layoutsolver.ops.vmi import VMI_OPS
from layoutsolver.ops.vpto import VPTO_OPS
from layoutsolver_models.rules.expression import Fact, holds, names
from layoutsolver_models.rules.vmi.cast import CAST, CAST_TYPES, WIDTHS
from layoutsolver_models.rules.vmi.elementwise import INSTRUCTIONS
from layoutsolver_models.rules.vmi.flow import FLOW
from layoutsolver_models.rules.vmi.layouts import LAYOUT_NAMES
from layoutsolver_models.rules.vmi.preference import GENERAL, HIGH, LANE_STRIDE_NARROWING, preferred
from layoutsolver_models.rules.vmi.row import VmiRule, cost
from layoutsolver_models.rules.vmi.table import RULES, VMI_RULES, family
from tests.models.rules.vmi.shapes import cases

FACTS = {
    "N", "N_to", "W", "W_to", "lp", "B", "R", "G", "S", "A", "op", "element", "to", "stride", "align", "pointer",
    "saturate", "dynamic", "same_masks", "zero_gap", "prefixes", "joins", "ramps", "stated", "misaligned", "masked",
    "order", "picks", "merges", "indexing", "W_idx", "full", "pairs", "sums", "blocks", "reduces", "partial", "ranges",
    "made",
}  # fmt: skip
ROWS = pytest.mark.parametrize("rule", VMI_RULES, ids=[rule.id for rule in VMI_RULES])

COUNTS = {
    "same": 13, "free": 13, "free_mask": 14, "iota": 13, "contiguous": 1, "cast": 40, "vexpdif": 16, "bitcast": 14,
    "load": 5, "store": 5, "masked_store": 5, "masked_load": 2, "deinterleave_load": 1, "interleave_store": 2,
    "stride": 2, "gather": 11, "group_load": 12, "group_slot_load": 6, "group_store": 12, "group_reduce": 13,
    "reduce": 1, "group_broadcast": 22, "group_broadcast_load": 13, "vintlv": 5, "vdintlv": 5, "vselr": 1, "shuffle": 7,
    "channel_split": 4, "channel_merge": 4, "single": 6, "histogram": 1, "convert": 34, "convert_mask": 12,
    "granularity": 24, "free_lane": 26, "identity": 13, "registers": 13,
}  # fmt: skip
"""Rows of each family: as the tables of sections 3.1 to 3.11 have them, every direction counted, and our own."""

OTHERWISE: dict[str, Fact] = {"op": "", "stride": 1, "align": 32}
SITUATIONS: tuple[dict[str, Fact], ...] = (
    OTHERWISE,
    *({**OTHERWISE, "op": op} for op in (
        "stride_load", "stride_store", "gather", "vgatherb", "scatter", "forward", "splat", "ramp", "same", "compress",
        "trunci", "compress_store", "active_prefix_index", "expand_load", "mask_and", "create_group_mask")),
    {**OTHERWISE, "stride": "S"}, {**OTHERWISE, "stride": 32}, {**OTHERWISE, "stride": None, "align": None},
    {**OTHERWISE, "pointer": False}, {**OTHERWISE, "masked": True}, {**OTHERWISE, "misaligned": True},
    {**OTHERWISE, "same_masks": False}, {**OTHERWISE, "full": False},
    {**OTHERWISE, "dynamic": True, "op": "create_mask"}, {**OTHERWISE, "dynamic": True, "op": "create_group_mask"},
    {**OTHERWISE, "op": "trunci", "saturate": "NOSAT"},
    *({**OTHERWISE, "stated": name} for name in LAYOUT_NAMES),
)  # fmt: skip


def test_there_are_as_many_rows_of_each_family_as_the_tables_have() -> None:
    assert Counter(rule.family for rule in VMI_RULES) == COUNTS
    assert len(RULES) == len(VMI_RULES)


def test_every_family_of_an_operation_has_rows_with_its_prefix() -> None:
    asked = {spec.rule for spec in VMI_OPS} - {"-"}
    assert asked == set(COUNTS) - {"free_lane", "convert", "convert_mask"}
    for name in asked:
        assert family(name)
        assert all(rule.id.startswith(f"{RULE_FAMILIES['vmi'][name]}.") for rule in family(name))


def expressions(rule: VmiRule) -> list[str]:
    """All conditions and counts of a row that are not empty."""
    found = [rule.when, rule.listed, *(limit.when for limit in rule.limits)]
    for way in rule.lowerings:
        found += [way.when, way.align, way.faults, *(step.times for step in way.steps)]
    return [text for text in found if text]


def situations(rule: VmiRule) -> list[dict[str, Fact]]:
    """Of those situations in which all is the same that the row asks for, one."""
    asked = sorted({name for text in expressions(rule) for name in names(text)})
    return list({tuple(one.get(name, "") for name in asked): one for one in SITUATIONS}.values())


@ROWS
def test_a_row_is_well_formed(rule: VmiRule) -> None:
    assert set(rule.layouts.values()) <= set(LAYOUT_NAMES)
    assert rule.source
    for text in expressions(rule):
        assert names(text) <= FACTS, text
    assert rule.lowerings or rule.limits


@ROWS
def test_a_row_names_instructions_that_there_are(rule: VmiRule) -> None:
    full = {spec.name.removeprefix("pto.") for spec in VPTO_OPS}
    known = full | {re.sub(r"_b\d+$", "", name) for name in full}
    for way in rule.lowerings:
        for step in way.steps:
            name = step.instruction.split()[0]
            assert name in known or name in ("each", "combine", "reduce", "reduce_group"), name


@ROWS
def test_a_row_is_used_somewhere_and_its_counts_are_numbers(rule: VmiRule) -> None:
    used = 0
    for situation in situations(rule):
        for _, _, _, _, found in cases(rule, **situation):
            used += 1
            for way in rule.lowerings:
                amount = cost(way, found) if holds(way.when, found) else None
                assert amount is None or min(amount) >= 0
            limit, best = rule.limit(found), rule.lowering(found, upstream=True)
            if (
                limit is None
                and rule.is_listed(found)
                and rule.family not in ("granularity", "gather", "group_broadcast_load")
            ):
                assert best is not None or rule.id.startswith("VMI.CONV.") or rule.id == "VMI.GSTORE.FULL2.D2"
    assert used


def test_what_upstream_does_not_carry_out() -> None:
    """The rows that section 3.12 marks, by what becomes of them."""
    kinds: dict[str, set[str]] = {}
    for rule in VMI_RULES:
        for limit in rule.limits:
            kinds.setdefault(limit.kind, set()).add(rule.id)
    assert kinds["rejected"] == {"VMI.SAME.LS2", "VMI.SAME.LS4"}
    assert {"VMI.CAST.8_32.LS2_D2", "VMI.EXPDIF.16_32.LS2_C", "VMI.GREDUCE.FULL4.D4_GS1", "VMI.MCONV.C_BD4"} <= kinds[
        "fails"
    ]
    assert kinds["wrong"] == {
        *(f"VMI.IOTA.{name}" for name in ("LS2", "LS4", "BD2", "BD4")),
        *(f"VMI.{op}.{name}" for op in ("INTLV", "DINTLV") for name in ("C", "LS2", "LS4")),
        "VMI.GSLOT.GS8.2", "VMI.GSLOT.GS8.4",
        *(f"VMI.CAST.{widths}.{pair}" for widths in ("16_8", "32_16") for pair in ("D2_C", "D4_D2")),
        *(f"VMI.CAST.32_8.{pair}" for pair in ("D4_C", "C_LS4", "D2_LS2", "GS1_GS1", "GS8_GS8.4")),
    }  # fmt: skip


def test_every_pair_of_widths_has_its_rows() -> None:
    counts = Counter(tuple(map(int, rule.id.split(".")[2].split("_"))) for rule in CAST)
    assert counts == {(16, 16): 1, (8, 16): 8, (16, 32): 8, (8, 32): 8, (16, 8): 5, (32, 16): 5, (32, 8): 5}
    assert tuple(counts) == WIDTHS


def test_casts_have_types_and_elementwise_operations_instructions() -> None:
    mnemonics = {spec.name.removeprefix("pto.vmi.") for spec in VMI_OPS}
    assert {row.op for row in CAST_TYPES} == {
        spec.name.removeprefix("pto.vmi.") for spec in VMI_OPS if spec.rule == "cast"
    }
    same = {spec.name.removeprefix("pto.vmi.") for spec in VMI_OPS if spec.rule in ("same", "vexpdif")}
    assert set(INSTRUCTIONS) == same | {"fptosi", "sitofp"} <= mnemonics
    known = {spec.name.removeprefix("pto.") for spec in VPTO_OPS}
    assert set(INSTRUCTIONS.values()) <= known


def test_preferences_are_rows_and_come_in_their_order() -> None:
    for row in (*HIGH, *LANE_STRIDE_NARROWING, *GENERAL):
        assert f"VMI.CAST.{row.widths[0]}_{row.widths[1]}.{row.source}_{row.result}".upper() in RULES
    for widths, lanes, registers, narrowing, expected in (
        ((8, 16), 128, (1, 1), True, "ls2 c"), ((8, 16), 256, (1, 2), True, "c d2"),
        ((16, 8), 128, (1, 1), True, "c ls2"), ((16, 8), 256, (2, 1), True, "c ls2"),
        ((16, 8), 256, (2, 1), False, "d2 c"), ((32, 8), 32, (1, 1), False, "d4 c"),
        ((32, 8), 64, (1, 1), False, "c ls4"), ((32, 8), 128, (2, 1), False, "d2 ls2"),
        ((16, 32), 64, (1, 1), True, "ls2 c"), ((8, 32), 128, (1, 2), True, "c d4"),
    ):  # fmt: skip
        found = preferred(widths, lanes, registers, narrowing)
        assert found is not None
        assert f"{found.source} {found.result}" == expected, (widths, lanes, registers, narrowing)
    assert preferred((16, 16), 64, (1, 1)) is None


def test_ties_have_ids_and_sentences() -> None:
    assert len({tie.id for tie in FLOW}) == len(FLOW) == 13
    assert all(tie.sentence and tie.members for tie in FLOW)
