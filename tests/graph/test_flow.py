"""Which operation may run behind which, and what is live where."""

from __future__ import annotations

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.graph.flow import Flow, flow_of, live_sets
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile
from tests.support.vmi_programs import random_kernel


def graph_of(body: str) -> Graph:
    text = "func.func @k(%a: i32, %c: i1, %n: index) {\n" + body + "\n  return\n}\n"
    graph, errors = build_graph(read(SourceFile("k.mlir", text)))
    assert not errors
    return graph


def arrows(graph: Graph) -> list[str]:
    """The flow between operations, named by their lines: `2>3` where line 3 may run behind line 2."""
    source = graph.module.source
    lines = [source.line_column(node.span.start)[0] for node in graph.ops]
    flow = flow_of(graph)
    return [
        f"{lines[node.index]}>{lines[other]}"
        for node in graph.ops
        if node.name not in ("func.func", "builtin.module")
        for other in flow.successors[node.index]
    ]


IF = "scf.if %c {\n  %x = arith.addi %a, %a : i32\n} else {\n  %y = arith.addi %a, %a : i32\n}"
BODIES = [
    ("%x = arith.addi %a, %a : i32\n%y = arith.addi %x, %a : i32", "2>3 3>4"),
    (IF, "2>3 2>5 3>7 5>7"),
    ("scf.if %c {\n  %x = arith.addi %a, %a : i32\n}", "2>3 2>5 3>5"),
    ("scf.for %i = %n to %n step %n {\n  %x = arith.addi %a, %a : i32\n}", "2>3 2>5 3>3 3>5"),
    (
        "%r = scf.while (%v = %a) : (i32) -> i32 {\n  scf.condition(%c) %v : i32\n} do {\n^bb0(%w: i32):\n"
        "  scf.yield %w : i32\n}",
        "2>3 3>6 3>8 6>3",
    ),
    ("%r = scf.execute_region -> i32 {\n  scf.yield %a : i32\n}", "2>3 3>5"),
    ("cf.cond_br %c, ^one, ^two\n^one:\n  cf.br ^two\n^two:\n  %x = arith.addi %a, %a : i32", "2>4 2>6 4>6 6>7"),
    ('"some.thing"() ({\n  %x = arith.addi %a, %a : i32\n}) : () -> ()', "2>3 2>5 3>3 3>5"),
]


@pytest.mark.parametrize(("body", "expected"), BODIES)
def test_control_flows(body: str, expected: str) -> None:
    assert sorted(arrows(graph_of(body))) == sorted(expected.split())


def masks(graph: Graph, flow: Flow) -> tuple[list[int], list[int], list[int]]:
    """What each operation uses and makes, and what is made on the way to it, as sets of values."""
    uses = [sum({1 << value for value in node.operands}) for node in graph.ops]
    makes = [0 if node.op.regions else sum(1 << value for value in node.results) for node in graph.ops]
    return uses, makes, [sum({1 << value for value in values}) for values in flow.enters]


def is_live(graph: Graph, flow: Flow, value: int, op: int) -> bool:
    """Whether a path leads from an operation to a use of a value, without the value being made on it."""
    waiting, seen = [op], set()
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        node = graph.ops[at]
        if value in node.operands:
            return True
        if not node.op.regions and value in node.results:
            continue
        waiting += [other for other in flow.successors[at] if value not in flow.enters[other]]
    return False


@pytest.mark.parametrize("seed", range(800, 815))
def test_live_is_what_a_path_leads_to(seed: int) -> None:
    graph, _ = build_graph(read(SourceFile("k.pto", random_kernel(seed, 8))))
    flow = flow_of(graph)
    alive = live_sets(flow, *masks(graph, flow))
    for node in graph.ops:
        found = {value for value in range(len(graph.values)) if alive.before[node.index] >> value & 1}
        assert found == {value for value in range(len(graph.values)) if is_live(graph, flow, value, node.index)}


def test_a_loop_keeps_alive_what_its_next_turn_uses() -> None:
    graph = graph_of(
        "%k = arith.addi %a, %a : i32\n%r = scf.for %i = %n to %n step %n iter_args(%v = %a) -> (i32) {\n"
        "  %x = arith.addi %v, %k : i32\n  %y = arith.addi %x, %x : i32\n  scf.yield %y : i32\n}\n"
        "%z = arith.addi %r, %r : i32"
    )
    flow = flow_of(graph)
    alive = live_sets(flow, *masks(graph, flow))
    at = {graph.module.source.line_column(node.span.start)[0]: node.index for node in graph.ops}
    named = {
        line: {value.name for value in graph.values if alive.before[index] >> value.index & 1}
        for line, index in at.items()
    }
    assert {"%k", "%v"} <= named[4]
    assert {"%k", "%x"} <= named[5]
    assert "%v" not in named[5]
    assert {"%k", "%y"} <= named[6]
    assert "%k" not in named[8]
    assert "%r" in named[8]
