"""What the production compiler is known to get wrong is said where it does, and nowhere else."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from layoutsolver.api import LowerOptions, SolveOptions, lower, solve
from layoutsolver.backends import load_lowering
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import compare_programs
from layoutsolver.verify.levels import border_layouts, read_program
from layoutsolver.verify.program import plain_program, solved_program
from layoutsolver_backends.intrin.defects import CALL_RESULT, DEFECTS
from tests.support.fuzz_verify import runnable_program

FOLDER = Path(__file__).parents[3] / "examples" / "upstream-findings"
CHIP = re.compile(r"^// passes: (?:plain|aligned), chip: (\w+)$", re.MULTILINE)
SHOWN = re.compile(r"upstream-findings/(\w+)\.mlir")

ELSEWHERE = {
    "lost_alignment": "an analysis of the compiler makes it, which is not part of what is written here",
    "packed_mask": "on this chip the same analysis makes it; without it the data are dense",
    "spread_twice": "the same analysis leads to it; without it the data are dense",
    "predicate_operand": "what is written here stores what was unpacked",
}
"""Findings that what is written here does not have, and why."""


def said(path: Path, compat: str) -> set[str]:
    """The findings that are named when a program is lowered."""
    return said_of(path.read_text(encoding="utf-8"), compat)


def said_of(text: str, compat: str) -> set[str]:
    found = CHIP.search(text)
    assert found is not None
    solving = SolveOptions(compat, chip=found[1])
    result = lower(SourceFile("a.mlir", text), LowerOptions(solving=solving))
    notes = [note for item in result.diagnostics if item.code == "LS0606" for note in item.notes]
    return {match[1] for note in notes if (match := SHOWN.search(note))}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.mlir")), ids=lambda path: path.stem)
def test_a_finding_is_named_where_it_is_written(path: Path) -> None:
    assert (path.stem in said(path, "upstream")) == (path.stem not in ELSEWHERE)
    assert said(path, "") == set()


def test_data_that_are_brought_together_are_not_called_dense() -> None:
    """Where the text asks for the distribution, what is spread is brought together, and only its mask is wrong."""
    text = (FOLDER / "packed_mask.mlir").read_text(encoding="utf-8")
    assert said_of(text, "upstream") == {"dense_data"}
    assert said_of(text.replace("<NORM_B8>", "<PK4_B32>"), "upstream") == {"packed_mask"}


def test_every_defect_has_a_program_that_shows_it() -> None:
    names = {path.stem for path in FOLDER.glob("*.mlir")}
    assert {defect.id for defect in (*DEFECTS, CALL_RESULT)} == names - (set(ELSEWHERE) - {"packed_mask"})


@pytest.mark.parametrize("dialect", ["1.2.0", "master"])
def test_nothing_wrong_is_written_in_silence(dialect: str) -> None:
    wrong = silent = 0
    for seed in range(40):
        chip = "ascend950" if seed % 2 else ""
        text = runnable_program(seed, 5)
        options = SolveOptions("upstream", chip=chip, conflicts=0, repairs=0)
        result = solve(SourceFile("p.mlir", text), options)
        if not result.ok or result.verdict != "solved" or result.posed is None or result.solution is None:
            continue
        made = load_lowering("ave-intrin").lower(result.posed, result.solution, dialect, False, True)
        if any(item.severity == "error" for item in made.diagnostics):
            continue
        written = read_program(SourceFile("l.mlir", apply_edits(text, made.edits)), options)
        assert written.program is not None
        laid_out = solved_program(result.posed, result.solution)
        border = border_layouts(written.program.graph, result.posed.graph, laid_out.layouts)
        found = replace(written.program, layouts={**written.program.layouts, **border})
        if compare_programs(plain_program(result.posed.graph), found, 2, lenient=True).ok:
            continue
        codes = {item.code for item in (*made.diagnostics, *result.diagnostics)}
        wrong += 1
        silent += not codes & {"LS0605", "LS0606", "LS0107"}
    assert (wrong >= 3, silent) == (True, 0)
