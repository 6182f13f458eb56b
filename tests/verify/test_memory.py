"""What comes from outside of a program that runs: what functions return that are not in it, and what loads bring."""

from __future__ import annotations

import numpy as np
import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.mlir.types import parse_type
from layoutsolver.source import SourceFile
from layoutsolver.verify.memory import make_inputs, outside_results
from layoutsolver.verify.origin import recorded
from layoutsolver.verify.program import plain_program
from layoutsolver.verify.values import Elements, Scalar


def test_an_index_from_outside_is_zero_since_any_other_may_lie_outside_of_a_buffer() -> None:
    for number in range(3):
        found = outside_results(parse_type("index"), 1, 2, number)
        assert isinstance(found, Scalar)
        assert (found.signed, found.defined) == (0, True)


@pytest.mark.parametrize("text", ["i32", "f16", "vector<64xf32>", "vector<64xi1>"])
def test_the_same_call_returns_the_same_and_others_something_else(text: str) -> None:
    def bits(call: int) -> bytes:
        found = outside_results(parse_type(text), 1, call, 0)
        assert isinstance(found, Scalar | Elements)
        return np.asarray(found.bits).tobytes()

    assert bits(3) == bits(3)
    assert len({bits(call) for call in range(8)}) > 1


def test_nothing_is_made_up_for_a_type_without_numbers() -> None:
    assert outside_results(parse_type("!llvm.ptr"), 1, 2, 3) is None


@pytest.mark.parametrize(
    ("dist", "bits", "known"),
    [("DS_B8", 8, 128), ("DS_B16", 16, 64), ("US_B8", 8, 256), ("US_B16", 16, 128), ("BLK", 8, 256)],
)
def test_a_load_that_leaves_out_every_second_element_is_known_to_fill_half_a_register(
    dist: str, bits: int, known: int
) -> None:
    memory, type_ = f"memref<512xi{bits}, #hivm.address_space<ub>>", f"vector<{2048 // bits}xi{bits}>"
    text = f"""func.func @f(%a: {memory}) {{
  %c0 = arith.constant 0 : index
  %x = ave.hir.vload <{dist}> %a[%c0] : {memory} into {type_}
  return
}}
"""
    graph, _ = build_graph(read(SourceFile("a.mlir", text)))
    function = next(one for one in graph.functions if one.has_body)
    made = recorded(plain_program(graph), function, make_inputs(graph, function, 1, 0, far=False), 1, False)
    (loaded,) = next(elements for node, elements in made if graph.ops[node].name == "ave.hir.vload")
    assert loaded is not None
    assert loaded.defined.tolist() == [at < known for at in range(2048 // bits)]
