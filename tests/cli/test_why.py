from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.cli.running import FREE, INFEASIBLE, PROGRAM, Run, write


@pytest.fixture
def free(tmp_path: Path) -> Path:
    return write(tmp_path / "in.mlir", FREE)


def test_the_answer_goes_to_standard_output(free: Path, run: Run) -> None:
    outcome = run("why", free, "%x")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("`%x` is in b8\n  not in b8_2vl")
    assert run("why", free, "x").out == outcome.out


def test_a_line_chooses_among_values_of_one_name(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", FREE + FREE.replace("@g", "@h"))
    both = run("why", file, "x").out
    assert both.count("`%x` is in b8") == 2
    second = run("why", file, "x@11")
    assert (second.status, second.out.count("`%x` is in b8")) == (0, 1)
    assert run("why", file, "x@9").status == 2


def test_an_unknown_name_lists_those_that_there_are(free: Path, run: Run) -> None:
    outcome = run("why", free, "%nothing")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == "layoutsolver: error: no vector `%nothing`: there are %m, %x\n"


def test_a_scalar_has_no_layout(free: Path, run: Run) -> None:
    assert run("why", free, "%c0").status == 2


def test_a_program_without_vectors_has_none_to_list(tmp_path: Path, run: Run) -> None:
    outcome = run("why", write(tmp_path / "in.mlir", "func.func @f() {\n  return\n}\n"), "x")
    assert outcome.status == 2
    assert outcome.err.endswith("layoutsolver: error: no vector `x`: there are none\n")


def test_a_program_without_layouts_says_why_instead(tmp_path: Path, run: Run) -> None:
    outcome = run("why", write(tmp_path / "in.mlir", INFEASIBLE), "p")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.found == [("LS0101", "6:8")]


def test_a_broken_program_is_no_usage_error(tmp_path: Path, run: Run) -> None:
    outcome = run("why", write(tmp_path / "in.mlir", PROGRAM.replace("%x,", "%undefined,")), "x")
    assert (outcome.status, outcome.out) == (1, "")
    assert "LS0201" in outcome.err


def test_an_input_that_cannot_be_read(tmp_path: Path, run: Run) -> None:
    assert run("why", tmp_path / "none.mlir", "x").status == 3


def test_parts_of_a_split_file_are_asked_each(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", f"{FREE}// -----\n{FREE}// -----\nfunc.func @f() {{\n  return\n}}\n")
    outcome = run("why", file, "x", "--split-input-file")
    assert (outcome.status, outcome.out.count("`%x` is in b8")) == (0, 2)
    assert run("why", file, "x@12", "--split-input-file").out.count("`%x` is in b8") == 1


def test_standard_input_and_output_file(free: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run("why", free, "x").out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FREE.encode())))
    target = tmp_path / "why.txt"
    assert run("why", "-", "x", "-o", target).status == 0
    assert target.read_text() == expected


def test_the_analyzers_choice_is_explained_in_compat_mode(free: Path, run: Run) -> None:
    outcome = run("why", free, "x", "--compat", "upstream")
    assert outcome.status == 0
    assert "comes first in preference" in outcome.out


def test_flags_that_do_not_exist_for_it(free: Path, run: Run) -> None:
    assert run("why", free, "x", "--repairs", 2).status == 2
