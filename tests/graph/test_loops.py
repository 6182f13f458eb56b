from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layoutsolver.graph.build import ASSUMED_TRIP_COUNT, MOST_RUNS, build_graph
from layoutsolver.graph.loops import trip_count
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.reader import read
from tests.graph.test_build import build, clean, node, operands, places, types

HEAD = """\
%lo = arith.constant 0 : index
%hi = arith.constant 10 : index
%st = arith.constant 4 : index
%u = t.unknown : index
%v = t.v : vector<64xf32>
%i = t.v : i32
"""
CUSTOM = """\
%r:2 = scf.for %iv = %lo to %hi step %st iter_args(%a = %v, %b = %i) -> (vector<64xf32>, i32) {
  %c = t.step %a : vector<64xf32>
  scf.yield %c, %b : vector<64xf32>, i32
} {d.mark}
t.use %r#0, %r#1 : vector<64xf32>, i32
"""
GENERIC = """\
%r:2 = "scf.for"(%lo, %hi, %st, %v, %i) ({
^bb0(%iv: index, %a: vector<64xf32>, %b: i32):
  %c = "t.step"(%a) : (vector<64xf32>) -> vector<64xf32>
  "scf.yield"(%c, %b) : (vector<64xf32>, i32) -> ()
}) {d.mark} : (index, index, index, vector<64xf32>, i32) -> (vector<64xf32>, i32)
"t.use"(%r#0, %r#1) : (vector<64xf32>, i32) -> ()
"""


def carried(graph: Graph, number: int = 0) -> list[tuple[str, ...]]:
    loop = graph.loops[node(graph, "scf.for", number).index]
    return [tuple(graph.values[value].name if value >= 0 else "" for value in tie) for tie in loop.carried]


@pytest.mark.parametrize("text", [CUSTOM, GENERIC], ids=["custom", "generic"])
def test_a_loop_ties_initial_value_argument_yielded_value_and_result(text: str) -> None:
    graph = clean(HEAD + text)
    op = node(graph, "scf.for")
    loop = graph.loops[op.index]
    assert operands(graph, op) == ["%lo", "%hi", "%st", "%v", "%i"]
    assert [graph.values[bound].name for bound in loop.bounds] == ["%lo", "%hi", "%st"]
    assert carried(graph) == [("%v", "%a", "%c", "%r#0"), ("%i", "%b", "%b", "%r#1")]
    assert graph.values[loop.induction].name == "%iv"
    assert types(graph, [loop.induction]) == ["index"]
    for tie in loop.carried:
        assert len(set(types(graph, list(tie)))) == 1
    assert types(graph, op.results) == ["vector<64xf32>", "i32"]
    assert (loop.trip_count, op.weight, node(graph, "t.step").weight, node(graph, "t.use").weight) == (3, 1, 3, 1)
    assert operands(graph, node(graph, "t.use")) == ["%r#0", "%r#1"]


def test_results_that_nobody_names_are_there() -> None:
    for text in (CUSTOM, GENERIC):
        graph = clean(HEAD + "\n".join(text.replace("%r:2 = ", "").splitlines()[:-1]))
        op = node(graph, "scf.for")
        assert [graph.values[value].name for value in op.results] == ["", ""]
        assert types(graph, op.results) == ["vector<64xf32>", "i32"]
        assert carried(graph) == [("%v", "%a", "%c", ""), ("%i", "%b", "%b", "")]


def test_a_loop_without_carried_values_needs_no_yield() -> None:
    graph = clean(
        HEAD + "scf.for %iv = %lo to %hi step %st {\n  t.x %iv : index\n}\nscf.for %iv = %lo to %hi step %st {}\n"
    )
    assert carried(graph) == []
    assert [graph.loops[op.index].trip_count for op in graph.ops if op.name == "scf.for"] == [3, 3]


def test_the_induction_variable_has_the_type_of_its_bounds() -> None:
    graph = clean(
        "%a = arith.constant 0 : i64\n%b = arith.constant 2 : i64\n"
        "scf.for %k = %a to %b step %b : i64 {\n  t.x %k : i64\n}\n"
    )
    assert types(graph, node(graph, "t.x").operands) == ["i64"]
    assert node(graph, "t.x").weight == 1


