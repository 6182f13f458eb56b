from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver.mlir.lexer import tokenize
from layoutsolver.mlir.reader import read
from layoutsolver.ops.assembly import (
    Bound,
    Mismatch,
    attribute_entries,
    bind,
    bind_generic,
    compile_assembly,
    scan_type,
    skip_bracket,
    trailing_types,
)
from layoutsolver.ops.ave import AVE_OPS
from layoutsolver.ops.spec import Effect, Kind, OpSpec, Role


def spec(assembly: str, operands: str = "") -> OpSpec:
    roles = tuple(Role(name.rstrip("*"), Kind.ANY, name.endswith("*")) for name in operands.split())
    return OpSpec("t.a", roles, (), assembly, "none", Effect.PURE)


def bound(text: str, assembly: str) -> Bound | Mismatch:
    (op,) = read(text).ops
    return bind(op, spec(assembly))


def names(text: str, found: Bound | Mismatch) -> list[tuple[str, str]]:
    assert isinstance(found, Bound)
    texts = tokenize(text).texts
    return [(role, texts[token]) for role, token in found.operands]


@pytest.mark.parametrize(
    ("text", "assembly", "operands"),
    [
        ("t.a %x", "$a", [("a", "%x")]),
        ("t.a %x, %y", "$a , $b", [("a", "%x"), ("b", "%y")]),
        ("t.a %x[]", "$a [ $i* ]", [("a", "%x")]),
        ("t.a %x[%i]", "$a [ $i* ]", [("a", "%x"), ("i", "%i")]),
        ("t.a %x[%i, %j, %i]", "$a [ $i* ]", [("a", "%x"), ("i", "%i"), ("i", "%j"), ("i", "%i")]),
        ("t.a %x, 4", "$a , int", [("a", "%x")]),
        ("t.a %x, -4", "$a , int", [("a", "%x")]),
        ("t.a %x {a}", "$a attrs", [("a", "%x")]),
        ("t.a %x", "$a attrs", [("a", "%x")]),
        ("t.a %x", "$a [: , $b :]", [("a", "%x")]),
        ("t.a %x, %y", "$a [: , $b :]", [("a", "%x"), ("b", "%y")]),
        ("t.a %x loc(unknown)", "$a", [("a", "%x")]),
    ],
)
def test_text_that_follows_the_form_is_bound(text: str, assembly: str, operands: list[tuple[str, str]]) -> None:
    assert names(text, bound(text, assembly)) == operands


@pytest.mark.parametrize(
    ("text", "assembly", "token", "expected"),
    [
        ("t.a", "$a", "", "operand `a`"),
        ("t.a 5", "$a", "5", "operand `a`"),
        ("t.a %x %y", "$a , $b", "%y", "`,`"),
        ("t.a %x, ", "$a , $b", "", "operand `b`"),
        ("t.a %x[%i, ]", "$a [ $i* ]", "]", "operand `i`"),
        ("t.a %x[%i %j]", "$a [ $i* ]", "%j", "`]`"),
        ("t.a %x : ", "$a : type(a)", "", "the type of `a`"),
        ("t.a %x : 5", "$a : type(a)", "5", "the type of `a`"),
        ("t.a %x : vector", "$a : type(a)", "vector", "the type of `a`"),
        ("t.a NORM", "<kind>", "NORM", "`<kind>`"),
        ("t.a <a b>", "<kind>", "<", "`<kind>`"),
        ("t.a <", "<kind>", "<", "`<kind>`"),
        ("t.a <a", "<kind>", "<", "`<kind>`"),
        ("t.a maybe", "bool", "maybe", "`true` or `false`"),
        ("t.a 1.5", "int", "1.5", "an integer"),
        ("t.a ²", "int", "²", "an integer"),
        ("t.a -", "int", "", "an integer"),
        ("t.a %x, %y", "$a", ",", "the end of the operation"),
        ("t.a %x loc", "$a", "loc", "the end of the operation"),
    ],
)
def test_text_that_departs_from_the_form_is_located(text: str, assembly: str, token: str, expected: str) -> None:
    found = bound(text, assembly)
    assert isinstance(found, Mismatch)
    assert (tokenize(text).texts[found.token], found.expected) == (token, expected)


TOKENS = (
    "%x", ",", ":", "<", ">", "[", "]", "{", "}", "(", ")", "->", "NORM", "true", "1", "-", "vector", "i8", "into",
    "loc", "²",
)  # fmt: skip


@given(st.sampled_from([row.assembly for row in AVE_OPS]), st.lists(st.sampled_from(TOKENS), max_size=14))
@settings(max_examples=600)
def test_any_tokens_are_bound_or_located_within_the_operation(assembly: str, tokens: list[str]) -> None:
    for tail in ("", "\n%z = t.z : i8"):
        op = read("t.a " + " ".join(tokens) + tail).ops[0]
        found = bind(op, spec(assembly))
        if isinstance(found, Mismatch):
            assert op.name_token < found.token <= op.last
        else:
            assert all(op.name_token < token < op.last for _, token in found.operands)
            assert all(op.name_token < text.first < text.last <= op.last for text in found.types.values())


def test_an_assembly_names_its_items() -> None:
    assert compile_assembly("<k> $a [ $i* ] , bool attrs : type(a) [: -> type(r) :]") == (
        ("enum", "k"), ("use", "a"), ("token", "["), ("uses", "i"), ("token", "]"), ("token", ","), ("bool", ""),
        ("attrs", ""), ("token", ":"), ("type", "a"), ("optional", ""), ("token", "->"), ("type", "r"), ("end", ""),
    )  # fmt: skip


