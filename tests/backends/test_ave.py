from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver.api import SolveOptions, SolveResult, annotate, pose, solve
from layoutsolver.backends import load_backend
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.mlir.lexer import tokenize
from layoutsolver.source import SourceFile
from layoutsolver_models.solve.layout import Limits
from tests.support.ave_programs import random_program

UB = "#hivm.address_space<ub>"
OPTIONS = SolveOptions(limits=Limits(20.0))


def solved(text: str, compat: str = "") -> SolveResult:
    result = solve(SourceFile("a.mlir", text), SolveOptions(compat, limits=Limits(20.0)))
    assert result.ok, [item.message for item in result.diagnostics]
    return result


def dist(name: str) -> str:
    return f"functionType = #ave.func_dist_type<{name}>"


def mem(name: str) -> str:
    return f"#ave.vector_layout<{{mem = #ave.vec_mem_type<{name}>}}>"


def short(text: str) -> str:
    """Vector types with their layout behind a colon, to be read by people."""
    return re.sub(r", #ave\.vector_layout<\{mem = #ave\.vec_mem_type<(\w+)>\}>", r":\1", text)


# -- functionType -------------------------------------------------------------------------------------------------


def program(mask: str = "%m = ave.hir.pge <ALL> : vector<64xi1>", add: str = "") -> str:
    """A function whose mask has granularity b32 and whose addition has no functionType."""
    return "\n".join([
        f"func.func @f(%a: memref<64xf32, {UB}>) {{",
        "  %c0 = arith.constant 0 : index",
        f"  {mask}",
        f"  %x = ave.hir.vload <NORM> %a[%c0] {{{dist('norm')}}} : memref<64xf32, {UB}> into vector<64xf32>",
        f"  {add or '%y = ave.hir.vadd %x, %x, %m : vector<64xf32>, vector<64xi1>'}",
        f"  ave.hir.masked_store <NORM_B32> %a[%c0], %m, %y {{{dist('norm')}}} : memref<64xf32, {UB}>, "
        "vector<64xi1>, vector<64xf32>",
        "  return",
        "}",
        "",
    ])  # fmt: skip


