"""What comes from outside of a program that runs: what functions return that are not in it."""

from __future__ import annotations

import numpy as np
import pytest

from layoutsolver.mlir.types import parse_type
from layoutsolver.verify.memory import outside_results
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
