"""Right programs are accepted; every change of one instruction of theirs is caught."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.verify.pto.pairs import PAIRS
from tests.verify.pto.texts import compare

_OTHERS = {
    "EVEN": ("ODD",), "ODD": ("EVEN",), "P0": ("P1", "P2", "P3"), "P2": ("P0", "P1", "P3"),
    "INTLV_B32": ("INTLV_B16", "INTLV_B8"), "DINTLV_B32": ("DINTLV_B16", "BDINTLV"), "UNPK_B16": ("NORM", "US_B16"),
    "PK_B16": ("PK_B32", "NORM_B8"), "PAT_VL8": ("PAT_VL4", "PAT_VL16", "PAT_ALL"), "SAT": ("NOSAT",),
    "PAT_ALL": ("PAT_VL32", "PAT_ALLF"), "E2B_B16": ("BRC_B16", "NORM", "UNPK_B16"), "lt": ("le", "gt", "ne"),
    "INTLV_B16": ("INTLV_B32", "INTLV_B8"), "1PT_B32": ("NORM_B16",), "PAT_VL1": (), "P1": ("P0", "P2"),
    "P3": ("P2", "P1"),
}  # fmt: skip

EQUIVALENT = {
    "widening by parts and an interleaving store": ("line 4: PAT_ALL -> PAT_VL32", "line 4: PAT_ALL -> PAT_ALLF"),
    "bytes to words by parts": ("line 5: PAT_ALL -> PAT_VL32", "line 5: PAT_ALL -> PAT_ALLF"),
    "scales spread by a load, one register for both parts": (
        "line 3: PAT_ALL -> PAT_VL32", "line 3: PAT_ALL -> PAT_ALLF"),
    "widening of spread lanes": ("line 6: UNPK_B16 -> US_B16", "line 7: UNPK_B16 -> US_B16"),
    "scales spread by index": ("line 5: PAT_VL8 -> PAT_VL16", "line 5: PAT_VL8 -> PAT_ALL"),
    "a choice under a tail": ("line 9: lt -> le",),
    "rows in blocks": ("line 2: PAT_ALL -> PAT_VL32",),
}  # fmt: skip
"""Changes that change nothing: an interleaving store has no predicate, lanes that nobody reads may hold anything, of
two equal numbers either may be chosen, and the first eight lanes of a b32 predicate decide about blocks."""


def strings_changed(text: str) -> Iterator[tuple[str, str]]:
    """The text with one quoted string replaced by another value, and what was replaced."""
    for match in re.finditer(r'"(\w+)"', text):
        for other in _OTHERS.get(match[1], ()):
            changed = text[: match.start(1)] + other + text[match.end(1) :]
            line = text.count("\n", 0, match.start()) + 1
            yield f"line {line}: {match[1]} -> {other}", changed


def operands_changed(text: str) -> Iterator[tuple[str, str]]:
    """The text with the two registers of an instruction swapped, or a value taken for the one before."""
    for match in re.finditer(r"pto\.(vintlv|vdintlv|vstsx2|vselr|vsel) %(\w+), %(\w+)", text):
        if match[2] != match[3]:
            yield (
                f"swapped operands of {match[0]}",
                text[: match.start(2)] + f"{match[3]}, %{match[2]}" + text[match.end(3) :],
            )
    for match in re.finditer(r"\[%c(\d+)\]", text):
        other = {"0": "64", "64": "0", "128": "64", "32": "64", "1": "0"}[match[1]]
        constant = "" if f"%c{other} =" in text else f"  %c{other} = arith.constant {other} : index\n"
        changed = text[: match.start(1)] + other + text[match.end(1) :]
        yield f"offset {match[1]} -> {other}", changed.replace("{\n", "{\n" + constant, 1)


def lines_dropped(text: str) -> Iterator[tuple[str, str]]:
    """The text without one store."""
    for match in re.finditer(r"^  pto\.v\w+ .*\n", text, re.MULTILINE):
        yield f"without {match[0].strip()}", text[: match.start()] + text[match.end() :]


@pytest.mark.parametrize("name", PAIRS)
def test_a_right_program_is_accepted(name: str) -> None:
    found = compare(*PAIRS[name])
    assert found.ok, found.diagnostics
    assert found.runs == 4


@pytest.mark.parametrize("name", PAIRS)
def test_every_changed_instruction_is_caught(name: str) -> None:
    expected, right = PAIRS[name]
    changes = [*strings_changed(right), *operands_changed(right), *lines_dropped(right)]
    assert len(changes) >= 4
    missed = [what for what, text in changes if compare(expected, text).ok]
    assert missed == list(EQUIVALENT.get(name, ()))
