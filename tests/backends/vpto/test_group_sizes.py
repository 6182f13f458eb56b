"""Groups of any size: by each rule that serves one, what is written does what the program means."""

from __future__ import annotations

from itertools import product

import pytest

from tests.pose.vmi.kernels import kernel, pointer, posed, vreg
from tests.support.vmi_forced import forced, rules_for


def mask(lanes: int) -> str:
    return f"!pto.vmi.mask<{lanes}xpred>"


FULL = "create_mask %all : index ->"
SOME = "create_mask %n : index ->"


def reduced(op: str, element: str, lanes: int, groups: int, made: str = FULL, negated: bool = False) -> str:
    """A kernel that reduces groups and stores one element for each, and one that it spreads again."""
    v, m, g, p = vreg(lanes, element), mask(lanes), vreg(groups, element), pointer(element)
    how = ", reassoc" if op == "addf" else ""
    not_all = (f"%k = pto.vmi.{made} {m}", f"%m = pto.vmi.vnot %k : {m} -> {m}")
    return kernel(
        f"%p: {p}, %q: {p}, %n: index", "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
        f"%all = arith.constant {lanes} : index", f"%x = pto.vmi.vload %p[%c0] : {p} -> {v}",
        *(not_all if negated else (f"%m = pto.vmi.{made} {m}",)),
        f"%s = pto.vmi.group_reduce_{op} %x, %m {{num_groups = {groups}{how}}} : {v}, {m} -> {g}",
        f"pto.vmi.group_store %s, %q[%c0], %c1 {{num_groups = {groups}}} : {g}, {p}",
    )  # fmt: skip


def spread(element: str, lanes: int, groups: int) -> str:
    v, g, p = vreg(lanes, element), vreg(groups, element), pointer(element)
    return kernel(
        f"%p: {p}, %q: {p}", "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
        f"%s = pto.vmi.group_slot_load %p[%c0], %c1 {{num_groups = {groups}}} : {p} -> {g}",
        f"%t = pto.vmi.vadd %s, %s : {g}, {g} -> {g}",
        f"%x = pto.vmi.group_broadcast %t {{num_groups = {groups}}} : {g} -> {v}",
        f"pto.vmi.vstore %x, %q[%c0] : {v}, {p}",
    )  # fmt: skip


SIZES = ((6, 2), (24, 8), (36, 12), (96, 8), (96, 48), (100, 4), (192, 12), (264, 22), (352, 1), (390, 2))
KINDS = (("addf", "f32"), ("maxf", "f16"), ("mini", "si16"), ("addi", "ui8"), ("maxi", "i32"))
MASKS = ((FULL, False), (SOME, False), (SOME, True))
CASES = [(*kind, *size, *MASKS[number % 3]) for number, (kind, size) in enumerate(product(KINDS, SIZES)) if number % 2]
"""Of all kinds and sizes every other one, under each of the masks in turn."""


@pytest.mark.parametrize(("op", "element", "lanes", "groups", "made", "negated"), CASES)
def test_each_rule_reduces_groups_to_what_they_are(
    op: str, element: str, lanes: int, groups: int, made: str, negated: bool
) -> None:
    text = reduced(op, element, lanes, groups, made, negated)
    rules = rules_for(posed(text), f"group_reduce_{op}")
    assert rules
    outcomes = [forced(text, f"group_reduce_{op}", rule) for rule in rules]
    assert [(one.said, one.miscounted) for one in outcomes if one is not None and (one.said or one.miscounted)] == []
    assert any(outcomes)


@pytest.mark.parametrize(("element", "lanes", "groups"), [
    ("f32", 192, 4), ("f32", 96, 2), ("f16", 320, 16), ("ui8", 300, 100), ("ui8", 280, 8), ("f16", 192, 64),
    ("f32", 72, 24), ("f32", 90, 2), ("ui8", 99, 9), ("f16", 60, 30),
])  # fmt: skip
def test_each_rule_spreads_the_element_of_a_group(element: str, lanes: int, groups: int) -> None:
    text = spread(element, lanes, groups)
    outcomes = [forced(text, "group_broadcast", rule) for rule in rules_for(posed(text), "group_broadcast")]
    assert [(one.said, one.miscounted) for one in outcomes if one is not None and (one.said or one.miscounted)] == []
    assert any(outcomes)


@pytest.mark.parametrize(("lanes", "groups"), [(24, 6), (96, 48), (24, 2)])
def test_sums_of_negative_zeros_are_zero_by_each_rule(lanes: int, groups: int) -> None:
    """Nothing is added to zero: the sum of no element is +0, and so is one that only zeros are added to."""
    loaded = f"%x = pto.vmi.vload %p[%c0] : {pointer('f32')} -> {vreg(lanes, 'f32')}"
    zeros = f"%z = arith.constant -0.0 : f32\n    %x = pto.vmi.vbrc %z : f32 -> {vreg(lanes, 'f32')}"
    text = reduced("addf", "f32", lanes, groups)
    assert loaded in text
    text = text.replace(loaded, zeros)
    outcomes = [forced(text, "group_reduce_addf", rule) for rule in rules_for(posed(text), "group_reduce_addf")]
    assert [one.said for one in outcomes if one is not None] == [()] * len(outcomes)


@pytest.mark.parametrize(("op", "element", "lanes"), [("addf", "f32", 96), ("addi", "si32", 100), ("maxf", "f16", 300)])
@pytest.mark.parametrize(("made", "negated"), MASKS)
def test_all_elements_are_reduced_and_nothing_behind_them(
    op: str, element: str, lanes: int, made: str, negated: bool
) -> None:
    """A mask that is negated has bits set behind the last element, in a register that is filled in part."""
    text = reduced(op, element, lanes, 1, made, negated)
    text = text.replace("group_reduce_", "reduce_").replace("num_groups = 1, reassoc", "reassoc")
    text = text.replace(" {num_groups = 1} : " + vreg(lanes, element), " : " + vreg(lanes, element))
    one = forced(text, f"reduce_{op}", "VMI.REDUCE.C")
    assert one is not None
    assert (one.said, one.miscounted) == ((), ())
