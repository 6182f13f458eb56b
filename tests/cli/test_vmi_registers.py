"""`--limit-registers`: registers as a condition, in text and JSON, and the peaks that every solve reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from layoutsolver_models.problems.json import from_json, to_json
from layoutsolver_models.problems.selection import SelectionProblem, SelectionSolution
from tests.cli.running import PROGRAM, Run, write
from tests.pose.vmi.test_capacity import CHAIN
from tests.support.vmi_programs import random_kernel

DATA = Path(__file__).parents[1] / "data" / "vmi"
FP4 = str(DATA / "009-fp4-e1m2-128.pto")
F, M = "!pto.vmi.vreg<64xf32>", "!pto.vmi.mask<64xpred>"
MASKS = f"""
func.func @k(%p: !pto.ptr<f32, ub>, %q: !pto.ptr<f32, ub>, %o: index) {{
  %all = pto.vmi.pset "PAT_ALL" : {M}
  %x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {F}
  %l = pto.vmi.vcmp %x, %x, %all {{cmp = "lt"}} : {F}, {F}, {M} -> {M}
  %g = pto.vmi.vcmp %x, %x, %all {{cmp = "gt"}} : {F}, {F}, {M} -> {M}
  %e = pto.vmi.vcmp %x, %x, %all {{cmp = "eq"}} : {F}, {F}, {M} -> {M}
  %m = pto.vmi.vand %l, %g : {M}, {M} -> {M}
  %n = pto.vmi.vand %m, %e : {M}, {M} -> {M}
  pto.vmi.vstore %x, %q[%o], %n : {F}, !pto.ptr<f32, ub>, {M}
  return
}}
"""


def test_the_table_says_how_many_are_live_and_where(run: Run) -> None:
    lines = run("solve", "--table", FP4).out.splitlines()
    assert lines[-1] == "live at most: 2 of 32 vector registers (line 13), 2 of 8 predicate registers (line 11)"
    released = run("solve", "--table", "--compat", "upstream", FP4).out.splitlines()
    assert released[-1].startswith("live at most: ")


def test_json_says_what_is_live(run: Run) -> None:
    peaks = json.loads(run("solve", "--format", "json", FP4).out)["peaks"]
    assert [(peak["kind"], peak["registers"], peak["limit"]) for peak in peaks] == [
        ("vector", 2, 32), ("predicate", 2, 8),
    ]  # fmt: skip
    assert peaks[0]["live"] == [["%codes", 1], ["%pairs", 1]]


def test_a_limit_changes_the_choice_or_is_refused_with_its_reason(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "k.pto", random_kernel(53, 6))
    free, fitting = run("solve", "--table", path), run("solve", "--table", path, "--limit-registers", "4,8")
    assert (free.status, fitting.status) == (0, 0)
    assert "live at most: 4 of 4 vector registers" in fitting.out
    assert free.out.splitlines()[0:-4] != fitting.out.splitlines()[0:-4]
    refused = run("solve", write(tmp_path / "c.pto", CHAIN), "--limit-registers", "7,8")
    assert (refused.status, refused.out) == (1, "")
    assert "error[LS0811]: no layouts keep within 7 vector registers" in refused.err


def test_predicates_are_limited_as_well(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "m.pto", MASKS)
    assert run("solve", path, "--limit-registers", "32,8").status == 0
    outcome = run("explain", path, "--limit-registers", "32,2")
    assert outcome.status == 1
    assert "error[LS0811]: no layouts keep within 2 predicate registers" in outcome.out
    assert "are %l in 1 or more, %g in 1 or more, %e in 1 or more" in outcome.out


def test_what_instructions_need_in_between_is_counted_too(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "m.pto", MASKS)
    outcome = run("solve", path, "--limit-registers", "32,3")
    assert (outcome.status, outcome.out) == (1, "")
    assert "error[LS0811]: no layouts keep within 3 predicate registers" in outcome.err
    assert "with 4 predicate registers there are layouts, with fewer there are none" in outcome.err
    assert "4 of 4 predicate registers" in run("solve", path, "--table", "--limit-registers", "32,4").out


@pytest.mark.parametrize("limits", ["5,8", "7,8", "8,8", "chip"])
def test_limits_are_part_of_the_problem_as_json(limits: str, run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "c.pto", CHAIN)
    text = run("space", "--json", path, "--limit-registers", limits).out
    problem = from_json(SelectionProblem, text)
    assert {point.kind for point in problem.capacities} == {"vector"}
    outcome = run("solve", write(tmp_path / "c.json", text))
    solution = from_json(SelectionSolution, outcome.out)
    fits = limits in ("8,8", "chip")
    assert (outcome.status, solution.status) == ((0, "optimal") if fits else (1, "infeasible"))
    if not fits:
        assert "capacity" in {group.kind for group in solution.conflict}
        assert "vector registers after" in outcome.err
    again = problem._replace(capacities=())
    free = from_json(SelectionSolution, run("solve", write(tmp_path / "f.json", to_json(again))).out)
    assert free.status == "optimal"


@pytest.mark.parametrize("text", ["32", "many", "32,", "-1,8", "1,2,3", ""])
def test_what_is_no_limit_is_a_usage_error(text: str, run: Run) -> None:
    outcome = run("solve", FP4, f"--limit-registers={text}")
    assert (outcome.status, outcome.out) == (2, "")


def test_programs_of_ave_have_no_such_limit(run: Run, tmp_path: Path) -> None:
    outcome = run("solve", write(tmp_path / "a.mlir", PROGRAM), "--limit-registers", "chip")
    assert outcome.status == 2
    assert "--limit-registers: for programs of pto.vmi only" in outcome.err
