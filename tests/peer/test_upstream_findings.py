"""Programs that the production compiler lowers to something else: each still does, and its README row says what."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from layoutsolver.api import SolveOptions
from layoutsolver.source import SourceFile
from layoutsolver.verify.run import verify
from tests.support.findings import FINDINGS
from tests.support.peer import own_pipeline, peer_path
from tests.support.readback import DEVICE, LOCATED, read_back

FOLDER = Path(__file__).parents[2] / "examples" / "upstream-findings"
FILES = sorted(FOLDER.glob("*.mlir"))
HEAD = re.compile(r"^// passes: (plain|aligned), chip: (\w+)\n// shows: (.*)$", re.MULTILINE)

needs_peer = pytest.mark.skipif(peer_path() is None, reason="the ascendnpu-ir wheel is not installed")


def head(path: Path) -> tuple[str, str, str]:
    """Passes, chip, and what is shown."""
    found = HEAD.search(path.read_text(encoding="utf-8"))
    assert found is not None
    return found[1], found[2], found[3]


@needs_peer
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_compilers_output_leaves_the_wrong_bytes_that_are_stated(path: Path) -> None:
    passes, chip, shown = head(path)
    text = path.read_text(encoding="utf-8")
    target = DEVICE if chip == "ascend950" else None
    code, printed, errors = own_pipeline(text, target=target, aligned=passes == "aligned")
    assert code == 0, errors
    options = SolveOptions(compat="upstream", chip=chip)
    result = verify(SourceFile(path.name, text), options, other=SourceFile("printed.mlir", printed))
    said = [text for item in result.diagnostics for text in (item.message, *item.notes)]
    assert shown in said
    assert {item.code for item in result.diagnostics if item.severity == "error"} <= {"LS0701", "LS0702"}


@needs_peer
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_finding_of_the_same_name_explains_all_that_differs(path: Path) -> None:
    passes, chip, _ = head(path)
    text = path.read_text(encoding="utf-8")
    result = read_back(text, chip == "ascend950", passes == "aligned", rounds=4)
    assert (result.verdict, result.against, result.reasons) == ("explained", "the program", (path.stem,))


MARKED = {
    "converted_mask": "ave.hir.vfptoui", "packed_conversion": "ave.hir.vtruncf", "predicate_address": "ave.hir.vload",
    "reduced_mask": "ave.hir.reduction", "saturated_sign": "ave.hir.vtrunci", "sign_of_a_shift": "ave.hir.vshr",
    "spread_twice": "ave.hir.vextsi", "unaligned_predicate_load": "ave.hir.vload", "unsigned_division": "ave.hir.vdiv",
}  # fmt: skip
"""The programs in which one operation makes elements that are wrong however they lie; elsewhere none is marked."""


@needs_peer
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_first_operation_that_is_wrong_for_certain_is_marked(path: Path) -> None:
    passes, chip, _ = head(path)
    text = path.read_text(encoding="utf-8")
    target = DEVICE if chip == "ascend950" else None
    _, printed, _ = own_pipeline(text, target=target, aligned=passes == "aligned", options=(LOCATED,))
    options = SolveOptions(compat="upstream", chip=chip)
    result = verify(SourceFile(path.name, text), options, other=SourceFile("printed.mlir", printed))
    labels = [label for item in result.diagnostics for label in item.secondary]
    marks = {label.source.slice(label.span) for label in labels if "is wrong from here on" in label.text}
    assert marks == ({MARKED[path.stem]} if path.stem in MARKED else set())


def test_every_finding_has_its_program() -> None:
    assert {finding.__name__ for finding in FINDINGS} == {path.stem for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_layouts_of_the_analyzer_are_not_to_blame(path: Path) -> None:
    options = SolveOptions(compat="upstream", chip=head(path)[1])
    result = verify(SourceFile(path.name, path.read_text(encoding="utf-8")), options)
    assert result.ok, [item.message for item in result.diagnostics]


def test_every_program_has_its_row_in_the_readme() -> None:
    rows = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    for path in FILES:
        passes, chip, shown = head(path)
        row = next(row for row in rows if row.startswith(f"| [{path.stem}]({path.name}) |"))
        assert row.endswith(f"| {passes}, {chip} | {shown} |")
    assert len([row for row in rows if row.startswith("| [")]) == len(FILES)
