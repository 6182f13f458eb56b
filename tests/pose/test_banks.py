"""What of a Buckyball function must stay in order: banks, memory by its bytes, fences, values."""

from __future__ import annotations

import pytest

from layoutsolver.pose.banks import pose_banks
from layoutsolver_models.targets.bank_chip import load_bank_chip
from tests.support.bank_programs import code_of

SEED = load_bank_chip("seed")
MOVE = "memref<16x16xf32> i64 i64 i64"
ROW = "memref<16x16xf32, strided<[16, 1], offset: {0}>>"
HEAD = "func.func @f(%A: memref<16x16xf32>, %B: memref<16x16xf32>, %R: memref<64x16xf32>, %s: i64) {\n" + "".join(
    f"  %c{value} = arith.constant {value} : i64\n" for value in (0, 1, 16)
)


def orders(body: str, distinct: bool = False) -> dict[tuple[int, int], str]:
    code = code_of(HEAD + body + "  return\n}\n")
    posed = pose_banks(code, code.functions[0], SEED, distinct_arguments=distinct)
    return {(edge.first, edge.then): edge.why for edge in posed.problem.orders}


def banks(*names: str) -> tuple[str, str]:
    allocs = "".join(f"  %{name} = buckyball.bank_alloc {{col = 4 : i64}}\n" for name in names)
    return allocs, "".join(f"  buckyball.bank_release %{name} : i64\n" for name in names)


def test_a_bank_that_is_read_is_not_written_before() -> None:
    allocs, releases = banks("p", "q")
    found = orders(
        allocs + f"  %p1 = buckyball.bank_mvin %A %p %c16 %c1 : {MOVE}\n"
        "  %q1 = buckyball.bank_int2fp %p1 %q %c16 %s : i64 i64 i64 i64\n"
        f"  %p2 = buckyball.bank_mvin %A %p1 %c16 %c1 : {MOVE}\n" + releases
    )
    assert found == {(0, 1): "bank", (0, 2): "bank", (1, 2): "bank"}


def views(one: int, other: int) -> str:
    first, second = ROW.format(one), ROW.format(other)
    allocs, releases = banks("p", "q")
    size = "[16, 16] [1, 1] : memref<64x16xf32> to"
    return (
        f"  %v = memref.subview %R[{one // 16}, 0] {size} {first}\n"
        f"  %w = memref.subview %R[{other // 16}, 0] {size} {second}\n"
        + allocs
        + f"  %p1 = buckyball.bank_mvout %v %p %c16 %c1 : {first} i64 i64 i64\n"
        f"  %q1 = buckyball.bank_mvin %w %q %c16 %c1 : {second} i64 i64 i64\n" + releases
    )


@pytest.mark.parametrize(("one", "other", "meet"), [(0, 256, False), (256, 0, False), (0, 240, True), (256, 256, True)])
def test_moves_conflict_where_their_bytes_do(one: int, other: int, meet: bool) -> None:
    assert orders(views(one, other)) == ({(0, 1): "memory"} if meet else {})


@pytest.mark.parametrize(("distinct", "meet"), [(False, True), (True, False)])
def test_arguments_may_be_the_same_memory_unless_it_is_said(distinct: bool, meet: bool) -> None:
    allocs, releases = banks("p", "q")
    body = (
        f"  %p1 = buckyball.bank_mvout %A %p %c16 %c1 : {MOVE}\n  %q1 = buckyball.bank_mvin %B %q %c16 %c1 : {MOVE}\n"
    )
    assert orders(allocs + body + releases, distinct) == ({(0, 1): "memory"} if meet else {})


def test_a_fence_holds_what_moves_memory_and_nothing_else() -> None:
    allocs, releases = banks("p", "q")
    found = orders(
        allocs + f"  %p1 = buckyball.bank_mvin %A %p %c16 %c1 : {MOVE}\n  buckyball.fence\n"
        "  %q1 = buckyball.bank_int2fp %p1 %q %c16 %s : i64 i64 i64 i64\n" + releases
    )
    assert found == {(0, 1): "fence", (0, 2): "bank"}


def test_fences_keep_their_order_though_nothing_moves_between_them() -> None:
    assert orders("  buckyball.fence\n  buckyball.fence\n") == {(0, 1): "fence"}
