"""How often operations of functions run that are called."""

from __future__ import annotations

from layoutsolver.api import LowerOptions, lower
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile
from layoutsolver.vmi.runs import calls_of, runs_of
from tests.pose.vmi.kernels import posed, solved
from tests.support.vpto_counts import counted, executed

V, W, P = "!pto.vmi.vreg<128xf32>", "!pto.vmi.vreg<128xf16>", "!pto.ptr<f16, ub>"
CALLED = f"""func.func private @inner(%a: {V}) -> {V} {{
  %s = arith.constant 5.0e-01 : f32
  %b = pto.vmi.vbrc %s : f32 -> {V}
  %c = pto.vmi.vmul %a, %b : {V}, {V} -> {V}
  return %c : {V}
}}
func.func private @outer(%a: {V}) -> {V} {{
  %b = func.call @inner(%a) : ({V}) -> {V}
  %c = func.call @inner(%b) : ({V}) -> {V}
  return %c : {V}
}}
func.func @k(%p: {P}, %q: {P}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c5 step %c1 {{
    %o = arith.muli %i, %c128 : index
    %x = pto.vmi.vload %p[%o] : {P} -> {W}
    %y = pto.vmi.vcvt %x : {W} -> {V}
    %z = func.call @outer(%y) : ({V}) -> {V}
    %h = pto.vmi.vcvt %z {{saturate = "SAT"}} : {V} -> {W}
    pto.vmi.vstore %h, %q[%o] : {W}, {P}
  }}
  return
}}
"""


def test_functions_run_as_often_as_they_are_called() -> None:
    graph, _ = build_graph(read(SourceFile("t", CALLED)))
    assert calls_of(graph) == [10, 5, 1]
    runs = {node.name: count for node, count in zip(graph.ops, runs_of(graph), strict=True)}
    assert (runs["pto.vmi.vmul"], runs["pto.vmi.vload"], runs["scf.for"]) == (10, 5, 1)


def test_what_calls_itself_counts_once() -> None:
    text = "func.func @f() {\n  func.call @f() : () -> ()\n  return\n}\n"
    graph, _ = build_graph(read(SourceFile("t", text)))
    assert calls_of(graph) == [1]


def test_the_cost_of_a_program_with_calls_is_that_of_its_instructions_setups_among_them() -> None:
    made, solution = solved(CALLED)
    lowered = lower(SourceFile("k.pto", CALLED), LowerOptions("vpto")).text
    assert lowered is not None
    counts = counted(executed(lowered))
    assert solution.load[:3] == tuple(counts[pipe] for pipe in made.problem.pipes[:3])
    assert solution.load[1] >= 5 * 4 + 10 * 3  # two conversions of two registers each, two products and a splat


def names_of_setups(text: str) -> set[str]:
    every = (variant for op in posed(text).problem.ops for variant in op.variants)
    return {setup.name for variant in every for setup in variant.setups}


def test_what_functions_set_up_they_set_up_for_themselves() -> None:
    shared = names_of_setups(CALLED)
    splat = f"%s = arith.constant 5.0e-01 : f32\n%u = pto.vmi.vbrc %s : f32 -> {V}\n"
    added = f"{splat}%w = pto.vmi.vadd %y, %u : {V}, {V} -> {V}\n%z = func"
    twice = CALLED.replace("@outer(%y)", "@outer(%w)").replace("%z = func", added)
    more = names_of_setups(twice)
    assert len(more) == 2 * len(shared)
