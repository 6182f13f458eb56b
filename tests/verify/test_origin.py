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

WIDENED = "ave.hir.vextsi %x, %m {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>"


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


def test_a_vector_that_is_given_is_where_its_type_says() -> None:
    given = CHAIN.replace("%src: memref<256xi8", "%g: vector<64xi8>, %src: memref<256xi8").replace(
        "vextsi %x", "vextsi %g"
    )
    label = mark(given, "<pp0>", "<pp1>")
    assert label.source.slice(label.span) == "ave.hir.vextsi"


def test_vectors_of_which_nothing_says_how_they_lie_are_passed_over() -> None:
    idle = "  %k = arith.constant 1 : i32\n  %idle = ave.hir.scalar_broadcast %k : i32 -> vector<64xi32>\n"
    text = annotate(solve(SourceFile("a.mlir", CHAIN), CHIP), layouts=True).replace("  %m =", f"{idle}  %m =")
    result = verify(SourceFile("a.mlir", text.replace("<pk4>", "<pk>")), CHIP)
    (found,) = [item for item in result.diagnostics if item.severity == "error"]
    assert found.code == "LS0701"
    assert "element 1 of `%x` is wrong from here on" in found.secondary[0].text


def test_what_the_store_does_not_depend_on_is_not_marked() -> None:
    other = (
        "  %u = ave.hir.vextsi %x, %m {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>\n"
        "  %v = ave.hir.vneg %u, %m : vector<64xi32>, vector<64xi1>\n"
        f"  ave.hir.masked_store <NORM_B32> %dst[%c64], %m, %v : memref<256xi32, {UB}>, vector<64xi1>, vector<64xi32>\n"
    )
    both = CHAIN.replace("  %y =", "  %c64 = arith.constant 64 : index\n" + other + "  %y =")
    text = annotate(solve(SourceFile("a.mlir", both), CHIP), layouts=True).replace("<pp0>", "<pp1>")
    found = [item for item in verify(SourceFile("a.mlir", text), CHIP).diagnostics if item.code == "LS0701"]
    assert [item.secondary[0].text.split("`")[1] for item in found] == ["%y", "%u"]


@pytest.mark.parametrize("place", ["before", "inside"])
def test_what_a_loop_carries_is_followed_to_where_it_comes_from(place: str) -> None:
    program = LOOP.replace("  %n = ave.hir.vadd %a, %a,", f"  %w = {WIDENED}\n    %n = ave.hir.vadd %w, %w,")
    text = annotate(solve(SourceFile("a.mlir", LOOP if place == "before" else program), CHIP), layouts=True)
    at = text.index("<pp0>") if place == "before" else text.rindex("<pp0>")
    result = verify(SourceFile("a.mlir", text[:at] + "<pp1>" + text[at + 5 :]), CHIP)
    (found,) = [item for item in result.diagnostics if item.code == "LS0701"]
    assert f"`{'%y' if place == 'before' else '%w'}` is wrong from here on" in found.secondary[0].text


def test_a_store_in_a_loop_is_followed_to_before_the_loop_and_a_loop_without_turns_gives_what_went_in() -> None:
    store = LOOP.splitlines()[-3].strip()
    inside = LOOP.replace(f"  {store}\n", "").replace("  scf.yield", f"  {store.replace('%r', '%a')}\n    scf.yield")
    for program in (inside, LOOP.replace("%c0 to %c4", "%c4 to %c4").replace("vadd %a, %a", "vneg %k")):
        known = program.replace("  %y =", "  %k = ave.hir.vci %j, <INCREASE> : i32, vector<64xi32>\n  %y =")
        known = known.replace("  %m =", "  %j = arith.constant 3 : i32\n  %m =")
        assert "`%y` is wrong from here on" in mark(known, "<pp0>", "<pp1>").text
    later = inside.replace("vadd %a, %a", "vmax %w, %w").replace("  %n =", f"  %w = {WIDENED}\n    %n =")
    text = annotate(solve(SourceFile("a.mlir", later), CHIP), layouts=True)
    at = text.rindex("<pp0>")
    result = verify(SourceFile("a.mlir", text[:at] + "<pp1>" + text[at + 5 :]), CHIP)
    (found,) = [item for item in result.diagnostics if item.code == "LS0701"]
    assert "`%w` is wrong from here on" in found.secondary[0].text


def summed(op: str, mask: str) -> str:
    """CHAIN with an operation on bytes under a mask before they are widened."""
    first = (
        f"%o = ave.hir.pge <{mask}> : vector<64xi1>\n  %p = ave.hir.{op} %x, %x, %o : vector<64xi8>, vector<64xi1>\n"
    )
    return CHAIN.replace("  %y = ave.hir.vextsi %x, %m", f"  {first}  %y = ave.hir.vextsi %p, %o").replace(
        "%c0], %m", "%c0], %o"
    )


def test_what_is_not_determined_is_not_called_wrong() -> None:
    """Elements that a mask leaves out are nothing that an operation could make wrong."""
    assert "`%y` is wrong from here on" in mark(summed("vadd", "VL32"), "<pp0>", "<pp1>").text


def test_what_is_no_longer_determined_is_wrong_even_if_the_bits_are_the_same() -> None:
    label = mark(summed("vsub", "VL64"), "<pp0>", "<pp1>")
    assert "element 0 of `%y` is wrong from here on: expected 0x0, found nothing determined" in label.text
