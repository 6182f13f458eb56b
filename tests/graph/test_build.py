from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.build import build_graph, plain_symbol
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.reader import read
from layoutsolver.mlir.types import VectorType
from tests.support.ave_programs import random_program
from tests.support.mlir_text import Program, programs


def build(text: str) -> tuple[Graph, list[Diagnostic]]:
    module = read(text)
    assert module.diagnostics == []
    return build_graph(module)


def clean(text: str) -> Graph:
    graph, diagnostics = build(text)
    assert [diagnostic.message for diagnostic in diagnostics] == []
    return graph


def node(graph: Graph, name: str, number: int = 0) -> OpNode:
    return [op for op in graph.ops if op.name == name][number]


def operands(graph: Graph, op: OpNode) -> list[str]:
    return [graph.values[value].name if value >= 0 else "?" for value in op.operands]


def types(graph: Graph, values: list[int]) -> list[str]:
    return [graph.values[value].type.text for value in values]


def place(diagnostic: Diagnostic) -> tuple[str, str, list[str]]:
    """Code, primary place and secondary places of a message as `line:column text`."""

    def show(label: Label) -> str:
        line, column = label.source.line_column(label.span.start)
        return f"{line}:{column} {label.source.slice(label.span)}"

    assert diagnostic.primary is not None
    return diagnostic.code, show(diagnostic.primary), [show(label) for label in diagnostic.secondary]


def places(text: str) -> list[tuple[str, str, list[str]]]:
    return [place(diagnostic) for diagnostic in build(text)[1]]


# -- random programs --------------------------------------------------------------------------------------------------


@given(programs(size=16))
@settings(max_examples=200)
def test_names_of_random_programs_resolve_to_what_they_were_made_from(program: Program) -> None:
    graph = clean(program.text)
    assert [op.name for op in graph.ops] == [{"return": "func.return"}.get(op.name, op.name) for op in program.ops]
    assert [tuple(operands(graph, op)) for op in graph.ops] == [op.operands for op in program.ops]
    for mine, made in zip(graph.ops, program.ops, strict=True):
        aliases = program.aliases
        assert types(graph, mine.results) == [aliases.get(text, text) for text in made.types]


@pytest.mark.parametrize("seed", range(30))
def test_random_ave_programs_have_graphs_without_diagnostics_and_consistent_users(seed: int) -> None:
    graph = clean(random_program(random.Random(seed), 20))
    for value in graph.values:
        assert graph.values[value.index] is value
        assert all(graph.ops[op].operands[operand] == value.index for op, operand in graph.users[value.index])
        if value.op >= 0:
            assert graph.ops[value.op].results[value.number] == value.index
    for op in graph.ops:
        assert all((op.index, number) in graph.users[value] for number, value in enumerate(op.operands))
        assert op.parent < op.index
        assert all(isinstance(graph.values[value].type.text, str) for value in op.results)


def test_post_order_puts_operations_behind_what_they_contain() -> None:
    graph = clean(
        "module {\n  func.func @f() {\n    t.a : i32\n    return\n  }\n  func.func @g() {\n    return\n  }\n}"
    )
    assert [graph.ops[index].name for index in graph.post_order()] == [
        "t.a", "func.return", "func.func", "func.return", "func.func", "builtin.module",
    ]  # fmt: skip


# -- names ------------------------------------------------------------------------------------------------------------


def test_results_in_a_group_are_told_apart_by_their_numbers() -> None:
    graph = clean(
        '%x:2, %y = "t.a"() : () -> (i8, i16, i32)\n"t.b"(%x#0, %x#1, %x, %y, %y#0) : (i8, i16, i8, i32, i32) -> ()'
    )
    assert operands(graph, graph.ops[1]) == ["%x#0", "%x#1", "%x#0", "%y", "%y"]
    assert types(graph, graph.ops[0].results) == ["i8", "i16", "i32"]
    assert [graph.values[value].number for value in graph.ops[0].results] == [0, 1, 2]


@pytest.mark.parametrize("use", ["%x#2", "%y#1", "%z"])
def test_a_name_that_nothing_defines_is_reported_at_its_use(use: str) -> None:
    text = f'%x:2 = "t.a"() : () -> (i8, i16)\n%y = "t.c"() : () -> i8\nt.b {use}\n'
    assert places(text) == [("LS0201", f"3:5 {use}", [])]


