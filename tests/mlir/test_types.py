from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver.mlir.types import MemRefType, OtherType, ScalarType, VectorType, parse_type, with_layout

SCALARS = {
    "i1": (1, False), "i8": (8, False), "si16": (16, False), "ui32": (32, False), "i64": (64, False), "i7": (7, False),
    "f16": (16, True), "bf16": (16, True), "tf32": (32, True), "f32": (32, True), "f64": (64, True),
    "f128": (128, True),
    "f8E4M3FN": (8, True), "f8E5M2": (8, True), "f4E2M1FN": (4, True), "f6E2M3FN": (6, True), "index": (None, False),
}  # fmt: skip
STATES = ("b8", "b16", "b32", "b8_2vl", "b8_4vl", "b16_2vl")


@pytest.mark.parametrize("text", SCALARS)
def test_a_scalar_has_its_width(text: str) -> None:
    bits, is_float = SCALARS[text]
    assert parse_type(text) == ScalarType(text, bits, is_float)


@pytest.mark.parametrize(
    "text", ["i0", "i", "i08", "f33", "float", "index32", "", "!t", "(i32) -> f32", "none", "i8 x"]
)
def test_what_is_no_scalar_is_known_by_its_text(text: str) -> None:
    assert parse_type(text) == OtherType(text)


@given(
    st.lists(st.integers(1, 10**6), max_size=4),
    st.sampled_from(sorted(SCALARS)),
    st.one_of(st.none(), st.sampled_from(STATES)),
    st.lists(st.sampled_from(["", " ", "\n  "]), min_size=12, max_size=12),
)
@settings(max_examples=200)
def test_a_vector_is_taken_apart_whatever_the_white_space(
    shape: list[int], element: str, layout: str | None, blanks: list[str]
) -> None:
    blank = iter(blanks)
    text = f"vector<{next(blank)}" + "".join(f"{dim}x{next(blank)}" for dim in shape) + element
    if layout is not None:
        text += f"{next(blank)},{next(blank)}#ave.vector_layout<{next(blank)}"
        text += f"{{mem{next(blank)}=#ave.vec_mem_type<{layout}>}}>"
    text += next(blank) + ">"
    vector = parse_type(text)
    assert isinstance(vector, VectorType)
    assert vector.shape == tuple(shape)
    assert vector.element == parse_type(element)
    assert vector.bits == SCALARS[element][0]
    assert vector.layout == layout
    lanes = 1
    for dim in shape:
        lanes *= dim
    assert vector.lanes == lanes
    again = parse_type(with_layout(vector, "b16"))
    assert isinstance(again, VectorType)
    assert (again.shape, again.element, again.layout) == (vector.shape, vector.element, "b16")


@given(
    st.lists(st.one_of(st.none(), st.integers(0, 999)), max_size=3),
    st.sampled_from(["f32", "!pto.tile<8x8xf32, a>", "vector<4xi8>", "memref<?xi8, 1>"]),
    st.sampled_from(
        ["", "1", "#hivm.address_space<ub>", "strided<[?, 1], offset: ?>, #m", "affine_map<(d0) -> (d0)>, 2"]
    ),
)
def test_a_memref_is_taken_apart(shape: list[int | None], element: str, rest: str) -> None:
    dims = "".join(f"{'?' if dim is None else dim}x" for dim in shape)
    text = f"memref<{dims}{element}{', ' if rest else ''}{rest}>"
    memref = parse_type(text)
    assert isinstance(memref, MemRefType)
    assert memref.shape == tuple(shape)
    assert memref.element == (parse_type(element) if element == "f32" else OtherType(element))
    assert memref.rest == rest


@pytest.mark.parametrize(
    "text",
    ["vector<64xi32,>", "vector<64xi32, >", "vector<0xi32>", "vector<4x0xi8>", "vector<[4]xi32>", "vector<4x[8]xf16>",
     "vector<?xi8>", "vector<>", "vector<64x>", "vector<64xi8, #other>"],
)  # fmt: skip
def test_what_is_no_vector_of_a_fixed_number_of_elements_is_known_by_its_text(text: str) -> None:
    assert parse_type(text) == OtherType(text)


@pytest.mark.parametrize(
    "text",
    [
        "vector<?xf32>", "vector<4xf32, #other>", "vector<4xf32, #ave.vector_layout<{mem = 1}>>", "vector<4xf32",
        "vector<64>", "vector<>", "vector", "memref", "vector<[?]xf32>", "vector<4[xf32>",
    ],
)  # fmt: skip
def test_a_vector_that_is_not_understood_is_known_by_its_text_only(text: str) -> None:
    assert parse_type(text) == OtherType(text)


@given(st.one_of(st.text(max_size=40), st.text(alphabet="vectormf<>x0123456789?[]#{}=,! ²i", max_size=40)))
@settings(max_examples=300)
def test_any_text_is_some_type(text: str) -> None:
    for candidate in (text, f"vector<{text}>", f"memref<{text}>"):
        found, wanted = parse_type(candidate).text, candidate.strip()
        assert found == wanted or (wanted.startswith("<") and found == f"!pto.ptr{wanted}")


def test_an_abbreviated_pointer_needs_an_element_type() -> None:
    assert parse_type("<f32, ub>").text == "!pto.ptr<f32, ub>"
    for text in ("<0>", "<>", "<, ub>", "< >", "<f32, nowhere>"):
        assert parse_type(text) == OtherType(text)


@pytest.mark.parametrize("digits", ["9" * 5000, "1" + "0" * 20])
def test_numbers_beyond_reason_are_no_sizes(digits: str) -> None:
    assert parse_type(f"i{digits}") == OtherType(f"i{digits}")
    assert isinstance(parse_type(f"vector<{digits}xf32>"), OtherType)
    memref = parse_type(f"memref<{digits}xf32>")
    assert isinstance(memref, MemRefType)
    assert memref.shape == ()