# -- types ------------------------------------------------------------------------------------------------------------

TYPES = (
    "i8", "f32", "index", "vector<4x8xf32>", "memref<?x4xf32, strided<[?, 1], offset: ?>, #hivm.address_space<ub>>",
    "!t", "!pto.ptr<f32, ub>", "!llvm.struct<\"a\", (i32, ptr)>", "(i8) -> i16", "() -> ()",
    "(i8, (i8) -> ()) -> (i8, i8)",
    "tuple<i8, tuple<>>", "memref<4xf32, affine_map<(d0)[s0] -> (d0 + s0)>>", "none", "(i8) -> (i8) -> i8",
)  # fmt: skip


@pytest.mark.parametrize("text", TYPES)
@pytest.mark.parametrize("behind", ["", " , i8", " -> x", " {", " loc", " )"])
def test_a_type_ends_where_it_ends(text: str, behind: str) -> None:
    if behind == " -> x" and text.startswith("("):
        behind = ""
    texts = tokenize(text + behind).texts
    assert scan_type(texts, 0, len(texts) - 1) == len(tokenize(text).texts) - 1


@pytest.mark.parametrize("text", ["", "5", "%x", ")", "{", "->", '"a"', "vector", "memref", "(i8) ->", "(i8) -> 5"])
def test_what_is_no_type_ends_nowhere(text: str) -> None:
    texts = tokenize(text).texts
    assert scan_type(texts, 0, len(texts) - 1) is None


@given(st.lists(st.sampled_from(TYPES), max_size=4), st.lists(st.sampled_from(TYPES), max_size=4))
def test_types_on_both_sides_of_the_arrow_are_told_apart(before: list[str], after: list[str]) -> None:
    text = f'"t.a"() : ({", ".join(before)}) -> ({", ".join(after)})'
    (op,) = read(text).ops
    sides = trailing_types(op, op.name_token + 4)
    assert not isinstance(sides, Mismatch)
    assert [[found.text for found in side] for side in sides] == [before, after]


@given(
    st.lists(st.sampled_from(TYPES), max_size=4),
    st.lists(st.sampled_from(TYPES), max_size=3),
    st.booleans(),
    st.booleans(),
)
def test_generic_operands_have_their_types(
    types: list[str], results: list[str], properties: bool, region: bool
) -> None:
    operands = ", ".join(f"%v{number}" for number in range(len(types)))
    middle = " <{a = {b = 1}}>" * properties + " ({\n  t.x %y : i8\n}, {\n})" * region
    text = f'"t.a"({operands}){middle} {{k, l = [1]}} : ({", ".join(types)}) -> ({", ".join(results)}) loc("a":1:2)'
    (op,) = read(text).ops
    found = bind_generic(op, None)
    assert isinstance(found, Bound)
    assert [op.stream.texts[token] for _, token in found.operands] == [f"%v{number}" for number in range(len(types))]
    assert [kind.text for kind in found.operand_types] == types
    assert [kind.text for kind in found.result_types] == results
    assert found.attrs is not None
    assert set(attribute_entries(op, found.attrs)) == {"k", "l"}


def test_a_region_of_a_generic_operation_is_no_dictionary() -> None:
    (op,) = read('"t.a"() ({\n  t.x %y : i8\n}, {\n}) : () -> ()').ops
    found = bind_generic(op, None)
    assert isinstance(found, Bound)
    assert found.attrs is None
    assert op.stream.texts[found.attrs_at] == ":"


@given(st.integers(0, 6))
def test_a_variadic_role_takes_what_the_fixed_ones_leave(count: int) -> None:
    operands = ", ".join(f"%v{number}" for number in range(count))
    text = f'"t.a"({operands}) : ({", ".join(["i8"] * count)}) -> ()'
    found = bind(read(text).ops[0], spec("", "a many* z"))
    if count < 2:
        assert isinstance(found, Mismatch)
        return
    assert isinstance(found, Bound)
    assert [role for role, _ in found.operands] == ["a", *["many"] * (count - 2), "z"]


# -- brackets and dictionaries ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "end"),
    [("(a) b", 3), ("<a<b>> c", 6), ("{a = [1, (2)]} x", 11), ("(a", 2), ("<(d0) -> (d0)> x", 9), ("()", 2)],
)
def test_a_bracket_group_ends_at_its_closing_bracket_or_with_the_text(text: str, end: int) -> None:
    texts = tokenize(text).texts
    assert skip_bracket(texts, 0, len(texts) - 1) == end


def test_entries_of_a_dictionary_are_found_by_name() -> None:
    text = '"t.a"() {a = 1 : i32, d.unit, "q u" = [1, {x = 2}], m = affine_map<(d0, d1) -> (d0)>} : () -> ()'
    (op,) = read(text).ops
    found = bind_generic(op, None)
    assert isinstance(found, Bound)
    assert found.attrs is not None
    entries = attribute_entries(op, found.attrs)
    assert {name: op.stream.range_text(*tokens) for name, tokens in entries.items()} == {
        "a": "a = 1 : i32", "d.unit": "d.unit", "q u": '"q u" = [1, {x = 2}]', "m": "m = affine_map<(d0, d1) -> (d0)>",
    }  # fmt: skip


@pytest.mark.parametrize("attributes", ["{}", "{ }", "{a}"])
def test_a_dictionary_may_be_empty(attributes: str) -> None:
    (op,) = read(f"t.a %x {attributes}").ops
    found = bind(op, spec("$a attrs"))
    assert isinstance(found, Bound)
    assert found.attrs is not None
    assert list(attribute_entries(op, found.attrs)) == [name for name in ["a"] if name in attributes]
