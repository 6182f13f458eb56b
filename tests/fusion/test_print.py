"""Printing: what is not changed is printed as it was read."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.fusion.code import code_of
from layoutsolver.fusion.cse import eliminate_common
from layoutsolver.fusion.flatten import flatten
from layoutsolver.fusion.plan import plan
from layoutsolver.fusion.print import write
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from tests.fusion.support import code, program

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "examples").glob("*.*"), *(ROOT / "tests" / "pose" / "vmi" / "cases").glob("*.pto")])


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.suffix in (".pto", ".mlir")][::6], ids=lambda p: p.stem
)
def test_what_is_not_changed_is_printed_as_it_was_read(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert write(code_of(build_graph(read(text))[0])) == text


def test_regions_put_together_keep_comments_and_rename_what_would_meet() -> None:
    found = plan(code(program("regions.pto")))
    text = write(found.code)
    assert not found.apart
    assert text.count("pto.fusion_region") == 1
    for line in ("// first: fills T", "// second: yields a row", "// loads it", "// a row"):
        assert line in text
    assert "%p_1 = pto.castptr %m_1" in text
    assert "%v = pto.vmi.vload %p_1[%c0]" in text
    assert code(text).graph.ops[-1].name == "func.return"


def test_flattening_leaves_no_region_and_keeps_the_order() -> None:
    before = code(program("regions.pto"))
    text = write(flatten(before))
    kept = [node.name for node in before.graph.ops if node.name not in ("pto.fusion_region", "pto.yield")]
    again = code(text)
    assert [node.name for node in again.graph.ops] == kept
    assert "pto.vmi.vstore %v, %p_2[%c64]" in text
    assert write(flatten(again)) == text


def test_common_subexpressions_are_addresses_numbers_and_masks_only() -> None:
    flat = flatten(code(program("regions.pto")))
    text = write(eliminate_common(flat))
    assert text.count("pto.pointer_cast") == 2
    assert text.count("pto.castptr") == 2
    assert text.count("pto.vmi.vload") == 2
    assert write(eliminate_common(code(text))) == text
