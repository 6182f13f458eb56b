"""Elements in memory as numbers, and how far sums in another order may be from the expected ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.pto.elements import Stored, is_within, numbers_of


def raw(*numbers: float) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.array(numbers, np.float32).view(np.uint8)


F32 = Stored(ScalarType("f32", 32, True))


@pytest.mark.parametrize(
    ("element", "bits", "data", "expected"),
    [
        ("!pto.f4E2M1x2", 8, [0x21], [0.5, 1.0]),
        ("f8E4M3FN", 8, [0x38], [1.0]),
        ("si16", 16, [0xFE, 0xFF], [-2.0]),
        ("ui16", 16, [0xFE, 0xFF], [65534.0]),
        ("i16", 16, [0xFE, 0xFF], [-2.0]),
    ],
)
def test_bytes_are_the_numbers_of_their_format(element: str, bits: int, data: list[int], expected: list[float]) -> None:
    found = numbers_of(Stored(ScalarType(element, bits, "f" in element)), np.array(data, np.uint8))
    assert found is not None
    assert found.tolist() == expected


def test_part_of_an_element_is_no_number() -> None:
    assert numbers_of(F32, np.array([1, 2], np.uint8)) is None


@pytest.mark.parametrize(
    ("expected", "found", "moved", "within"),
    [
        (1.0, 1.0, [], True),
        (1.0, 1.5, [], False),
        (1.0, 1.5, [1.25], True),  # twice as far as the farthest of them
        (1.0, 1.5625, [1.25, 0.875], False),
        (1.0, 0.5, [1.25], True),
        (1.0, 9.0, [9.0, 1.0], True),  # one of them, bit by bit
        (math.nan, math.nan, [1.0], True),
        (1.0, math.nan, [1.25], False),
    ],
)
def test_a_sum_is_within_what_moved_sums_explain(
    expected: float, found: float, moved: list[float], within: bool
) -> None:
    assert is_within(F32, raw(expected), raw(found), [raw(one) for one in moved]) == within
