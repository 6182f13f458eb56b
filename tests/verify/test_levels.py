"""Files as they stand: at which level they are, which layouts follow from them, what they leave open."""

from __future__ import annotations

import pytest

from layoutsolver.api import SolveOptions, annotate, solve
from layoutsolver.source import SourceFile
from layoutsolver.verify.levels import level_of, read_program
from layoutsolver.verify.run import verify
from tests.verify.intrin.programs import UB, intrinsics, plain

CHIP = SolveOptions(chip="ascend950")
WIDEN = plain(
    "%m = ave.hir.pge <VL64> : vector<64xi1>",
    f"%x = ave.hir.vload <NORM> %src[%c0] : memref<256xi8, {UB}> into vector<64xi8>",
    "%y = ave.hir.vextsi %x, %m {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>",
    f"ave.hir.masked_store <NORM_B32> %dst[%c0], %m, %y : memref<256xi32, {UB}>, vector<64xi1>, vector<64xi32>",
)


def annotated(layouts: bool) -> str:
    """WIDEN as it is solved."""
    return annotate(solve(SourceFile("a.mlir", WIDEN), CHIP), layouts)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        (WIDEN, "plain"),
        (annotated(False), "layouts"),
        (annotated(True), "layouts"),
        (intrinsics(""), "intrinsics"),
    ],
)
def test_the_level_is_what_the_text_states(text: str, level: str) -> None:
    graph = read_program(SourceFile("a.mlir", text), CHIP).graph
    assert graph is not None
    assert level_of(graph) == level


def test_functiontypes_alone_give_the_layouts_back() -> None:
    both = [read_program(SourceFile("a.mlir", annotated(layouts)), CHIP).program for layouts in (False, True)]
    assert both[0] is not None
    assert both[1] is not None
    assert both[0].layouts == both[1].layouts
    assert both[0].dists == both[1].dists


@pytest.mark.parametrize("layouts", [False, True])
def test_a_file_with_layouts_is_run_as_it_stands(layouts: bool) -> None:
    text = annotated(layouts)
    result = verify(SourceFile("a.mlir", text), CHIP)
    assert result.ok
    assert (result.how, result.solving) == ("with its layouts as written", None)
    wrong = text.replace("<pk4>", "<pk>")
    result = verify(SourceFile("a.mlir", wrong), CHIP)
    assert {item.code for item in result.diagnostics} == {"LS0701", "LS0706"}


def test_a_file_without_layouts_is_solved_first() -> None:
    result = verify(SourceFile("a.mlir", WIDEN), CHIP)
    assert result.ok
    assert result.how == "with the layouts solved here"


def test_two_files_with_layouts_are_both_held_against_what_they_compute() -> None:
    good, bad = annotated(True), annotated(False).replace("<pk4>", "<pk>")
    assert verify(SourceFile("a.mlir", WIDEN), CHIP, other=SourceFile("b.mlir", good)).ok
    assert verify(SourceFile("a.mlir", good), CHIP, other=SourceFile("b.mlir", WIDEN)).ok
    assert not verify(SourceFile("a.mlir", WIDEN), CHIP, other=SourceFile("b.mlir", bad)).ok
    assert not verify(SourceFile("a.mlir", bad), CHIP, other=SourceFile("b.mlir", good)).ok


PASSED = f"""\
func.func @f(%x: vector<64xi1>, %dst: memref<256xf32, {UB}>) -> vector<64xi1> {{
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <VL64> {{functionType = #ave.func_dist_type<pb32>}} : vector<64xi1>
  return %x : vector<64xi1>
}}
"""


def test_a_vector_from_outside_that_may_lie_in_several_ways_is_named() -> None:
    result = verify(SourceFile("a.mlir", PASSED), CHIP)
    assert result.ok
    assert [(item.code, item.severity, item.notes) for item in result.diagnostics] == [
        ("LS0705", "warning", ("`%x`: b8 or b16 or b32, taken for b8",))
    ]


def test_a_vector_from_outside_whose_layout_nothing_says_is_an_error() -> None:
    text = PASSED.replace("return", "%y = ave.hir.vabs %z, %m : vector<64xf32>, vector<64xi1>\n  return")
    text = text.replace("pb32", "pb16").replace("%dst:", "%z: vector<64xf32>, %dst:")
    result = verify(SourceFile("a.mlir", text), CHIP)
    assert {item.code for item in result.diagnostics} == {"LS0705", "LS0706"}
    said = next(item.message for item in result.diagnostics if item.severity == "error")
    assert "the layout of `%x` does not follow" in said


@pytest.mark.parametrize("text", ["", "func.func @f() {", "func.func @f() { return %x : i32 }"])
def test_a_second_file_that_cannot_be_read_is_said(text: str) -> None:
    result = verify(SourceFile("a.mlir", WIDEN), CHIP, other=SourceFile("b.mlir", text))
    assert not result.ok
    assert {item.primary.source.name for item in result.diagnostics if item.primary} == {"b.mlir"}
