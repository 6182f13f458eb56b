from __future__ import annotations

import random
import subprocess
import sys
from typing import Any, TypeAlias

import networkx
import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.graph.view import to_networkx
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile, split_input
from tests.graph.test_build import build, clean
from tests.support.ave_programs import random_program

View: TypeAlias = "networkx.MultiDiGraph[Any]"


def title(view: View, node: Any) -> str:
    return str(view.nodes[node]["name"])


def edges(view: View, kind: str, *data: str) -> set[tuple[Any, ...]]:
    return {
        (title(view, source), title(view, target), *(found[key] for key in data))
        for source, target, found in view.edges(data=True)
        if found["kind"] == kind
    }


def test_values_and_operations_are_nodes_with_their_places() -> None:
    text = (
        "func.func @f(%buf: memref<64xf32>, %i: index) {\n"
        "  %m = ave.hir.pge <ALL> : vector<64xi1>\n"
        "  %x = ave.hir.vload <NORM> %buf[%i] : memref<64xf32> into vector<64xf32>\n"
        "  ave.hir.masked_store <NORM_B32> %buf[%i], %m, %x : memref<64xf32>, vector<64xi1>, vector<64xf32>\n"
        "  return\n}\n"
    )
    view = to_networkx(clean(text))
    assert view.graph == {"functions": ["@f"]}
    values = {view.nodes[node]["name"]: view.nodes[node] for node in view if node[0] == "value"}
    assert values == {
        "%buf": {"name": "%buf", "type": "memref<64xf32>", "line": 1, "column": 14},
        "%i": {"name": "%i", "type": "index", "line": 1, "column": 36},
        "%m": {"name": "%m", "type": "vector<64xi1>", "line": 2, "column": 3},
        "%x": {"name": "%x", "type": "vector<64xf32>", "line": 3, "column": 3},
    }
    ops = {view.nodes[node]["name"]: view.nodes[node] for node in view if node[0] == "op"}
    assert [(name, op["effect"], op["line"], op["column"], op["function"]) for name, op in ops.items()] == [
        ("func.func", "control", 1, 1, ""),
        ("ave.hir.pge", "pure", 2, 8, "@f"),
        ("ave.hir.vload", "read", 3, 8, "@f"),
        ("ave.hir.masked_store", "write", 4, 3, "@f"),
        ("func.return", "control", 5, 3, "@f"),
    ]
    assert edges(view, "operand", "index", "role") == {
        ("%buf", "ave.hir.vload", 0, "base"), ("%i", "ave.hir.vload", 1, "indices"),
        ("%buf", "ave.hir.masked_store", 0, "base"), ("%i", "ave.hir.masked_store", 1, "indices"),
        ("%m", "ave.hir.masked_store", 2, "mask"), ("%x", "ave.hir.masked_store", 3, "val"),
    }  # fmt: skip
    assert edges(view, "result", "index") == {("ave.hir.pge", "%m", 0), ("ave.hir.vload", "%x", 0)}
    assert view.number_of_edges() == 8


def test_loop_ties_go_from_initial_to_argument_and_from_yielded_to_argument_and_result() -> None:
    view = to_networkx(
        clean(
            "%n = arith.constant 4 : index\n%a, %b = t.v : i8, i16\n"
            "%r:2 = scf.for %k = %n to %n step %n iter_args(%p = %a, %q = %b) -> (i8, i16) {\n"
            "  %s = t.x %p : i8\n  scf.yield %s, %q : i8, i16\n}\n"
        )
    )
    assert edges(view, "carried", "index") == {
        ("%a", "%p", 0), ("%s", "%p", 0), ("%s", "%r#0", 0), ("%b", "%q", 1), ("%q", "%q", 1), ("%q", "%r#1", 1),
    }  # fmt: skip
    assert networkx.has_path(view, *(node for name in ("%a", "%r#0") for node in view if title(view, node) == name))


def test_weights_of_operations_are_on_their_nodes() -> None:
    text = "%z = arith.constant 0 : index\n%n = arith.constant 6 : index\n%o = arith.constant 2 : index\n"
    view = to_networkx(clean(text + "scf.for %k = %z to %n step %o {\n  t.x %k : index\n}\n"))
    assert {title(view, node): view.nodes[node]["weight"] for node in view if node[0] == "op"} == {
        "arith.constant": 1, "scf.for": 1, "t.x": 3,
    }  # fmt: skip


def test_branches_tie_what_they_yield_to_the_results() -> None:
    view = to_networkx(
        clean(
            "%c = t.v : i1\n%a, %b = t.v : i8, i8\n"
            "%r = scf.if %c -> (i8) {\n  scf.yield %a : i8\n} else {\n  scf.yield %b : i8\n}\n"
        )
    )
    assert edges(view, "branch", "index") == {("%a", "%r", 0), ("%b", "%r", 0)}


CALL = """\
func.func @f(%p: i8, %q: i16) -> i8 {
  %c = t.v : i1
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  return %p : i8
^bb2:
  %z = t.x %q : i8
  return %z : i8
}
func.func private @lib(i8) -> i8
func.func @g(%x: i8, %y: i16) {
  %r = call @f(%x, %y) : (i8, i16) -> i8
  %s = call @lib(%r) : (i8) -> i8
  %t = call @nowhere(%s) : (i8) -> i8
  return
}
"""


