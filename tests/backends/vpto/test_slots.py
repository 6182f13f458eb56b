"""Slots that lie in a register each, stored one by one or brought together, as the busiest pipe has it."""

from __future__ import annotations

import pytest

from layoutsolver.pose.vmi.conversions import conversions_of
from layoutsolver.vmi.program import VmiValue
from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.convert import emit_conversion
from layoutsolver_backends.vpto.emission import types_of
from layoutsolver_models.rules.vmi.convert_slots import CONVERT_SLOTS
from layoutsolver_models.rules.vmi.row import VmiRule
from tests.pose.vmi.kernels import kernel as kernel_of
from tests.pose.vmi.kernels import pointer, posed, vreg
from tests.support.fuzz_vmi import prove
from tests.support.vmi_pins import with_each_layout
from tests.support.vpto_variants import counts_of


def kernel(groups: int, stores: int) -> str:
    """One number for each group, from places that no constant tells, widened and stored so often, aligned."""
    lines = []
    for number in range(stores):
        lines += [
            f"  %a{number} = arith.constant {4096 * (number + 1)} : i64",
            f"  %q{number} = pto.castptr %a{number} : i64 -> !pto.ptr<si32, ub>",
            f"  pto.vmi.vstore %w, %q{number}[%c0], %c1 {{group = {groups}}} : !pto.vmi.vreg<{groups}xsi32>, "
            "!pto.ptr<si32, ub>",
        ]
    body = "\n".join(lines)
    narrow, wide = f"!pto.vmi.vreg<{groups}xsi16>", f"!pto.vmi.vreg<{groups}xsi32>"
    return f"""func.func @k(%n: index) attributes {{pto.kernel}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = arith.constant 0 : i64
  %p = pto.castptr %in : i64 -> !pto.ptr<si16, ub>
  %g = pto.vmi.vload %p[%c0], %n {{group = {groups}}} : !pto.ptr<si16, ub> -> {narrow}
  %w = pto.vmi.vcvt %g : {narrow} -> {wide}
{body}
  return
}}
"""


@pytest.mark.parametrize("groups", [2, 4, 8, 16])
def test_slots_are_brought_together_where_stores_are_the_busiest(groups: int) -> None:
    """Slots that are brought together once are stored eight at a time; the first of them are in their place."""
    outcome = prove(kernel(groups, 4))
    assert outcome.verdict == "ok", outcome.said
    assert outcome.lowered.count("pto.vdup") == groups - -(-groups // 8)
    assert outcome.lowered.count("pto.vsts") == 4 * -(-groups // 8)


@pytest.mark.parametrize("groups", [2, 8])
def test_slots_are_stored_one_by_one_where_that_is_as_cheap(groups: int) -> None:
    outcome = prove(kernel(groups, 1))
    assert (outcome.verdict, outcome.lowered.count("pto.vdup")) == ("ok", 0)
    assert outcome.lowered.count("pto.vsts") == groups


@pytest.mark.parametrize("element", ["!pto.f4E2M1x2", "!pto.f4E1M2x2"])
def test_a_pair_that_fills_its_register_is_converted_by_a_part_of_four(element: str) -> None:
    """All bytes of the register are equal, so that any part does; a pair of 4-bit elements has P0 to P3 alone."""
    narrow, wide = f"!pto.vmi.vreg<1x{element}>", "!pto.vmi.vreg<1x!pto.bf16x2>"
    outcome = prove(f"""func.func @k(%n: index) attributes {{pto.kernel}} {{
  %c0 = arith.constant 0 : index
  %in = arith.constant 0 : i64
  %out = arith.constant 4096 : i64
  %p = pto.castptr %in : i64 -> !pto.ptr<{element}, ub>
  %q = pto.castptr %out : i64 -> !pto.ptr<!pto.bf16x2, ub>
  %v = pto.vmi.vload %p[%c0] : !pto.ptr<{element}, ub> -> {narrow}
  %w = pto.vmi.vcvt %v : {narrow} -> {wide}
  pto.vmi.vstore %w, %q[%c0] : {wide}, !pto.ptr<!pto.bf16x2, ub>
  return
}}
""")
    assert outcome.verdict == "ok", outcome.said
    assert 'part = "P0"' in outcome.lowered


# -- slots and elements side by side ------------------------------------------------------------------------------


def slots(groups: int, element: str, stride: str) -> str:
    """The largest of two elements of each group, stored side by side, and again `stride` apart."""
    v, g, p, m = vreg(2 * groups, element), vreg(groups, element), pointer(element), f"!pto.vmi.mask<{2 * groups}xpred>"
    return kernel_of(
        f"%p: {p}, %q: {p}, %r: {p}, %n: index", "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
        f"%m = pto.vmi.create_mask %n : index -> {m}", f"%x = pto.vmi.vload %p[%c0] : {p} -> {v}",
        f"%s = pto.vmi.vcmax %x, %m {{group = {groups}}} : {v}, {m} -> {g}",
        f"%t = pto.vmi.vmax %s, %s : {g}, {g} -> {g}", f"pto.vmi.store %t, %q[%c0] : {g}, {p}",
        f"pto.vmi.vstore %t, %r[%c0], {stride} {{group = {groups}}} : {g}, {p}",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("groups", "element", "stride"), [(12, "f32", "%n"), (40, "si16", "%c1"), (64, "ui8", "%c1"), (3, "f16", "%n")]
)
def test_sums_are_stored_side_by_side_and_apart_whatever_layouts_they_are_made_in(
    groups: int, element: str, stride: str
) -> None:
    found = with_each_layout(slots(groups, element, stride), only="%t")
    assert {one.said for one in found} == {()}
    assert {one.layout for one in found} >= {"c", "gs8", "gs1"}


@pytest.mark.parametrize("rule", CONVERT_SLOTS, ids=[rule.id for rule in CONVERT_SLOTS])
def test_a_conversion_of_slots_takes_what_its_row_counts(rule: VmiRule) -> None:
    tried = 0
    for bits, lanes in ((32, 12), (32, 64), (16, 33), (16, 64), (8, 9), (8, 40), (8, 64), (32, 3)):
        value = VmiValue(0, "%v", False, lanes, {8: "ui8", 16: "f16", 32: "f32"}[bits], bits, "", -1, 1, -1)
        for way in conversions_of(value, slots=True):
            if way.rules == (rule.id,):
                build = Builder(posed(kernel_of("%n: index")).program)
                emit_conversion(build, value, tuple(map(build.value, types_of(value, way.before))), [rule], way.before)
                assert counts_of(build.code) == way.cost, (bits, lanes)
                tried += 1
    assert tried


def test_slots_that_no_group_operation_has_stay_where_they_are() -> None:
    value = VmiValue(0, "%v", False, 12, "f32", 32, "", -1, 1, -1)
    known = {(way.before, way.after) for way in conversions_of(value, slots=True)}
    assert {("gs8", "c"), ("c", "gs1"), ("gs1", "d2")} <= known
    for ways in (conversions_of(value), conversions_of(value, True, True)):
        assert not {way for way in ways if {"gs8", "gs1"} & {way.before, way.after}}
