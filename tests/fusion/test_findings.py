"""What the first version of the production compiler's fusion makes of some programs: wrong, and as their rows say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.run import verify_files
from layoutsolver.verify.result import Verification
from tests.support.fuzz_fusion import MODES

FOLDER = Path(__file__).parents[2] / "examples" / "upstream-findings" / "fusion"
ROW = re.compile(r"^\| \[(\w+)\]\((\w+)\.pto\) \| (\w+) \| [^|]* \| (.*?) \|$", re.MULTILINE)
ROWS = {row[1]: (row[3], row[4]) for row in ROW.finditer((FOLDER / "README.md").read_text(encoding="utf-8"))}
FAULTS = {*(f"S{number}" for number in range(1, 13)), "U3", "U4", "U7"}


def made(name: str, mode: str, rounds: int = 4) -> Verification:
    """A program held against what a mode makes of it."""
    source = SourceFile(f"{name}.pto", (FOLDER / f"{name}.pto").read_text(encoding="utf-8"))
    said, done = verify_files(source, SourceFile("fused.pto", MODES[mode](source)), rounds, 1)
    assert said == []
    assert done is not None
    return done


@pytest.mark.parametrize("name", sorted(ROWS))
def test_the_compiler_is_wrong_as_its_row_says(name: str) -> None:
    done = made(name, "seed")
    assert {item.code for item in done.diagnostics} == {"LS0707"}
    assert ROWS[name][1] in done.diagnostics[0].notes


@pytest.mark.parametrize("name", sorted(ROWS))
def test_the_sound_mode_changes_no_byte(name: str) -> None:
    assert made(name, "sound", 2).ok


def test_every_file_and_every_fault_has_its_row() -> None:
    assert {path.stem for path in FOLDER.glob("*.pto")} == set(ROWS)
    assert {fault for fault, _ in ROWS.values()} == FAULTS


def test_the_compiler_is_right_where_these_faults_are_not() -> None:
    softmax = FOLDER.parents[1] / "column_softmax.pto"
    source = SourceFile(softmax.name, softmax.read_text(encoding="utf-8"))
    said, done = verify_files(source, SourceFile("fused.pto", MODES["seed"](source)), 1, 1)
    assert said == []
    assert done is not None
    assert done.ok
