"""Attributes that an operation does not have, or values that do not exist, are said by every verb, where they stand."""

from __future__ import annotations

import pytest

from layoutsolver.api import LowerOptions, lower, solve
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.ops.ave import AVE_OPS
from layoutsolver.ops.ave_attributes import FUNCTION_TYPES, OWN_ATTRIBUTES
from layoutsolver.source import SourceFile
from layoutsolver.verify.run import verify

UB = "#hivm.address_space<ub>"
MASK = "vector<64xi1>"


def program(*, load: str = "", widen: str = "pp = #ave.vcvt_pp_type<pp0>") -> SourceFile:
    """A load and a widening conversion with these attributes."""
    extra = f" {{{load}}}" if load else ""
    return SourceFile(
        "k.mlir",
        f"""\
func.func @f(%a: memref<64xi8, {UB}>, %b: memref<64xi32, {UB}>) {{
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : {MASK}
  %x = ave.hir.vload <NORM> %a[%c0]{extra} : memref<64xi8, {UB}> into vector<64xi8>
  %y = ave.hir.vextsi %x, %m {{{widen}}} : vector<64xi8>, vector<64xi32>, {MASK}
  ave.hir.masked_store <NORM_B32> %b[%c0], %m, %y : memref<64xi32, {UB}>, {MASK}, vector<64xi32>
  return
}}
""",
    )


def said(source: SourceFile) -> list[list[tuple[str, str, int, tuple[str, ...]]]]:
    """What each verb says of attributes."""
    found: list[list[Diagnostic]] = [
        solve(source).diagnostics, verify(source).diagnostics, lower(source).diagnostics,
        lower(source, LowerOptions(solved=True)).diagnostics,
    ]  # fmt: skip
    return [
        [
            (item.severity, item.code, source.line_column(item.primary.span.start)[0], item.notes)
            for item in items
            if item.code in ("LS0206", "LS0207") and item.primary is not None
        ]
        for items in found
    ]


@pytest.mark.parametrize(
    ("given", "code", "line", "note"),
    [
        ({"load": "functionType = #ave.func_dist_type<pk5>"}, "LS0206", 4, "is `pk` meant?"),
        ({"load": "functionTyp = #ave.func_dist_type<pk4>"}, "LS0207", 4, "is `functionType` meant?"),
        ({"widen": "pp = #ave.vcvt_pp_type<p0>"}, "LS0206", 5, "is `pp0` meant?"),
        ({"widen": "part = #ave.vcvt_part_type<even>"}, "LS0206", 5, "is `part_even` meant?"),
        ({"widen": "p = #ave.vcvt_pp_type<pp0>"}, "LS0207", 5, "is `pp` meant?"),
        ({"widen": "pp = #ave.vcvt_pp_type<pp0>, layout_change = #ave<layout_change THICK>"}, "LS0206", 5,
         "there are UNCHANGED, SPARSE, DENSE"),
    ],
)  # fmt: skip
def test_every_verb_says_the_same(given: dict[str, str], code: str, line: int, note: str) -> None:
    answers = said(program(**given))
    assert answers == [[("error", code, line, (note,))]] * 4


def test_the_place_is_the_word_that_is_wrong() -> None:
    for given, word in (({"load": "functionTyp = #ave.func_dist_type<pk4>"}, "functionTyp"),
                        ({"widen": "pp = #ave.vcvt_pp_type<p0>"}, "p0")):  # fmt: skip
        source = program(**given)
        (found,) = [item for item in solve(source).diagnostics if item.code in ("LS0206", "LS0207")]
        assert found.primary is not None
        assert source.text[found.primary.span.start : found.primary.span.end] == word


def test_an_address_space_that_does_not_exist_is_named() -> None:
    source = SourceFile("k.mlir", program().text.replace("address_space<ub>", "address_space<ubb>"))
    found = [item for item in solve(source).diagnostics if "`ubb`" in item.message]
    assert found
    assert {item.code for item in found} == {"LS0206"}
    assert all(item.message.endswith("which does not exist: is `ub` meant?") for item in found)


def test_what_is_meant_for_others_is_kept() -> None:
    assert said(program(load="mine.note = 3 : i32")) == [[]] * 4
    noted = said(program(load='reason = "a"'))
    assert noted == [[("warning", "LS0207", 4, ("it is kept, and not looked at",))]] * 4
    assert solve(program(load='reason = "a"')).ok


def test_all_that_is_known_is_accepted() -> None:
    for name in FUNCTION_TYPES:
        assert said(program(load=f"functionType = #ave.func_dist_type<{name}>"))[0] == []
    assert set(OWN_ATTRIBUTES) <= {spec.name.removeprefix("ave.hir.") for spec in AVE_OPS}


def test_a_loop_needs_three_bounds() -> None:
    text = program().text.replace("  %y =", "  scf.for %i = %c0 to %c0 {\n  }\n  %y =")
    found = [item for item in solve(SourceFile("k.mlir", text)).diagnostics if item.severity == "error"]
    assert [(item.code, item.message) for item in found] == [
        ("LS0205", "`scf.for` has 2 of its 3 bounds: a lower bound, an upper bound and a step")
    ]
