"""Plans for groups of tile operations: guarantees of the protocol, fallbacks, and what is written into a text."""

from __future__ import annotations

import random

import pytest

from layoutsolver.planner import answer
from layoutsolver.pose.tiles import pose_tiles
from layoutsolver.source import SourceFile
from layoutsolver.tile_text import plan_tiles
from layoutsolver_models.problems.planner import (
    FusionGroupInfo,
    PlannerOptions,
    PlannerRequest,
    PlannerResponse,
    ShapeInfo,
    TileOpInfo,
    ValueInfo,
)
from layoutsolver_models.solve.fusion_all import best_by_enumeration
from layoutsolver_models.solve.fusion_plan import settle


def tile(name: str, rows: int = 64, cols: int = 64, out: bool = False) -> ValueInfo:
    return ValueInfo(name, "vector", "f32", ShapeInfo((rows, cols)), out)


def operation(number: int, name: str, inputs: str, output: ValueInfo) -> TileOpInfo:
    rows, cols = output.shape.shape if output.shape is not None else (1, 1)
    return TileOpInfo(f"op{number}", name, number, tuple(tile(one, rows, cols) for one in inputs.split()), (output,))


def request(*ops: TileOpInfo, options: PlannerOptions | None = None) -> PlannerRequest:
    return PlannerRequest("layoutsolver.fusion/1", FusionGroupInfo("g", ops), options or PlannerOptions())


def loops(response: PlannerResponse) -> list[list[str]]:
    """The operations by loop, in their order."""
    assert response.plan is not None
    out: dict[str, list[str]] = {}
    for one in response.plan.ops:
        out.setdefault(one.loopFusionId, []).append(one.opId)
    return list(out.values())


CHAIN = (operation(0, "tadd", "a b", tile("t")), operation(1, "texp", "t", tile("u")),
         operation(2, "tmul", "u a", tile("y", out=True)))  # fmt: skip


def test_a_chain_is_one_loop_that_is_unrolled_as_far_as_registers_allow() -> None:
    response = answer(request(*CHAIN))
    assert response.status == "optimal"
    assert loops(response) == [["op0", "op1", "op2"]]
    assert response.plan is not None
    assert {one.unroll for one in response.plan.ops} == {8}
    few = answer(request(*CHAIN, options=PlannerOptions(vregLimit=6)))
    assert few.plan is not None
    assert {one.unroll for one in few.plan.ops} == {2}


@pytest.mark.parametrize(
    ("limit", "columns", "expected"),
    [(None, 40, 1), (2, 40, 1), (1, 40, 2), (1, 64, 2), (2, 64, 1), (2, 100, 2), (3, 100, 1)],
)
def test_masks_of_rows_that_end_elsewhere_are_limited(limit: int | None, columns: int, expected: int) -> None:
    """Rows of `columns` and of 8 columns fewer: each needs a mask of its own for what is not a whole register."""
    ops = (
        operation(0, "texp", "x", tile("y", 64, columns, True)),
        operation(1, "texp", "p", tile("q", 64, columns - 8, True)),
    )
    response = answer(request(*ops, options=PlannerOptions(maskLimit=limit)))
    assert len(loops(response)) == expected


def test_what_reads_a_reduction_of_all_rows_has_a_loop_of_its_own() -> None:
    response = answer(request(
        operation(0, "tcolmax", "x", tile("m")), operation(1, "texp", "x", tile("e")),
        operation(2, "tcolexpandsub", "e m", tile("y", out=True))))  # fmt: skip
    assert loops(response) == [["op0"], ["op1", "op2"]]


def test_a_number_of_each_row_may_be_used_in_the_same_turn() -> None:
    ops = operation(0, "trowmax", "x", tile("m")), operation(1, "trowexpandsub", "x m", tile("y", out=True))
    response = answer(request(*ops))
    assert loops(response) == [["op0", "op1"]]


def test_tiles_of_other_sizes_have_loops_of_their_own() -> None:
    response = answer(request(CHAIN[0], operation(1, "texp", "p", tile("q", 32)), operation(2, "tneg", "t", tile("y"))))
    assert loops(response) == [["op0", "op2"], ["op1"]]


