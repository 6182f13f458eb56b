"""What is done to the text: what stays, what is dropped, names, options, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from layoutsolver.api import LowerOptions, LowerResult, SolveOptions, lower
from layoutsolver.backends import load_lowering
from layoutsolver.source import SourceFile
from tests.support.compare_intrin import INTRINSIC, items

UB = "#hivm.address_space<ub>"
BYTES, WORDS, MASK = f"memref<64xi8, {UB}>", f"memref<64xi32, {UB}>", "vector<64xi1>"


def function(*lines: str, arguments: str = f"%a: {BYTES}, %b: {WORDS}, %s: i32") -> str:
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func @f({arguments}) attributes {{hivm.vector_function}} {{\n{body}\n  return\n}}\n"


ZERO = "%c0 = arith.constant 0 : index"
ALL = f"%m = ave.hir.pge <ALL> : {MASK}"
STORE = f"ave.hir.masked_store <NORM_B32> %b[%c0], %m, %r : {WORDS}, {MASK}, vector<64xi32>"


def low(text: str, chip: str = "", compat: str = "", **given: Any) -> LowerResult:
    solving = SolveOptions(compat, chip=chip)
    return lower(SourceFile("k.mlir", text), LowerOptions(solving=solving, **given))


def done(text: str, chip: str = "", **given: Any) -> str:
    result = low(text, chip, **given)
    assert result.text is not None, [item.message for item in result.diagnostics]
    return result.text


def errors(text: str, **given: Any) -> list[tuple[str, int]]:
    result = low(text, **given)
    assert result.text is None
    return [
        (item.code, item.primary.source.line_column(item.primary.span.start)[0])
        for item in result.diagnostics
        if item.severity == "error" and item.primary is not None
    ]


def names(text: str) -> list[str]:
    return [item.name.removeprefix(INTRINSIC) for item in items(text)]


def test_everything_else_stays_as_it_is_written() -> None:
    text = "// head\n" + function(
        ZERO, "%two = arith.addi %s, %s : i32 // twice", ALL, "// a splat",
        "%r = ave.hir.scalar_broadcast %two : i32 -> vector<64xi32> // behind", STORE,
    )  # fmt: skip
    found = done(text)
    kept = [line for line in text.splitlines() if "ave.hir" not in line]
    assert [line for line in found.splitlines() if line in kept] == kept
    assert re.search(r'^  %r = "hivm\S+vbr"\(%two\) : \(i32\) -> vector<64xi32> // behind$', found, re.MULTILINE)


def stored_bits(mask: str, *lines: str) -> str:
    """A program that stores an argument, or what is computed of it, as bits at any address."""
    bits = f"memref<1024xi1, {UB}>"
    unaligned = "ave.unaligned_ub_access = #ave.unaligned_ub_access, hivm.is_continuous"
    store = f"ave.hir.masked_store <NORM_B8> %b[%c0], {mask}, {mask} {{{unaligned}}} : {bits}, {MASK}, {MASK}"
    return function(ZERO, *lines, store, arguments=f"%p: {MASK}, %b: {bits}")


def test_the_compiler_does_not_note_the_layouts_of_arguments() -> None:
    assert names(done(stored_bits("%p"), compat="upstream"))[:-1] == ["psts.b8"]
    computed = names(done(stored_bits("%m", ALL), compat="upstream"))
    assert computed[-4:-1] == ["punpack", "punpack", "psts.b8"]


BYTE, E5M2, E4M3 = "vector<64xi8>", "vector<64xf8E5M2>", "vector<64xf8E4M3FN>"
RECAST = {
    "two": ((f"%r = vector.bitcast %y : {E5M2} to {E4M3}",), E4M3, [("i8", "f8E4M3FN")]),
    "three": (
        (f"%z = vector.bitcast %y : {E5M2} to {BYTE}", f"%r = vector.bitcast %z : {BYTE} to {E4M3}"),
        E4M3,
        [("i8", "f8E4M3FN")],
    ),
    "back": ((f"%r = vector.bitcast %y : {E5M2} to {BYTE}",), BYTE, []),
    "both used": (
        (
            f"%r = vector.bitcast %y : {E5M2} to {E4M3}",
            f"ave.hir.masked_store <NORM_B8> %c[%c0], %m, %y : memref<64xf8E5M2, {UB}>, {MASK}, {E5M2}",
        ),
        E4M3,
        [("i8", "f8E5M2"), ("i8", "f8E4M3FN")],
    ),
}
"""Bitcasts of the bytes `%x` by way of `%y`, the type of their result, and what the compiler leaves of them."""


def recast(kind: str) -> str:
    lines, type_, _ = RECAST[kind]
    memory = f"memref<64x{type_[10:-1]}, {UB}>"
    return function(
        ZERO, ALL, f"%x = ave.hir.vload <NORM> %a[%c0] : {BYTES} into {BYTE}",
        f"%y = vector.bitcast %x : {BYTE} to {E5M2}", *lines,
        f"ave.hir.masked_store <NORM_B8> %b[%c0], %m, %r : {memory}, {MASK}, {type_}",
        arguments=f"%a: {BYTES}, %b: {memory}, %c: memref<64xf8E5M2, {UB}>",
    )  # fmt: skip


@pytest.mark.parametrize("kind", RECAST)
def test_a_bitcast_of_a_bitcast_is_one(kind: str) -> None:
    text = done(recast(kind), compat="upstream")
    found = re.findall(r"llvm\.bitcast %\S+ : vector<256x(\w+)> to vector<256x(\w+)>", text)
    assert found == RECAST[kind][2]


def test_comments_inside_an_operation_stay() -> None:
    split = "%r = ave.hir.scalar_broadcast // what\n    %s : i32 -> vector<64xi32>"
    assert "// what\n" in done(function(ZERO, ALL, split, STORE))


def test_an_index_whose_operation_prints_no_type_is_an_index() -> None:
    least = "%n = affine.min affine_map<(d0) -> (64, d0)>(%c0)"
    mask = f"%p, %left = ave.hir.plt %n : {MASK}, index"
    used = "%r = ave.hir.scalar_broadcast %s : i32 -> vector<64xi32>"
    found = done(function(ZERO, least, mask, used, STORE.replace("%m", "%p")))
    assert "unrealized_conversion_cast %n : index to i64" in found


def test_unused_operations_are_dropped_with_their_lines() -> None:
    lone = f"%x = ave.hir.vload <NORM> %a[%c0] : {BYTES} into vector<64xi8>"
    user = "%y = builtin.unrealized_conversion_cast %x : vector<64xi8> to vector<64xi8>"
    used = "%r = ave.hir.scalar_broadcast %s : i32 -> vector<64xi32>"
    assert done(function(ZERO, ALL, lone, user, used, STORE)) == done(function(ZERO, ALL, used, STORE))


def test_a_loop_around_nothing_is_dropped_whole() -> None:
    one = "%c1 = arith.constant 1 : index"
    loop = f"scf.for %i = %c0 to %c0 step %c1 {{\n    %x = ave.hir.pge <ALL> : {MASK}\n  }}"
    used = "%r = ave.hir.scalar_broadcast %s : i32 -> vector<64xi32>"
    assert done(function(ZERO, one, ALL, loop, used, STORE)) == done(function(ZERO, one, ALL, used, STORE))


def test_results_under_one_name_get_names_of_their_own() -> None:
    both = f"%r:2 = ave.hir.mull %v, %v, %m : vector<64xi32>, {MASK}"
    splat = "%v = ave.hir.scalar_broadcast %s : i32 -> vector<64xi32>"
    store = STORE.replace("%r", "%r#1")
    call = "func.call @g(%r#0) : (vector<64xi32>) -> ()"
    found = done("func.func private @g(vector<64xi32>)\n" + function(ZERO, ALL, splat, both, store, call))
    assert "%r" not in found.replace("%res", "")
    assert names(found)[-4:] == ["vmull.v64s32", "vstsx1.v64s32", "func.call", "func.return"]
    [passed] = items(found)[-2].operands
    assert isinstance(passed, tuple)
    assert (passed[0], passed[2:]) == ("llvm.extractvalue", ((("item", 2, 0),), 0))


def test_new_names_avoid_those_of_the_text() -> None:
    text = function(ZERO, ALL, "%t0 = ave.hir.scalar_broadcast %s : i32 -> vector<64xi32>", STORE.replace("%r", "%t0"))
    defined = re.findall(r"^\s*(%[\w$.-]+) =", done(text), re.MULTILINE)
    assert len(defined) == len(set(defined))


def test_layouts_are_taken_out_of_the_types_that_stay() -> None:
    typed = "vector<64xi32, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>"
    splat = f"%v = ave.hir.scalar_broadcast %s : i32 -> {typed}"
    cast = f"%r = builtin.unrealized_conversion_cast %v : {typed} to {typed}"
    found = done(function(ZERO, ALL, splat, cast, STORE.replace("vector<64xi32>", typed)), solved=True)
    assert "vector_layout" not in found
    assert "unrealized_conversion_cast %v : vector<64xi32> to vector<64xi32>" in found


def test_layouts_from_the_file_repack_unaligned_predicates() -> None:
    typed = "vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>"
    bits = f"memref<64xi1, {UB}>"
    extra = "{ave.unaligned_ub_access = #ave.unaligned_ub_access, functionType = #ave.func_dist_type<pb8>}"
    load = f"%p = ave.hir.vload <NORM> %i[%c0] {extra} : {bits} into {typed}"
    store = f"ave.hir.masked_store <NORM_B8> %i[%c0], %p, %p {extra} : {bits}, {typed}, {typed}"
    text = function(ZERO, load, store, arguments=f"%i: {bits}")
    assert errors(text, solved=True, chip="ascend950", compat="upstream") == [("LS0602", 3), ("LS0602", 4)]
    wanted = [
        "vldas", "vldus.post.s16", "movvp", "ppack.z", "punpack", "punpack", "init.vector.align.data", "pstu.b32",
        "vstas", "func.return",
    ]  # fmt: skip
    assert names(done(text, "ascend950", compat="upstream", layouts_from_file=True)) == wanted
    assert names(done(text, "ascend950", solved=True)) == names(done(text, layouts_from_file=True)) == wanted


CHAIN = function(
    ZERO, ALL, f"%x = ave.hir.vload <NORM> %a[%c0] : {BYTES} into vector<64xi8>",
    f"%r = ave.hir.vextsi %x, %m {{pp = #ave.vcvt_pp_type<pp0>}} : vector<64xi8>, vector<64xi32>, {MASK}", STORE,
)  # fmt: skip


DENSE = ["pge.b32", "vldsx1.v256s8", "vintlv", "vintlv", "vcvtii.s82s32.x", "vstsx1.v64s32"]
SPREAD = ["pge.b32", "vldsx1.v256s8", "vcvtii.s82s32.x", "vstsx1.v64s32"]


@pytest.mark.parametrize(
    ("compat", "dialect", "chip", "wanted"),
    [
        ("upstream", "1.2.0", "", DENSE),
        ("upstream", "1.2.0", "ascend950", DENSE),
        ("upstream", "master", "", DENSE),
        ("upstream", "master", "ascend950", SPREAD),
        ("", "1.2.0", "", DENSE),
        ("", "1.2.0", "ascend950", SPREAD),
        ("", "master", "ascend950", SPREAD),
    ],
)
def test_a_widening_by_dialect_and_chip(compat: str, dialect: str, chip: str, wanted: list[str]) -> None:
    found = done(CHAIN, chip, compat=compat, dialect=dialect)
    assert names(found) == [*wanted, "func.return"]
    dist = {item.operands[2] for item in items(found) if item.name.endswith("vldsx1.v256s8")}
    assert dist == {("constant", "20" if wanted is SPREAD else "0")}


def test_the_release_says_that_it_loads_densely() -> None:
    assert [item.code for item in low(CHAIN, compat="upstream").diagnostics] == ["LS0606"]
    assert low(CHAIN, compat="upstream", dialect="master").diagnostics == []
    assert low(CHAIN).diagnostics == []


@pytest.mark.parametrize("mode", ["solved", "layouts_from_file"])
def test_nothing_is_solved_where_the_file_decides(mode: str) -> None:
    result = low(CHAIN, compat="upstream", solved=mode == "solved", layouts_from_file=mode != "solved")
    assert result.ok
    assert result.solving.solution is None


def test_what_a_file_states_is_kept_and_what_it_leaves_open_is_solved() -> None:
    spread = CHAIN.replace("%a[%c0] :", "%a[%c0] {functionType = #ave.func_dist_type<pk4>} :")
    assert done(spread, "ascend950", solved=True) == done(CHAIN, "ascend950", solved=True)
    copy = function(
        ZERO, "%m = ave.hir.pge <ALL> {functionType = #ave.func_dist_type<pb16>} : vector<64xi1>",
        f"%x = ave.hir.vload <NORM> %a[%c0] : {BYTES} into vector<64xi8>",
        f"ave.hir.masked_store <NORM_B8> %a[%c0], %m, %x : {BYTES}, {MASK}, vector<64xi8>",
    )  # fmt: skip
    dist = {item.operands[2] for item in items(done(copy, "ascend950", solved=True)) if "vldsx1" in item.name}
    assert dist == {("constant", "13")}
    assert {item.operands[2] for item in items(done(copy, "ascend950")) if "vldsx1" in item.name} == {("constant", "0")}


def test_the_generic_form_is_lowered_alike() -> None:
    generic = function(
        ZERO, f'%m = "ave.hir.pge"() <{{pattern = #ave.pge_pattern<VL8>}}> : () -> {MASK}',
        "%r = ave.hir.scalar_broadcast %s : i32 -> vector<64xi32>", STORE,
    )  # fmt: skip
    custom = generic.replace(
        f'"ave.hir.pge"() <{{pattern = #ave.pge_pattern<VL8>}}> : () -> {MASK}', f"ave.hir.pge <VL8> : {MASK}"
    )
    assert done(generic) == done(custom)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (f"%r = ave.hir.vdivfhp %v, %v, %m : vector<64xi32>, {MASK}", "LS0602"),
        (f"%r = ave.hir.vexp %v, %m : vector<64xi32>, {MASK}", "LS0602"),
    ],
)
def test_what_has_no_intrinsic_is_said_where_it_stands(line: str, code: str) -> None:
    splat = "%v = ave.hir.scalar_broadcast %s : i32 -> vector<64xi32>"
    assert errors(function(ZERO, ALL, splat, line, STORE), solved=True) == [(code, 5)]


def test_a_sum_of_bf16_says_which_sums_there_are_and_how_it_can_be_made() -> None:
    half = "vector<64xbf16>"
    line = f"%r = ave.hir.reduction <add>, %v, %m : {half}, {MASK} -> {half}"
    splat = f"%v = ave.hir.scalar_broadcast %s : bf16 -> {half}"
    memory = f"memref<64xbf16, {UB}>"
    store = f"ave.hir.masked_store <ONEPT_B16> %b[%c0], %m, %r : {memory}, {MASK}, {half}"
    text = function(ZERO, ALL, splat, line, store, arguments=f"%b: {memory}, %s: bf16")
    (found,) = lower(SourceFile("a.mlir", text), LowerOptions()).diagnostics
    assert (found.code, found.message) == ("LS0602", "no intrinsics do `ave.hir.reduction` on elements of type `bf16`")
    assert found.notes == (
        "`vcadd` adds lanes of integers, f16 and f32; a sum of bf16 made in f32 would be rounded twice",
        "where that is meant, `ave.hir.vextf` before and `ave.hir.vtruncf` behind say it",
    )
    assert low(text.replace("bf16", "f16")).diagnostics == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (f"%r = ave.hir.vrsqrt %v, %m : vector<64xi32>, {MASK}", "LS0601"),
        (f"%r = ave.hir.vmod %v, %v, %m : vector<64xi32>, {MASK}", "LS0601"),
        (f"%r = ave.hir.vunknown %v, %m : vector<64xi32>, {MASK} -> vector<64xi32>", "LS0208"),
        (f"%r = ave.hir.reduction <xori>, %v, %m : vector<64xi32>, {MASK} -> vector<64xi32>", "LS0602"),
        (f"%r = ave.hir.reduction <odd>, %v, %m : vector<64xi32>, {MASK} -> vector<64xi32>", "LS0206"),
        (f"%r = ave.hir.vtrc %v, <down>, %m : vector<64xi32>, {MASK}, vector<64xi32>", "LS0206"),
    ],
)
def test_what_the_compiler_has_no_intrinsic_for_is_said_where_it_stands(line: str, code: str) -> None:
    splat = "%v = ave.hir.scalar_broadcast %s : i32 -> vector<64xi32>"
    text = function(ZERO, ALL, splat, line, STORE)
    assert errors(text, compat="upstream", solved=True) == [(code, 5)]


def test_other_memory_and_other_layouts_are_refused() -> None:
    splat = "%r = ave.hir.scalar_broadcast %s : i32 -> vector<64xi32>"

    def stored(type_: str) -> str:
        return function(ZERO, ALL, splat, STORE.replace(WORDS, type_), arguments=f"%b: {type_}, %s: i32")

    for type_ in ("memref<64xi32>", f"memref<64xi32, affine_map<(d0) -> (d0 mod 8)>, {UB}>"):
        assert errors(stored(type_)) == [("LS0604", 5)]
    far = stored("memref<64xi32, #hivm.address_space<gm>>")
    assert errors(far) == [("LS0310", 5)]
    assert errors(far, compat="upstream") == [("LS0604", 5)]


def test_a_program_without_layouts_is_not_lowered() -> None:
    clash = f"%r = ave.hir.vadd %v, %v, %p : vector<64xi32>, {MASK}"
    splat = "%v = ave.hir.scalar_broadcast %s : i32 -> vector<64xi32>"
    half = "%h = ave.hir.scalar_broadcast %x : i16 -> vector<64xi16>"
    compare = f"%p = ave.hir.vcmps <GT> %h, %x, %m : vector<64xi16>, i16, {MASK} -> {MASK}"
    text = function(ZERO, ALL, splat, half, compare, clash, STORE, arguments=f"%b: {WORDS}, %s: i32, %x: i16")
    result = low(text)
    assert result.text is None
    assert "LS0101" in {item.code for item in result.diagnostics}
    assert errors(text, solved=True) == [("LS0609", 1)]
    assert low(text, compat="upstream", solved=True).ok is False


def test_unknown_forms_and_dialects_are_errors_of_the_caller() -> None:
    with pytest.raises(KeyError):
        low(CHAIN, to="riscv")
    with pytest.raises(KeyError):
        low(CHAIN, dialect="2.0")
    assert load_lowering("ave-intrin").name == "ave-intrin"