GENERIC = '%m = "ave.hir.pge"() <{pattern = #ave.pge_pattern<ALL>}>'
RIGHT, WRONG = dist("pb32"), dist("pb8")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("<ALL> :", f"<ALL> {{{RIGHT}}} :", id="no dictionary"),
        pytest.param("<ALL>:", f"<ALL> {{{RIGHT}}} :", id="no dictionary and no blank"),
        pytest.param("<ALL>\t\t:", f"<ALL> {{{RIGHT}}}\t\t:", id="no dictionary and tabs"),
        pytest.param("<ALL> {} :", f"<ALL> {{{RIGHT}}} :", id="empty dictionary"),
        pytest.param("<ALL> { } :", f"<ALL> {{{RIGHT}}} :", id="dictionary with a blank"),
        pytest.param(f"<ALL> {{{RIGHT}}} :", f"<ALL> {{{RIGHT}}} :", id="right already"),
        pytest.param(f"<ALL> {{{WRONG}}} :", f"<ALL> {{{RIGHT}}} :", id="wrong"),
        pytest.param("<ALL> {functionType = #alias} :", f"<ALL> {{{RIGHT}}} :", id="an alias"),
        pytest.param(f"<ALL> {{a, {WRONG}, z}} :", f"<ALL> {{a, {RIGHT}, z}} :", id="wrong among others"),
        pytest.param("<ALL> {ave.x = 1 : i32} :", f"<ALL> {{ave.x = 1 : i32, {RIGHT}}} :", id="behind ave."),
        pytest.param("<ALL> {hivm.y} :", f"<ALL> {{{RIGHT}, hivm.y}} :", id="before hivm."),
        pytest.param(
            '<ALL> {ave.x = [1, 2], "part" = {a = 1, z = 2}} :',
            f'<ALL> {{ave.x = [1, 2], {RIGHT}, "part" = {{a = 1, z = 2}}}} :', id="between",
        ),
        pytest.param("<ALL> // why\n    :", f"<ALL> {{{RIGHT}}} // why\n    :", id="before a comment"),
        pytest.param("<ALL> {a // why\n  } :", f"<ALL> {{a, {RIGHT} // why\n  }} :", id="before a comment inside"),
    ],
)  # fmt: skip
def test_the_function_type_is_set_where_it_belongs(before: str, after: str) -> None:
    text = program(f"%m = ave.hir.pge {before} vector<64xi1>")
    assert annotate(solved(text)) == program(f"%m = ave.hir.pge {after} vector<64xi1>")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f" {{{RIGHT}}}"),
        (" {}", f" {{{RIGHT}}}"),
        (" {a = 1 : i32}", f" {{a = 1 : i32, {RIGHT}}}"),
        (f" {{{WRONG}}}", f" {{{RIGHT}}}"),
    ],
)
def test_the_function_type_is_set_in_the_generic_form(before: str, after: str) -> None:
    text = program(f"{GENERIC}{before} : () -> vector<64xi1>")
    assert annotate(solved(text)) == program(f"{GENERIC}{after} : () -> vector<64xi1>")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(f" {{{WRONG}}}", "", id="alone"),
        pytest.param(f" {{{WRONG}, z}}", " {z}", id="first"),
        pytest.param(f" {{a, {WRONG}}}", " {a}", id="last"),
        pytest.param(f" {{a, {WRONG}, z}}", " {a, z}", id="between"),
        pytest.param(f" {{a,  {WRONG} ,z}}", " {a,  z}", id="with odd blanks"),
        pytest.param(f" {{ {WRONG} }}", "", id="alone with blanks"),
        pytest.param(f" {{ // why\n    {WRONG}}}", " // why\n", id="alone behind a comment"),
        pytest.param(f" {{{WRONG}, // why\n    z}}", " { // why\nz}", id="before a comment"),
        pytest.param(f" {{a // why\n    , {WRONG}}}", " {a // why\n    }", id="behind a comment"),
        pytest.param(f" {{a, // why\n    {WRONG}}}", " {a // why\n}", id="behind a comma and a comment"),
    ],
)
def test_a_stale_function_type_is_removed_and_comments_stay(before: str, after: str) -> None:
    def add(attributes: str) -> str:
        return program(RIGHT_MASK, f"%y = ave.hir.vadd %x, %x, %m{attributes} : vector<64xf32>, vector<64xi1>")

    assert annotate(solved(add(before))) == add(after)
    assert solved(add(after)).ok


RIGHT_MASK = f"%m = ave.hir.pge <ALL> {{{RIGHT}}} : vector<64xi1>"


def test_without_a_solution_there_is_nothing_to_write() -> None:
    result = solve(SourceFile("a.mlir", "test.use %x\n"))
    with pytest.raises(ValueError, match="no solution"):
        annotate(result)


def test_an_unknown_emitter_is_a_key_error() -> None:
    assert load_backend("ave").name == "ave"
    with pytest.raises(KeyError, match="nonsense"):
        load_backend("nonsense")


# -- layouts in types ---------------------------------------------------------------------------------------------


def names(result: SolveResult) -> dict[str, str]:
    """The layout of each value by name; values of one name must be in different functions, the last one counts."""
    assert result.posed is not None
    assert result.solution is not None
    values = result.posed.problem.values
    return {value.id: layout for value, layout in zip(values, result.solution.layouts, strict=True)}


def around_calls(result: SolveResult) -> set[int]:
    """Problem values that a call to the outside takes or returns: they keep plain types."""
    assert result.posed is not None
    graph, number = result.posed.graph, result.posed.number
    bodies = {function.symbol for function in graph.functions if function.has_body}
    outside = [graph.ops[op] for op, symbol in graph.calls.items() if symbol not in bodies]
    return {number[value] for node in outside for value in graph.vectors([*node.operands, *node.results])}