def test_unknown_operations_bring_the_group_back_as_it_was() -> None:
    response = answer(request(CHAIN[0], operation(1, "tsort", "t", tile("u"))))
    assert response.status == "fallback"
    assert [(one.code, one.opIds) for one in response.diagnostics] == [("UNSUPPORTED_TILEOP", ("op1",))]
    assert loops(response) == [["op0"], ["op1"]]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"group": FusionGroupInfo("g", (CHAIN[0], CHAIN[0]._replace(originalOrder=1)))}, "DUPLICATE_ID"),
        ({"group": FusionGroupInfo("g", (CHAIN[1], CHAIN[0]))}, "WRONG_ORDER"),
        ({"options": PlannerOptions(maxUnroll=0)}, "WRONG_LIMIT"),
        ({"options": PlannerOptions(timeLimitMs=0)}, "WRONG_LIMIT"),
    ],
)
def test_a_wrong_request_is_an_error_and_no_plan(change: dict[str, object], code: str) -> None:
    response = answer(request(*CHAIN)._replace(**change))  # type: ignore[arg-type]  # one field of its own type
    assert (response.status, response.plan, response.diagnostics[0].code) == ("error", None, code)


def test_candidates_say_why_they_are_not_the_answer() -> None:
    ops = (operation(0, "tcolmax", "x", tile("m")), operation(1, "tcolexpandsub", "x m", tile("y", out=True)))
    response = answer(request(*ops, options=PlannerOptions(dumpCandidates=True)))
    assert response.plan is not None
    found = {one.strategyName: one for one in response.plan.candidates}
    assert found["chosen"].valid
    assert (found["fuse_all"].valid, found["fuse_all"].rejectReason) == (False, "loops 0 and 1 must stay apart")


@pytest.mark.parametrize("seed", range(60))
def test_random_groups_keep_the_guarantees_and_cost_as_little_as_any_plan(seed: int) -> None:
    rng = random.Random(seed)
    names, tiles = ("tadd", "texp", "tmuls", "trowexpandsub", "tcolmax", "tcolexpandsub"), [f"t{k}" for k in range(5)]
    ops = []
    for number in range(rng.randint(2, 6)):
        inputs = " ".join(rng.sample(tiles, 2))
        rows = 64 if rng.random() < 0.8 else 16
        ops.append(operation(number, rng.choice(names), inputs, tile(rng.choice(tiles), rows, out=rng.random() < 0.4)))
    asked = request(*ops)
    response = answer(asked)
    assert response.status == "optimal"
    assert response.plan is not None
    plan = response.plan.ops
    assert sorted(one.opId for one in plan) == sorted(op.opId for op in ops)
    assert sorted(one.order for one in plan) == list(range(len(ops)))
    place = {one.opId: one.order for one in plan}
    for later, second in enumerate(ops):
        for first in ops[:later]:
            writes = {first.outputs[0].valueId} & {value.valueId for value in (*second.inputs, *second.outputs)}
            if writes or second.outputs[0].valueId in {value.valueId for value in first.inputs}:
                assert place[first.opId] < place[second.opId]
    for one in plan:
        shape = ops[int(one.opId[2:])].outputs[0].shape
        assert shape is not None
        assert shape.shape[0] % one.unroll == 0
    problem = pose_tiles(asked.group, asked.options)
    by_id = {op.opId: number for number, op in enumerate(ops)}
    clusters = tuple(tuple(sorted(by_id[one] for one in loop)) for loop in loops(response))
    assert settle(problem, clusters).cost.total == best_by_enumeration(problem).cost.total


TEXT = """func.func @diamond(%a: TILE, %b: TILE, %y: TILE) {
  %t = pto.alloc_tile : TILE
  %u = pto.alloc_tile : TILE
  pto.tmax ins(%a, %b : TILE, TILE) outs(%t : TILE)
  pto.texp ins(%t : TILE) outs(%u : TILE) {x = 1 : i32, pto.fusion.order = 7 : i64}
  MIDDLE
  pto.tadd ins(%t, %u : TILE, TILE) outs(%y : TILE)
  return
}
""".replace("TILE", "!pto.tile_buf<vec, 32x32xf32>")


def places(text: str) -> list[str]:
    return [line.partition("{")[2].rstrip("}") for line in text.splitlines() if " ins(" in line]


def test_places_are_written_into_the_text() -> None:
    text = plan_tiles(SourceFile("t.pto", TEXT.replace("MIDDLE", "%n = arith.constant 1 : index"))).text
    assert text is not None
    assert places(text) == [
        f"{before}pto.fusion.group_id = 0 : i64, pto.fusion.order = {order} : i64"
        for order, before in enumerate(("", "x = 1 : i32, ", ""))
    ]
    again = plan_tiles(SourceFile("t.pto", text)).text
    assert again == text


def test_what_stands_between_ends_a_group() -> None:
    text = plan_tiles(SourceFile("t.pto", TEXT.replace("MIDDLE", "func.call @f() : () -> ()"))).text
    assert text is not None
    assert [("group_id = 0" in place, "group_id" in place) for place in places(text)] == [
        (True, True), (True, True), (False, False)
    ]  # fmt: skip
