from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import FREE, INFEASIBLE, Run, entangled, write
from tests.support.explaining import explained
from tests.support.solving import solve_text

NO_REPAIR = """\
func.func @f(%m: vector<64xi1>, %b32: memref<64xi32>, %b16: memref<1024xi16>, %n: index) {
  %x = ave.hir.vload <NORM> %b32[%n] : memref<64xi32> into vector<64xi32>
  %y = ave.hir.vload <NORM> %b16[%n] : memref<1024xi16> into vector<64xi16>
  ave.hir.masked_store <NORM_B32> %b32[%n], %m, %x : memref<64xi32>, vector<64xi1>, vector<64xi32>
  ave.hir.store_with_stride %b16[%n], %n, %m, %y : memref<1024xi16>, vector<64xi1>, vector<64xi16>
  return
}
"""


@pytest.fixture
def clash(tmp_path: Path) -> Path:
    return write(tmp_path / "in.mlir", INFEASIBLE)


def test_the_cheapest_repair_is_made_and_said(clash: Path, run: Run) -> None:
    outcome = run("solve", clash, "--repair")
    best = explained(INFEASIBLE).repairs[0]
    assert outcome.status == 0
    changes = len(best.sentences)
    assert outcome.err.count(f"warning[LS0105]: the program was repaired by {changes} change") == 1
    assert all(sentence in outcome.err for sentence in best.sentences)
    assert "error" not in outcome.err
    written = solve_text(outcome.out)
    assert written.ok
    assert outcome.out.startswith("func.func @h(%s: i8, %h: i16) {\n")


def test_what_is_written_is_the_repaired_program_with_its_layouts(clash: Path, run: Run) -> None:
    best = explained(INFEASIBLE).repairs[0]
    repaired = write(clash.parent / "repaired.mlir", best.text)
    assert run("solve", clash, "--repair").out == run("solve", repaired).out
    assert run("solve", clash, "--repair", "--table").out == run("solve", repaired, "--table").out
    assert run("solve", clash, "--repair", "--layouts").out == run("solve", repaired, "--layouts").out


def test_a_program_with_layouts_is_left_alone(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", FREE)
    outcome = run("solve", file, "--repair")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == run("solve", file).out


def test_where_there_is_no_repair_nothing_is_written(tmp_path: Path, run: Run) -> None:
    target = tmp_path / "out.mlir"
    outcome = run("solve", write(tmp_path / "in.mlir", NO_REPAIR), "--repair", "-o", target)
    assert (outcome.status, outcome.out) == (1, "")
    assert "no change of layouts alone repairs this program" in outcome.err
    assert not target.exists()


def test_no_repair_is_made_where_none_may_be_looked_for(clash: Path, run: Run) -> None:
    assert run("solve", clash, "--repair", "--repairs", 0).status == 1


def test_only_the_parts_that_need_it_are_repaired(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", f"{FREE}// -----\n{INFEASIBLE}")
    outcome = run("solve", file, "--repair", "--split-input-file")
    assert outcome.status == 0
    first, second = outcome.out.split("// -----\n")
    assert first == run("solve", write(tmp_path / "free.mlir", FREE)).out
    assert solve_text(second).ok
    assert outcome.err.count("LS0105") == 1


def test_json_holds_the_repaired_text_and_what_was_changed(clash: Path, run: Run) -> None:
    outcome = run("solve", clash, "--repair", "--format", "json")
    document = json.loads(outcome.out)
    assert (outcome.status, document["status"]) == (0, "optimal")
    assert {item["code"] for item in document["diagnostics"]} == {"LS0105"}
    assert solve_text(document["text"]).ok


def test_the_analyzer_mode_repairs_too(clash: Path, run: Run) -> None:
    outcome = run("solve", clash, "--repair", "--compat", "upstream")
    assert outcome.status == 0
    assert solve_text(outcome.out, "upstream").verdict == "solved"


def test_a_limit_is_not_repaired(tmp_path: Path, run: Run, no_time: None) -> None:
    outcome = run("solve", write(tmp_path / "in.mlir", entangled()), "--repair")
    assert (outcome.status, outcome.out) == (4, "")
    assert "LS0105" not in outcome.err


def test_repeated_runs_give_the_same_bytes_whatever_the_hash_seed(tmp_path: Path) -> None:
    """Three conflicts with several repairs each."""
    text = INFEASIBLE + INFEASIBLE.replace("@h", "@i") + NO_REPAIR.replace("%m: vector<64xi1>, ", "").replace(
        "{\n", "{\n  %m = ave.hir.pge <ALL> : vector<64xi1>\n", 1
    )  # fmt: skip
    file = write(tmp_path / "in.mlir", text)
    both = f"from layoutsolver.cli.main import main; print(main(['explain', {str(file)!r}]), flush=True); "
    both += f"print(main(['solve', {str(file)!r}, '--repair']))"
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", both],
            env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for seed in ("0", "1", "random")
    ]  # fmt: skip
    outputs = {run.communicate() for run in runs}
    [(out, err)] = outputs
    said, repaired = out.decode().split("\n1\n")
    assert said.count("error[LS0101]") == 3
    assert said.count("help: ") == 2
    assert repaired.endswith("}\n0\n")
    assert b"LS0105" in err
