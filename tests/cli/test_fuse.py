"""`layoutsolver fuse` on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from layoutsolver_models.problems.json import to_json
from tests.cli.running import Run, write
from tests.test_planner import CHAIN, TEXT, request

PROGRAMS = Path(__file__).parents[1] / "fusion" / "programs"
NEIGHBOUR = str(PROGRAMS / "wrong_neighbour.pto")


def test_the_program_is_the_answer(run: Run) -> None:
    outcome = run("fuse", NEIGHBOUR)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.count("scf.for") == 2
    assert "pto.fusion_region" not in outcome.out


@pytest.mark.parametrize(
    ("stage", "regions", "loops"), [("plan", 1, 3), ("fuse", 1, 2), ("elide", 1, 2), ("flatten", 0, 2)]
)
def test_each_stage_can_be_the_last(run: Run, stage: str, regions: int, loops: int) -> None:
    text = run("fuse", "--stop-after", stage, NEIGHBOUR).out
    assert (text.count("pto.fusion_region"), text.count("scf.for")) == (regions, loops)


def test_the_table_shows_stages_and_plans(run: Run) -> None:
    lines = run("fuse", "--table", NEIGHBOUR).out.splitlines()
    assert lines[1].split() == ["input", "1", "3", "4", "3", "512", "257", "384"]
    assert lines[6].split() == ["flatten", "0", "2", "3", "2", "384", "129", "256"]
    assert [line.split()[-1] for line in lines if line.startswith(("greedy", "optimal"))] == ["1594", "1192"]


def test_plans_of_equal_cost_are_shown_with_what_their_layouts_cost(
    run: Run, golden: Callable[[str, str], None]
) -> None:
    example = str(Path(__file__).parents[2] / "examples" / "two_neighbours.pto")
    golden("cli/fuse_joint.txt", run("fuse", "--joint", "--table", example).out)


def test_the_report_has_the_problem_the_plan_and_the_reasons(run: Run) -> None:
    found = json.loads(run("fuse", "--format", "json", NEIGHBOUR).out)
    (block,) = found["blocks"]
    assert block["solution"]["clusters"] == [[0], [1, 2]]
    assert block["greedy"]["total"] == 1594
    assert {one["code"] for one in found["explanation"]} == {"LS0903", "LS0904"}
    assert found["text"].count("scf.for") == 2


def test_without_proof_the_status_says_so(run: Run, tmp_path: Path) -> None:
    from benchmarks.fusion import kernel

    outcome = run("fuse", "--table", "--time-limit", "0.01", write(tmp_path / "k.pto", kernel(20, 1)))
    assert outcome.status == 4
    assert "no plan costs less than" in outcome.out


@pytest.mark.parametrize(
    "arguments",
    [["--stop-after", "nothing"], ["--compat", "seed", "--table"], ["--chip", "nothing"], ["--chip", "ascend310b4"],
     ["--tiles", "--table"]],
)  # fmt: skip
def test_usage_errors(run: Run, arguments: list[str]) -> None:
    outcome = run("fuse", *arguments, NEIGHBOUR)
    assert (outcome.status, outcome.out) == (2, "")


@pytest.mark.parametrize("chip", ["nothing", "ascend310b4", "../ascend950"])
def test_chips_are_listed_where_there_is_no_such_chip_and_in_the_help(run: Run, chip: str) -> None:
    outcome = run("fuse", "--chip", chip, NEIGHBOUR)
    assert outcome.status == 2
    assert f"no chip `{chip}` to fuse for: there are ascend950" in outcome.err
    assert "weights and limits: ascend950 (default" in " ".join(run("fuse", "--help").out.split())


def test_broken_text_is_unreadable_and_a_wrong_program_an_error(run: Run, tmp_path: Path) -> None:
    assert run("fuse", write(tmp_path / "a.pto", "func.func @f() {")).status == 3
    outcome = run("fuse", write(tmp_path / "b.pto", "func.func @f() {\n  pto.yield(%x) : (index) -> ()\n}\n"))
    assert outcome.status == 1
    assert "error[LS0201]" in outcome.err


def test_parts_of_a_file_are_fused_each(run: Run, tmp_path: Path) -> None:
    text = Path(NEIGHBOUR).read_text(encoding="utf-8")
    outcome = run("fuse", "--split-input-file", write(tmp_path / "k.pto", f"{text}// -----\n{text}"))
    assert outcome.out.count("scf.for") == 4
    assert outcome.out.count("// -----") == 1


def test_what_was_fused_can_be_solved(run: Run, tmp_path: Path) -> None:
    fused = write(tmp_path / "fused.pto", run("fuse", NEIGHBOUR).out)
    outcome = run("solve", "--table", fused)
    assert outcome.status == 0
    assert "optimal" in outcome.out


def test_the_command_answers_requests_and_refuses_what_is_none(run: Run, tmp_path: Path) -> None:
    asked = to_json(request(*CHAIN))
    outcome = run("fuse", write(tmp_path / "r.json", asked))
    assert (outcome.status, outcome.err) == (0, "")
    found = json.loads(outcome.out)
    assert (found["schema"], found["status"]) == ("layoutsolver.fusion/1", "optimal")
    assert [one["loopFusionId"] for one in found["plan"]["ops"]] == ["g.0"] * 3
    outcome = run("fuse", write(tmp_path / "s.json", asked.replace('"groupId"', '"group"')))
    assert (outcome.status, outcome.out) == (3, "")
    assert "error[LS0501]: /group/groupId: Field required" in outcome.err
    outcome = run("fuse", "--tiles", write(tmp_path / "t.pto", TEXT.replace("MIDDLE", "")))
    assert outcome.out.count("pto.fusion.group_id = 0") == 3
    assert run("fuse", "--tiles", "--table", write(tmp_path / "t.pto", TEXT)).status == 2
