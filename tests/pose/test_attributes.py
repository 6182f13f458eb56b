"""Attributes that an operation does not have, or values that do not exist, are said by every verb, where they stand."""

from __future__ import annotations

import pytest

from layoutsolver.api import LowerOptions, SolveOptions, lower, solve
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


@pytest.mark.parametrize(
    ("space", "name"),
    [
        ("#hivm.address_space<gm>", "gm"), ("#hivm.address_space<cbuf>", "cbuf"), ("#hivm.address_space<cc>", "cc"),
        ("1", "gm"), ("11 : i64", "ssbuf"), ("7", "7"), ("strided<[1], offset: 6>, #hivm.address_space<gm>", "gm"),
    ],
)  # fmt: skip
def test_memory_that_vector_operations_do_not_reach_is_named(space: str, name: str) -> None:
    source = SourceFile("k.mlir", program().text.replace(f"memref<64xi8, {UB}>", f"memref<64xi8, {space}>"))
    expected = f"`ave.hir.vload`: `%a` lies in `{name}`, and vector operations reach `ub` alone"
    for found in (solve(source).diagnostics, verify(source).diagnostics, lower(source).diagnostics):
        (item,) = found
        assert (item.code, item.severity, item.message) == ("LS0310", "error", expected)
        assert item.primary is not None
        assert source.line_column(item.primary.span.start)[0] == 4
    stated = SourceFile("k.mlir", source.text.replace("{pp =", "{functionType = #ave.func_dist_type<even>, pp ="))
    assert [item.code for item in verify(stated).diagnostics] == ["LS0310"]
    assert not any(item.severity == "error" for item in verify(stated, SolveOptions("upstream")).diagnostics[:1])
    (warned,) = [item for item in solve(source, SolveOptions("upstream")).diagnostics if item.code == "LS0310"]
    assert (warned.severity, warned.message) == ("warning", expected)
    assert solve(source, SolveOptions("upstream")).ok


@pytest.mark.parametrize(
    "rest",
    ["", f", {UB}", ", 6", ", 6 : i32", ", 0", ", #hivm.address_space<zero>", f", strided<[1], offset: 1>, {UB}"],
)
def test_memory_that_vector_operations_reach_or_that_is_not_said_is_taken(rest: str) -> None:
    source = SourceFile("k.mlir", program().text.replace(f"memref<64xi8, {UB}>", f"memref<64xi8{rest}>"))
    assert solve(source).diagnostics == []


def test_operations_on_memory_out_of_reach_are_checked_otherwise_as_well() -> None:
    text = program(widen="").text.replace(f"memref<64xi8, {UB}>", "memref<64xi8, #hivm.address_space<gm>>")
    text = text.replace("vload <NORM> %a[%c0]", "vload <NORM> %a[%c0, %c0]")
    for compat in ("", "upstream"):
        codes = [item.code for item in solve(SourceFile("k.mlir", text), SolveOptions(compat)).diagnostics]
        assert sorted(codes)[-2:] == ["LS0209", "LS0310"]
        assert "LS0205" in codes


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
