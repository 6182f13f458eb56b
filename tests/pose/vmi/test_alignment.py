"""What addresses allow: one load that repeats elements needs less alignment than a load of blocks and a selection."""

from __future__ import annotations

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.memory import alignment_of, multiple_of
from layoutsolver.source import SourceFile
from layoutsolver_models.solve.selection import solve_selection
from tests.pose.vmi.kernels import kernel, layouts, pointer, posed, solved, vreg

FP4, PAIR = "!pto.f4E2M1x2", "!pto.bf16x2"


def scaled(step: int, codes: bool = False) -> str:
    """Rows of 256 values, each with 8 scales of 16 bits that begin `step` elements behind those of the row before.

    With `codes` the values are made of pairs of 4 bits, whose pairs of 16 bits are taken apart, which needs them dense.
    """
    wide = vreg(256, "bf16")
    source = "bf16"
    values = [f"  %v = pto.vmi.vload %x[%at] : {pointer('bf16')} -> {wide}"]
    if codes:
        source = FP4
        values = [
            f"  %q = pto.vmi.vload %x[%at] : {pointer(FP4)} -> {vreg(128, FP4)}",
            f"  %p = pto.vmi.vcvt %q : {vreg(128, FP4)} -> {vreg(128, PAIR)}",
            f"  %v = pto.vmi.vinterpret_cast %p : {vreg(128, PAIR)} -> {wide}",
        ]
    lines = (
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%c8 = arith.constant 8 : index",
        f"%step = arith.constant {step} : index",
        "%row = arith.constant 256 : index",
        "%zero = arith.constant 0 : i64",
        "%far = arith.constant 65536 : i64",
        "%out = arith.constant 131072 : i64",
        f"%x = pto.castptr %zero : i64 -> {pointer(source)}",
        f"%s = pto.castptr %far : i64 -> {pointer('bf16')}",
        f"%y = pto.castptr %out : i64 -> {pointer('bf16')}",
        "scf.for %i = %c0 to %c8 step %c1 {",
        "  %at = arith.muli %i, %row : index",
        "  %from = arith.muli %i, %step : index",
        *values,
        f'  %k = pto.vmi.vload %s[%from], %c1 {{dist_mode = "brc", group = 8}} : {pointer("bf16")} -> {wide}',
        f"  %r = pto.vmi.vmul %v, %k : {wide}, {wide} -> {wide}",
        f"  pto.vmi.vstore %r, %y[%at] : {wide}, {pointer('bf16')}",
        "}",
    )
    return kernel("", *lines)


def rule_of(text: str) -> str:
    """The rule by which the scales are loaded for the fewest instructions."""
    made, solution = solved(text, "total")
    pairs = zip(made.problem.ops, solution.variants, strict=True)
    return next(op.variants[chosen[0]].rule for op, chosen in pairs if op.id.startswith("group_broadcast_load"))


@pytest.mark.parametrize(("step", "known"), [(8, 16), (16, 32), (12, 8)])
def test_the_alignment_of_an_address_in_a_loop(step: int, known: int) -> None:
    made = posed(scaled(step))
    op = next(op for op in made.program.ops if op.op == "group_broadcast_load")
    assert alignment_of(made.program, op) == known


def loads_of(text: str) -> dict[str, set[tuple[int, ...]]]:
    """What the ways of loading the scales take, by the layout that they bring."""
    op = next(op for op in posed(text).problem.ops if op.id.startswith("group_broadcast_load"))
    out: dict[str, set[tuple[int, ...]]] = {}
    for variant in op.variants:
        out.setdefault(variant.layouts[0], set()).add(variant.cost[:2])
    return out


def test_scales_by_sixteen_bytes_are_loaded_repeated_or_by_a_stream_and_never_by_blocks() -> None:
    assert loads_of(scaled(8)) == {"d2": {(1, 0)}, "c": {(2, 2)}}


def test_scales_by_thirty_two_bytes_can_be_selected_from_a_block() -> None:
    op = next(op for op in posed(scaled(16)).problem.ops if op.id.startswith("group_broadcast_load"))
    assert {variant.layouts for variant in op.variants} == {("d2",), ("c",)}


def test_a_stray_address_serves_only_a_stream() -> None:
    assert loads_of(scaled(12)) == {"d2": {(2, 1)}, "c": {(2, 2)}}


@pytest.mark.parametrize("step", [8, 16])
@pytest.mark.parametrize("codes", [False, True])
def test_the_load_that_repeats_is_cheaper_even_where_data_must_be_taken_apart(step: int, codes: bool) -> None:
    made, solution = solved(scaled(step, codes), "total")
    assert rule_of(scaled(step, codes)) == "VMI.GBLOAD.TWO.D2"
    assert layouts(made, solution)["%r"] == ("d2",)


def test_a_choice_that_is_pinned_costs_what_the_selection_takes() -> None:
    made, best = solved(scaled(16, codes=True), "total")
    scales = next(value.number for value in made.program.values if value.name == "%k")
    pinned = solve_selection(made.problem._replace(pins=((scales, "c"),)))
    assert pinned.total - best.total == 8 * (5 - 3) + 3  # in each of 8 turns, and the two index vectors once


def test_dense_data_with_scales_that_only_come_in_two_parts_are_taken_apart() -> None:
    made, solution = solved(scaled(8, codes=True), "total")
    ways = [made.problem.conversions[number] for number in solution.conversions]
    assert [(made.problem.values[way.value].id, way.before, way.after) for way in ways] == [("%v", "c", "d2")]


@pytest.mark.parametrize(
    ("lines", "known"),
    [
        (("%at = arith.addi %a, %b : index",), 8),
        (("%at = arith.subi %a, %b : index",), 8),
        (("%at = arith.muli %a, %b : index",), 24 * 16),
        (("%at = arith.divui %a, %b : index",), None),
        (("%c = arith.divui %a, %b : index", "%at = arith.addi %a, %c : index"), None),
    ],
)
def test_what_sums_and_products_are_multiples_of(lines: tuple[str, ...], known: int | None) -> None:
    text = kernel("", "%a = arith.constant 24 : index", "%b = arith.constant 16 : index", *lines)
    graph, errors = build_graph(read(SourceFile("t", text)))
    assert errors == []
    at = next(number for number, value in enumerate(graph.values) if value.name == "%at")
    assert multiple_of(graph, at) == known
