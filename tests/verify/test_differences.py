"""Which bytes count as different, by what each side determines."""

from __future__ import annotations

import numpy as np
import pytest

from layoutsolver.verify.differences import wrong_bytes
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.memory import Inputs
from layoutsolver_models.hardware.ub import Memory

BUFFER, BEHIND = 8, 40
"""A byte of the only buffer, and one behind it."""


def written(start: Memory, place: int, value: int | None) -> LogicalMemory:
    """The memory after a byte was written, to nothing determined if there is no value."""
    data, poison = np.array([value or 0], np.uint8), np.array([value is None])
    return LogicalMemory(start.write(place, data, poison), ((0, 32),))


def start() -> Memory:
    """A buffer of 32 bytes, and nothing determined behind it."""
    memory = Memory.from_bytes(bytes(64))
    return memory.write(32, np.zeros(32, np.uint8), np.ones(32, np.bool_))


@pytest.mark.parametrize("place", [BUFFER, BEHIND])
@pytest.mark.parametrize(
    ("before", "after", "differs"),
    [(7, 7, False), (7, 8, True), (7, None, True), (None, None, False)],
)
def test_what_is_expected_decides(place: int, before: int | None, after: int | None, differs: bool) -> None:
    memory = start()
    inputs = Inputs(memory, ((0, 32),), [])
    found = wrong_bytes(inputs, written(memory, place, before), written(memory, place, after))
    assert found[place] == differs
    assert int(found.sum()) == int(differs)


def test_what_is_not_determined_before_may_be_anything_in_a_buffer_but_not_behind_it() -> None:
    memory = start()
    inputs = Inputs(memory, ((0, 32),), [])
    for place, differs in ((BUFFER, False), (BEHIND, True)):
        found = wrong_bytes(inputs, written(memory, place, None), written(memory, place, 7))
        assert found[place] == differs
