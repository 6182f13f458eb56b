"""Views of memory, global and unified, and casts that nobody knows: what programs that use them are compared by."""

from __future__ import annotations

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.mlir.types import ScalarType, parse_type
from layoutsolver.source import SourceFile
from layoutsolver.verify.operation import decode
from layoutsolver.verify.pto.unknown import CAST as CAST_NAME
from layoutsolver.verify.pto.unknown import is_unknown_cast, run_unknown_cast
from layoutsolver.verify.values import Scalar
from tests.verify.pto.texts import codes, compare, notes

ROWS = "memref<8x64xf32, #pto.address_space<vec>>"
PART = "memref<2x64xf32, strided<[64, 1], offset: ?>, #pto.address_space<vec>>"
P = "!pto.ptr<f32, ub>"
VMI = f"""
func.func @k(%rows: {ROWS}, %o: index, %n: index) {{
  %c0 = arith.constant 0 : index
VIEW
  %x = pto.vmi.vload %at[%c0] : {P} -> !pto.vmi.vreg<64xf32>
  %y = pto.vmi.vneg %x : !pto.vmi.vreg<64xf32> -> !pto.vmi.vreg<64xf32>
  pto.vmi.vstore %y, %at[%c0] : !pto.vmi.vreg<64xf32>, {P}
  return
}}
"""
VPTO = f"""
func.func @k(%rows: {ROWS}, %o: index, %n: index) {{
  %first = arith.constant FIRST : index
  %at = "pto.tile_buf_addr"(%rows) : ({ROWS}) -> {P}
  %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
  %x = pto.vlds %at[%first] : {P} -> !pto.vreg<64xf32>
  %y = pto.vneg %x, %m : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
  pto.vsts %y, %at[%first], %m : !pto.vreg<64xf32>, {P}, !pto.mask<b32>
  return
}}
"""
VIEWS = {
    "a row": (f"""
  %part = memref.subview %rows[3, 0] [2, 64] [1, 1] : {ROWS} to {PART}
  %at = "pto.tile_buf_addr"(%part) : ({PART}) -> {P}""", 192),
    "a row of a row": (f"""
  %part = memref.subview %rows[2, 0] [2, 64] [1, 1] : {ROWS} to {PART}
  %inner = memref.subview %part[1, 8] [1, 32] [1, 1] : {PART} to {PART}
  %at = "pto.tile_buf_addr"(%inner) : ({PART}) -> {P}""", 200),
    "elements counted from the beginning": (f"""
  %part = memref.reinterpret_cast %rows to offset: [128], sizes: [2, 64], strides: [64, 1] : {ROWS} to {PART}
  %same = memref.cast %part : {PART} to {PART}
  %at = "pto.tile_buf_addr"(%same) : ({PART}) -> {P}""", 128),
    "a place that is a number": (f"""
  %two = arith.constant 2 : index
  %part = memref.subview %rows[%two, 16] [2, 32] [1, 1] : {ROWS} to {PART}
  %at = "pto.tile_buf_addr"(%part) : ({PART}) -> {P}""", 144),
}  # fmt: skip


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_begins_where_its_offsets_say(name: str) -> None:
    view, first = VIEWS[name]
    found = compare(VMI.replace("VIEW", view), VPTO.replace("FIRST", str(first)))
    assert found.ok, found.diagnostics
    assert found.bytes_compared
    assert set(codes(compare(VMI.replace("VIEW", view), VPTO.replace("FIRST", str(first + 8))))) == {"LS0707"}


DYNAMIC = "memref<?x?xf32, #pto.address_space<vec>>"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (f"  %part = memref.subview %wide[1, 0] [2, 64] [1, 1] : {DYNAMIC} to {PART}", "as long as nobody says"),
        (
            f"  %rest = memref.subview %rows[1, 0] [2, 64] [1, 1] : {ROWS} to {PART}\n"
            "  %part = memref.reinterpret_cast %rest to offset: [64], sizes: [2, 64], strides: [64, 1] : "
            f"{PART} to {PART}",
            "begins somewhere else",
        ),
    ],
)
def test_a_view_that_begins_nobody_knows_where_is_an_error(lines: str, said: str) -> None:
    text = VMI.replace("%o: index", f"%o: index, %wide: {DYNAMIC}")
    view = f'{lines}\n  %at = "pto.tile_buf_addr"(%part) : ({PART}) -> {P}'
    found = compare(text.replace("VIEW", view), text.replace("VIEW", view))
    assert codes(found) == ["LS0703"]
    assert said in found.diagnostics[0].message
    assert found.diagnostics[0].primary is not None