@pytest.mark.parametrize("text", ["memref<8xf32, affine_map<(d0)[s0] -> (d0 + s0)>>", "tuple<!f<() -> ()>>"])
def test_a_carried_type_may_have_an_arrow_in_it(text: str) -> None:
    graph = clean(
        f'{HEAD}%x = "t.v"() : () -> ({text})\n'
        f"%r = scf.for %k = %lo to %hi step %st iter_args(%a = %x) -> ({text}) {{\n"
        f"  scf.yield %a : {text}\n}}\n"
    )
    assert types(graph, node(graph, "scf.for").results) == [text]


def test_a_yield_in_an_inner_operation_is_not_the_loops() -> None:
    graph = clean(
        HEAD + "%b = t.v : i1\n%r = scf.for %iv = %lo to %hi step %st iter_args(%a = %i) -> (i32) {\n"
        "  %x = scf.if %b -> (i32) {\n    scf.yield %a : i32\n  } else {\n    scf.yield %i : i32\n  }\n"
        "  scf.yield %x : i32\n}\n"
    )
    assert carried(graph) == [("%i", "%a", "%x", "%r")]
    branch = node(graph, "scf.if")
    assert [operands(graph, graph.ops[op]) for op in graph.branches[branch.index]] == [["%a"], ["%i"]]
    assert types(graph, branch.results) == ["i32"]


@pytest.mark.parametrize(
    "text",
    [
        "%r:2 = scf.if %c -> (i32, i8) {\n scf.yield %i, %j : i32, i8\n} else {\n scf.yield %i, %k : i32, i8\n}",
        '%r:2 = "scf.if"(%c) ({\n "scf.yield"(%i, %j) : (i32, i8) -> ()\n}, {\n'
        '  "scf.yield"(%i, %k) : (i32, i8) -> ()\n}) '
        ": (i1) -> (i32, i8)",
    ],
)
def test_both_branches_of_an_if_are_known_with_what_they_yield(text: str) -> None:
    graph = clean(f"%c = t.v : i1\n%i = t.v : i32\n%j, %k = t.v : i8, i8\n{text}\nt.use %r#1 : i8")
    branch = node(graph, "scf.if")
    assert operands(graph, branch) == ["%c"]
    assert [operands(graph, graph.ops[op]) for op in graph.branches[branch.index]] == [["%i", "%j"], ["%i", "%k"]]
    assert types(graph, branch.results) == ["i32", "i8"]


# -- weights ----------------------------------------------------------------------------------------------------------


BOUNDS = st.tuples(st.integers(-20, 20), st.integers(-20, 60), st.integers(-1, 9))


@given(st.lists(st.one_of(st.none(), BOUNDS), max_size=6),
       st.integers(1, 99))  # fmt: skip
def test_weights_are_products_of_trip_counts(loops: list[tuple[int, int, int] | None], assumed: int) -> None:
    lines = ["%u = t.unknown : index"]
    product = 1
    expected = []
    for number, bounds in enumerate(loops):
        if bounds is None:
            lines.append(f"scf.for %i{number} = %u to %u step %u {{")
            count = assumed
        else:
            for name, value in zip("abc", bounds, strict=True):
                lines.append(f"%{name}{number} = arith.constant {value} : index")
            lines.append(f"scf.for %i{number} = %a{number} to %b{number} step %c{number} {{")
            count = len(range(*bounds)) if bounds[2] > 0 else assumed
        expected.append(product)
        product = min(product * count, MOST_RUNS)
    lines += ["t.inner : i32", *["}"] * len(loops), "t.outer : i32"]
    graph, diagnostics = build_graph(read("\n".join(lines)), assumed)
    idle = [bounds for bounds in loops if bounds is not None and bounds[2] <= 0]
    assert [item.code for item in diagnostics] == ["LS0210"] * len(idle)
    assert [op.weight for op in graph.ops if op.name == "scf.for"] == expected
    assert node(graph, "t.inner").weight == product
    assert node(graph, "t.outer").weight == 1


def test_a_loop_with_an_unknown_bound_is_taken_to_run_the_assumed_number_of_times() -> None:
    graph = clean(HEAD + "scf.for %k = %lo to %u step %st {\n  t.x : i32\n}\n")
    assert graph.loops[node(graph, "scf.for").index].trip_count is None
    assert node(graph, "t.x").weight == ASSUMED_TRIP_COUNT


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(1, 20))
def test_a_trip_count_is_the_length_of_the_range(lower: int, upper: int, step: int) -> None:
    assert trip_count([lower, upper, step]) == len(range(lower, upper, step))