def test_an_undefined_operand_keeps_its_place_among_the_operands() -> None:
    graph, diagnostics = build('%a = t.a : i8\n"t.b"(%a, %u, %a) : (i8, i8, i8) -> ()')
    assert operands(graph, graph.ops[1]) == ["%a", "?", "%a"]
    assert [diagnostic.code for diagnostic in diagnostics] == ["LS0201"]


@pytest.mark.parametrize(
    ("first", "second", "where"),
    [
        ("%x = t.a : i8", "%x = t.b : i8", "%x"),
        ("%x:2 = t.a : i8, i8", "%x:2 = t.b : i8, i8", "%x"),
        ("%x = t.a : i8", "%x:3 = t.b : i8, i8, i8", "%x"),
        ("%x:2 = t.a : i8, i8", "%x = t.b : i8", "%x"),
        ("%x = t.a : i8", "t.b { ^bb0(%x: i8): }", "%x"),
        ("%x = t.a : i8", "t.b { %x = t.c : i8 }", "%x"),
        ("%x = t.a : i8", "t.b { %x:2 = t.c : i8, i8 }", "%x"),
        ("%x = t.a : i8", "scf.for %x = %x to %x step %x { }", "%x"),
    ],
)  # fmt: skip
def test_a_name_defined_twice_is_reported_once_with_both_places(first: str, second: str, where: str) -> None:
    text = f"{first}\n{second}\nt.z : i8\n"
    column = second.index(where) + 1
    assert places(text) == [("LS0202", f"2:{column} {where}", [f"1:1 {where}"])]
    assert [op.name for op in build(text)[0].ops][-1] == "t.z"


def test_a_name_goes_out_of_scope_with_its_region_and_may_be_used_again() -> None:
    text = "t.a {\n  %x:2 = t.b : i8, i8\n}\nt.a {\n  %x = t.b : i8\n}\n"
    for use, hidden in (("%x", ["5:3 %x"]), ("%x#0", ["2:3 %x"]), ("%x#1", ["2:3 %x"])):
        assert places(f"{text}t.c {use}\n") == [("LS0201", f"7:5 {use}", hidden)]


def test_an_argument_of_a_block_is_seen_in_it_and_not_behind_it() -> None:
    text = '"t.a"() ({\n^bb0(%x: i8):\n  "t.b"(%x) : (i8) -> ()\n}, {\n  "t.b"(%x) : (i8) -> ()\n}) : () -> ()'
    assert places(text) == [("LS0201", "5:9 %x", ["2:6 %x"])]


@pytest.mark.parametrize(
    "head",
    ["func.func @f() {", '"func.func"() <{sym_name = "f"}> ({', "module {", "llvm.func @f() {", "gpu.func @f() {"],
)
def test_an_isolated_operation_does_not_see_the_names_around_it_and_may_use_them_again(head: str) -> None:
    tail = "}) : () -> ()" if head[0] == '"' else "}"
    assert places(f"%x = t.a : i8\n{head}\n  t.b %x\n{tail}\n") == [("LS0201", "3:7 %x", ["1:1 %x"])]
    assert places(f"%x = t.a : i8\n{head}\n  %x = t.b : i8\n{tail}\nt.c %x\n") == []


def test_blocks_may_use_what_later_blocks_define() -> None:
    graph = clean(
        "func.func @f() {\n  cf.br ^bb2\n^bb1:\n  t.use %later, %later2#1\n  t.in {\n    t.nested %later\n  }\n"
        "  return\n"
        "^bb2:\n  %later = t.a : i8\n  %later2:2 = t.a : i8, i8\n  cf.br ^bb1\n}"
    )
    assert operands(graph, node(graph, "t.use")) == ["%later", "%later2#1"]
    assert operands(graph, node(graph, "t.nested")) == ["%later"]
    later = node(graph, "t.use").operands[0]
    assert (node(graph, "t.use").index, 0) in graph.users[later]
    assert (node(graph, "t.nested").index, 0) in graph.users[later]


def test_what_no_block_defines_is_reported_after_all_blocks_are_read() -> None:
    text = "func.func @f() {\n  cf.br ^bb1\n^bb1:\n  t.use %never\n  return\n}"
    assert places(text) == [("LS0201", "4:9 %never", [])]


def test_one_block_may_not_use_what_it_defines_later() -> None:
    assert places("func.func @f() {\n  t.use %x\n  %x = t.a : i8\n  return\n}") == [("LS0201", "2:9 %x", ["3:3 %x"])]


