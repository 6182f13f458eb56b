"""Private functions of vectors in place of their calls."""

from __future__ import annotations

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from layoutsolver.vmi.inline import inlined

V = "!pto.vmi.vreg<64xf32>"
P = "!pto.ptr<f32, ub>"
HELPER = f"""
  func.func private @helper(%a: {V}, %b: {V}) -> ({V}, {V}) {{
    %x = pto.vmi.vadd %a, %b : {V}, {V} -> {V}
    %y = pto.vmi.vexp %x : {V} -> {V}
    return %y, %a : {V}, {V}
  }}
"""


def kernel(*lines: str) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return (
        'module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<vector>} {' + HELPER +
        f"  func.func @kernel(%p: {P}, %q: {P}, %o: index) attributes {{pto.kernel}} {{\n{body}\n    return\n  }}\n}}\n"
    )  # fmt: skip


LOAD = f"%x = pto.vmi.vload %p[%o] : {P} -> {V}"
TYPES = f"({V}, {V}) -> ({V}, {V})"
PROGRAMS = {
    "once": (LOAD, f"%r, %s = func.call @helper(%x, %x) : {TYPES}", f"pto.vmi.vstore %r, %q[%o] : {V}, {P}"),
    "packs of results": (
        LOAD, f"%r:2 = func.call @helper(%x, %x) : {TYPES}", f"%z = pto.vmi.vadd %r#0, %r#1 : {V}, {V} -> {V}",
        f"pto.vmi.vstore %z, %q[%o] : {V}, {P}",
    ),
    "one behind the other": (
        LOAD, f"%r, %s = func.call @helper(%x, %x) : {TYPES}", f"%t, %u = func.call @helper(%r, %s) : {TYPES}",
        f"%v, %w = call @helper(%t, %x) : {TYPES}", f"%z = pto.vmi.vmax %v, %u : {V}, {V} -> {V}",
        f"pto.vmi.vstore %z, %q[%o] : {V}, {P}",
    ),
    "in a loop": (
        LOAD, "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", "%c3 = arith.constant 3 : index",
        f"%e = scf.for %i = %c0 to %c3 step %c1 iter_args(%k = %x) -> ({V}) {{",
        f"  %r, %s = func.call @helper(%k, %x) : {TYPES}", f"  scf.yield %r : {V}", "}",
        f"pto.vmi.vstore %e, %q[%o] : {V}, {P}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_computes_the_same_without_calls(name: str) -> None:
    before = SourceFile("before.pto", kernel(*PROGRAMS[name]))
    after = inlined(before)
    assert "@helper" not in after.text
    assert "call" not in after.text
    graph, errors = build_graph(read(after))
    assert [item.message for item in errors] == []
    assert len(graph.functions) == 1
    found = verify_pto(before, SourceFile("after.pto", after.text), 2, 1)
    assert found.ok, [item.message for item in found.diagnostics]


def test_constants_that_bodies_bring_along_are_there_once() -> None:
    helper = HELPER.replace(
        "    %y =", f"    %f = arith.constant 2.0 : f32\n    %k = pto.vmi.vbrc %f : f32 -> {V}\n    %y ="
    ).replace("%y, %a", "%y, %k")
    text = kernel(*PROGRAMS["one behind the other"]).replace(HELPER, helper)
    after = inlined(SourceFile("t", text))
    assert after.text.count("arith.constant") == 1
    assert after.text.count("vmi.vbrc %f_0 ") == 3
    assert verify_pto(SourceFile("a", text), SourceFile("b", after.text), 2, 1).ok


def test_names_of_the_body_do_not_clash() -> None:
    after = inlined(SourceFile("t", kernel(*PROGRAMS["one behind the other"]))).text
    assert after.count("pto.vmi.vexp") == 3
    assert {"%x_0", "%x_1", "%x_2"} <= {word for word in after.split() if word.startswith("%x_")}


@pytest.mark.parametrize(
    "text",
    [
        kernel(LOAD, f"pto.vmi.vstore %x, %q[%o] : {V}, {P}"),
        kernel(*PROGRAMS["once"]).replace("private ", ""),
        kernel(*PROGRAMS["once"]).replace(
            "%y = pto.vmi.vexp %x", f"%y, %n = func.call @helper(%a, %b) : {TYPES}\n    %m = pto.vmi.vexp %x"
        ),
        kernel(*PROGRAMS["once"]).replace("return %y", "return %missing"),
    ],
    ids=["no call", "a public function", "a function that calls itself", "a text with errors"],
)  # fmt: skip
def test_what_stays_as_it_is(text: str) -> None:
    source = SourceFile("t", text)
    assert inlined(source) is source
