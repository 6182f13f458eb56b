"""The verbs of the command line on programs of VMI."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from layoutsolver import backends
from layoutsolver.backends import Lowered
from layoutsolver.diagnostics.diagnostic import Edit
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.verify.pto import proof
from layoutsolver_models.problems.json import from_json
from layoutsolver_models.problems.selection import SelectionProblem, SelectionSolution
from tests.cli.running import PROGRAM, Run, write

DATA = Path(__file__).parents[1] / "data" / "vmi"
FP4 = str(DATA / "009-fp4-e1m2-128.pto")
REFUSED = str(DATA / "010-fp4-mx-scale.pto")


def test_solve_writes_layouts_into_the_text(run: Run) -> None:
    outcome = run("solve", FP4)
    assert (outcome.status, outcome.err) == (0, "")
    assert "-> !pto.vmi.vreg<128x!pto.f4E1M2x2, #pto.vmi.layout<contiguous, lane_stride = 2>>" in outcome.out
    assert outcome.out.count("\n") == Path(FP4).read_text(encoding="utf-8").count("\n")


def test_the_table_shows_what_today_s_compiler_takes_beside(run: Run) -> None:
    lines = run("solve", "--table", FP4).out.splitlines()
    assert lines[2].split() == ["13", "extf", "%codes:ls2", "->", "%pairs:d2", "2", "VMI.CAST.8_32.LS2_D2", "2", "8"]
    assert lines[-3].split() == ["optimal", "8", "16", "8", "0", "16", "32", "3"]
    assert lines[-2].split()[-7:] == ["8", "56", "16", "0", "56", "80", "5"]


def test_compat_gives_today_s_layouts_or_its_refusal(run: Run) -> None:
    outcome = run("solve", "--table", "--compat", "upstream", FP4)
    assert "%codes:c -> %pairs:d4" in outcome.out
    assert outcome.out.splitlines()[-2].split()[-7:] == ["8", "56", "16", "0", "56", "80", "5"]
    outcome = run("solve", "--compat", "upstream", REFUSED)
    assert (outcome.status, outcome.out) == (1, "")
    said = "error[LS0803]: the released compiler refuses the program: VMI-LAYOUT-CONTRACT: pto.vmi.bitcast operand"
    assert said in outcome.err


def test_the_narrowing_preference_of_today_s_compiler_can_be_dropped(run: Run, tmp_path: Path) -> None:
    text = """
