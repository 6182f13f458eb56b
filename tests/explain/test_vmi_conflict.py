"""The smallest contradictions of VMI programs, and ways round them."""

from __future__ import annotations

import pytest

from layoutsolver.api_vmi import VmiOptions, VmiResult, pose, solve
from layoutsolver.pose.vmi.wishes import Wish, parse_wish
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.selection import SelectionProblem
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection
from layoutsolver_models.solve.selection_conflict import relaxed, smallest_conflict
from tests.pose.vmi.facts import FOLDER

F, M, R = "!pto.vmi.vreg<128xf32>", "!pto.vmi.mask<128xpred>", "!pto.vmi.vreg<8xf32>"
PINNED = f"""
func.func @k(%p: !pto.ptr<f32, ub>, %q: !pto.ptr<f32, ub>, %o: index) {{
  %c1 = arith.constant 1 : index
  %m = pto.vmi.pset "PAT_ALL" : {M}
  %x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {F}
  %s = pto.vmi.vcadd %x, %m {{group = 8, reassoc}} : {F}, {M} -> {R}
  pto.vmi.vstore %s, %q[%o], %c1 {{group = 8}} : {R}, !pto.ptr<f32, ub>
  return
}}
"""
LS2 = VmiOptions(pins=(Wish("%x", "ls2"),))


def problem_of(name: str, pin: str) -> SelectionProblem:
    options = VmiOptions(pins=(parse_wish(pin),))
    found = pose(SourceFile(name, (FOLDER / name).read_text(encoding="utf-8")), options)
    assert found.posed is not None
    return found.posed.problem


@pytest.mark.parametrize(
    ("name", "pin"),
    [
        ("001-scale-add-clip.pto", "%scaled=gs8"),
        ("035-group-sum-bcast-s16.pto", "%v=ls2"),
        ("047-strided-rows-s16-f16.pto", "%v=ls2"),
    ],
)
def test_each_part_of_a_conflict_is_needed(name: str, pin: str) -> None:
    problem = problem_of(name, pin)
    core, minimal = smallest_conflict(problem, Limits())
    assert minimal
    assert solve_selection(relaxed(problem, core)).status == "infeasible"
    for op in core.ops:
        assert solve_selection(relaxed(problem, core._replace(ops=core.ops - {op}))).status == "optimal"
    for fixed in core.pins:
        assert solve_selection(relaxed(problem, core._replace(pins=core.pins - {fixed}))).status == "optimal"


def pinned(options: VmiOptions = LS2) -> VmiResult:
    return solve(SourceFile("t.pto", PINNED), options)


def test_a_contradiction_names_its_parts_and_the_cheapest_way_round() -> None:
    (found,) = pinned().diagnostics
    assert (found.code, found.message) == ("LS0805", "VMI-LAYOUT-CONTRACT: no layouts serve these 2 together")
    said = [label.text for label in (*found.secondary, found.primary) if label is not None]
    assert "%x is fixed to ls2" in said
    assert any(text.startswith("`group_reduce_addf`: ") for text in said)
    assert "without the fixed layout of %x there is a solution" in found.notes
    assert any(note.startswith("the cheapest way round: %x from ls2 to d2 by ") for note in found.notes)


def test_without_the_pin_there_is_a_solution() -> None:
    assert pinned(VmiOptions()).ok


def test_independent_conflicts_are_each_explained() -> None:
    body = PINNED.partition("{\n")[2].partition("  return")[0]
    for old, new in (("%x", "%y"), ("%s", "%t"), ("%m", "%n"), ("%c1", "%d1")):
        body = body.replace(old, new)
    two = PINNED.replace("  return", f"{body}  return")
    pins = (Wish("%x", "ls2"), Wish("%y", "ls2"))
    found = solve(SourceFile("t.pto", two), VmiOptions(pins=pins)).diagnostics
    assert [item.code for item in found] == ["LS0805", "LS0805"]
    assert all(item.minimal for item in found)
    fixed = [
        text
        for item in found
        for label in (*item.secondary, item.primary)
        if label and (text := label.text).endswith("ls2")
    ]
    assert sorted(fixed) == ["%x is fixed to ls2", "%y is fixed to ls2"]
    assert len(solve(SourceFile("t.pto", two), VmiOptions(pins=pins, conflicts=1)).diagnostics) == 1
    assert len(solve(SourceFile("t.pto", two), VmiOptions(pins=pins[:1])).diagnostics) == 1
