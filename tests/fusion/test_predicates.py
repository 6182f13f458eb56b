"""The predicate registers that masks take, and plans that they limit."""

from __future__ import annotations

import pytest

from layoutsolver.api_fusion import FuseOptions, FuseResult, fuse
from layoutsolver.explain.fusion import loops_apart
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.fusion import FusionProblem
from layoutsolver_models.solve.fusion_plan import peak, settle
from tests.support.fusion_text import F32, MASK, kernel, load, loop, region, scaled, store

ARGUMENTS = ", ".join(f"%k{number}: {MASK}" for number in range(10))
"""Masks that a caller gives: nothing is known of their lanes."""


def fused(*lines: str, arguments: str = "", out: str = "ce") -> FuseResult:
    found = fuse(SourceFile("k.pto", kernel(region(*lines), arguments=arguments, out=out)), FuseOptions())
    assert found.ok, found.diagnostics
    return found


def under(induction: str, source: str, target: str, masks: range) -> str:
    """A loop that takes each row of a tile times two under one mask after the other."""
    lines = [load(f"%v{induction}_", f"%{source}", f"%o{induction}")]
    last = f"%v{induction}_"
    for mask in masks:
        lines.append(scaled(f"%w{induction}{mask}", last, f"%k{mask}"))
        last = f"%w{induction}{mask}"
    return loop(induction, *lines, store(last, f"%{target}", f"%o{induction}", f"%k{masks[-1]}"))


@pytest.mark.parametrize(("second", "count"), [(range(4, 8), 8), (range(4, 9), 9), (range(2, 7), 7)])
def test_predicates_limit_a_plan(second: range, count: int) -> None:
    found = fused(under("i", "a", "c", range(4)), under("j", "b", "e", second), arguments=ARGUMENTS)
    ((posed, solution, _),) = found.blocks
    assert solution.status == "optimal"
    both = peak(posed.problem, (0, 1), settle(posed.problem, ((0, 1),)), "predicates")
    assert both.amount == count
    assert len(solution.clusters) == (1 if count <= 8 else 2)


def test_the_pressure_of_predicates_names_the_operation_and_the_masks() -> None:
    found = fused(under("i", "a", "c", range(4)), under("j", "b", "e", range(4, 9)), arguments=ARGUMENTS)
    (block,) = found.blocks
    (one,) = loops_apart(block.posed, block.solution)
    assert (one.rule, one.text) == ("PRESSURE", "one body would take 9 predicates")
    (((node, said),), (note,)) = one.shown, one.notes
    assert (node.name, said) == ("pto.vmi.vload", "9 predicate registers are taken here")
    assert note == "predicate registers taken there, of 8: " + ", ".join(f"`%k{number}`" for number in range(9))


def problem(*lines: str, arguments: str = "", before: str = "") -> FusionProblem:
    """The problem of two loops, the first of which has these lines."""
    stored = store("%v", "%c", "%oi")
    first = loop("i", load("%v", "%a", "%oi"), *lines, stored)
    second = loop("j", load("%x", "%b", "%oj"), store("%x", "%e", "%oj"))
    ((posed, _, _),) = fused(*([before] if before else []), first, second, arguments=arguments).blocks
    return posed.problem


def predicates(found: FusionProblem) -> list[str]:
    return [f"{value.id} {value.predicates}" for value in found.values if value.predicates]


WIDE = "!pto.vmi.vreg<512xf32>"


def long(number: str) -> list[str]:
    """A long mask and an operation on long vectors under it."""
    mask = f"!pto.vmi.mask<512x{'b16' if number == 'half' else 'pred'}>"
    made = {
        "all": "create_mask %c512 : index", "some": "create_mask %c128 : index", "given": "create_mask %n : index",
        "half": "create_mask %n : index",
    }[number]  # fmt: skip
    return [
        f"%m = pto.vmi.{made} -> {mask}", f"%y = pto.vmi.vbrc %two : f32 -> {WIDE}",
        f"%z = pto.vmi.vexp %y, %m : {WIDE}, {mask} -> {WIDE}",
        f"pto.vmi.vstore %z, %d[%c0] : {WIDE}, !pto.ptr<f32, ub>",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("number", "expected"),
    [("all", "%m 1"), ("some", "%m 2"), ("given", "%m 8"), ("half", "%m 4")],
)
def test_a_long_mask_takes_a_register_for_each_pattern_or_for_each_vector_register(number: str, expected: str) -> None:
    assert predicates(problem(*long(number), arguments="%n: index")) == [expected, "all lanes 1"]