# -- types ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("use", "token"),
    [
        ('"t.b"(%y, %x) : (i8, i32) -> ()', "%x"),
        ("t.b %y, %x : i8, i32", "%x"),
        ("t.b %y, %x : (i8, i32) -> ()", "%x"),
        ("%r = t.b %x : i32 to i64", "%x"),
        ("ave.hir.membar %x : i32", "%x"),
        ("func.return %y, %x : i8, i32", "%x"),
    ],
)
def test_a_value_used_as_another_type_is_reported_with_its_definition(use: str, token: str) -> None:
    text = f"%x = t.a : i16\n%y = t.a : i8\n{use}\n"
    column = use.index(token) + 1
    assert places(text) == [("LS0203", f"3:{column} {token}", ["1:1 %x"])]


def test_of_two_uses_of_a_value_the_wrong_one_is_pointed_at() -> None:
    assert places('%x = t.a : i16\n"t.b"(%x, %x) : (i16, i8) -> ()') == [("LS0203", "2:11 %x", ["1:1 %x"])]


@pytest.mark.parametrize(
    ("defined", "used"),
    [
        ("vector<4xf32>", "vector< 4 x f32 >"),
        ("vector<64xi8>", "vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>"),
        ("memref<4xf32, strided<[1], offset: ?>>", "memref<4xf32, strided<[1],offset:?>>"),
        ("!t", "i16"),
        ("i16", "!t"),
        ("vector<4x!e>", "vector<4xf32>"),
        ("vector<8xi8, #l>", "vector<8xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_2vl>}>>"),
        ("!nested", "vector<8xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_2vl>}>>"),
        ("memref<4xf32, #hivm.address_space<ub>>", "memref<4xf32, #ub>"),
    ],
)
def test_types_that_mean_the_same_match(defined: str, used: str) -> None:
    aliases = (
        "!t = i16\n!e = f32\n#l = #ave.vector_layout<{mem = #ave.vec_mem_type<b8_2vl>}>\n!nested = vector<8xi8, #l>\n"
        "#ub = #hivm.address_space<ub>\n"
    )
    clean(f'{aliases}%x = "t.a"() : () -> {defined}\n"t.b"(%x) : ({used}) -> ()')


def test_a_layout_behind_two_aliases_is_found() -> None:
    graph = clean(
        "#s = #ave.vec_mem_type<b16>\n#l = #ave.vector_layout<{mem = #s}>\n!v = vector<8xi8, #l>\n%x = t.a : !v"
    )
    vector = graph.values[0].vector
    assert vector is not None
    assert (vector.layout, vector.shape) == ("b16", (8,))


@pytest.mark.parametrize(
    "aliases",
    ["!v = !v", "!v = tuple<!w>\n!w = tuple<!v>", "\n".join(f"!v{n} = tuple<!v{n + 1}, !v{n + 1}>" for n in range(40))],
)
def test_aliases_that_refer_to_each_other_or_grow_without_end_are_left_as_they_are(aliases: str) -> None:
    name = aliases.split()[0]
    graph = clean(f"{aliases}\n%x = t.a : {name}")
    assert graph.values[0].type.text == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%r = arith.cmpi slt, %i, %i : i32", ["i1"]),
        ("%r = arith.cmpf olt, %v, %v : vector<8xf32>", ["vector<8xi1>"]),
        ("%r = arith.cmpi eq, %w, %w : vector<2x4xi32>", ["vector<2x4xi1>"]),
        ("%r = arith.addi %i, %i : i32", ["i32"]),
        ("%r = arith.select %b, %i, %i : i32", ["i32"]),
        ("%r = arith.index_cast %i : i32 to index", ["index"]),
        ("%r = arith.constant 4 : index", ["index"]),
        ("%r = arith.constant dense<0.0> : vector<8xf32>", ["vector<8xf32>"]),
        ("%r = arith.constant true", ["i1"]),
        ("%r = memref.load %m[%n] : memref<4xf32>", ["f32"]),
        ("%r = memref.dim %m, %n : memref<4xf32>", ["index"]),
        ("%r = vector.bitcast %v : vector<8xf32> to vector<8xi32>", ["vector<8xi32>"]),
        ("%r:2 = t.two %i : i32", ["i32", "i32"]),
        ("%r, %s = t.two %i : i8, i16", ["i8", "i16"]),
        ("%r, %s = t.two %i : i32 -> i8, i16", ["i8", "i16"]),
        ("%r = t.fun %i : (i32) -> ((i8) -> i16)", ["(i8) -> i16"]),
        ('%r = "t.fun"(%i) : (i32) -> ((i8) -> i16)', ["(i8) -> i16"]),
        ("%r = t.generate %i { t.x %i } : i8", ["i8"]),
        ("%r = t.generate %i { t.x %i } -> i8", ["i8"]),
        ("%r = t.none %i", [""]),
        ('%r = t.commented %i : i32 -> vector<4x // "note\n f32>', ["vector<4x \n f32>"]),
    ],
)
def test_result_types_are_those_that_the_text_tells(text: str, expected: list[str]) -> None:
    values = (
        "%i = t.v : i32\n%b = t.v : i1\n%n = t.v : index\n%v = t.v : vector<8xf32>\n%w = t.v : vector<2x4xi32>\n"
        "%m = t.v : memref<4xf32>\n"
    )
    graph = clean(values + text)
    assert types(graph, next(op for op in graph.ops[6:] if op.parent < 0).results) == expected