def settle(text: str) -> str:
    """The text with layouts, which must pin every value and be solved to the same layouts at the same cost."""
    first = solved(text)
    written = annotate(first, layouts=True)
    again = solved(written)
    assert first.solution is not None
    assert again.solution is not None
    assert again.posed is not None
    assert again.posed.problem.schema == "layoutsolver/layout-problem/1"
    pinned = {pin.value for pin in again.posed.problem.pins}
    vectors = {number for number, value in enumerate(again.posed.problem.values) if value.bits}
    assert vectors - pinned <= around_calls(again)
    before, after = names(first), names(again)
    assert {name: after[name] for name in before} == before
    assert again.solution.cost == first.solution.cost
    return written


HEAD = f"func.func @f(%a: memref<64xi8, {UB}>, %n: index, %q: i1) {{\n  %c0 = arith.constant 0 : index\n"
LOAD = f"  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xi8, {UB}> into vector<64xi8>\n"
WIDEN = "  %e = ave.hir.vextsi {}, %m {{pp = #ave.vcvt_pp_type<pp0>}} : vector<64xi8>, vector<64xi32>, vector<64xi1>\n"
MASK = "  %m = ave.hir.pge <ALL> : vector<64xi1>\n"
TAIL = "  return\n}\n"
I8, I8_4VL, I32, I1 = "vector<64xi8>", "vector<64xi8:b8_4vl>", "vector<64xi32:b32>", "vector<64xi1:b32>"

