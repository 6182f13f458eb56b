from __future__ import annotations

import random
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.lexer import tokenize
from layoutsolver.mlir.reader import MAX_NESTING, MAX_RESULTS, read
from layoutsolver.mlir.tree import Module, Op
from layoutsolver.source import SourceFile, split_input
from tests.support.ave_programs import random_program
from tests.support.mlir_text import Program, programs, write_program
from tests.support.tree_check import check_tree, outline

FRAGMENTS = (
    "%a", "%b", "=", "foo.bar", '"d.op"', "(", ")", "{", "}", "<", ">", "[", "]", ":", ",", "->", "^bb0", "@f", "#m",
    "!t", "\n", " ", "// c\n", '"', "\\", "{-#", "#-}", "func.func", "module", "scf.for", "return", "attributes", "²",
    "iter_args", "loc", "%x:2", "%", "ave.hir.pge", "vector", "1", "-", "é",
)  # fmt: skip
soups = st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join)


def codes(module: Module) -> list[str]:
    return [diagnostic.code for diagnostic in module.diagnostics]


def marked(module: Module, number: int = 0) -> str:
    """What the label of a diagnostic covers, with its line."""
    label = module.diagnostics[number].primary
    assert label is not None
    return f"{label.source.position(label.span.start).line}:{label.source.slice(label.span)}"


# -- nothing is lost --------------------------------------------------------------------------------------------------


@given(st.one_of(st.text(max_size=100), soups))
@settings(max_examples=500)
def test_any_text_is_written_again_and_survives_graph_building(text: str) -> None:
    module = read(text)
    check_tree(module, text)
    build_graph(module)


@given(programs(size=16))
@settings(max_examples=200)
def test_random_programs_are_read_as_they_were_made(program: Program) -> None:
    module = read(program.text)
    check_tree(module, program.text)
    assert module.diagnostics == []
    assert outline(module) == [(op.name, op.results, op.depth) for op in program.ops]
    assert [op.is_generic for op in module.walk()] == [op.generic for op in program.ops]
    assert module.aliases == program.aliases


@pytest.mark.parametrize("seed", range(40))
def test_random_ave_programs_are_read_without_loss_or_diagnostics(seed: int) -> None:
    text = random_program(random.Random(seed), 4 + seed)
    module = read(text)
    check_tree(module, text)
    assert module.diagnostics == []
    assert len([op for op in module.walk() if op.name.startswith("ave.hir.")]) == len(
        [line for line in text.splitlines() if "ave.hir." in line.split("//")[0]]
    )


@given(programs(size=6), programs(size=6), programs(size=6))
@settings(max_examples=20)
def test_chunks_of_a_split_file_hold_the_operations_of_their_parts(a: Program, b: Program, c: Program) -> None:
    parts = [part.text.replace("// -----\n", "") for part in (a, b, c)]
    text = "\n// -----\n".join(parts)
    chunks = split_input(SourceFile("x.mlir", text))
    assert [outline(read(chunk)) for chunk in chunks] == [outline(read(part)) for part in parts]
    assert len(outline(read(text))) == sum(len(outline(read(part))) for part in parts)


# -- broken text ------------------------------------------------------------------------------------------------------


def mutate(rng: random.Random, text: str) -> str:
    pieces = list(tokenize(text).pieces)
    for _ in range(1 + rng.randrange(3)):
        if not pieces:
            break
        at = rng.randrange(len(pieces))
        kind = rng.randrange(5)
        if kind == 0:
            del pieces[at]
        elif kind == 1:
            pieces.insert(at, rng.choice(FRAGMENTS))
        elif kind == 2:
            other = rng.randrange(len(pieces))
            pieces[at], pieces[other] = pieces[other], pieces[at]
        elif kind == 3:
            del pieces[at : at + rng.randrange(20)]
        else:
            pieces = pieces[:at]
    return "".join(pieces)


@given(programs(size=10), st.integers(0, 2**32 - 1))
@settings(max_examples=250)
def test_mutated_programs_are_lossless_and_messages_point_into_the_text(program: Program, seed: int) -> None:
    text = mutate(random.Random(seed), program.text)
    module = read(text)
    check_tree(module, text)
    graph, diagnostics = build_graph(module)
    assert len(graph.ops) == len(list(module.walk()))
    for diagnostic in diagnostics:
        assert diagnostic.primary is not None
        assert 0 <= diagnostic.primary.span.start < diagnostic.primary.span.end <= len(text)


def test_many_mutations_of_ave_programs_never_raise() -> None:
    rng = random.Random(5)
    for seed in range(150):
        text = mutate(rng, random_program(random.Random(seed), 8))
        module = read(text)
        check_tree(module, text)
        graph, _ = build_graph(module)
        assert len(graph.ops) == len(list(module.walk()))


