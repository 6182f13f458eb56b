from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver.mlir.lexer import is_number, is_unclosed_string, tokenize
from tests.support.mlir_text import STRINGS, Program, programs

CONFUSING = st.text(
    alphabet=st.sampled_from(list('"\\/%#@^!{}<>()[]-=:., \n\r\t0x1aZ_$é²\x0b\x0c\x00\u2028')), max_size=60
)


@given(st.one_of(st.text(max_size=80), CONFUSING))
@settings(max_examples=400)
def test_pieces_join_to_the_text_and_tokens_stand_where_they_say(text: str) -> None:
    stream = tokenize(text)
    assert "".join(stream.pieces) == text
    assert stream.texts[-1] == ""
    assert stream.starts[-1] == len(text)
    for index, token in enumerate(stream.texts[:-1]):
        assert token
        assert text[stream.starts[index] : stream.end(index)] == token
        assert stream.pieces[stream.piece_index[index]] == token


@given(st.one_of(st.text(max_size=80), CONFUSING))
@settings(max_examples=400)
def test_what_is_no_token_is_blank_or_a_comment_to_the_end_of_its_line(text: str) -> None:
    stream = tokenize(text)
    tokens = set(stream.piece_index[:-1])
    for index, piece in enumerate(stream.pieces):
        if index in tokens:
            continue
        if piece.startswith("//"):
            assert "\n" not in piece
            assert index + 1 == len(stream.pieces) or stream.pieces[index + 1].startswith("\n")
        else:
            assert set(piece) <= set(" \t\r\n\f\v")


@given(st.one_of(st.text(max_size=80), CONFUSING))
@settings(max_examples=400)
def test_a_token_is_first_on_its_line_if_a_line_break_or_nothing_precedes_it(text: str) -> None:
    stream = tokenize(text)
    previous_end = 0
    for index in range(len(stream.texts) - 1):
        between = text[previous_end : stream.starts[index]]
        assert stream.line_first[index] == (index == 0 or "\n" in between)
        previous_end = stream.end(index)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("%a:2=x", ["%a", ":", "2", "=", "x"]),
        ("%x#1, %0#12", ["%x#1", ",", "%0#12"]),
        ("%a.b-c$_1", ["%a.b-c$_1"]),
        ("ave.hir.vload<NORM>", ["ave.hir.vload", "<", "NORM", ">"]),
        ("vector<4x8xf32>", ["vector", "<", "4", "x8xf32", ">"]),
        ('"a\\"b" "c\\\\"', ['"a\\"b"', '"c\\\\"']),
        ('@f @"g h" @f::@g', ["@f", '@"g h"', "@f", "::", "@g"]),
        ("#map0 !t #loc #0", ["#map0", "!t", "#loc", "#0"]),
        ("!pto.ptr<f32>", ["!pto.ptr", "<", "f32", ">"]),
        ("^bb0(%a: i32):", ["^bb0", "(", "%a", ":", "i32", ")", ":"]),
        ("(d0)->(d0>=1)", ["(", "d0", ")", "->", "(", "d0", ">=", "1", ")"]),
        ("a>>b", ["a", ">", ">", "b"]),
        ("1.5e-3 0xFF 10 1.", ["1.5e-3", "0xFF", "10", "1."]),
        ("{-# x #-}", ["{-#", "x", "#-}"]),
        ("a / b // c", ["a", "/", "b"]),
        ("x// c\ny", ["x", "y"]),
        ('"http://x" y', ['"http://x"', "y"]),
    ],
)  # fmt: skip
def test_text_is_cut_into_these_tokens(text: str, tokens: list[str]) -> None:
    assert tokenize(text).texts[:-1] == tokens


@pytest.mark.parametrize("string", STRINGS)
def test_a_string_is_one_closed_token_whatever_it_holds(string: str) -> None:
    assert tokenize(f"x = {string} }}").texts == ["x", "=", string, "}", ""]
    assert not is_unclosed_string(string)


@pytest.mark.parametrize(("text", "token"), [('"abc } {\n y', '"abc } {'), ('"a\\"\ny', '"a\\"'), ('"\ny', '"')])
def test_a_string_without_end_is_a_token_up_to_the_end_of_its_line(text: str, token: str) -> None:
    stream = tokenize(text)
    assert stream.texts == [token, "y", ""]
    assert is_unclosed_string(token)


@pytest.mark.parametrize(("token", "number"), [("0", True), ("12", True), ("²", False), ("٣", False), ("-1", False)])
def test_a_number_is_made_of_the_ascii_digits(token: str, number: bool) -> None:
    assert is_number(token) is number


@given(programs(), st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_text_of_a_range_is_the_source_without_comments(program: Program, seed: int) -> None:
    rng, text = random.Random(seed), program.text
    stream = tokenize(text)
    first = rng.randrange(len(stream.texts) - 1)
    last = min(len(stream.texts) - 1, first + 1 + rng.randrange(12))
    found = stream.range_text(first, last)
    assert tokenize(found).texts[:-1] == stream.texts[first:last]
    source = text[stream.starts[first] : stream.end(last - 1)]
    if all(not piece.startswith("//") for piece in tokenize(source).pieces):
        assert found == source
    else:
        assert all(not piece.startswith("//") for piece in tokenize(found).pieces)
