"""`layoutsolver banks --placement` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run, write

TWO = "id,lower,upper,size\na,0,5,64\nb,2,9,32\n"


def test_offsets_are_added_and_can_be_checked(run: Run, tmp_path: Path) -> None:
    placed = tmp_path / "placed.csv"
    found = run("banks", "--placement", write(tmp_path / "a.csv", TWO), "--capacity", 96, "-o", placed)
    assert (found.status, found.out, found.err) == (0, "", "")
    assert placed.read_text() == "id,lower,upper,size,offset\na,0,5,64,0\nb,2,9,32,64\n"
    checked = run("banks", "--placement", placed, "--capacity", 96, "--check")
    assert (checked.status, checked.out) == (0, "2 buffers, no overlap, height 96 of 96\n")


def test_without_a_capacity_the_least_height_is_found(run: Run, tmp_path: Path) -> None:
    found = run("banks", "--placement", write(tmp_path / "a.csv", TWO), "--format", "json")
    document = json.loads(found.out)
    assert (found.status, document["status"], document["height"], document["bound"]) == (0, "optimal", 96, 96)


@pytest.mark.parametrize(
    ("text", "options", "status", "code"),
    [
        (TWO, ["--capacity", 80], 1, ("LS1021", "2:1")),
        (TWO.replace("32", "x"), ["--capacity", 80], 3, ("LS1020", "3:7")),
        ("id,lower,upper,size,offset\na,0,5,64,0\nb,2,9,32,48\n", ["--check", "--capacity", 96], 1, ("LS1024", "3:1")),
        ("id,lower,upper,size,offset\na,0,5,64,0\nb,2,9,32,80\n", ["--check", "--capacity", 96], 1, ("LS1025", "3:1")),
        ("id,lower,upper,size,offset\na,0,5,4,0\nb,2,9,4,2\n", ["--capacity", 9], 1, ("LS1022", "")),
    ],
)
def test_what_cannot_be_is_said_with_its_place(
    run: Run, tmp_path: Path, text: str, options: list[object], status: int, code: tuple[str, str]
) -> None:
    found = run("banks", "--placement", write(tmp_path / "a.csv", text), *options)
    assert (found.status, found.out, found.found) == (status, "", [code])


def test_offsets_that_are_missing_cannot_be_checked(run: Run, tmp_path: Path) -> None:
    found = run("banks", "--placement", write(tmp_path / "a.csv", TWO), "--check")
    assert found.status == 2
    assert "no offset for every buffer" in found.err


def test_a_limit_is_said_and_is_no_proof(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from layoutsolver.cli import placement
    from layoutsolver_models.problems.placement import PlacementSolution

    file = write(tmp_path / "a.csv", TWO)
    monkeypatch.setattr(placement, "solve_placement", lambda *_: PlacementSolution("unknown"))
    found = run("banks", "--placement", file, "--capacity", 96)
    assert (found.status, found.found) == (4, [("LS1023", "")])
    monkeypatch.setattr(placement, "solve_placement", lambda *_: PlacementSolution("feasible", (0, 72), 104, 96))
    found = run("banks", "--placement", file)
    assert (found.status, found.found) == (4, [("LS0402", "")])
    assert found.out.endswith("b,2,9,32,72\n")