GLOBAL = "memref<4x64xf32, #pto.address_space<gm>>"
KERNEL = f"""
func.func @k(%tensor: {GLOBAL}, %dst: !pto.ptr<f32, gm>) {{
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %bytes = arith.constant 256 : i64
  %ub = pto.castptr %zero : i64 -> {P}
  %row = memref.subview %tensor[ROW, 0] [1, 64] [1, 1] : {GLOBAL} to memref<1x64xf32, strided<[64, 1], offset: ?>, #pto.address_space<gm>>
  %at = "pto.tensor_view_addr"(%row) : (memref<1x64xf32, strided<[64, 1], offset: ?>, #pto.address_space<gm>>) -> !pto.ptr<f32, gm>
  pto.mte_gm_ub %at, %ub, %zero, %bytes nburst(%one, %bytes, %bytes)
    : !pto.ptr<f32, gm>, {P}, i64, i64, i64, i64, i64
  pto.mte_ub_gm %ub, %dst, %bytes nburst(%one, %bytes, %bytes) : {P}, !pto.ptr<f32, gm>, i64, i64, i64, i64
  return
}}
"""  # noqa: E501


def test_a_row_of_global_memory_is_copied_from_where_it_lies() -> None:
    assert compare(KERNEL.replace("ROW", "2"), KERNEL.replace("ROW", "2")).ok
    found = compare(KERNEL.replace("ROW", "2"), KERNEL.replace("ROW", "1"))
    assert codes(found) == ["LS0707"]


CAST = f"""
func.func @k(%p: {P}, %o: index, %n: i32) {{
  %one = arith.constant 1 : i32
  %sum = arith.addi %n, %one : i32
  %s = builtin.unrealized_conversion_cast %n : i32 to f32
  %x = pto.vmi.vload %p[%o] : {P} -> !pto.vmi.vreg<64xf32>
  %m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<64xpred>
  %y = pto.vmi.vadds %x, %s, %m : !pto.vmi.vreg<64xf32>, f32, !pto.vmi.mask<64xpred> -> !pto.vmi.vreg<64xf32>
  pto.vmi.vstore %y, %p[%o] : !pto.vmi.vreg<64xf32>, {P}
  return
}}
"""


def test_a_cast_that_nobody_knows_is_a_function_that_both_share() -> None:
    found = compare(CAST, CAST)
    assert found.ok
    assert [(item.code, item.severity) for item in found.diagnostics] == [("LS0708", "warning")]
    assert found.bytes_compared
    other = compare(CAST, CAST.replace("_cast %n : i32 to f32", "_cast %sum : i32 to f32"))
    assert not other.ok
    assert codes(other) == ["LS0707", "LS0708"]
    assert notes(other)


def test_casts_to_other_types_are_other_functions() -> None:
    other = CAST.replace("_cast %n : i32 to f32", "_cast %n : i32 to i32").replace(
        "  %x =", "  %f = arith.bitcast %s : i32 to f32\n  %x =").replace("vadds %x, %s", "vadds %x, %f")  # fmt: skip
    assert "LS0707" in codes(compare(CAST, other))


def test_a_cast_of_an_address_is_not_run() -> None:
    text = CAST.replace("_cast %n : i32 to f32", f"_cast %p : {P} to f32")
    assert codes(compare(text, text)) == ["LS0703"]


def made_by_cast(types: str, defined: tuple[bool, ...] = ()) -> list[Scalar] | None:
    """What a cast makes of numbers, given which of them are defined."""
    names = [f"%a{at}" for at in range(len(defined))]
    arguments = ", ".join(f"{name}: i32" for name in names)
    line = f"%r:2 = builtin.unrealized_conversion_cast {', '.join(names)} {types}"
    graph, _ = build_graph(read(SourceFile("a.mlir", f"func.func @k({arguments}) {{\n  {line}\n  return\n}}\n")))
    node = next(node for node in graph.ops if node.name == CAST_NAME)
    int32 = parse_type("i32")
    assert isinstance(int32, ScalarType)
    held = {value: Scalar(int32, 7, flag) for value, flag in zip(node.operands, defined, strict=True)}
    found = run_unknown_cast(decode(graph, node), held.__getitem__)
    assert (found is None) == (not is_unknown_cast(graph, node))
    return None if found is None else [value for value in found if isinstance(value, Scalar)]


def test_a_cast_makes_numbers_of_their_own_which_are_defined_if_all_operands_are() -> None:
    found = made_by_cast(": i32, i32 to f32, f32", (True, True))
    assert found is not None
    assert [value.defined for value in found] == [True, True]
    assert found[0].bits != found[1].bits
    partly = made_by_cast(": i32, i32 to f32, f32", (True, False))
    assert partly is not None
    assert [value.defined for value in partly] == [False, False]
    narrow = made_by_cast(": i32 to i8, i8", (True,))
    assert narrow is not None
    assert all(0 <= value.bits < 256 for value in narrow)


def test_a_cast_of_nothing_is_no_function() -> None:
    assert made_by_cast(" : to i32, i32") is None
