"""What single passes of the released compiler say, which in its driver others come before."""

from __future__ import annotations

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.upstream.compat import upstream_of
from layoutsolver.pose.vmi.upstream.passes import PASSES, passes_verdict
from layoutsolver.source import SourceFile

C = "#pto.vmi.layout<contiguous>"
V, W, M = "!pto.vmi.vreg<64xf32>", f"!pto.vmi.vreg<64xf32, {C}>", "!pto.vmi.mask<64xpred>"
P = "!pto.ptr<f32, ub>"


def text_of(arguments: str, *lines: str) -> str:
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func @f(%p: {P}, %o: index, {arguments}) {{\n{body}\n  return\n}}\n"


SLOTS = text_of(
    "%s: index", f"%x = pto.vmi.vload %p[%o], %s {{group = 8}} : {P} -> !pto.vmi.vreg<8xf32>",
)  # fmt: skip
CHANNELS = text_of(f"%a: {V}", f'%x = "pto.vmi.channel_merge"(%a, %a, %a) : ({V}, {V}, {V}) -> !pto.vmi.vreg<192xf32>')
CAST = text_of(f"%a: {V}", f"%x = builtin.unrealized_conversion_cast %a : {V} to {V}")
CALL = text_of(f"%a: {V}, %f: ({V}) -> ()", f"func.call_indirect %f(%a) : ({V}) -> ()")
INTEGERS = text_of(
    "%a: !pto.vmi.vreg<64xi32>",
    "%x = pto.vmi.vmula %a, %a, %a : !pto.vmi.vreg<64xi32>, !pto.vmi.vreg<64xi32>, !pto.vmi.vreg<64xi32> -> "
    "!pto.vmi.vreg<64xi32>",
)
SIGNLESS = text_of(
    "%a: !pto.vmi.vreg<256xi32>",
    '%x = pto.vmi.vcvt %a {saturate = "SAT"} : !pto.vmi.vreg<256xi32> -> !pto.vmi.vreg<256xi8>',
)
HALVES = text_of(
    "%h: !pto.vmi.vreg<128xf16>, %m: !pto.vmi.mask<128xpred>",
    "%x = pto.vmi.vcadd %h, %m {group = 8, reassoc} : !pto.vmi.vreg<128xf16>, !pto.vmi.mask<128xpred> -> "
    "!pto.vmi.vreg<8xf16>",
)
BOUNDARY, REPLACE, GRANULARITY, ASSIGN, VALIDATE, LOWER = PASSES
THREE = (REPLACE, GRANULARITY, ASSIGN)


@pytest.mark.parametrize(
    ("text", "passes", "kind"),
    [
        (SLOTS, THREE, ""),
        (SLOTS, (*THREE, LOWER), "VMI-UNSUPPORTED"),
        (CHANNELS, (GRANULARITY, ASSIGN), "VMI-UNSUPPORTED"),
        (CHANNELS, (BOUNDARY,), ""),
        (CAST, (BOUNDARY,), "VMI-PASS-INVARIANT"),
        (CAST, (LOWER,), "VMI-RESIDUAL-OP"),
        (CAST, (VALIDATE,), "VMI-PASS-INVARIANT"),
        (CALL, (BOUNDARY,), ""),
        (CALL, THREE, "VMI-LAYOUT-CONTRACT"),
        (INTEGERS, (*THREE, LOWER), "VMI-RESIDUAL-OP"),
        (SIGNLESS, (*THREE, LOWER), "VERIFIER"),
        (HALVES, (*THREE, LOWER), ""),
        (text_of(f"%a: {W}"), (BOUNDARY,), "VMI-PASS-INVARIANT"),
        (text_of(f"%a: {W}"), (VALIDATE, LOWER), ""),
        (text_of(f"%a: {V}"), (VALIDATE, LOWER), "VMI-PASS-INVARIANT"),
        (text_of(f"%a: {V}"), (), ""),
        (text_of(f"%a: {V}, %b: {W}", f"%x = pto.vmi.vadd %a, %b : {V}, {W} -> {V}"), (), "VERIFIER"),
    ],
)
def test_each_pass_says_what_it_looks_at(text: str, passes: tuple[str, ...], kind: str) -> None:
    graph, _ = build_graph(read(SourceFile("t.pto", text)))
    assert passes_verdict(graph, passes).kind == kind


def test_the_driver_leaves_out_what_a_pass_alone_refuses() -> None:
    graph, _ = build_graph(read(SourceFile("t.pto", SLOTS)))
    assert upstream_of(graph).verdict.ok


def test_there_are_no_other_passes() -> None:
    graph, _ = build_graph(read(SourceFile("t.pto", SLOTS)))
    with pytest.raises(ValueError, match="no pass `vmi-canonicalize`: there are pto-validate-vmi-ir, "):
        passes_verdict(graph, ["vmi-canonicalize"])