def test_calls_of_functions_with_a_body_tie_arguments_and_all_returned_values() -> None:
    view = to_networkx(clean(CALL))
    assert edges(view, "call", "index") == {("%x", "%p", 0), ("%y", "%q", 1), ("%p", "%r", 0), ("%z", "%r", 0)}
    assert view.graph["functions"] == ["@f", "@lib", "@g"]
    call = {title(view, node): node for node in view}["func.call"]
    assert call[0] == "op"
    made = {found["op"] for _, _, found in view.edges(data=True) if found["kind"] == "call"}
    assert {title(view, ("op", op)) for op in made} == {"func.call"}


OTHER = """\
!v = !pto.vmi.vreg<64xf32>
func.func @tile(%src: !pto.ptr<f32, gm>, %n: i32) attributes {pto.kernel} {
  %c0 = arith.constant 0 : index
  other.vmi.scope %n {
    %m = other.vmi.create_mask %n {kind = "tail"} : i32 -> !pto.vmi.mask<64>
    %a:2 = other.vmi.load %src[%c0] <dintlv> : !pto.ptr<f32, gm> -> !v, !v
    %b = other.vmi.add %a#0, %a#1, %m : !v, !v, !pto.vmi.mask<64> -> !v
    other.vmi.store %b, %src[%c0], %m
  }
  return
}
"""
GEMMINI = """\
func.func @gemm(%a: memref<64x64xi8>, %b: memref<64x64xi8>) {
  %zero = arith.constant 0 : i64
  %t = "gemmini.mvin"(%a, %zero) {stride = 64 : i64} : (memref<64x64xi8>, i64) -> !bucky.tile
  %u = gemmini.mvin %b %zero : memref<64x64xi8> i64 -> !bucky.tile
  %w = gemmini.mul(%t, %u) {transpose} : !bucky.tile
  gemmini.mvout %w, %a : !bucky.tile, memref<64x64xi8>
  return
}
"""


@pytest.mark.parametrize(
    ("text", "operand_edges", "result_edges"),
    [
        (
            OTHER,
            {
                ("%n", "other.vmi.scope"), ("%n", "other.vmi.create_mask"), ("%src", "other.vmi.load"),
                ("%c0", "other.vmi.load"),
                ("%a#0", "other.vmi.add"), ("%a#1", "other.vmi.add"), ("%m", "other.vmi.add"),
                ("%b", "other.vmi.store"),
                ("%src", "other.vmi.store"), ("%c0", "other.vmi.store"), ("%m", "other.vmi.store"),
            },
            {
                ("arith.constant", "%c0"), ("other.vmi.create_mask", "%m"), ("other.vmi.load", "%a#0"),
                ("other.vmi.load", "%a#1"),
                ("other.vmi.add", "%b"),
            },
        ),
        (
            GEMMINI,
            {
                ("%a", "gemmini.mvin"), ("%zero", "gemmini.mvin"), ("%b", "gemmini.mvin"),
                ("%t", "gemmini.mul"),
                ("%u", "gemmini.mul"), ("%w", "gemmini.mvout"), ("%a", "gemmini.mvout"),
            },
            {
                ("arith.constant", "%zero"), ("gemmini.mvin", "%t"), ("gemmini.mvin", "%u"),
                ("gemmini.mul", "%w"),
            },
        ),
    ],
)  # fmt: skip
def test_unknown_dialects_give_nodes_and_edges(
    text: str, operand_edges: set[tuple[str, str]], result_edges: set[tuple[str, str]]
) -> None:
    view = to_networkx(clean(text))
    assert edges(view, "operand") == operand_edges
    assert edges(view, "result") == result_edges
    foreign = [view.nodes[node] for node in view if title(view, node).startswith(("other.", "gemmini."))]
    assert {(node["effect"], node["weight"]) for node in foreign} == {("unknown", 1)}
    assert {node["function"] for node in foreign} <= {"@tile", "@gemm"}
    kinds = {view.nodes[node]["type"] for node in view if node[0] == "value"}
    assert "" not in kinds


def test_operands_that_are_not_defined_have_no_edge() -> None:
    graph, _ = build("%a = t.v : i8\nt.x %a, %nowhere : i8, i8")
    view = to_networkx(graph)
    assert edges(view, "operand", "index") == {("%a", "t.x", 0)}
    assert view.number_of_nodes() == 3


def test_places_in_a_later_chunk_of_a_file_are_those_in_the_file() -> None:
    chunks = split_input(SourceFile("x.mlir", "t.a\n// -----\n\n  %x = t.b : i8\n"))
    view = to_networkx(build_graph(read(chunks[1]))[0])
    assert [(view.nodes[node]["line"], view.nodes[node]["column"]) for node in sorted(view)] == [(4, 8), (4, 3)]


@pytest.mark.parametrize("seed", range(15))
def test_views_of_random_programs_have_every_value_operation_operand_and_result(seed: int) -> None:
    graph = clean(random_program(random.Random(seed), 20))
    view = to_networkx(graph)
    assert view.number_of_nodes() == len(graph.values) + len(graph.ops)
    kinds = [found["kind"] for _, _, found in view.edges(data=True)]
    assert kinds.count("operand") == sum(len(op.operands) for op in graph.ops)
    assert kinds.count("result") == sum(len(op.results) for op in graph.ops)
    assert kinds.count("carried") == 3 * sum(len(loop.carried) for loop in graph.loops.values())
    flow: View = networkx.MultiDiGraph()
    flow.add_edges_from((u, v) for u, v, found in view.edges(data=True) if found["kind"] in ("operand", "result"))
    assert networkx.is_directed_acyclic_graph(flow)


def test_networkx_is_not_imported_before_it_is_needed() -> None:
    code = "import sys, layoutsolver.graph.view; sys.exit('networkx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
