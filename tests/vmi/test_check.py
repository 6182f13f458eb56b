"""What the verifier of VMI refuses, whatever layouts are chosen."""

from __future__ import annotations

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile
from layoutsolver.vmi.check import check_types
from tests.pose.vmi.facts import FACTS, graph_of

F, G = "!pto.vmi.vreg<64xf32>", "!pto.vmi.vreg<128xf32>"
H, I8, SI = "!pto.vmi.vreg<64xf16>", "!pto.vmi.vreg<64xi8>", "!pto.vmi.vreg<64xsi32>"
M, N = "!pto.vmi.mask<64xpred>", "!pto.vmi.mask<128xpred>"
HEADER = f"""
%p = "t.v"() : () -> !pto.ptr<f32, ub>
%gm = "t.v"() : () -> !pto.ptr<f32, gm>
%far, %near = "t.v"() : () -> (memref<64xf32, #pto.address_space<gm>>, memref<64xf32, #pto.address_space<vec>>)
%o = "t.v"() : () -> index
%a, %g, %h, %i, %si = "t.v"() : () -> ({F}, {G}, {H}, {I8}, {SI})
%m, %n = "t.v"() : () -> ({M}, {N})
"""


def refused(text: str) -> list[tuple[str, str]]:
    graph, _ = build_graph(read(SourceFile("t", HEADER + text)))
    return [(item.code, item.message) for item in check_types(graph)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"%x = pto.vmi.vmul %i, %i : {I8}, {I8} -> {I8}",
         "takes no elements of type i8, only i16, i32, f16, bf16, f32"),
        (f"%x = pto.vmi.vadd %a, %g : {F}, {G} -> {F}", "has operands and results of 64 and 128 elements"),
        (f"%x = pto.vmi.vadd %a, %a, %n : {F}, {F}, {N} -> {F}", "has a mask of 128 bits for 64 elements"),
        (f"%x = pto.vmi.vcvt %a : {F} -> {H}", 'needs {saturate = "SAT"} or {saturate = "NOSAT"} from f32 to f16'),
        (f'%x = pto.vmi.vcvt %h {{saturate = "SAT"}} : {H} -> {F}', "takes no `saturate` from f16 to f32"),
        (f"%x = pto.vmi.vcvt %i : {I8} -> {F}",
         "makes floats of signed integers alone, and i8 says no sign; spell it with `si`"),
        (f"%x = pto.vmi.vload %gm[%o] : !pto.ptr<f32, gm> -> {F}",
         "reaches memory of `ub` alone, and this is a pointer into `gm`"),
        (f"%x = pto.vmi.vload %far[%o] : memref<64xf32, #pto.address_space<gm>> -> {F}",
         "reaches memory of `ub` alone, and this is a memref in `gm`"),
        (f"%x = pto.vmi.vcadd %a, %m {{group = 7, reassoc}} : {F}, {M} -> !pto.vmi.vreg<7xf32>",
         "has 7 groups, which do not divide 64 elements"),
        (f"%x = pto.vmi.vshl %a, %a : {F}, {F} -> {F}", "takes no elements of type f32, only i8, i16, i32"),
    ],
)  # fmt: skip
def test_what_is_refused_and_why(text: str, message: str) -> None:
    ((code, said),) = refused(text)
    assert (code, said.partition("` ")[2]) == ("LS0801", message)


@pytest.mark.parametrize(
    "text",
    [
        f"%x = pto.vmi.vadd %i, %i : {I8}, {I8} -> {I8}",
        f'%x = pto.vmi.vcvt %a {{saturate = "SAT"}} : {F} -> {SI}',
        f"%x = pto.vmi.vcvt %si : {SI} -> {F}",
        f"%x = pto.vmi.vand %m, %m : {M}, {M} -> {M}",
        f"%x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {F}",
        f"%x = pto.vmi.vload %near[%o] : memref<64xf32, #pto.address_space<vec>> -> {F}",
    ],
)
def test_what_is_not_refused(text: str) -> None:
    assert refused(text) == []


@pytest.mark.parametrize("name", sorted(FACTS))
def test_nothing_that_the_real_verifier_takes_is_refused(name: str) -> None:
    fact = FACTS[name]
    early = fact["message_kind"] in ("VERIFIER", "PARSE") and not fact["layouts"]
    unknown = name == "120-bad-unknown-op.pto"
    assert bool(check_types(graph_of(name))) == (early and not unknown)
