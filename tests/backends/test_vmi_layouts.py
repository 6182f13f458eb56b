"""Layouts written into programs of VMI: what is written is read back as the same answer."""

from __future__ import annotations

import pytest

from layoutsolver.api_vmi import annotate, solve
from layoutsolver.source import SourceFile
from tests.pose.vmi.facts import FACTS, FOLDER

SOLVED_HERE = frozenset(
    {"115-bad-group-12.pto", "116-bad-strided-32-f16.pto", "122-bad-vector-result.pto", "125-bad-selr-256-f32.pto"}
)
"""Programs that the released compiler refuses and that have layouts all the same."""

NAMES = sorted(name for name in FACTS if "bad" not in name or name in SOLVED_HERE)
BAD = sorted(set(FACTS) - set(NAMES))


def source(name: str, text: str | None = None) -> SourceFile:
    return SourceFile(name, (FOLDER / name).read_text(encoding="utf-8") if text is None else text)


@pytest.mark.parametrize("name", NAMES[::4])
def test_what_is_written_is_solved_again_to_the_same_instructions(name: str) -> None:
    first = solve(source(name))
    assert first.ok
    again = solve(source(name, annotate(first)))
    assert {item.code for item in again.diagnostics} <= {"LS0810"}, "at most that registers are short"
    assert first.solution is not None
    assert again.solution is not None
    assert again.solution.load == first.solution.load


@pytest.mark.parametrize("name", BAD)
def test_programs_that_are_bad_on_purpose_say_why(name: str) -> None:
    found = solve(source(name))
    assert not found.ok
    assert {item.code for item in found.diagnostics if item.severity == "error"}
    assert all(item.primary is not None for item in found.diagnostics)


CALL = """
func.func private @twice(%v: !pto.vmi.vreg<256xf32>) -> !pto.vmi.vreg<256xf32> {
  %w = pto.vmi.vadd %v, %v : !pto.vmi.vreg<256xf32>, !pto.vmi.vreg<256xf32> -> !pto.vmi.vreg<256xf32>
  return %w : !pto.vmi.vreg<256xf32>
}
func.func @k(%p: !pto.ptr<f32, ub>, %o: index) {
  %x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<256xf32>
  %y = func.call @twice(%x) : (!pto.vmi.vreg<256xf32>) -> !pto.vmi.vreg<256xf32>
  pto.vmi.vstore %y, %p[%o] : !pto.vmi.vreg<256xf32>, !pto.ptr<f32, ub>
  return
}
"""


def test_functions_have_layouts_in_their_signatures() -> None:
    text = annotate(solve(source("call.pto", CALL)))
    layout = "#pto.vmi.layout<deinterleaved = 2>"
    vector = f"!pto.vmi.vreg<256xf32, {layout}>"
    assert f"@twice(%v: {vector}) -> {vector} {{" in text
    assert f"func.call @twice(%x) : ({vector}) -> {vector}" in text


def test_a_mask_that_is_needed_in_two_layouts_is_made_twice() -> None:
    text = annotate(solve(source("092-two-reduce-classes.pto")))
    made = [line.strip().partition(" = pto.vmi.create_mask %c256 : index -> ") for line in text.splitlines()]
    assert [(name, kind) for name, found, kind in made if found] == [
        ("%full", "!pto.vmi.mask<256xb32, #pto.vmi.layout<contiguous>>"),
        ("%full_b32_d4", "!pto.vmi.mask<256xb32, #pto.vmi.layout<deinterleaved = 4>>"),
    ]


def test_there_is_nothing_to_write_without_a_solution() -> None:
    with pytest.raises(ValueError, match="no solution"):
        annotate(solve(source("117-bad-narrow-no-saturate.pto")))
