from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver.mlir.reader import read
from layoutsolver.ops.loose import LooseOp, bind_loose


def loose(text: str) -> LooseOp:
    module = read(text)
    assert module.diagnostics == []
    return bind_loose(module.ops[0])


def operands(text: str) -> list[str]:
    op = read(text).ops[0]
    return [op.stream.texts[token] for token in bind_loose(op).operands]


def results(found: LooseOp) -> list[str | None]:
    return [None if text is None else text.text for text in found.result_types]


@pytest.mark.parametrize(
    ("text", "used", "types", "operand_types"),
    [
        ("t.a", [], [], None),
        ("t.a %x", ["%x"], [], None),
        ("%r = t.a %x", ["%x"], [None], None),
        ("%r = t.a %x : i8", ["%x"], ["i8"], None),
        ("t.a %x, %y : i8, i16", ["%x", "%y"], [], ["i8", "i16"]),
        ("t.a %x, %y : i8", ["%x", "%y"], [], None),
        ("%r = t.a %x, %y : i8, i16 -> i32", ["%x", "%y"], ["i32"], ["i8", "i16"]),
        ("%r = t.a %x, %y : (i8, i16) -> i32", ["%x", "%y"], ["i32"], ["i8", "i16"]),
        ("%r, %s = t.a %x : (i8) -> (i16, i32)", ["%x"], ["i16", "i32"], ["i8"]),
        ("%r:2 = t.a %x : i8 into i16, i32", ["%x"], ["i16", "i32"], ["i8"]),
        ("%r = t.a %x : i8 to i16", ["%x"], ["i16"], ["i8"]),
        ("%r:2 = t.a %x : i8", ["%x"], ["i8", "i8"], None),
        ("%r = t.a %x[%i, %i] {k = 1 : i8} : memref<4xf32>, i8", ["%x", "%i", "%i"], ["i8"], None),
        ("%r = t.a %x -> i8", ["%x"], ["i8"], None),
        ("%r = t.a(%x, %y) <{k = 1 : i8}> : i16", ["%x", "%y"], ["i16"], None),
        ("t.br ^bb1(%x : i8), ^bb2(%y, %z : i8, i8)", ["%x", "%y", "%z"], [], None),
        ('%r = t.a "a : b" %x : i8 loc("f":1:2)', ["%x"], ["i8"], None),
        ("%r = t.a %x : vector<4xf32, #l<{a = b}>>, !f -> !t<a : b>", ["%x"], ["!t<a : b>"], None),
        ('%r = "t.a"(%x, %y) : (i8, i16) -> i32', ["%x", "%y"], ["i32"], ["i8", "i16"]),
        ('"t.a"(%x)[^bb1, ^bb2] : (i8) -> ()', ["%x"], [], ["i8"]),
        ("%r = t.if %c -> (i8) {\n t.y %z : i8\n} else {\n t.y %z\n}", ["%c"], ["i8"], None),
        ("%r = t.a %c {\n t.y %z : i8\n} : i16", ["%c"], ["i16"], None),
        ("%r = t.a ins(%c : i8) {\n t.y %z : i8\n} -> i16", [], ["i16"], None),
        ("t.a %c {\n t.y %z : i8\n} : i16", ["%c"], [], None),
    ],
)  # fmt: skip
def test_operands_and_types_are_told_from_the_shape(
    text: str, used: list[str], types: list[str | None], operand_types: list[str] | None
) -> None:
    found = loose(text)
    assert operands(text) == used
    assert results(found) == types
    assert (None if found.operand_types is None else [kind.text for kind in found.operand_types]) == operand_types


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("t.for %i = %a to %b {\n t.x %i\n}", [("%i", "")]),
        ("t.for %i = %a iter(%p = %q, %r = %s) {\n t.x %i\n}", [("%i", ""), ("%p", ""), ("%r", "")]),
        ("t.par (%i, %j) = (%a, %b) {\n t.x %i\n}", [("%i", ""), ("%j", "")]),
        ("t.all (%i, %j) in (%a, %b) {\n t.x %i\n}", [("%i", ""), ("%j", "")]),
        ("t.fn @f(%p: i8, %q : memref<4xf32, strided<[1]>> {d.a}) {\n t.x %p\n}",
         [("%p", "i8"), ("%q", "memref<4xf32, strided<[1]>>")]),
        ("t.a %p, %q : i8, i8", []),
        ("t.a (%p, %q) {\n t.x %p\n}", []),
        ("t.a (%p, 4) = (%q) {\n t.x %p\n}", []),
    ],
)  # fmt: skip
def test_names_that_a_header_defines_are_no_operands(text: str, arguments: list[tuple[str, str]]) -> None:
    found = loose(text)
    assert [(argument.name.text, argument.type_text) for argument in found.arguments] == arguments
    assert not {name for name, _ in arguments} & set(operands(text))


TOKENS = (
    "%x", ",", ":", "->", "to", "(", ")", "{", "}", "[", "]", "<", ">", "i8", "vector", "=", "in", "loc", '"s"', "^b",
    "{ t.x %y }",
)  # fmt: skip


@given(st.lists(st.sampled_from(TOKENS), max_size=16), st.booleans())
@settings(max_examples=500)
def test_any_tokens_keep_every_use_and_one_type_for_each_result(tokens: list[str], named: bool) -> None:
    text = ("%r:2 = " if named else "") + "t.a " + " ".join(tokens)
    op = read(text).ops[0]
    found = bind_loose(op)
    assert len(found.result_types) == (2 if named else 0)
    assert sorted([*found.operands, *(argument.name.token for argument in found.arguments)]) == op.uses
    for kind in found.result_types:
        assert kind is None or op.name_token < kind.first < kind.last <= op.last


def test_a_generic_operation_without_its_types_says_where_it_breaks_off() -> None:
    found = loose('%r:2 = "t.a"(%x)')
    assert found.mismatch is not None
    assert found.mismatch.expected == "`:`"
    assert results(found) == [None, None]
    assert loose('%r = "t.a"(%x) : (i8) -> i8').mismatch is None
