"""What the released compiler's passes behind its assignment say of layouts that a text states."""

from __future__ import annotations

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.upstream.stated import StatedVerdicts, stated_verdicts
from layoutsolver.source import SourceFile

C, D2, D4, BD2, LS2 = (
    "contiguous", "deinterleaved = 2", "deinterleaved = 4", "block_deinterleaved = 2", "contiguous, lane_stride = 2",
)  # fmt: skip
P = "!pto.ptr<f32, ub>"


def v(shape: str, layout: str = C) -> str:
    return f"!pto.vmi.vreg<{shape}, #pto.vmi.layout<{layout}>>"


def m(lanes: int, bits: int = 32, layout: str = C) -> str:
    return f"!pto.vmi.mask<{lanes}xb{bits}, #pto.vmi.layout<{layout}>>"


def verdicts(arguments: str, *lines: str) -> StatedVerdicts:
    body = "\n".join(f"  {line}" for line in lines)
    text = f"func.func @f({arguments}, %p: {P}, %o: index) {{\n{body}\n  return\n}}\n"
    graph, diagnostics = build_graph(read(SourceFile("t.pto", text)))
    assert diagnostics == []
    return stated_verdicts(graph)


CASES = {
    "a listed conversion": (
        f"%a: {v('128xf32', D2)}", f"%x = pto.vmi.ensure_layout %a : {v('128xf32', D2)} -> {v('128xf32')}", "", ""),
    "a conversion of ours": (
        f"%a: {v('128xf32', D4)}", f"%x = pto.vmi.ensure_layout %a : {v('128xf32', D4)} -> {v('128xf32')}",
        "VMI-LAYOUT-CONTRACT", "VMI-UNSUPPORTED"),
    "a listed conversion of a mask without instructions": (
        f"%a: {m(128, layout=BD2)}", f"%x = pto.vmi.ensure_mask_layout %a : {m(128, layout=BD2)} -> {m(128)}",
        "", "VMI-RESIDUAL-OP"),
    "whole registers gathered": (
        f"%i: {v('64xi32')}, %m: {m(64)}",
        f"%x = pto.vmi.vgather %p, %i, %m : {P}, {v('64xi32')}, {m(64)} -> {v('64xf32')}", "", ""),
    "part of a register gathered": (
        f"%i: {v('32xi32')}, %m: {m(32)}",
        f"%x = pto.vmi.vgather %p, %i, %m : {P}, {v('32xi32')}, {m(32)} -> {v('32xf32')}", "", "VMI-UNSUPPORTED"),
    "half words gathered by signless indices": (
        f"%h: !pto.ptr<f16, ub>, %i: {v('128xi16')}, %m: {m(128, 16)}",
        f"%x = pto.vmi.vgather %h, %i, %m : !pto.ptr<f16, ub>, {v('128xi16')}, {m(128, 16)} -> {v('128xf16')}",
        "", "VMI-UNSUPPORTED"),
    "half words gathered by unsigned indices": (
        f"%h: !pto.ptr<f16, ub>, %i: {v('128xui16')}, %m: {m(128, 16)}",
        f"%x = pto.vmi.vgather %h, %i, %m : !pto.ptr<f16, ub>, {v('128xui16')}, {m(128, 16)} -> {v('128xf16')}",
        "", ""),
    "part of a register scattered": (
        f"%a: {v('32xf32')}, %i: {v('32xi32')}, %m: {m(32)}",
        f"pto.vmi.vscatter %a, %p, %i, %m : {v('32xf32')}, {P}, {v('32xi32')}, {m(32)}", "", "VMI-UNSUPPORTED"),
    "even parts stored": (
        f"%a: {v('130xf32', D2)}", f"pto.vmi.vstore %a, %p[%o] : {v('130xf32', D2)}, {P}", "", ""),
    "uneven parts stored": (
        f"%a: {v('129xf32', D2)}", f"pto.vmi.vstore %a, %p[%o] : {v('129xf32', D2)}, {P}", "", "VMI-UNSUPPORTED"),
    "uneven parts stored under a mask": (
        f"%a: {v('129xf32', D2)}, %m: {m(129, layout=D2)}",
        f"pto.vmi.vstore %a, %p[%o], %m : {v('129xf32', D2)}, {P}, {m(129, layout=D2)}", "", "VMI-UNSUPPORTED"),
    "products by turns": (
        f"%a: {v('128xi32', D2)}, %m: {m(128, layout=D2)}",
        f"%x, %y = pto.vmi.vmull %a, %a, %m : {v('128xi32', D2)}, {v('128xi32', D2)}, {m(128, layout=D2)} -> "
        f"{v('128xi32', D2)}, {v('128xi32', D2)}", "", ""),
    "products in blocks": (
        f"%a: {v('128xi32', BD2)}, %m: {m(128, layout=BD2)}",
        f"%x, %y = pto.vmi.vmull %a, %a, %m : {v('128xi32', BD2)}, {v('128xi32', BD2)}, {m(128, layout=BD2)} -> "
        f"{v('128xi32', BD2)}, {v('128xi32', BD2)}", "", "VMI-UNSUPPORTED"),
    "slots of other groups": (
        f"%a: {v('8xf32', 'num_groups = 8, slots = 8')}",
        f"pto.vmi.group_store %a, %p[%o], %o {{num_groups = 4}} : {v('8xf32', 'num_groups = 8, slots = 8')}, {P}",
        "VMI-LAYOUT-CONTRACT", "VMI-UNSUPPORTED"),
    "a surface type": ("%a: !pto.vmi.vreg<64xf32>", "", "VMI-PASS-INVARIANT", "VMI-PASS-INVARIANT"),
    "an open mask": ("%a: !pto.vmi.mask<64xpred>", "", "VMI-PASS-INVARIANT", "VMI-PASS-INVARIANT"),
    "a granularity without a layout": ("%a: !pto.vmi.mask<64xb32>", "", "VMI-PASS-INVARIANT", "VMI-PASS-INVARIANT"),
    "a type in an attribute": (
        f"%a: {v('64xf32')}", f"%one = arith.constant {{of = {v('64xf32')}}} 1 : index",
        "VMI-PASS-INVARIANT", "VMI-RESIDUAL-OP"),
    "what the verifier refuses": (
        f"%a: {v('64xi32')}", f"%x = pto.vmi.vsqrt %a : {v('64xi32')} -> {v('64xi32')}", "VERIFIER", "VERIFIER"),
    "a cast without a row": (
        f"%a: {v('256xf32', D4)}",
        f'%x = pto.vmi.vcvt %a {{saturate = "SAT"}} : {v("256xf32", D4)} -> {v("256xf16")}',
        "VMI-LAYOUT-CONTRACT", "VMI-UNSUPPORTED"),
    "a cast by a row without instructions": (
        f"%a: {v('8xf16', 'num_groups = 8, slots = 8')}",
        f"%x = pto.vmi.vcvt %a : {v('8xf16', 'num_groups = 8, slots = 8')} -> "
        f"{v('8xf32', 'num_groups = 8, slots = 8')}", "", "VMI-RESIDUAL-OP"),
    "integers that no instruction casts": (
        f"%a: {v('256xi32', D4)}",
        f'%x = pto.vmi.vcvt %a {{saturate = "SAT"}} : {v("256xi32", D4)} -> {v("256xi8")}', "", "VERIFIER"),
    "slots too far apart": (
        f"%a: {v('8xui8', 'num_groups = 8, slots = 8, lane_stride = 4')}",
        f"%x = pto.vmi.vcvt %a : {v('8xui8', 'num_groups = 8, slots = 8, lane_stride = 4')} -> "
        f"{v('8xui16', 'num_groups = 8, slots = 8')}", "", "VMI-UNSUPPORTED"),
    "bits of other elements by turns": (
        f"%a: {v('65xf32', D2)}", f"%x = pto.vmi.vinterpret_cast %a : {v('65xf32', D2)} -> {v('130xi16', D2)}",
        "VMI-LAYOUT-CONTRACT", "VMI-UNSUPPORTED"),
    "elements that differ": (
        f"%a: {v('4xf32')}",
        f'%x = "pto.vmi.constant"() {{value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}} : () -> {v("4xf32")}',
        "", "VMI-UNSUPPORTED"),
    "three channels": (
        f"%a: {v('64xf32')}",
        f'%x = "pto.vmi.channel_merge"(%a, %a, %a) : ({v("64xf32")}, {v("64xf32")}, {v("64xf32")}) -> '
        f"{v('192xf32')}", "", "VMI-UNSUPPORTED"),
    "memory with gaps": (
        "%q: memref<64xf32, strided<[2], offset: 0>, #pto.address_space<vec>>",
        "%x = pto.vmi.load %q[%o] : memref<64xf32, strided<[2], offset: 0>, #pto.address_space<vec>> -> "
        f"{v('64xf32')}", "", "VMI-UNSUPPORTED"),
    "selection from two registers": (
        f"%a: {v('128xf32')}, %i: {v('64xi32')}",
        f"%x = pto.vmi.vselr %a, %i : {v('128xf32')}, {v('64xi32')} -> {v('64xf32')}", "", "VMI-UNSUPPORTED"),
    "selection of fewer elements than there are": (
        f"%a: {v('64xf32')}, %i: {v('32xi32')}",
        f"%x = pto.vmi.vselr %a, %i : {v('64xf32')}, {v('32xi32')} -> {v('32xf32')}", "", "VMI-UNSUPPORTED"),
    "a sum of all elements": (
        f"%a: {v('128xi32')}, %m: {m(128)}",
        f"%x = pto.vmi.vcadd %a, %m : {v('128xi32')}, {m(128)} -> {v('1xi32')}", "", ""),
    "a sum of some elements": (
        f"%a: {v('96xi32')}, %m: {m(96)}",
        f"%x = pto.vmi.vcadd %a, %m : {v('96xi32')}, {m(96)} -> {v('1xi32')}", "", "VMI-UNSUPPORTED"),
    "a sum of half words": (
        f"%a: {v('128xi16')}, %m: {m(128, 16)}",
        f"%x = pto.vmi.vcadd %a, %m : {v('128xi16')}, {m(128, 16)} -> {v('1xi16')}", "VERIFIER", "VERIFIER"),
    "slots of nobody knows how many": (
        f"%a: {v('64xf32')}, %m: {m(64)}",
        f"%x = pto.vmi.vcadd %a, %m {{group = 8, reassoc}} : {v('64xf32')}, {m(64)} -> {v('8xf32', 'num_groups = 8')}",
        "VMI-LAYOUT-CONTRACT", "VMI-UNSUPPORTED"),
    "a product that keeps what was there": (
        f"%a: {v('64xf32')}, %m: {m(64)}, %s: f32",
        f'%x = pto.vmi.vmuls %a, %s, %m {{pmode = "merge"}} : {v("64xf32")}, f32, {m(64)} -> {v("64xf32")}',
        "", "VMI-UNSUPPORTED"),
    "an absolute value that keeps what was there": (
        f"%a: {v('64xf32')}, %m: {m(64)}",
        f'%x = pto.vmi.vabs %a, %m {{pmode = "merge"}} : {v("64xf32")}, {m(64)} -> {v("64xf32")}',
        "", "VMI-RESIDUAL-OP"),
    "integers multiplied and added": (
        f"%a: {v('64xi32')}", f"%x = pto.vmi.vmula %a, %a, %a : {v('64xi32')}, {v('64xi32')}, {v('64xi32')} -> "
        f"{v('64xi32')}", "", "VMI-RESIDUAL-OP"),
    "layouts beside each other": (
        f"%a: {v('128xf32')}, %b: {v('128xf32', D2)}",
        f"%x = pto.vmi.vadd %a, %b : {v('128xf32')}, {v('128xf32', D2)} -> {v('128xf32')}", "VERIFIER", "VERIFIER"),
    "a mask of another width": (
        f"%a: {v('64xf32')}, %m: {m(64, 16)}",
        f"pto.vmi.vstore %a, %p[%o], %m : {v('64xf32')}, {P}, {m(64, 16)}", "VERIFIER", "VERIFIER"),
    "a vector from elsewhere": (
        "%i: i32", f"%x = builtin.unrealized_conversion_cast %i : i32 to {v('64xf32')}",
        "VMI-PASS-INVARIANT", "VMI-RESIDUAL-OP"),
    "registers taken out": (
        f"%a: {v('64xf32')}", f'%x = "pto.vmi.unpack"(%a) : ({v("64xf32")}) -> !pto.vreg<64xf32>',
        "VMI-PASS-INVARIANT", ""),
    "a comparison between lanes": (
        f"%a: {v('64xf16', LS2)}, %m: {m(64, 16, LS2)}",
        f'%x = pto.vmi.vcmp %a, %a, %m {{cmp = "lt"}} : {v("64xf16", LS2)}, {v("64xf16", LS2)}, {m(64, 16, LS2)} -> '
        f"{m(64, 16, LS2)}", "", "VERIFIER"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_check_of_assigned_programs_and_lowering_each_have_a_verdict(name: str) -> None:
    arguments, line, validation, lowering = CASES[name]
    found = verdicts(arguments, line)
    assert (found.validation.kind, found.lowering.kind) == (validation, lowering)
    assert found.first == (found.validation if validation else found.lowering)
    assert found.first.ok or found.first.origin >= 0 or lowering == "VMI-RESIDUAL-OP"


def test_a_function_without_a_body_has_types_too() -> None:
    for shape, kind in (("!pto.vmi.vreg<64xf32>", "VMI-PASS-INVARIANT"), (v("64xf32"), "")):
        graph, _ = build_graph(read(SourceFile("t.pto", f"func.func private @f({shape}) -> {shape}\n")))
        assert stated_verdicts(graph).lowering.kind == kind


def test_a_message_names_what_the_row_asks_for() -> None:
    arguments, line, _, _ = CASES["uneven parts stored"]
    found = verdicts(arguments, line).lowering
    assert found.message == "pto.vmi.store: needs as many registers in each part"