@pytest.mark.parametrize(
    "bounds", [[0, 1], [0, 1, 1, 1], [], [0, None, 1], [None, 1, 1], [0, 1, None], [0, 1, 0], [0, 1, -1]]
)
def test_bounds_that_say_nothing_give_no_trip_count(bounds: list[int | None]) -> None:
    assert trip_count(bounds) is None


# -- broken loops -----------------------------------------------------------------------------------------------------


def loop(header: str, ending: str) -> str:
    return f"{HEAD}{header} {{\n  {ending}\n}}\nt.after : i32\n"


@pytest.mark.parametrize(
    ("header", "ending", "found"),
    [
        ("%r = scf.for %k = %lo to %hi step %st iter_args(%a = %i) -> (i32)", "t.x %a : i32", ["0 yielded values"]),
        ("%r = scf.for %k = %lo to %hi step %st iter_args(%a = %i) -> (i32)", "scf.yield", ["0 yielded values"]),
        (
            "%r = scf.for %k = %lo to %hi step %st iter_args(%a = %i) -> (i32)",
            "scf.yield %a, %a : i32, i32",
            ["2 yielded values"],
        ),
        ("%r:2 = scf.for %k = %lo to %hi step %st iter_args(%a = %i) -> (i32)", "scf.yield %a : i32", ["2 results"]),
        ("scf.for %k = %lo to %hi step %st iter_args(%a = %i)", "scf.yield %a : i32", ["0 results"]),
        ("scf.for %k = %lo to %hi step %st", "scf.yield %i : i32", ["1 yielded values"]),
    ],
)
def test_numbers_of_carried_values_that_differ_are_reported(header: str, ending: str, found: list[str]) -> None:
    graph, diagnostics = build(loop(header, ending))
    assert [(diagnostic.code, diagnostic.message.split(" but ")[1]) for diagnostic in diagnostics] == [
        ("LS0205", text) for text in found
    ]
    assert node(graph, "t.after").weight == 1


def test_a_loop_that_does_not_yield_has_ties_without_yielded_value() -> None:
    text = loop("%r = scf.for %k = %lo to %hi step %st iter_args(%a = %i) -> (i32)", "t.x %a : i32")
    graph, _ = build(text)
    assert carried(graph) == [("%i", "%a", "", "%r")]


@pytest.mark.parametrize(
    ("init", "ending", "place"),
    [("%v", "scf.yield %a : i32", ["5:1 %v"]), ("%i", "scf.yield %v : vector<64xf32>", ["5:1 %v"])],
)
def test_carried_values_of_another_type_are_reported(init: str, ending: str, place: list[str]) -> None:
    text = loop(f"%r = scf.for %k = %lo to %hi step %st iter_args(%a = {init}) -> (i32)", ending)
    assert places(text) == [("LS0203", "7:6 scf.for", place)]


def test_a_boolean_constant_can_be_carried() -> None:
    clean(
        HEAD + "%t = arith.constant true\n"
        "%r = scf.for %k = %lo to %hi step %st iter_args(%a = %t) -> (i1) {\n  scf.yield %t : i1\n}"
    )


@pytest.mark.parametrize(
    "text", ["scf.for", "scf.for %k", "scf.for %k = %lo", "scf.for %k = %lo to %hi step %st iter_args("]
)
def test_a_loop_that_breaks_off_does_not_stop_the_rest(text: str) -> None:
    graph, _ = build_graph(read(f"{HEAD}{text}\n%z = t.after : i32\n"))
    assert node(graph, "t.after").weight == 1


def test_operations_in_a_second_block_or_region_of_a_loop_are_in_the_graph() -> None:
    text = '"scf.for"(%lo, %hi, %st) ({\n^a(%k: index):\n  t.x : i8\n^b:\n  t.y : i8\n}, {\n  t.z : i8\n}) '
    text += ": (index, index, index) -> ()"
    graph, _ = build(HEAD + text)
    assert [op.name for op in graph.ops if op.name.startswith("t.") and op.parent >= 0] == ["t.x", "t.y", "t.z"]


def test_many_empty_loops_in_a_row_take_linear_time() -> None:
    graph = clean(HEAD + "scf.for %k = %lo to %hi step %st {}\n" * 5000)
    assert len(graph.loops) == 5000
