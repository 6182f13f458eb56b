from __future__ import annotations

import pytest

from layoutsolver.mlir.types import MemRefType, parse_type
from layoutsolver.verify.affine import evaluate_map, parse_map
from layoutsolver.verify.buffers import strides_of


@pytest.mark.parametrize(
    ("text", "operands", "expected"),
    [
        ("(d0) -> (d0)", [5], [5]),
        ("(d0)[s0] -> (d0 + s0)", [5, 7], [12]),
        ("(d0, d1) -> (d0 * 4 - d1, 64)", [5, 1], [19, 64]),
        ("()[s0] -> (s0 ceildiv 4, s0 mod 4, s0 floordiv 4)", [9], [3, 1, 2]),
        ("(d0) -> (-(d0 + 1) * 2)", [3], [-8]),
    ],
)
def test_a_map_is_evaluated(text: str, operands: list[int], expected: list[int]) -> None:
    assert evaluate_map(parse_map(text), operands) == expected


@pytest.mark.parametrize("text", ["(d0)", "(d0) -> d0", "(d0) -> (d0 ^ 2)", ""])
def test_what_is_no_map_is_refused(text: str) -> None:
    assert parse_map(text) is None


@pytest.mark.parametrize(
    ("text", "operands"), [("(d0) -> (d0)", []), ("(d0) -> (d1)", [1]), ("(d0) -> (d0 mod 0)", [1])]
)
def test_a_map_without_a_value_has_none(text: str, operands: list[int]) -> None:
    assert evaluate_map(parse_map(text), operands) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("memref<4x16xf32>", (0, (16, 1))),
        ("memref<4x16xf32, strided<[32, 1], offset: 8>>", (8, (32, 1))),
        ("memref<4x16xf32, strided<[?, 1], offset: ?>>", (3, (16, 1))),
        ("memref<16xf32, affine_map<(d0)[s0] -> (d0 + s0)>>", (3, (1,))),
        ("memref<4x16xf32, affine_map<(d0, d1) -> (d0 * 20 + d1 + 5)>>", (5, (20, 1))),
    ],
)
def test_strides_of_a_memref_type(text: str, expected: tuple[int, tuple[int, ...]]) -> None:
    type_ = parse_type(text)
    assert isinstance(type_, MemRefType)
    assert strides_of(type_, tuple(size or 0 for size in type_.shape), unknown_offset=3) == expected