PROGRAMS = {
    "loop": HEAD + MASK + LOAD + (
        "  %r:2 = scf.for %i = %c0 to %n step %n iter_args(%s = %x, %t = %x) -> (vector<64xi8>, vector<64xi8>) {\n"
        "    %u = ave.hir.vadd %s, %t, %m : vector<64xi8>, vector<64xi1>\n"
        "    scf.yield %u, %s : vector<64xi8>, vector<64xi8>  // swapped\n"
        "  }\n"
    ) + WIDEN.format("%r#1") + TAIL,
    "generic_loop": HEAD + MASK + LOAD + (
        '  %r = "scf.for"(%c0, %n, %n, %x) ({\n'
        "  ^bb0(%i: index, %s: vector<64xi8>):\n"
        "    %u = ave.hir.vadd %s, %s, %m : vector<64xi8>, vector<64xi1>\n"
        '    "scf.yield"(%u) : (vector<64xi8>) -> ()\n'
        "  }) : (index, index, index, vector<64xi8>) -> vector<64xi8>\n"
    ) + WIDEN.format("%r") + TAIL,
    "branch": HEAD + MASK + LOAD + (
        "  %r = scf.if %q -> (vector<64xi8>) {\n"
        "    %u = ave.hir.vadd %x, %x, %m : vector<64xi8>, vector<64xi1>\n"
        "    scf.yield %u : vector<64xi8>\n"
        "  } else {\n"
        "    scf.yield %x : vector<64xi8>\n"
        "  }\n"
    ) + WIDEN.format("%r") + TAIL,
    "call_outside": "func.func private @out(vector<64xi8>, i1, vector<64xi8>) -> (vector<64xi8>, vector<64xi8>)\n"
    + HEAD + MASK + LOAD + (
        "  %r:2 = func.call @out(%x, %q, %x) : (vector<64xi8>, i1, vector<64xi8>) -> (vector<64xi8>, vector<64xi8>)\n"
        "  %s:2 = call @out(%r#1, %q, %r#0) : (vector<64xi8>, i1, vector<64xi8>) -> (vector<64xi8>, vector<64xi8>)\n"
        "  scf.for %i = %c0 to %n step %n {\n"
        "    %u = ave.hir.vadd %s#0, %s#0, %m : vector<64xi8>, vector<64xi1>  // used in here\n"
        "  }\n"
    ) + WIDEN.format("%s#0") + TAIL,
    "clash": "func.func private @out(vector<64xi8>) -> vector<64xi8>\n" + HEAD + MASK + LOAD + (
        "  %plain_7_0 = arith.constant 1 : i32\n"
        "  %held_7_0 = arith.constant 1 : i32\n"
        "  %r = func.call @out(%x) : (vector<64xi8>) -> vector<64xi8>\n"
    ) + WIDEN.format("%r") + TAIL,
    "call_inside": (
        "func.func private @in(%v: vector<64xi8>, %w: vector<64xi1>, %n: index) -> vector<64xi8> {\n"
        "  %d = ave.hir.vadd %v, %v, %w : vector<64xi8>, vector<64xi1>\n"
        "  return %d : vector<64xi8>\n}\n"
    ) + HEAD + MASK + LOAD + (
        "  %r = func.call @in(%x, %m, %n) : (vector<64xi8>, vector<64xi1>, index) -> vector<64xi8>\n"
    ) + WIDEN.format("%r") + TAIL,
    "signature": (
        "func.func @g(%v: vector<64xi8> {a = 1}, %m: vector<64xi1>) -> (vector<64xi8> {b}, vector<64xi32>) "
        "attributes {hivm.vector_function} {\n"
    ) + WIDEN.format("%v") + "  return %v, %e : vector<64xi8>, vector<64xi32>\n}\n",
    "generic_functions": (
        '"func.func"() <{function_type = (vector<64xi8>, vector<64xi1>) -> (vector<64xi8>, vector<64xi32>), '
        'sym_name = "g"}> ({\n'
        "^bb0(%v: vector<64xi8>, %m: vector<64xi1>):\n"
    ) + WIDEN.format("%v") + (
        '  "func.return"(%v, %e) : (vector<64xi8>, vector<64xi32>) -> ()\n'
        "}) : () -> ()\n"
        '"func.func"() <{function_type = (i8) -> vector<64xi8>, sym_name = "h"}> ({\n'
        "^bb0(%t: i8):\n"
        "  %b = ave.hir.scalar_broadcast %t : i8 -> vector<64xi8>\n"
        '  "func.return"(%b) : (vector<64xi8>) -> ()\n'
        "}) : () -> ()\n"
    ),
    "several_results": HEAD + MASK + LOAD + (
        "  %l, %h = ave.hir.vintlv %x, %x {layout_change = #ave<layout_change UNCHANGED>} : "
        "vector<64xi8>, vector<64xi8>\n"
        "  %k, %j = ave.hir.plt %n : vector<64xi1>, index\n"
        "  %z = ave.hir.vadd %l, %h, %k : vector<64xi8>, vector<64xi1>\n"
    ) + WIDEN.format("%z") + TAIL,
    "generic": HEAD + (
        '  %m = "ave.hir.pge"() <{pattern = #ave.pge_pattern<ALL>}> : () -> vector<64xi1>\n'
    ) + LOAD + (
        '  %z = "ave.hir.vadd"(%x, %x, %m) : (vector<64xi8>, vector<64xi8>, vector<64xi1>) -> vector<64xi8>\n'
        "  %w = builtin.unrealized_conversion_cast %z : vector<64xi8> to vector<64xi8>\n"
    ) + WIDEN.format("%w") + TAIL,
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_layouts_are_written_and_pin_every_value(name: str, golden: Callable[[str, str], None]) -> None:
    written = settle(PROGRAMS[name])
    golden(f"backends/ave_{name}.mlir", written)
    assert annotate(solved(written), layouts=True).count("layout_cast") == written.count("layout_cast")


def test_a_call_to_the_outside_is_between_casts_and_its_results_are_taken_from_behind_them() -> None:
    lines = short(settle(PROGRAMS["call_outside"])).splitlines()
    first = next(number for number, line in enumerate(lines) if "func.call" in line)
    block = [line.strip() for line in lines[first - 2 : first + 3]]
    held = [line.split(" = ")[0] for line in block[3:]]
    plain = [line.split(" = ")[0] for line in block[:2]]
    assert block == [
        f"{plain[0]} = ave.hir.vector.layout_cast %x : vector<64xi8:b8> -> {I8}",
        f"{plain[1]} = ave.hir.vector.layout_cast %x : vector<64xi8:b8> -> {I8}",
        f"%r:2 = func.call @out({plain[0]}, %q, {plain[1]}) : ({I8}, i1, {I8}) -> ({I8}, {I8})",
        *[line for line in block[3:] if "ave.hir.vector.layout_cast %r#" in line],
    ]
    assert len(set(held) | set(plain)) == 4
    second = lines[first + 3 : first + 5]
    assert [f"layout_cast {name} :" in line for name, line in zip(held[::-1], second, strict=True)] == [True, True]
    used_inside = next(line for line in lines if "// used in here" in line)
    assert "%s#0" not in used_inside


def test_names_that_exist_are_not_given_to_casts() -> None:
    written = settle(PROGRAMS["clash"])
    defined = re.findall(r"^ *(%\w+) =", written, re.MULTILINE)
    assert len(defined) == len(set(defined))
    assert {"%plain_7_0_", "%held_7_0_"} <= set(defined)


def test_the_signature_of_a_function_and_its_callers_carry_one_layout() -> None:
    text = short(settle(PROGRAMS["call_inside"]))
    assert f"@in(%v: {I8_4VL}, %w: {I1}, %n: index) -> {I8_4VL} {{" in text
    assert f"func.call @in(%x, %m, %n) : ({I8_4VL}, {I1}, index) -> {I8_4VL}\n" in text
    assert "layout_cast" not in text


def test_attributes_of_arguments_and_results_stay() -> None:
    text = short(settle(PROGRAMS["signature"]))
    assert f"@g(%v: {I8_4VL} {{a = 1}}, %m: {I1}) -> ({I8_4VL} {{b}}, {I32}) attributes {{" in text
    assert f"return %v, %e : {I8_4VL}, {I32}\n" in text


def test_in_upstream_mode_every_call_is_between_casts_and_signatures_stay() -> None:
    header = "func.func private @in(%v: vector<64xi8>, %w: vector<64xi1>) {"
    call = "func.call @in({}, {}) : (vector<64xi8>, vector<64xi1>) -> ()"
    text = f"{header}\n  return\n}}\n{HEAD}{MASK}{LOAD}  {call.format('%x', '%m')}\n{WIDEN.format('%x')}{TAIL}"
    written = short(annotate(solved(text, "upstream"), layouts=True))
    assert header in written
    assert [line.strip() for line in written.splitlines() if "layout_cast" in line or "call" in line] == [
        f"%plain_6_0 = ave.hir.vector.layout_cast %x : {I8_4VL} -> {I8}",
        f"%plain_6_1 = ave.hir.vector.layout_cast %m : {I1} -> vector<64xi1>",
        call.format("%plain_6_0", "%plain_6_1"),
    ]


def test_casts_around_a_call_that_are_there_already_stay_the_only_ones() -> None:
    text = settle(PROGRAMS["call_outside"])
    assert text.count("layout_cast") == 8
    assert settle(text) == text


# -- nothing else is touched --------------------------------------------------------------------------------------


def bare_tokens(text: str) -> list[str]:
    """The tokens of a text without functionType entries, layouts of vectors, and empty dictionaries."""
    tokens = tokenize(text).texts[:-1]
    layout = tokenize(", " + mem("@")).texts[:-2]
    prefix = layout[: layout.index("<", layout.index("#ave.vec_mem_type")) + 1]
    out: list[str] = []
    at = 0
    while at < len(tokens):
        if tokens[at : at + len(prefix)] == prefix:
            at += len(prefix) + 4
        elif tokens[at].strip('"') == "functionType":
            end = at + 2 if tokens[at + 3] != "<" else at + 5
            if tokens[end + 1] == ",":
                end += 1
            elif out[-1] == ",":
                out.pop()
            at = end + 1
        else:
            out.append(tokens[at])
            at += 1
    text = " ".join(out)
    return text.replace(" { } ", " ").split(" ")


def comments(text: str) -> list[str]:
    return [piece for piece in tokenize(text).pieces if piece.startswith("//")]


def test_the_comparison_of_tokens_sees_all_but_annotations() -> None:
    one = program()
    assert bare_tokens(one) == bare_tokens(one.replace("vector<64xf32>", f"vector<64xf32, {mem('b32')}>"))
    assert bare_tokens(one) == bare_tokens(one.replace(dist("norm"), f"{dist('pk')}"))
    assert bare_tokens(one) != bare_tokens(one.replace("%y", "%z"))
    assert bare_tokens(f"a {{x, {dist('pk')}}} b") == bare_tokens("a {x} b")
    assert bare_tokens(f"a {{{dist('pk')}, x}} b") == bare_tokens("a {x} b")
    assert bare_tokens("a {functionType = #alias} b") == bare_tokens("a b")
    assert bare_tokens("a {x} b") != bare_tokens("a b")


@pytest.mark.parametrize("layouts", [False, True])
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in ("call_outside", "clash")])
def test_annotations_removed_give_the_input_back(name: str, layouts: bool) -> None:
    text = "// head\n" + PROGRAMS[name].replace(" : vector", "  :  vector") + "\n// tail"
    written = annotate(solved(text), layouts)
    assert written != text
    assert bare_tokens(written) == bare_tokens(text)
    assert comments(written) == comments(text)