def test_a_type_with_a_comment_inside_is_a_vector_all_the_same() -> None:
    graph = clean("%r = t.v : vector<4x // note\n f32>")
    assert isinstance(graph.values[0].type, VectorType)


def test_casts_in_a_row_have_the_types_they_print() -> None:
    graph = clean(
        "%a = t.v : vector<1x64xf32>\n"
        "%b = builtin.unrealized_conversion_cast %a : vector<1x64xf32> to vector<64xf32>\n"
        "%c = unrealized_conversion_cast %b : vector<64xf32> to !t.x<4>\n"
        '%d:2 = "builtin.unrealized_conversion_cast"(%c) : (!t.x<4>) -> (i8, i16)\n'
        "%e = builtin.unrealized_conversion_cast %d#0, %d#1 : i8, i16 to vector<64xf32>\n"
    )
    casts = graph.ops[1:]
    assert {op.name for op in casts} == {"builtin.unrealized_conversion_cast"}
    assert [operands(graph, op) for op in casts] == [["%a"], ["%b"], ["%c"], ["%d#0", "%d#1"]]
    assert [types(graph, op.results) for op in casts] == [
        ["vector<64xf32>"],
        ["!t.x<4>"],
        ["i8", "i16"],
        ["vector<64xf32>"],
    ]


def test_a_group_of_casts_with_a_wrong_type_in_the_middle_is_reported() -> None:
    text = "%a = t.v : i8\n%b = unrealized_conversion_cast %a : i8 to i16\n"
    text += "%c = unrealized_conversion_cast %b : i8 to i32\n"
    assert places(text) == [("LS0203", "3:33 %b", ["2:1 %b"])]


# -- generic form -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code", "where"),
    [
        ('"t.a" ()', "LS0005", ")"),
        ('"t.a"(%x)', "LS0005", ")"),
        ('"t.a"(%x) :', "LS0005", ":"),
        ('"t.a"(%x) : i8', "LS0004", "i8"),
        ('"t.a"(%x) : (i8)', "LS0005", ")"),
        ('"t.a"(%x) : (i8) i8', "LS0004", "i8"),
        ('"t.a"(%x) : (i8) ->', "LS0005", ">"),
        ('"t.a"(%x) : (i8 i8) -> ()', "LS0004", "i8"),
        ('"t.a"(%x) : (i8, ) -> (1)', "LS0004", "1"),
        ('"t.a"(%x) : () -> ()', "LS0004", "("),
        ('"t.a"(%x) : (i8, i8) -> ()', "LS0004", "("),
        ('%r = "t.a"(%x) : (i8) -> (i8, i8)', "LS0205", "%r"),
        ('%r:2 = "t.a"(%x) : (i8) -> i8', "LS0205", "%r"),
    ],
)
def test_a_generic_operation_that_departs_from_its_form_is_reported(line: str, code: str, where: str) -> None:
    _, diagnostics = build(f"%x = t.v : i8\n{line}")
    assert [diagnostic.code for diagnostic in diagnostics] == [code]
    label = diagnostics[0].primary
    assert label is not None
    assert label.source.slice(label.span) == where
    assert label.source.line_column(label.span.start)[0] == 2


