"""`layoutsolver banks` of programs, from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from layoutsolver_models.banks.solve import solve_banks
from layoutsolver_models.problems.banks import BankSolution
from tests.cli.running import Run, write

LISTING = Path(__file__).parents[1] / "buckyball" / "programs" / "seed_listing.mlir"


def test_the_answer_is_the_program_with_numbered_banks_and_can_be_checked(run: Run, tmp_path: Path) -> None:
    placed = tmp_path / "placed.mlir"
    found = run("banks", LISTING, "-o", placed)
    assert (found.status, found.err) == (0, "")
    text = placed.read_text()
    assert "bank_alloc" not in text
    assert text.count("buckyball.mset") == 8
    checked = run("banks", "--check", placed)
    assert (checked.status, checked.out) == (0, "[bank-usage] tile peak=6/16 alloc=4 release=4 leaked=0\n")
    assert run("verify", LISTING, placed).status == 0


def test_the_table_says_what_was_proved(run: Run) -> None:
    found = run("banks", LISTING, "--table", "--level", "reorder")
    assert found.out == "tile: optimal at reorder, peak 8 of 16 banks, 5295 cycles, 14 msets\n"


def test_the_report_has_problem_answer_and_text(run: Run) -> None:
    found = run("banks", LISTING, "--format", "json", "--bank-num", 6)
    document = json.loads(found.out)
    (function,) = document["functions"]
    assert (found.status, document["schema"], function["name"]) == (0, "layoutsolver/bank-report/1", "tile")
    assert function["solution"]["peak"] == function["problem"]["bank_num"] == 6
    assert "buckyball.mset" in document["text"]


@pytest.mark.parametrize(
    ("options", "place", "words"),
    [
        (["--level", "first_fit"], "14:9", "feasible with liveness"),
        (["--bank-num", 8, "--level", "liveness"], "16:9",
         "feasible with reorder: move `bank_fp2int` (line 16) after `bank_mvin` (line 14), peak 8"),
        (["--bank-num", 7, "--level", "reorder"], "20:8", "`%cFp32` takes the bank of `%cI32`, peak 6"),
        (["--bank-num", 5], "19:8", "no level makes it fit"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_at_its_peak(run: Run, options: list[object], place: str, words: str) -> None:
    found = run("banks", LISTING, *options)
    assert (found.status, found.out, found.found) == (1, "", [("LS1030", place)])
    assert words in found.err


def test_what_needs_more_rows_than_a_bank_has_is_cut_where_that_is_asked_for(run: Run, tmp_path: Path) -> None:
    text = LISTING.read_text().replace("constant 64", "constant 2048")
    deep = write(tmp_path / "deep.mlir", text.replace("16x64x", "16x2048x").replace("64x16x", "2048x16x"))
    found = run("banks", deep, "--level", "spill")
    assert (found.status, found.out, found.found) == (1, "", [("LS1030", "14:9")])
    assert "does not fit into banks of 1024 rows at `spill`: capacity floor" in found.err
    assert "feasible with split: 2048 rows as 1024 + 1024, from `bank_mvin` (line 14) to" in found.err
    placed = tmp_path / "placed.mlir"
    assert run("banks", deep, "--level", "split", "-o", placed).status == 0
    assert run("verify", deep, placed).out.startswith(f"{deep} and {placed}: agree in 4 runs")
    assert run("banks", "--check", placed).status == 0
    assert run("lower", placed, "--to", "intr").status == 0
    table = run("banks", deep, "--level", "split", "--table").out
    assert table.startswith("tile: optimal at split, peak 8 of 16 banks, ")
    assert table.endswith(" msets, 2048 rows as 1024 + 1024\n")
    shallow = run("banks", LISTING, "--level", "split", "--table")
    assert shallow.out == "tile: optimal at split, peak 6 of 16 banks, 5289 cycles, 8 msets\n"


def test_what_cannot_be_cut_is_said(run: Run, tmp_path: Path) -> None:
    text = LISTING.read_text().replace("constant 64", "constant 1040").replace("%aI8T %c64", "%aI8T %c16")
    deep = write(tmp_path / "deep.mlir", text.replace("16x64x", "16x1040x").replace("64x16x", "1040x16x"))
    found = run("banks", deep, "--level", "split")
    assert (found.status, found.found) == (1, [("LS1030", "14:9")])
    assert "no level makes it fit: not all that uses these banks can be done in parts of fewer rows" in found.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--capacity", 9], "--capacity is for --placement"),
        (["--placement", "--level", "spill"], "--level: for programs of banks"),
        (["--placement", "--bank-num", 9, "--table"], "--bank-num, --table: for programs of banks"),
        (["--check", "--level", "spill"], "--level: says how banks are placed"),
        (["--target", "buckyball:none"], "no chip `none`"),
        (["--target", "ave"], "not for `ave`"),
        (["--level", "most"], "invalid choice"),
        (["--bank-num", 0], "must be at least 1"),
    ],
)
def test_options_that_do_not_go_are_refused(run: Run, options: list[object], words: str) -> None:
    found = run("banks", LISTING, *options)
    assert found.status == 2
    assert words in found.err


@pytest.mark.parametrize("verb", ["solve", "explain", "space", "view"])
def test_verbs_for_layouts_point_to_the_verb_for_banks(run: Run, verb: str) -> None:
    found = run(verb, LISTING)
    assert (found.status, found.out) == (2, "")
    assert "a program of Buckyball: `layoutsolver banks`" in found.err


def test_what_first_fit_cannot_number_is_sent_to_the_verb_that_can(run: Run) -> None:
    found = run("verify", LISTING)
    assert (found.status, found.found) == (1, [("LS1005", "13:12")])
    assert "note: `layoutsolver banks` looks for an order and places that fit" in found.err


def test_pictures_of_memory_are_of_programs_and_tables(run: Run, tmp_path: Path) -> None:
    assert "6 live" in run("view", "--show", "memory", LISTING, "--target", "buckyball:seed").out
    found = run("view", "--show", "memory", write(tmp_path / "a.txt", "some words\nand more\n"))
    assert (found.status, found.found) == (3, [("LS1020", "1:1")])
    assert "buckyball:x` is for programs of tiles" in run("view", LISTING, "--target", "buckyball:x").err


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        ("func.func @f( {", 3, None),
        ("func.func @f(%b: i64) {\n  buckyball.relu %b, %b, %b, %b : i64\n  return\n}\n", 1, "LS1009"),
        ("func.func @f(%b: i64) {\n  buckyball.bank_release %b : i64\n  return\n}\n", 1, "LS1005"),
    ],
)  # fmt: skip
def test_programs_that_cannot_be_placed_are_said_to_be_so(
    run: Run, tmp_path: Path, text: str, status: int, code: str | None
) -> None:
    found = run("banks", write(tmp_path / "a.mlir", text))
    assert (found.status, found.out) == (status, "")
    assert found.found
    assert code in (None, found.found[0][0])


def test_a_bank_that_is_used_but_not_allocated_is_found(run: Run, tmp_path: Path) -> None:
    placed = run("banks", LISTING).out
    lines = placed.splitlines(keepends=True)
    first = next(place for place, line in enumerate(lines) if "mset" in line)
    found = run("banks", "--check", write(tmp_path / "a.mlir", "".join(lines[:first] + lines[first + 1 :])))
    assert found.status == 1
    assert {code for code, _ in found.found} == {"LS1032"}


def test_banks_that_hardware_maps_are_checked_as_such_and_text_behind_mlir_is_not(run: Run, tmp_path: Path) -> None:
    placed = tmp_path / "placed.mlir"
    assert run("banks", LISTING, "--bank-model", "hw_mapped", "-o", placed).status == 0
    assert run("banks", "--check", placed).status == 1
    checked = run("banks", "--check", placed, "--bank-model", "hw_mapped")
    assert (checked.status, checked.out) == (0, "[bank-usage] tile peak=6/16 alloc=4 release=4 leaked=0\n")
    for stage in ("llvm", "riscv"):
        written = tmp_path / f"a.{stage}"
        assert run("lower", placed, "--to", stage, "-o", written).status == 0
        found = run("banks", "--check", written)
        assert (found.status, found.found) == (1, [("LS1009", "")])
        assert f"stands at `{stage}`" in found.err


def test_limits_are_no_proofs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from layoutsolver.buckyball import banking

    real = solve_banks
    monkeypatch.setattr(banking, "solve_banks", lambda *_: BankSolution("unknown", "elide"))
    found = run("banks", LISTING)
    assert (found.status, found.out, found.found) == (4, "", [("LS1031", "")])
    monkeypatch.setattr(banking, "solve_banks", lambda *given: real(*given)._replace(status="feasible"))
    found = run("banks", LISTING)
    assert (found.status, [code for code, _ in found.found]) == (4, ["LS0402"])
    assert "buckyball.mset" in found.out
