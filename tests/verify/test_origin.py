"""A message about wrong bytes marks the operation that made the first wrong element on the way to the store."""

from __future__ import annotations

import pytest

from layoutsolver.api import SolveOptions, annotate, solve
from layoutsolver.diagnostics.diagnostic import Label
from layoutsolver.source import SourceFile
from layoutsolver.verify import origin
from layoutsolver.verify.run import verify
from tests.verify.intrin.programs import UB, plain

CHIP = SolveOptions(chip="ascend950")
CHAIN = plain(
    "%m = ave.hir.pge <VL64> : vector<64xi1>",
    f"%x = ave.hir.vload <NORM> %src[%c0] : memref<256xi8, {UB}> into vector<64xi8>",
    "%y = ave.hir.vextsi %x, %m {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>",
    "%z = ave.hir.vadd %y, %y, %m : vector<64xi32>, vector<64xi1>",
    f"ave.hir.masked_store <NORM_B32> %dst[%c0], %m, %z : memref<256xi32, {UB}>, vector<64xi1>, vector<64xi32>",
)
LOOP = plain(
    "%c1 = arith.constant 1 : index",
    "%c4 = arith.constant 4 : index",
    "%m = ave.hir.pge <VL64> : vector<64xi1>",
    f"%x = ave.hir.vload <NORM> %src[%c0] : memref<256xi8, {UB}> into vector<64xi8>",
    "%y = ave.hir.vextsi %x, %m {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>",
    "%r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %y) -> (vector<64xi32>) {",
    "  %n = ave.hir.vadd %a, %a, %m : vector<64xi32>, vector<64xi1>",
    "  scf.yield %n : vector<64xi32>",
    "}",
    f"ave.hir.masked_store <NORM_B32> %dst[%c0], %m, %r : memref<256xi32, {UB}>, vector<64xi1>, vector<64xi32>",
)


def mark(program: str, right: str, wrong: str) -> Label:
    """The first mark beside the store when the annotated program is changed in one place."""
    text = annotate(solve(SourceFile("a.mlir", program), CHIP), layouts=True)
    assert right in text
    result = verify(SourceFile("a.mlir", text.replace(right, wrong)), CHIP)
    found = next(item for item in result.diagnostics if item.code == "LS0701")
    return found.secondary[0]


@pytest.mark.parametrize("program", [CHAIN, LOOP])
@pytest.mark.parametrize(
    ("right", "wrong", "name", "said"),
    [
        ("<pk4>", "<pk>", "ave.hir.vload", "element 1 of `%x` is wrong from here on"),
        ("<pp0>", "<pp1>", "ave.hir.vextsi", "element 0 of `%y` is wrong from here on"),
        ("<pp0>", "<pp1>", "ave.hir.vextsi", "found nothing determined"),
    ],
)
def test_the_first_wrong_operation_is_marked(program: str, right: str, wrong: str, name: str, said: str) -> None:
    label = mark(program, right, wrong)
    assert label.source.slice(label.span) == name
    assert said in label.text


def test_a_wrong_mask_is_marked_where_it_is_made() -> None:
    label = mark(CHAIN, "<pb32>", "<pb16>")
    assert label.source.slice(label.span) == "ave.hir.pge"
    assert "of `%m` is wrong from here on: expected 0x1" in label.text


@pytest.mark.parametrize(("most", "is_searched"), [(6, True), (5, False)])
def test_a_run_of_as_many_operations_as_are_kept_is_searched(
    most: int, is_searched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run has a constant and the five operations of its program."""
    text = annotate(solve(SourceFile("a.mlir", CHAIN), CHIP), layouts=True)
    monkeypatch.setattr(origin, "MOST_RECORDED", most)
    result = verify(SourceFile("a.mlir", text.replace("<pk4>", "<pk>")), CHIP)
    found = next(item for item in result.diagnostics if item.code == "LS0701")
    assert bool(found.secondary) == is_searched