def test_a_generic_operation_keeps_its_operands_when_its_types_are_wrong() -> None:
    graph, _ = build('%x = t.v : i8\n"t.a"(%x, %x) : (i8) -> ()\nt.b %x')
    assert operands(graph, graph.ops[1]) == ["%x", "%x"]


# -- functions and calls ----------------------------------------------------------------------------------------------


def test_functions_have_symbols_arguments_bodies_and_returns() -> None:
    graph = clean(
        "func.func private @lib(memref<4xf32>, i32 {d.a}) attributes {d.b = @other}\n"
        "func.func @f(%a: vector<8xf32> {d.x = 1}, %b : memref<4xf32, strided<[1]>> loc(unknown)) -> i32 "
        "attributes {d.c} {\n"
        "  %c = t.v %a : i32\n  cf.cond_br %c, ^bb1(%c : i32), ^bb1(%c : i32)\n^bb1(%d: i32):\n  return %d : i32\n}\n"
        '"func.func"() <{function_type = (i8) -> (), sym_name = "g", sym_visibility = "private"}> ({\n'
        '^bb0(%p: i8):\n  "func.return"() : () -> ()\n}) : () -> ()\n'
        '"func.func"() <{function_type = (i8) -> (), sym_name = "h", sym_visibility = "private"}> ({\n}) : () -> ()\n'
        'func.func @"k"() {\n  return\n}\n'
    )
    found = {
        function.symbol: (
            [graph.values[value].name for value in function.arguments],
            types(graph, function.arguments),
            function.has_body,
            function.is_private,
            len(function.returns),
        )
        for function in graph.functions
    }
    assert found == {
        "@lib": ([], [], False, True, 0),
        "@f": (["%a", "%b"], ["vector<8xf32>", "memref<4xf32, strided<[1]>>"], True, False, 1),
        "@g": (["%p"], ["i8"], True, True, 1),
        "@h": ([], [], False, True, 0),
        "@k": ([], [], True, False, 1),
    }
    assert node(graph, "t.v").function == 1


@pytest.mark.parametrize(
    "call",
    [
        "%r = func.call @f(%x) : (i8) -> i8",
        "%r = call @f(%x) : (i8) -> i8",
        '%r = func.call @"f"(%x) : (i8) -> i8',
        '%r = "func.call"(%x) <{callee = @f}> : (i8) -> i8',
    ],
)
def test_a_call_names_its_callee(call: str) -> None:
    graph = clean(
        f"func.func @f(%a: i8) -> i8 {{\n  return %a : i8\n}}\nfunc.func @g(%x: i8) {{\n  {call}\n  return\n}}"
    )
    (op,) = graph.calls
    assert graph.calls[op] == "@f"
    assert graph.function_by_symbol()["@f"].symbol == "@f"
    assert operands(graph, graph.ops[op]) == ["%x"]
    assert types(graph, graph.ops[op].results) == ["i8"]


def test_a_call_with_too_few_arguments_is_reported_with_the_function() -> None:
    text = "func.func @f(%a: i8, %b: i8) {\n  return\n}\n%x = t.v : i8\nfunc.call @f(%x) : (i8) -> ()\n"
    assert places(text) == [("LS0205", "5:1 func.call", ["1:1 func.func"])]


def test_a_call_that_expects_other_results_than_its_function_returns_is_reported_with_the_return() -> None:
    function = "func.func @f(%a: i8) -> (i8, i8) {\n  return %a : i8\n}\n"
    text = function + "%x = t.v : i8\n%y:2 = func.call @f(%x) : (i8) -> (i8, i8)\n"
    assert places(text) == [("LS0205", "5:8 func.call", ["2:3 return"])]


def test_arithmetic_with_an_operand_too_few_is_reported() -> None:
    head = "%x = t.v : i8\n"
    assert places(head + "%y = arith.muli %x : i8\n") == [("LS0205", "2:6 arith.muli", [])]
    assert places(head + "%y = arith.extsi %x, %x : i8 to i16\n") == [("LS0205", "2:6 arith.extsi", [])]
    clean(head + "%y = arith.muli %x, %x : i8\n%z = arith.extsi %y : i8 to i16\n%c = arith.constant 1 : i8\n")


def test_a_loop_counts_in_numbers() -> None:
    text = "%x = t.v : i8\n%v = t.v : vector<8xi8>\nscf.for %i = %x to %v step %x : i8 {\n}\n"
    assert places(text) == [("LS0203", "3:1 scf.for", [])]


