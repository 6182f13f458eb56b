from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.cli.running import FREE, INFEASIBLE, PROGRAM, Run, entangled, write
from tests.conftest import GOLDEN

CODE_LIKE = "LS9999"


@pytest.fixture
def clash(tmp_path: Path) -> Path:
    return write(tmp_path / "in.mlir", INFEASIBLE)


def two_conflicts() -> str:
    return INFEASIBLE + INFEASIBLE.replace("@h", "@i")


def test_the_explanation_goes_to_standard_output(clash: Path, run: Run) -> None:
    outcome = run("explain", clash)
    assert (outcome.status, outcome.err) == (1, "")
    assert outcome.out.startswith("error[LS0101]: no layout of mask `%p` suits everything that touches it")
    assert f"{clash}:6:8" in outcome.out
    assert run("solve", clash).err == outcome.out


def test_a_program_with_layouts_has_nothing_to_explain(tmp_path: Path, run: Run) -> None:
    outcome = run("explain", write(tmp_path / "in.mlir", PROGRAM))
    assert (outcome.status, outcome.out, outcome.err) == (0, "nothing contradicts: every vector has a layout\n", "")


@pytest.mark.parametrize(("flags", "count"), [((), 2), (("--max-conflicts", 1), 1), (("--max-conflicts", 9), 2)])
def test_number_of_conflicts(flags: tuple[object, ...], count: int, tmp_path: Path, run: Run) -> None:
    outcome = run("explain", write(tmp_path / "in.mlir", two_conflicts()), *flags)
    assert outcome.out.count("error[LS0101]") == count


@pytest.mark.parametrize(("repairs", "count"), [(0, 0), (1, 1), (2, 2)])
def test_number_of_repairs(repairs: int, count: int, run: Run) -> None:
    file = GOLDEN / "explain" / "inputs" / "strided_store.mlir"
    assert run("explain", file, "--repairs", repairs).out.count("\nhelp: ") == count


@pytest.mark.parametrize(("flag", "value"), [("--max-conflicts", 0), ("--repairs", -1), ("--format", "xml")])
def test_values_that_make_no_sense(flag: str, value: object, clash: Path, run: Run) -> None:
    outcome = run("explain", clash, flag, value)
    assert (outcome.status, outcome.out) == (2, "")
    assert flag in outcome.err


def test_standard_input_and_output_file(clash: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run("explain", clash).out.replace(str(clash), "<stdin>")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(INFEASIBLE.encode())))
    target = tmp_path / "why.txt"
    outcome = run("explain", "-", "-o", target)
    assert (outcome.status, outcome.out, outcome.err) == (1, "", "")
    assert target.read_text(encoding="utf-8") == expected


def test_parts_of_a_split_file_are_explained_with_their_lines(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", f"{PROGRAM}// -----\n{INFEASIBLE}// -----\n{INFEASIBLE}")
    outcome = run("explain", file, "--split-input-file")
    assert outcome.status == 1
    start = PROGRAM.count("\n") + 1
    assert f"{file}:{start + 6}:8" in outcome.out
    assert f"{file}:{start + INFEASIBLE.count(chr(10)) + 1 + 6}:8" in outcome.out


def test_json_has_a_document_for_each_file(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", f"{INFEASIBLE}// -----\n{FREE}")
    outcome = run("explain", file, "--split-input-file", "--format", "json")
    first, second = (json.loads(line) for line in outcome.out.splitlines())
    assert outcome.status == 1
    assert (first["status"], second["status"]) == ("infeasible", "optimal")
    [item] = first["diagnostics"]
    assert item["code"] == "LS0101"
    assert not item["fixes"][0]["verified"]


def test_sarif_and_github_hold_all_messages(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", f"{INFEASIBLE}// -----\n{INFEASIBLE}")
    outcome = run("explain", file, "--split-input-file", "--format", "sarif")
    [log] = json.loads(outcome.out)["runs"]
    assert (outcome.status, len(log["results"])) == (1, 2)
    outcome = run("explain", file, "--split-input-file", "--format", "github")
    assert (outcome.status, outcome.out.count("::error file=")) == (1, 2)
    clean = run("explain", write(tmp_path / "ok.mlir", PROGRAM), "--format", "github")
    assert (clean.status, clean.out) == (0, "")


def test_the_analyzers_own_report(clash: Path, tmp_path: Path, run: Run) -> None:
    outcome = run("explain", clash, "--upstream-report")
    assert outcome.status == 1
    assert outcome.out.startswith("No Solve\n===")
    assert outcome.out.count("Opcode: ") == 1
    solved = run("explain", write(tmp_path / "ok.mlir", PROGRAM), "--upstream-report")
    assert (solved.status, solved.out) == (0, "")


def test_a_limit_is_no_conflict(tmp_path: Path, run: Run, no_time: None) -> None:
    outcome = run("explain", write(tmp_path / "in.mlir", entangled()))
    assert outcome.status == 4
    assert "LS0401" in outcome.out
    assert "LS0101" not in outcome.out


def test_an_input_that_cannot_be_read(tmp_path: Path, run: Run) -> None:
    outcome = run("explain", tmp_path / "none.mlir")
    assert (outcome.status, outcome.out) == (3, "")
    assert "LS0001" in outcome.err


def test_what_looks_like_a_code_and_is_none_lists_the_codes(run: Run) -> None:
    outcome = run("explain", CODE_LIKE)
    assert outcome.status == 2
    assert "no code `LS9999`" in outcome.err
    assert "LS0101" in outcome.err


def test_a_target_that_does_not_exist(clash: Path, run: Run) -> None:
    outcome = run("explain", clash, "--target", "tpu")
    assert (outcome.status, outcome.out) == (2, "")
