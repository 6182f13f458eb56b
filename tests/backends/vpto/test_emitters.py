"""Whatever a solver may choose has instructions: each variant of an operation, and each conversion of a value."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.conversions import conversions_of
from layoutsolver.pose.vmi.pose import pose_vmi
from layoutsolver.source import SourceFile
from layoutsolver.vmi.program import VmiValue
from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.convert import emit_conversion
from layoutsolver_backends.vpto.emission import types_of
from layoutsolver_backends.vpto.templates import templates_of
from layoutsolver_models.rules.vmi.table import RULES, VMI_RULES
from layoutsolver_models.solve.selection import Open
from tests.pose.vmi.facts import FOLDER
from tests.pose.vmi.kernels import kernel, pointer, posed, vreg
from tests.support.vmi_deep import deep_kernel
from tests.support.vmi_rows import rare_kernels
from tests.support.vmi_wide import wide_kernel
from tests.support.vpto_variants import Emitted, emitted

CASES = Path(__file__).parents[2] / "pose" / "vmi" / "cases"
FACTS = ("165-group.pto", "038-group-sum-bcast-s2.pto", "254-scale.pto")
DEEP = (0, 8, 15, 43, 51, 85, 102, 113, 126, 128, 132, 156, 168)
WIDE = (26,)

MEMORY = ("load", "store", "masked_load", "masked_store", "stride", "gather", "group_load", "group_store",
          "group_slot_load", "group_broadcast_load", "deinterleave_load", "interleave_store")  # fmt: skip
"""The families that access memory."""

MOVING = ("vintlv", "vdintlv", "vselr", "shuffle", "channel_split", "channel_merge", "single", "histogram")
"""The families that move elements."""

GROUPS = ("group_reduce", "reduce", "group_broadcast")
"""The families that bring the elements of groups together, or spread one over each."""

NEVER: dict[str, tuple[tuple[str, int], ...]] = {
    "no value is known to have zeros between its elements": (
        ("VMI.CAST.8_16.LS2_C", 0), ("VMI.CAST.16_32.LS2_C", 0), ("VMI.CAST.8_32.LS4_C", 0)),
    "only integers are widened from 8 to 16 bits": tuple((f"VMI.CAST.8_16.GS{n}_GS{n}", 1) for n in (2, 4, 8)),
    "a mask of 64-bit lanes does not exist": tuple((f"VMI.EXPDIF.32.{n}", 0) for n in ("LS2", "LS4", "GS8.2", "GS8.4")),
    "rows without gaps are one vector": tuple(
        (f"VMI.GLOAD.{n}.C", way) for n in ("QUARTER", "HALF", "ONE", "TWO", "FOUR") for way in (0, 1)),
    "another lowering of the row takes no more on any pipe": (
        ("VMI.GSTORE.GS1", 0), ("VMI.GBLOAD.FULL.C", 3),
        ("VMI.GBRC.TWO.GS1_C", 0), ("VMI.GBRC.FOUR.GS1_C", 0), ("VMI.IOTA.GROUP.C", 0),
        *((f"VMI.GRAN.{n}", 0) for n in ("8_16.D2_D4", "16_32.D2_D4", "8_32.C_D4", "16_8.D4_D2", "32_16.D2_C",
                                         "32_16.D4_D2", "32_8.D4_C", "32_8.D2_LS2"))),
}  # fmt: skip
"""Lowerings that are chosen nowhere, by why."""


def texts() -> list[str]:
    """Programs that bring up every other lowering."""
    files = [*sorted(CASES.glob("*.pto")), *(FOLDER / name for name in FACTS)]
    random = [*map(deep_kernel, DEEP), *map(wide_kernel, WIDE)]
    return [*(file.read_text(encoding="utf-8") for file in files), *random, *rare_kernels()]


@pytest.fixture(scope="module")
def found() -> list[Emitted]:
    """What comes of all variants of these programs."""
    graphs = (build_graph(read(SourceFile("program", text)))[0] for text in texts())
    return [one for graph in graphs for one in emitted(pose_vmi(graph))]


def test_each_variant_has_instructions(found: list[Emitted]) -> None:
    assert {one for one in found if one.said} == set()


def test_instructions_are_as_many_as_rows_count(found: list[Emitted]) -> None:
    known = {rule.id for rule in VMI_RULES if rule.family in (*MEMORY, *MOVING, *GROUPS)}
    every = [one for one in found if one.rule in known]
    assert {one for one in every if one.counts != one.cost} == set()
    assert {one.rule for one in every} >= {
        "VMI.MLOAD.TAIL.C",
        "VMI.GLOAD.ROWS.C",
        "VMI.GATHER.STORE.C",
        "VMI.GREDUCE.GATHER.C_GS8",
    }


def test_each_lowering_of_each_row_is_among_them(found: list[Emitted]) -> None:
    conversions = ("convert", "convert_mask")
    rows = [rule for rule in VMI_RULES if rule.family not in conversions]
    every = {(rule.id, number) for rule in rows for number in range(len(rule.lowerings))}
    never = {one for some in NEVER.values() for one in some}
    assert every - {(one.rule, one.lowering) for one in found} == never


@pytest.mark.parametrize(("is_mask", "bits"), [*product((False,), (8, 16, 32)), (True, 0)])
def test_each_conversion_has_instructions(is_mask: bool, bits: int) -> None:
    used: set[str] = set()
    for lanes in (1, 2, 4, 8, 12, 32, 48, 64, 100, 128, 256, 512):
        value = VmiValue(0, "%v", is_mask, lanes, {8: "ui8", 16: "f16", 32: "f32"}.get(bits, ""), bits, "", -1, 1, -1)
        build = Builder(posed(kernel("%n: index")).program)
        for way in conversions_of(value, slots=True):
            registers = tuple(build.value(text) for text in types_of(value, way.before))
            made = emit_conversion(build, value, registers, [RULES[name] for name in way.rules], way.before)
            assert [one.type for one in made] == types_of(value, way.after), (lanes, way)
            used.update(way.rules)
    assert used


@pytest.mark.parametrize("op", ["cmpf", "select"])
def test_masks_of_comparisons_are_as_wide_as_their_elements(op: str) -> None:
    v, m = vreg(8, "f16"), "!pto.vmi.mask<8xpred>"
    text = kernel(
        f"%a: {v}, %b: {v}, %k: {m}, %p: {pointer('f16')}", f'%m = pto.vmi.cmpf "ogt", %a, %b : {v}, {v} -> {m}',
        f"%c = pto.vmi.select %m, %a, %b : {m}, {v}, {v} -> {v}",
        f"%d = pto.vmi.select %k, %c, %b : {m}, {v}, {v} -> {v}", "%c0 = arith.constant 0 : index",
        f"pto.vmi.vstore %d, %p[%c0] : {v}, {pointer('f16')}",
    )  # fmt: skip
    made = posed(text, valid=False)
    known = [
        one for one, at in zip(made.problem.ops, made.op_of, strict=True) if at >= 0 and made.program.ops[at].op == op
    ]
    layouts = {variant.rule.removeprefix("VMI.SAME.") for one in known for variant in one.variants}
    assert {"C", "GS8", "GS1"} <= layouts
    assert layouts.isdisjoint({"LS2", "LS4", "GS8.2", "GS8.4"})


@pytest.mark.parametrize("name", ["mask_and", "mask_not"])
def test_logic_on_masks_takes_predicate_instructions_alone(name: str, found: list[Emitted]) -> None:
    assert {one.lowering for one in found if one.what.startswith(f"{name} ")} == {0}


def test_no_value_may_have_a_layout_without_registers() -> None:
    made = posed((CASES / "for_carries_a_mask_of_sums.pto").read_text(encoding="utf-8"))
    masks = [value for value in made.problem.values if value.layouts[0].startswith("b")]
    assert masks
    for value in masks:
        assert {"b8 ls4", "b16 ls2", "b32 d2"} <= set(value.layouts)
        assert not {"b16 ls4", "b32 ls2", "b32 gs8.2", "b16 gs8.4"} & set(value.layouts)
    every = [list(range(len(op.variants))) for op in made.problem.ops]
    templates = templates_of(made, Open(every, []))
    assert set(templates.variants) == {(op, variant) for op, some in enumerate(every) for variant in some}