@pytest.mark.parametrize(
    ("line", "code", "where"),
    [
        ("%x = foo.bar(%a : i32", "LS0003", "2:("),
        ("%x = foo.bar %a[%b, %c : i32", "LS0003", "2:["),
        ("%x = foo.bar %a : vector<4xf32", "LS0003", "2:<"),
        ("%x = foo.bar {a = 1 : i32", "LS0003", "2:{"),
        ('%x = foo.bar "abc : i32', "LS0007", '2:"abc : i32'),
        ('%x = foo.bar "a{b : i32', "LS0007", '2:"a{b : i32'),
        ('%x = foo.bar "abc\\" : i32', "LS0007", '2:"abc\\" : i32'),
        ('%x = "foo.bar', "LS0007", '2:"foo.bar'),
        ("%x = foo.bar %a) : i32", "LS0004", "2:)"),
        ("%x = foo.bar %a] : i32", "LS0004", "2:]"),
        ("%x = foo.bar %a(%b] : i32", "LS0004", "2:]"),
        ("%x foo.bar %a : i32", "LS0004", "2:foo.bar"),
        ("%x = : i32", "LS0004", "2::"),
        ("%x = 5", "LS0004", "2:5"),
        ("%x = %p", "LS0004", "2:%p"),
        ("% = foo.bar", "LS0004", "2:%"),
        ("%x#1 = foo.bar", "LS0004", "2:%x#1"),
        ("%x:0 = foo.bar", "LS0004", "2:0"),
        ("%x:99999999999999999999 = foo.bar", "LS0004", "2:99999999999999999999"),
        ("#m = affine_map<(d0)", "LS0003", "2:<"),
        ("! = i32", "LS0004", "2:!"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("after", ["%y = test.after %p : i32", '%y = "test.after"(%p) : (i32) -> i32'])
def test_a_broken_line_is_reported_where_it_breaks_and_what_follows_is_found(
    line: str, code: str, where: str, after: str
) -> None:
    text = f"%p = test.before : i32\n{line}\n{after}\ntest.last %y : i32\n"
    module = read(text)
    check_tree(module, text)
    assert codes(module)[0] == code
    assert marked(module) == where
    names = [op.name for op in module.ops]
    assert names[0] == "test.before"
    assert names[-2:] == ["test.after", "test.last"]
    assert module.ops[-2].results[0].text == "%y"


@pytest.mark.parametrize(
    "after",
    ['"test.after"(%p) : (i32) -> ()', "test.after %p : i32", "func.func @test.after()", "func.call @g() : () -> ()"],
)
@pytest.mark.parametrize("line", ["foo.bar %a[%b : i32", "foo.bar <NORM %a : i32", "foo.bar %a : memref<4xf32"])
def test_operations_without_results_are_found_behind_a_bracket_that_is_never_closed(line: str, after: str) -> None:
    module = read(f"{line}\n{after}\ntest.last %y : i32\n")
    assert codes(module) == ["LS0003"]
    assert len(module.ops) == 3
    assert module.ops[1].first == len(tokenize(line).texts) - 1


def test_return_behind_an_unclosed_bracket_ends_the_function_it_is_in() -> None:
    module = read("func.func @f() {\n  foo.bar %a[%b\n  return\n}\nfunc.func @g() {\n  return\n}\n")
    assert codes(module) == ["LS0003"]
    assert outline(module) == [
        ("func.func", (), 0), ("foo.bar", (), 1), ("return", (), 1), ("func.func", (), 0), ("return", (), 1),
    ]  # fmt: skip


def test_a_bracket_closed_by_another_kind_is_reported_with_both_places() -> None:
    module = read("foo.bar (%a[%b) : i32\nfoo.baz")
    assert codes(module) == ["LS0003"]
    assert marked(module) == "1:["
    (label,) = module.diagnostics[0].secondary
    assert label.source.slice(label.span) == ")"
    assert [op.name for op in module.ops] == ["foo.bar", "foo.baz"]


def test_the_next_operation_is_named_as_the_place_where_an_open_bracket_is_noticed() -> None:
    module = read("foo.bar (%a\n%x = foo.baz")
    (label,) = module.diagnostics[0].secondary
    assert label.source.slice(label.span) == "%x"


def test_a_region_that_is_never_closed_is_reported_at_its_brace_and_keeps_its_operations() -> None:
    text = "func.func @f() {\n  %a = foo.bar\n  scf.if %a {\n    foo.baz %a\n"
    module = read(text)
    check_tree(module, text)
    assert codes(module) == ["LS0003", "LS0003"]
    assert {marked(module, 0), marked(module, 1)} == {"1:{", "3:{"}
    assert [op.name for op in module.walk()] == ["func.func", "foo.bar", "scf.if", "foo.baz"]


def test_a_brace_too_many_is_reported_and_reading_goes_on() -> None:
    module = read("foo.bar\n}\nfoo.baz\n")
    assert codes(module) == ["LS0004"]
    assert marked(module) == "2:}"
    assert [op.name for op in module.ops] == ["foo.bar", "foo.baz"]


def test_a_string_that_is_never_closed_in_an_alias_or_at_the_top_is_reported_too() -> None:
    assert "LS0007" in codes(read('#a = "x\nfoo.bar'))
    assert "LS0007" in codes(read('"x'))
    assert "LS0007" in codes(read('foo.bar {\n^bb0(%a: !t<"x>):\n}'))


def test_metadata_without_end_is_reported() -> None:
    module = read("foo.bar\n{-#\n x\n")
    assert (codes(module), marked(module)) == (["LS0003"], "2:{-#")


def test_metadata_is_no_operation_and_operations_behind_it_are_found() -> None:
    module = read('{-#\n dialect_resources: { builtin: { k: "0x08" } }\n#-}\nfoo.bar\n')
    assert (codes(module), [op.name for op in module.ops]) == ([], ["foo.bar"])


def test_a_block_label_needs_its_colon() -> None:
    module = read("foo.bar {\n^bb0(%a: i32)\n  foo.baz %a : i32\n}")
    assert (codes(module), marked(module)) == (["LS0004"], "3:foo.baz")
    assert [op.name for op in module.walk()] == ["foo.bar", "foo.baz"]


# -- what a brace is --------------------------------------------------------------------------------------------------


def only(text: str) -> Op:
    module = read(text)
    assert module.diagnostics == []
    (op,) = module.ops
    return op


@pytest.mark.parametrize(
    ("text", "regions"),
    [
        ("foo.bar {a = 1}", 0),
        ("foo.bar {a}", 0),
        ("foo.bar {d.a}", 0),
        ("foo.bar {d.a, b}", 0),
        ("foo.bar {}", 0),
        ('foo.bar {"a" = 1}', 0),
        ("foo.bar { %a = x.y }", 1),
        ('foo.bar { "x.y"() : () -> () }', 1),
        ("foo.bar { ^bb0: }", 1),
        ("foo.bar { x.y %a }", 1),
        ("foo.bar { return }", 1),
        ("foo.bar {a = 1} { x.y %a }", 1),
        ("foo.bar { x.y %a } {a = 1}", 1),
        ("foo.bar { x.y %a } {d.a}", 1),
        ("foo.bar { x.y %a } { x.y %b }", 2),
        ("scf.if %c { } else { }", 2),
        ("scf.if %c { x.y } else { x.y }", 2),
        ("scf.for %i = %a to %b step %c { } {d.mark}", 1),
        ("scf.for %i = %a to %b step %c { x.y } {}", 1),
        ("module { }", 1),
        ("module attributes {d.a} { }", 1),
        ("module attributes {d.a = #d.b<{x = 1}>} { x.y }", 1),
        ("func.func private @f(i32 {d.a}) attributes {d.b}", 0),
        ("func.func @f(%a: i32 {d.a}) attributes {d.b} { return }", 1),
        ('"scf.for"() ({ }) {d.a} : () -> ()', 1),
        ('"foo.bar"() {return} : () -> ()', 0),
        ('"foo.bar"() <{a = 1}> ({ }, { ^bb0: }) {d.a} : () -> ()', 2),
        ('"foo.bar"() ({ }) : () -> ()', 1),
    ],
)  # fmt: skip
def test_a_brace_opens_a_region_or_a_dictionary(text: str, regions: int) -> None:
    assert len(only(text).regions) == regions


def test_names_in_nested_regions_are_not_uses_of_the_operation_around_them() -> None:
    op = only('"foo.bar"(%a) ({\n  x.y %b\n}) {k} : (i32) -> ()')
    assert [op.stream.texts[token] for token in op.uses] == ["%a"]
    assert "".join(op.stream.texts[token] for token in op.body_tokens()) == "(%a)(){k}:(i32)->()"


def test_an_operation_goes_on_over_line_breaks_behind_a_comma_or_colon() -> None:
    module = read("%a = foo.bar %x,\n  %y :\n  vector<4xf32>\n  -> i32\nfoo.baz")
    assert [op.name for op in module.ops] == ["foo.bar", "foo.baz"]


def test_block_arguments_have_their_types() -> None:
    module = read('foo.bar {\n^bb0(%a: vector<4x!t<a, b>>, %b: i32 loc("x":1:2), %c : (i32) -> f32):\n}')
    (block,) = module.ops[0].regions[0].blocks
    assert block.label == "^bb0"
    assert [(argument.name.text, argument.type_text) for argument in block.arguments] == [
        ("%a", "vector<4x!t<a, b>>"), ("%b", "i32"), ("%c", "(i32) -> f32"),
    ]  # fmt: skip


# -- size -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize(
    "opening", ["foo.bar {\n", '"foo.bar"() ({\n', "func.func @f() {\n", "scf.if %a {\n", "module {"]
)
def test_ten_thousand_nested_regions_give_a_diagnostic_and_no_exception(opening: str, closed: bool) -> None:
    closing = "}) : () -> ()\n" if "(" in opening and "@" not in opening else "}\n"
    text = opening * 10_000 + "foo.x %q\n" + closing * (10_000 if closed else 0) + "test.after : i32\n"
    module = read(text)
    check_tree_text(module, text)
    assert "LS0006" in codes(module)
    assert len(list(module.walk())) >= MAX_NESTING
    build_graph(module)
    if closed:
        assert codes(module) == ["LS0006"]
        assert module.ops[-1].name == "test.after"


def check_tree_text(module: Module, text: str) -> None:
    """As `check_tree`, without its recursion."""
    assert str(module) == text
    for diagnostic in module.diagnostics:
        assert diagnostic.primary is not None
        assert diagnostic.primary.span.end <= len(text)


def test_regions_up_to_the_limit_are_entered_with_a_small_stack() -> None:
    text = "foo.bar { %a = x.y\n" * MAX_NESTING + "}\n" * MAX_NESTING
    module = read(text)
    assert module.diagnostics == []
    assert len(list(module.walk())) == 2 * MAX_NESTING
    assert str(module) == text
    assert sys.getrecursionlimit() <= 3000


@pytest.mark.parametrize(
    ("opening", "closing"), [("tuple<", ">"), ("(", ")"), ("[", "]"), ("(i32) -> ", ""), ("{a = ", "}")]
)
def test_ten_thousand_nested_brackets_are_one_operation(opening: str, closing: str) -> None:
    text = "%x = foo.bar {k = " + opening * 10_000 + "i32" + closing * 10_000 + "} : i32\n"
    text += (
        "%y = foo.baz : " + (opening * 10_000 + "i32" + closing * 10_000).replace("{a = ", "").replace("}", "") + "\n"
    )
    text += f'"foo.gen"(%x) : ({opening * 10_000}i32{closing * 10_000}) -> ()\n'
    text += "func.func @f(%a: " + opening * 10_000 + "i32" + closing * 10_000 + ") { return }\n"
    module = read(text)
    assert str(module) == text
    assert module.diagnostics == []
    assert [op.name for op in module.ops] == ["foo.bar", "foo.baz", "foo.gen", "func.func"]
    build_graph(module)


@pytest.mark.parametrize(
    "text",
    [
        "foo.bar " + "(" * 10_000 + "]" * 10_000,
        "foo.bar (" + "%a,\n" * 50_000,
        "foo.bar (\n" + "%a\n" * 50_000,
        "%a,\n" * 20_000,
        "%a:1,\n" * 20_000 + "= foo.bar",
        "foo.bar {" * 20_000,
        "}" * 20_000,
        '"' * 20_001,
        "^bb0" * 20_000,
        "%x = " * 20_000,
    ],
)
def test_time_grows_with_the_length_of_broken_text_only(text: str) -> None:
    start = time.process_time()
    assert str(read(text)) == text
    assert time.process_time() - start < 15


def test_the_largest_number_of_results_is_kept_and_one_more_is_not() -> None:
    assert only(f"%x:{MAX_RESULTS} = foo.bar").results[0].count == MAX_RESULTS
    module = read(f"%x:{MAX_RESULTS + 1} = foo.bar")
    assert (codes(module), module.ops[0].results[0].count) == (["LS0004"], 1)


# -- another reader ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_generic_modules_are_read_as_xdsl_reads_them(seed: int) -> None:
    pytest.importorskip("xdsl")
    from xdsl.context import Context
    from xdsl.dialects.builtin import Builtin, UnregisteredOp
    from xdsl.ir import Operation
    from xdsl.parser import Parser

    program = write_program(random.Random(seed), generic_only=True, size=25)
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    theirs: list[tuple[str, int, int, int]] = []

    def visit(op: Operation, depth: int) -> None:
        name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
        theirs.append((name, len(op.results), len(op.operands), depth))
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    visit(inner, depth + 1)

    visit(Parser(context, program.text).parse_module(), 0)
    module = read(program.text)
    graph, diagnostics = build_graph(module)
    assert diagnostics == []
    depths = {-1: -1}
    ours = []
    for node in graph.ops:
        depths[node.index] = depths[node.parent] + 1
        ours.append((node.name, len(node.results), len(node.operands), depths[node.index]))
    assert ours == theirs