SEEDS = st.integers(0, 10**9)


def feasible(seed: int, size: int = 8) -> SolveResult | None:
    text = random_program(random.Random(seed), size, feasible_bias=0.9)
    result = solve(SourceFile("a.mlir", text), OPTIONS)
    return result if result.ok else None


@settings(max_examples=40)
@given(SEEDS)
def test_only_annotations_are_added_to_a_random_program(seed: int) -> None:
    result = feasible(seed)
    if result is None:
        return
    text = result.module.source.text
    entry = r"functionType = #ave\.func_dist_type<\w+>"
    removed = re.sub(rf" \{{{entry}\}}|{entry}, |, {entry}", "", annotate(result))
    assert removed == text
    layout = r", #ave\.vector_layout<\{mem = #ave\.vec_mem_type<\w+>\}>"
    if "call @ext" not in text and "#ave.vector_layout" not in text:
        removed = re.sub(rf" \{{{entry}\}}|{entry}, |, {entry}|{layout}", "", annotate(result, layouts=True))
        assert removed == text


@settings(max_examples=40)
@given(SEEDS)
def test_annotating_annotated_text_with_the_same_solution_changes_nothing(seed: int) -> None:
    result = feasible(seed)
    if result is None:
        return
    assert result.solution is not None
    text = annotate(result)
    posed = pose(SourceFile("a.mlir", text), OPTIONS).posed
    assert posed is not None
    assert apply_edits(text, load_backend("ave").annotate(posed, result.solution)) == text
    assert annotate(solved(text)) == text


def passes_a_wide_predicate(text: str) -> bool:
    return re.search(r"call @ext.*vector<256xi1>", text) is not None


@settings(max_examples=40)
@given(SEEDS)
def test_written_layouts_of_a_random_program_are_solved_to_the_same(seed: int) -> None:
    result = feasible(seed)
    if result is None or passes_a_wide_predicate(result.module.source.text):
        return
    written = settle(result.module.source.text)
    if "call @ext" not in written:
        assert annotate(solved(written), layouts=True) == written


def test_a_whole_predicate_register_is_passed_to_a_call_through_its_cast() -> None:
    settle(
        "func.func private @out(vector<64xf32>, vector<256xi1>)\n"
        "func.func @f(%s: f32, %v: vector<64xf32>) {\n"
        "  %m = ave.hir.pge <ALL> : vector<64xi1>\n"
        "  %x = ave.hir.vabs %v, %m : vector<64xf32>, vector<64xi1>\n"
        "  %w = builtin.unrealized_conversion_cast %m : vector<64xi1> to vector<256xi1>\n"
        "  func.call @out(%x, %w) : (vector<64xf32>, vector<256xi1>) -> ()\n"
        "  return\n}\n"
    )
