"""The turns of a loop."""

from __future__ import annotations

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile
from layoutsolver.verify.operation import CannotRunError
from layoutsolver.verify.turns import turns_of


def turns(low: int, high: int, step: int) -> range:
    text = f"""func.func @f() {{
  %l = arith.constant {low} : index
  %h = arith.constant {high} : index
  %s = arith.constant {step} : index
  scf.for %i = %l to %h step %s {{
  }}
  return
}}
"""
    graph, errors = build_graph(read(SourceFile("t", text)))
    assert [item.code for item in errors] == ["LS0210"] * (step <= 0)
    node = next(node for node in graph.ops if node.name == "scf.for")
    loop, type_, numbers = turns_of(graph, node, graph.constants.__getitem__)
    assert (loop.op, type_.text) == (node.index, "index")
    return numbers


def test_a_loop_takes_what_lies_below_its_upper_bound() -> None:
    assert list(turns(2, 9, 3)) == [2, 5, 8]
    assert list(turns(4, 4, 1)) == []
    assert list(turns(5, 4, 1)) == []


@pytest.mark.parametrize("step", [0, -1])
def test_a_step_that_is_not_above_zero_is_named(step: int) -> None:
    with pytest.raises(CannotRunError, match=f"this loop has the step {step}"):
        turns(0, 4, step)