def test_a_call_of_a_function_with_several_blocks_counts_the_arguments_of_the_first_only() -> None:
    clean(
        "func.func @f(%a: i8) {\n  cf.br ^b(%a : i8)\n^b(%c: i8):\n  return\n}\n%x = t.v : i8\ncall @f(%x) : (i8) -> ()"
    )


def test_symbols_are_compared_without_quotes_that_they_do_not_need() -> None:
    assert [plain_symbol(text) for text in ("@a.b", '@"a.b"', '@"a-b"', "@", "")] == ["@a.b", "@a.b", '@"a-b"', "", ""]


# -- names that headers introduce -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "uses", "defined"),
    [
        (
            "scf.parallel (%i, %j) = (%a, %a) to (%b, %b) step (%c, %c)",
            ["%a", "%a", "%b", "%b", "%c", "%c"],
            ["%i", "%j"],
        ),
        ("scf.forall (%i, %j) in (%a, %b)", ["%a", "%b"], ["%i", "%j"]),
        ("affine.for %i = 0 to %a", ["%a"], ["%i"]),
        ("affine.for %i = 0 to 4 iter_args(%j = %a) -> (index)", ["%a"], ["%i", "%j"]),
        ("scf.while (%i = %a, %j = %b) : (index, index) -> index", ["%a", "%b"], ["%i", "%j"]),
        ("linalg.map ins(%a : index) outs(%b : index) (%i: f32, %j: f32)", ["%a", "%b"], ["%i", "%j"]),
        ("linalg.reduce ins(%a, %c : index, index) outs(%b : index)", ["%a", "%c", "%b"], []),
        ("gpu.launch blocks(%i, %j) in (%k = %a, %l = %b)", ["%a", "%b"], ["%i", "%j", "%k", "%l"]),
        ("t.kernel @k(%i: f32, %j : memref<4xf32>)", [], ["%i", "%j"]),
    ],
)
def test_headers_define_names_for_their_region(head: str, uses: list[str], defined: list[str]) -> None:
    body = ", ".join([*defined, "%a"])
    text = f"%a = t.v : index\n%b = t.v : index\n%c = t.v : index\n{head} {{\n  t.use {body}\n}}\n"
    graph = clean(text)
    assert operands(graph, graph.ops[3]) == uses
    assert operands(graph, node(graph, "t.use")) == [*defined, "%a"]


def test_types_of_names_in_a_header_are_known() -> None:
    graph = clean("t.kernel @k(%i: f32, %j : vector<4x!t<a, b>> {d.x}) {\n  t.use %i, %j\n}")
    assert types(graph, node(graph, "t.use").operands) == ["f32", "vector<4x!t<a, b>>"]


# -- constants --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("arith.constant 12 : index", 12),
        ("arith.constant -3 : i32", -3),
        ("arith.constant {d.a} 5 : i32", 5),
        ('"arith.constant"() <{value = 7 : index}> : () -> index', 7),
        ('"arith.constant"() {value = -7 : index} : () -> index', -7),
        ("arith.constant 1.5 : f32", None),
        ("arith.constant dense<1> : vector<4xi32>", None),
        ("arith.constant ² : i32", None),
        (f"arith.constant {'9' * 5000} : i32", None),
    ],
)
def test_integer_constants_are_known(text: str, value: int | None) -> None:
    graph, _ = build(f"%c = {text}")
    assert graph.constants.get(graph.ops[0].results[0]) == value


def test_arguments_of_a_while_have_the_types_of_what_it_starts_with() -> None:
    graph, _ = build(
        "%a = t.v : i8\n%r = scf.while (%p = %a, %q = %gone) : (i8, i16) -> i8 {\n  scf.condition(%c) %p : i8\n} do {\n"
        "^bb0(%x: i8):\n  scf.yield %x : i8\n}"
    )
    types = {value.name: value.type.text for value in graph.values}
    assert (types["%p"], types["%q"]) == ("i8", "")


def test_results_of_a_switch_have_the_types_in_front_of_its_cases() -> None:
    graph = clean(
        "%i = t.i : index\n%a = t.v : i8\n%r = scf.index_switch %i -> i8\ncase 0 {\n  scf.yield %a : i8\n}\n"
        "default {\n  scf.yield %a : i8\n}"
    )
    assert {value.name: value.type.text for value in graph.values}["%r"] == "i8"
