"""What the released compiler makes of some VMI programs, run on the model: wrong, and as their rows say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.run import verify_files

FOLDER = Path(__file__).parents[3] / "examples" / "upstream-findings" / "vmi"
FILES = sorted(FOLDER.glob("*.vpto"))
ROW = re.compile(r"^\| \[(\w+)\]\((\w+)\.pto\) \| [^|]* \| (.*?) \|$", re.MULTILINE)
ROWS = (FOLDER / "README.md").read_text(encoding="utf-8").partition("\n## Refused")[0]
SHOWN = {found[1]: found[3] for found in ROW.finditer(ROWS)}


class Expected(NamedTuple):
    """The code, what the mark is at, how many elements are wrong, and the marked cause, empty where none is named."""

    code: str
    at: str
    wrong: str = ""
    cause: str = ""


EXPECTED: dict[str, Expected] = {
    "compare_of_spread_lanes": Expected("LS0703", "pto.vcmp"),
    "half_full_interleave": Expected("LS0707", "pto.vsts %h", "32 of the 32 that it stores differ", "pto.vlds"),
    "lanes_of_a_truncation": Expected("LS0707", "pto.vsts %r0", "64 of the 128 that it stores differ"),
    "mask_of_a_sum": Expected("LS0707", "pto.vsts", "44 of the 64 that it stores differ", "pto.vadd"),
    "mask_of_an_interleaving_store": Expected("LS0707", "pto.vstsx2", "107 of the 108 that it stores differ"),
    "numbers_of_blocks": Expected("LS0707", "pto.vsts %s", "8 of the 8 that it stores differ"),
    "numbers_of_spread_lanes": Expected("LS0707", "pto.vsts", "63 of the 64 that it stores differ", "pto.vadd"),
    "parts_of_packed_pairs": Expected(
        "LS0707", "pto.vsts %l", "32 of the 64 that it stores differ", 'pto.vcvt %x, %all {part = "P1"}'),
    "saturation_of_signed_bytes": Expected("LS0707", "pto.vsts", "64 of the 64 that it stores differ"),
    "select_of_spread_lanes": Expected("LS0703", "pto.vsel"),
    "slots_inside_of_a_block": Expected("LS0702", "pto.vsldb"),
    "spread_slots": Expected("LS0707", "pto.vsts", "7 of the 8 that it stores differ", "pto.vsldb"),
    "two_streams_of_picked_elements": Expected("LS0707", "func.func @k", "4 of the 4 that it stores differ"),
}  # fmt: skip


def source(path: Path) -> SourceFile:
    return SourceFile(path.name, path.read_text(encoding="utf-8"))


def at(source: SourceFile, start: int) -> str:
    """The text from a place to the end of its line."""
    return source.text[start:].partition("\n")[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_the_compiler_makes_is_wrong_as_stated(path: Path) -> None:
    said, found = verify_files(source(path.with_suffix(".pto")), source(path), 4, 1)
    assert said == []
    assert found is not None
    first, expected = found.diagnostics[0], EXPECTED[path.stem]
    assert {item.code for item in found.diagnostics} == {expected.code}
    assert first.primary is not None
    assert at(first.primary.source, first.primary.span.start).startswith(expected.at)
    assert SHOWN[path.stem] in (first.message, *first.notes)
    assert not expected.wrong or expected.wrong in first.notes
    causes = [at(label.source, label.span.start) for label in first.secondary if label.source.name == path.name]
    assert [cause.startswith(expected.cause) for cause in causes] == [True] * bool(expected.cause)


def test_every_pair_is_listed() -> None:
    assert {path.stem for path in FILES} == set(EXPECTED)
    assert set(EXPECTED) == set(SHOWN)