func.func @k(%p: !pto.ptr<f16, ub>, %q: !pto.ptr<f32, ub>, %o: index) {
  %x = pto.vmi.vload %p[%o] : !pto.ptr<f16, ub> -> !pto.vmi.vreg<128xf16>
  %n = pto.vmi.vcvt %x {saturate = "SAT"} : !pto.vmi.vreg<128xf16> -> !pto.vmi.vreg<128xf8E4M3FN>
  %w = pto.vmi.vcvt %n : !pto.vmi.vreg<128xf8E4M3FN> -> !pto.vmi.vreg<128xf32>
  pto.vmi.vstore %w, %q[%o] : !pto.vmi.vreg<128xf32>, !pto.ptr<f32, ub>
  return
}
"""
    (tmp_path / "k.pto").write_text(text)
    options = ("solve", "--compat", "upstream", "--table", str(tmp_path / "k.pto"))
    assert run(*options).status == 1
    assert run(*options, "--no-lane-stride-narrowing").status == 0


def test_objectives_differ(run: Run) -> None:
    name = str(DATA / "004-quant-f32-e4m3.pto")
    last = {}
    for objective in ("pipes", "total", "registers"):
        lines = run("solve", "--table", "--objective", objective, name).out.splitlines()
        last[objective] = [int(cell) for cell in next(line for line in lines if line.startswith("optimal")).split()[1:]]
    busiest, total, registers = 4, 5, 6
    assert last["pipes"][busiest] <= last["total"][busiest]
    assert last["total"][total] <= last["pipes"][total]
    assert last["registers"][registers] <= min(last["pipes"][registers], last["total"][registers])


def test_a_pin_that_cannot_be_is_a_conflict_and_one_of_no_value_a_usage_error(run: Run) -> None:
    outcome = run("explain", "--pin", "%pairs=ls2", FP4)
    assert outcome.status == 1
    assert "error[LS0805]: VMI-LAYOUT-CONTRACT: no layouts serve these 2 together" in outcome.out
    assert "without the fixed layout of %pairs there is a solution" in outcome.out
    outcome = run("solve", "--pin", "%nothing=c", FP4)
    assert (outcome.status, outcome.err) == (2, "layoutsolver: error: no vector `%nothing`: there are %codes, %pairs\n")
    assert run("solve", "--prefer", "%pairs=c:x", FP4).status == 2


def test_two_pins_of_one_value_are_refused_unless_they_say_the_same(run: Run) -> None:
    outcome = run("solve", "--pin", "%codes=ls4", "--pin", "codes=ls2", FP4)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == "layoutsolver: error: %codes is fixed twice: to ls4 and to ls2\n"
    assert run("solve", "--pin", "%codes=ls4", "--pin", "%codes=ls4", FP4).status == 0


def test_why_prices_every_other_layout(run: Run) -> None:
    lines = run("why", FP4, "%codes").out.splitlines()
    assert lines[:4] == [
        "%codes (line 12) is made in ls2",
        "  ls4  dearer by 16 in all (load +8, store +8, registers +1)",
        "  c    dearer: the busiest pipe takes 24 instead of 16 (execute +8, registers +1)",
        "  d2   dearer: the busiest pipe takes 40 instead of 16 (execute +24, registers +2)",
    ]
    assert lines[-2:] == [
        "  impossible: `load` has no rule that makes it",
        "    bd2, bd4, gs1, gs2, gs4, gs8, gs8.2, gs8.4",
    ]
    assert run("why", FP4, "%x").status == 2


def test_space_lists_domains_and_what_excludes(run: Run) -> None:
    lines = run("space", FP4).out.splitlines()
    assert lines[0] == "45 solutions for 2 vectors, 1 open part"
    assert lines[1] == "%codes (line 12): c, ls2, ls4, d2, d4"
    problem = from_json(SelectionProblem, run("space", "--json", FP4).out)
    assert [value.id for value in problem.values] == ["%codes", "%pairs"]


def test_space_lists_the_best(run: Run) -> None:
    outcome = run("space", "--list", "3", FP4)
    assert outcome.status == 0
    assert outcome.out.splitlines()[1:4] == [
        "#1  busiest 16  total 32  registers 3  %codes:ls2 %pairs:d2",
        "#2  busiest 16  total 48  registers 4  %codes:ls4 %pairs:c",
        "#3  busiest 24  total 40  registers 4  %codes:c %pairs:d2 %codes:c->ls2",
    ]
    assert run("space", FP4, "--list", "99").out.count("#") == 45
    best = run("space", "--list", "1", "--objective", "registers", FP4).out.splitlines()[1]
    assert best == "#1  busiest 16  total 32  registers 3"


def test_space_says_where_there_is_nothing_or_time_is_up(run: Run) -> None:
    outcome = run("space", FP4, "--pin", "%pairs=ls2")
    assert (outcome.status, outcome.out.splitlines()[0]) == (1, "0 solutions for 2 vectors, 0 open parts")
    outcome = run("space", FP4, "--list", "9", "--time-limit", "1e-9")
    assert (outcome.status, outcome.found) == (4, [("LS0402", "")])
    assert "9 of the solutions asked for are not listed" in outcome.err
    limited = run("space", FP4, "--list", "99", "--limit-registers", "2,8")
    assert limited.out.startswith("at most 45 solutions for 2 vectors, 1 open part, the limits of registers left aside")
    assert 0 < limited.out.count("#") < 45
    assert limited.status == 0


def test_explain_has_nothing_to_say_of_a_program_with_layouts(run: Run) -> None:
    assert run("explain", FP4).out == "nothing contradicts: every vector has a layout\n"


def test_json_holds_decisions_sums_and_text(run: Run) -> None:
    document = json.loads(run("solve", "--format", "json", FP4).out)
    assert document["schema"] == "layoutsolver/vmi-report/1"
    assert document["sums"]["pipes"] == {"load": 8, "execute": 16, "store": 8, "predicate": 0}
    assert document["released"]["sums"]["busiest"] == 56
    assert document["values"][0]["layouts"] == ["ls2"]
    assert "lane_stride = 2" in document["text"]
    refused = json.loads(run("solve", "--format", "json", str(DATA / "117-bad-narrow-no-saturate.pto")).out)
    assert (refused["status"], refused["diagnostics"][0]["code"]) == ("invalid", "LS0801")


@pytest.mark.parametrize("form", ["sarif", "github"])
def test_messages_have_their_documents(form: str, run: Run) -> None:
    outcome = run("solve", "--format", form, str(DATA / "117-bad-narrow-no-saturate.pto"))
    assert outcome.status == 1
    assert "LS0801" in outcome.out


def test_a_program_of_vpto_has_nothing_to_decide(run: Run, tmp_path: Path) -> None:
    (tmp_path / "k.pto").write_text("%c = arith.constant 0 : i64\n%p = pto.castptr %c : i64 -> !pto.ptr<f32, ub>\n")
    outcome = run("solve", str(tmp_path / "k.pto"))
    assert outcome.status == 0
    assert "warning[LS0307]" in outcome.err


def test_a_solution_is_proved_on_request(run: Run) -> None:
    plain, proved = run("solve", FP4), run("solve", "--verify", FP4)
    assert (proved.status, proved.out) == (0, plain.out)


def test_a_solution_that_runs_otherwise_is_not_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lower = backends.load_vpto()

    def wrong(posed: PosedVmi, solution: SelectionSolution) -> Lowered:
        made = lower(posed, solution)
        made.edits[:] = [Edit(edit.span, edit.new_text.replace('"P2"', '"P1"')) for edit in made.edits]
        return made

    monkeypatch.setattr(proof, "load_vpto", lambda: wrong)
    outcome = run("solve", "--verify", FP4)
    assert (outcome.status, outcome.out) == (1, "")
    assert "error[LS0707]" in outcome.err
    assert "part P1 reads only lanes that a load has filled in" in outcome.err


def test_a_program_alone_is_run_against_what_it_is_lowered_to(run: Run) -> None:
    outcome = run("verify", FP4)
    assert outcome.status == 0
    assert "agrees with what it is lowered to in 4 runs" in outcome.out


@pytest.mark.parametrize("flag", ["--repair", "--upstream-report"])
def test_flags_of_the_other_dialect_are_refused(run: Run, flag: str) -> None:
    outcome = run("solve", flag, FP4)
    assert (outcome.status, outcome.out) == (2, "")
    assert "are for programs of ave.hir" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("solve", "--pin", "%x=d2"), "--pin: for programs of pto.vmi only"),
        (("solve", "--objective", "total", "--prefer", "%x=c"), "--prefer, --objective: for programs of pto.vmi only"),
        (("explain", "--no-lane-stride-narrowing"), "--no-lane-stride-narrowing: for programs of pto.vmi only"),
        (("solve", "--target", "vmi"), "is of `ave`, not of `vmi`"),
    ],
)
def test_options_of_vmi_are_refused_for_ave(run: Run, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    outcome = run(*arguments, write(tmp_path / "a.mlir", PROGRAM))
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("solve", "--target", "ave"), "is of `vmi`, not of `ave`"),
        (("lower", "--to", "ave-intrin"), "a program of pto.vmi is lowered with --to vpto"),
    ],
)
def test_options_of_ave_are_refused_for_vmi(run: Run, arguments: tuple[str, ...], message: str) -> None:
    outcome = run(*arguments, FP4)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err


def test_programs_of_two_dialects_need_files_of_their_own(run: Run, tmp_path: Path) -> None:
    both = PROGRAM + "// -----\n" + Path(FP4).read_text(encoding="utf-8")
    for flags in ((), ("--split-input-file",)):
        outcome = run("solve", *flags, write(tmp_path / "both.mlir", both))
        assert (outcome.status, outcome.out) == (2, "")
        assert "give each dialect a file of its own" in outcome.err
    outcome = run("solve", write(tmp_path / "said.mlir", "// unlike pto.vmi.vload\n" + PROGRAM))
    assert outcome.status == 0


def test_lower_takes_what_solve_takes(run: Run, tmp_path: Path) -> None:
    plain = run("lower", "--to", "vpto", FP4)
    assert (plain.status, plain.out.count("UNPK4"), plain.out.count("UNPK_B8")) == (0, 0, 1)
    pinned = run("lower", "--to", "vpto", FP4, "--pin", "%codes=ls4")
    assert (pinned.status, pinned.out.count("UNPK4")) == (0, 2)
    assert "%codes is fixed to ls4: costs +16 instructions in all" in pinned.err
    hinted = (
        Path(FP4).read_text(encoding="utf-8").replace("vload %x[%off]", 'vload %x[%off] {layoutsolver.hint = "ls4!"}')
    )
    assert run("lower", "--to", "vpto", write(tmp_path / "h.pto", hinted)).out.count("UNPK4") == 2
    released = run("lower", "--to", "vpto", FP4, "--compat", "upstream")
    assert (released.status, released.out.count("pto.vcvt")) == (0, 4)
    assert run("lower", "--to", "vpto", FP4, "--pin", "%none=c").status == 2
    refused = run("lower", "--to", "vpto", FP4, "--limit-registers", "1,8")
    assert (refused.status, refused.out) == (1, "")
    assert "error[LS0811]" in refused.err


def test_the_released_compiler_s_choices_are_counted_and_priced(run: Run) -> None:
    free, theirs = run("space", FP4), run("space", FP4, "--compat", "upstream")
    assert free.out.startswith("45 solutions")
    assert (theirs.status, theirs.out.splitlines()[0]) == (0, "9 solutions for 2 vectors, 1 open part")
    lines = run("why", FP4, "%codes", "--compat", "upstream").out.splitlines()
    assert lines[0] == "%codes (line 12) is made in c"


def test_a_pin_is_blamed_once(run: Run, tmp_path: Path) -> None:
    text = """func.func @k(%p: !pto.ptr<f8E4M3FN, ub>, %q: !pto.ptr<f32, ub>, %o: index) {
  %x = pto.vmi.vload %p[%o] : !pto.ptr<f8E4M3FN, ub> -> !pto.vmi.vreg<256xf8E4M3FN>
  %w = pto.vmi.vcvt %x : !pto.vmi.vreg<256xf8E4M3FN> -> !pto.vmi.vreg<256xf32>
  pto.vmi.vstore %w, %q[%o] : !pto.vmi.vreg<256xf32>, !pto.ptr<f32, ub>
  return
}
"""
    outcome = run("explain", write(tmp_path / "k.pto", text), "--pin", "%x=gs1")
    assert outcome.out.count("error[LS0805]") == 1
    assert "%x is fixed to gs1" in outcome.out


def test_explain_says_as_many_conflicts_as_are_asked_for(run: Run, tmp_path: Path) -> None:
    text = Path(FP4).read_text(encoding="utf-8")
    both = "".join(text.replace("@", f"@f{number}_") for number in range(2))
    path = write(tmp_path / "two.pto", both)
    pins = ("--pin", "%pairs=ls2")
    assert run("explain", path, *pins).out.count("error[LS0805]") == 2
    assert run("explain", path, *pins, "--max-conflicts", "1").out.count("error[LS0805]") == 1