def test_masks_of_the_same_lanes_share_a_register_and_no_mask_is_all_lanes() -> None:
    again = f'%half2 = pto.vmi.pge "PAT_VL32" : {MASK}'
    lines = [again, *(scaled(f"%w{mask}", "%v", f"%{mask}") for mask in ("all", "half", "half2", "eight"))]
    lines += [f"%t = pto.vmi.vexp %v : {F32} -> {F32}"]
    found = problem(*lines, *(store(f"%w{mask}", "%d", "%oi") for mask in ("all", "half", "half2", "eight")))
    assert len(predicates(found)) == 4


def test_a_mask_of_masks_is_as_wide_as_what_they_govern() -> None:
    """A comparison of 128 16-bit elements is one predicate, of 32-bit ones two; part of a register is one more."""
    for lanes, element, count in ((128, "f16", 1), (128, "f32", 2), (96, "f32", 2), (32, "f32", 1)):
        vector, mask = f"!pto.vmi.vreg<{lanes}x{element}>", f"!pto.vmi.mask<{lanes}xpred>"
        lines = [
            f"%s = pto.vmi.vbrc %one : {element} -> {vector}",
            f'%m = pto.vmi.vcmp %s, %s, %given {{cmp_mode = "lt"}} : {vector}, {vector}, {mask} -> {mask}',
            f"%n = pto.vmi.mask_not %m : {mask} -> {mask}",
            f"%y = pto.vmi.vsel %n, %s, %s : {mask}, {vector}, {vector} -> {vector}",
            f"pto.vmi.vstore %y, %far[%c0], %n : {vector}, !pto.ptr<{element}, ub>, {mask}",
        ]
        found = problem(*lines, arguments=f"%one: {element}, %given: {mask}, %far: !pto.ptr<{element}, ub>")
        assert predicates(found)[:3] == [f"%given {count}", f"%m {count}", f"%n {count}"]


def test_a_mask_is_as_wide_as_the_widest_that_it_governs_and_all_lanes_are_one_register() -> None:
    """Under `%given` stand 128 elements of 32 bits and of 16; all lanes are all, of either width."""
    mask = "!pto.vmi.mask<128xpred>"
    wide, narrow = "!pto.vmi.vreg<128xf32>", "!pto.vmi.vreg<128xf16>"
    lines = [
        f"%s = pto.vmi.vbrc %two : f32 -> {wide}", f"%h = pto.vmi.vbrc %one : f16 -> {narrow}",
        f"%x2 = pto.vmi.vadd %h, %h, %given : {narrow}, {narrow}, {mask} -> {narrow}",
        f"%x4 = pto.vmi.vadd %s, %s, %given : {wide}, {wide}, {mask} -> {wide}",
        f"%y2 = pto.vmi.vadd %x2, %x2, %whole : {narrow}, {narrow}, {mask} -> {narrow}",
        f"%z = pto.vmi.vadd %v, %v, %all : {F32}, {F32}, {MASK} -> {F32}",
        f"pto.vmi.vstore %y2, %far[%c0], %whole : {narrow}, !pto.ptr<f16, ub>, {mask}",
        f"pto.vmi.vstore %x4, %d[%c0] : {wide}, !pto.ptr<f32, ub>", store("%z", "%d", "%oi"),
    ]  # fmt: skip
    arguments = f"%one: f16, %given: {mask}, %far: !pto.ptr<f16, ub>"
    found = problem(*lines, arguments=arguments, before=f"%whole = pto.vmi.create_mask %c128 : index -> {mask}")
    assert sorted(predicates(found)) == ["%given 2", "%whole 1"]
