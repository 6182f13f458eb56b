"""Vectors that functions take and give, and registers that the text names: in the layouts that are stated or chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.api import LowerOptions, LowerResult, lower
from layoutsolver.pose.vmi.borders import Border
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.run import verify_files
from layoutsolver.verify.result import Verification

C = "#pto.vmi.layout<contiguous>"
D2 = "#pto.vmi.layout<deinterleaved = 2>"
STATED = f"""func.func @f(%v: !pto.vmi.vreg<128xf32, {D2}>, %m: !pto.vmi.mask<128xb32, {D2}>)
    -> !pto.vmi.vreg<128xf32, {D2}> {{
  %r = pto.vmi.select %m, %v, %w : !pto.vmi.mask<128xb32, {D2}>, !pto.vmi.vreg<128xf32, {D2}>,
      !pto.vmi.vreg<128xf32, {D2}> -> !pto.vmi.vreg<128xf32, {D2}>
  return %r : !pto.vmi.vreg<128xf32, {D2}>
}}
""".replace(
    "  %r =", f"  %w = pto.vmi.negf %v : !pto.vmi.vreg<128xf32, {D2}> -> !pto.vmi.vreg<128xf32, {D2}>\n  %r =", 1
)

NARROW_MASK = """func.func @f(%m: !pto.vmi.mask<256xpred>, %p: !pto.ptr<i8, ub>, %o: index) {
  %v = pto.vmi.load %p[%o] : !pto.ptr<i8, ub> -> !pto.vmi.vreg<256xi8>
  pto.vmi.masked_store %v, %p[%o], %m : !pto.vmi.vreg<256xi8>, !pto.ptr<i8, ub>, !pto.vmi.mask<256xpred>
  return
}
"""

UNPACKED = f"""func.func @f(%a: !pto.vreg<64xf32>, %b: !pto.vreg<64xf32>)
    -> (!pto.vreg<64xf32>, !pto.vreg<64xf32>) {{
  %v = "pto.vmi.pack"(%a, %b) : (!pto.vreg<64xf32>, !pto.vreg<64xf32>) -> !pto.vmi.vreg<128xf32, {D2}>
  %w = "pto.vmi.ensure_layout"(%v) : (!pto.vmi.vreg<128xf32, {D2}>) -> !pto.vmi.vreg<128xf32, {C}>
  %x, %y = "pto.vmi.unpack"(%w) : (!pto.vmi.vreg<128xf32, {C}>) -> (!pto.vreg<64xf32>, !pto.vreg<64xf32>)
  return %x, %y : !pto.vreg<64xf32>, !pto.vreg<64xf32>
}}
"""

UNPACKED_IN_A_LOOP = """func.func @f(%p: !pto.ptr<f32, ub>, %n: index) -> !pto.vreg<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = pto.vmi.vload %p[%c0] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>
  %x = "pto.vmi.unpack"(%v) : (!pto.vmi.vreg<64xf32>) -> !pto.vreg<64xf32>
  %all = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (!pto.vreg<64xf32>) {
    %t = pto.vmax %s, %x, %all : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
    scf.yield %t : !pto.vreg<64xf32>
  }
  return %r : !pto.vreg<64xf32>
}
"""

MASKS = """func.func @f(%a: !pto.mask<b16>) -> !pto.mask<b16> {
  %m = "pto.vmi.pack"(%a) : (!pto.mask<b16>) -> !pto.vmi.mask<128xb16>
  %n = pto.vmi.mask_not %m : !pto.vmi.mask<128xb16> -> !pto.vmi.mask<128xb16>
  %b = "pto.vmi.unpack"(%n) : (!pto.vmi.mask<128xb16>) -> !pto.mask<b16>
  return %b : !pto.mask<b16>
}
"""

HALF_OF_THE_BINS = """func.func @f(%acc: !pto.vmi.vreg<128xui16>, %s: !pto.vmi.vreg<256xui8>, %m: !pto.vmi.mask<256xb8>)
    -> !pto.vmi.vreg<128xui16> {
  %h = pto.vmi.vdhist %acc, %s, %m : !pto.vmi.vreg<128xui16>, !pto.vmi.vreg<256xui8>, !pto.vmi.mask<256xb8>
      -> !pto.vmi.vreg<128xui16>
  return %h : !pto.vmi.vreg<128xui16>
}
"""

SIGN_OF_BF16 = """func.func @f(%v: !pto.vmi.vreg<128xbf16>) -> !pto.vmi.vreg<128xbf16> {
  %r = pto.vmi.vabs %v : !pto.vmi.vreg<128xbf16> -> !pto.vmi.vreg<128xbf16>
  return %r : !pto.vmi.vreg<128xbf16>
}
"""

IN_A_MEMREF = """func.func @f(%p: memref<64xf32, #pto.address_space<vec>>, %o: index) {
  %v = pto.vmi.load %p[%o] : memref<64xf32, #pto.address_space<vec>> -> !pto.vmi.vreg<64xf32>
  %w = pto.vmi.addf %v, %v : !pto.vmi.vreg<64xf32>, !pto.vmi.vreg<64xf32> -> !pto.vmi.vreg<64xf32>
  pto.vmi.store %w, %p[%o] : !pto.vmi.vreg<64xf32>, memref<64xf32, #pto.address_space<vec>>
  return
}
"""

FAR_AND_BEFORE = """func.func @f(%p: !pto.ptr<f32, ub>) {
  %before = arith.constant -8 : index
  %far = arith.constant 32768 : index
  %v = pto.vmi.vload %p[%before] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>
  pto.vmi.vstore %v, %p[%far] : !pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>
  return
}
"""

NO_OPERATION = """func.func @f(%v: !pto.vmi.vreg<128xf32>) -> !pto.vmi.vreg<128xf32> {
  return %v : !pto.vmi.vreg<128xf32>
}
"""

PROGRAMS = {
    "stated": STATED, "narrow mask": NARROW_MASK, "unpacked": UNPACKED, "in a loop": UNPACKED_IN_A_LOOP,
    "masks": MASKS, "half of the bins": HALF_OF_THE_BINS, "sign of bf16": SIGN_OF_BF16, "memref": IN_A_MEMREF,
    "far and before": FAR_AND_BEFORE, "no operation": NO_OPERATION,
}  # fmt: skip


def lowered(text: str) -> LowerResult:
    return lower(SourceFile("f.pto", text), LowerOptions("vpto"))


def compared(text: str, result: LowerResult, borders: dict[str, Border] | None = None) -> Verification:
    assert result.text is not None, [item.message for item in result.diagnostics]
    other = SourceFile("f.vpto", result.text)
    said, found = verify_files(SourceFile("f.pto", text), other, 4, 1, borders or result.borders)
    assert said == []
    assert found is not None
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_written_takes_and_gives_what_the_program_does(name: str) -> None:
    result = lowered(PROGRAMS[name])
    assert result.text is not None, [item.message for item in result.diagnostics]
    assert "pto.vmi" not in result.text
    found = compared(PROGRAMS[name], result)
    assert found.ok, [item.message for item in found.diagnostics]
    assert found.bytes_compared + found.vectors_compared > 0


def test_another_layout_at_the_border_is_another_function() -> None:
    result = lowered(STATED)
    assert result.borders is not None
    assert result.borders["@f"] == Border({0: "d2", 1: "b32 d2"}, {0: "d2"})
    wrong = {"@f": Border({0: "c", 1: "b32 c"}, {0: "d2"})}
    assert not compared(STATED, result, wrong).ok


def test_registers_that_are_unpacked_are_those_of_the_layout() -> None:
    result = lowered(UNPACKED)
    assert result.text is not None
    assert result.text.count("pto.vintlv") == 1
    other = SourceFile("f.vpto", result.text.replace("pto.vintlv", "pto.vdintlv"))
    _, found = verify_files(SourceFile("f.pto", UNPACKED), other, 2, 1)
    assert found is not None
    assert not found.ok


def test_half_of_the_bins_take_one_instruction() -> None:
    result = lowered(HALF_OF_THE_BINS)
    assert result.text is not None
    assert result.text.count("pto.dhistv2") == 1


def test_several_registers_that_a_function_gives_are_in_parentheses_and_one_is_not() -> None:
    two = lower(SourceFile("two.pto", STATED), LowerOptions(to="vpto"))
    assert "\n    -> (!pto.vreg<64xf32>, !pto.vreg<64xf32>) {" in str(two.text)
    one = lower(SourceFile("one.pto", SIGN_OF_BF16), LowerOptions(to="vpto"))
    assert "(%v_0: !pto.vreg<128xbf16>) -> !pto.vreg<128xbf16> {" in str(one.text)


CASES = Path(__file__).parents[2] / "pose" / "vmi" / "cases"


@pytest.mark.parametrize("name", ["for_carries_a_sum.pto", "if_joins_two_widths.pto"])
def test_lines_behind_control_flow_stand_in_its_column_and_no_line_is_empty(name: str) -> None:
    found = lower(SourceFile(name, (CASES / name).read_text(encoding="utf-8")), LowerOptions(to="vpto"))
    lines = str(found.text).rstrip("\n").split("\n")
    assert "" not in lines
    closing = [number for number, line in enumerate(lines) if line.strip() == "}" and line != "}"]
    assert closing
    for number in closing:
        assert len(lines[number + 1]) - len(lines[number + 1].lstrip()) <= len(lines[number]) - 1
