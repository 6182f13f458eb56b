"""Banks that are cut because they would need more rows than there are."""

from __future__ import annotations

import pytest

from layoutsolver_models.banks.check import solution_errors
from layoutsolver_models.banks.solve import solve_banks
from layoutsolver_models.banks.split import added, cut, parts_of, rank, ways
from layoutsolver_models.problems.banks import LEVELS, BankSolution, Region, Spill, Split
from tests.models.banks.problems import deep_rows, deep_tile, kept_through, tile


def test_what_fits_is_not_cut() -> None:
    """No cut makes fewer banks live at once; the answer is that of the level before."""
    for problem in (tile(16), tile(5), kept_through()):
        assert solve_banks(problem, "split") == solve_banks(problem, "spill")._replace(level="split")


def test_what_is_too_deep_fits_at_this_level_alone() -> None:
    problem = deep_tile(16)
    assert {solve_banks(problem, level).status for level in LEVELS[:-1]} == {"infeasible"}
    found = solve_banks(problem, "split")
    assert (found.status, found.splits, found.peak) == ("optimal", (Split(0, (32, 32)),), 8)
    assert solution_errors(problem, found) == []


def test_what_cannot_be_cut_does_not_fit() -> None:
    assert solve_banks(deep_tile(16)._replace(chains=()), "split") == BankSolution("infeasible", "split")
    assert solve_banks(deep_tile(16, entries=15), "split") == BankSolution("infeasible", "split")
    assert solve_banks(deep_tile(5), "split") == BankSolution("infeasible", "split")


def test_a_cut_program_may_be_spilled_as_well() -> None:
    """Two parts need eight banks; with seven, one bank goes to memory in between."""
    assert solve_banks(deep_tile(8), "split").spills == ()
    tight = deep_tile(7)
    found = solve_banks(tight, "split")
    assert found.splits
    assert found.spills
    assert solution_errors(tight, found) == []


def test_the_best_way_is_taken_of_those_with_as_few_parts() -> None:
    problem = deep_rows(entries=64)
    tried = {way: solve_banks(cut(problem, way), "elide") for way in ways(problem)}
    assert {way[0].parts for way in tried} == {(64, 16), (16, 64), (48, 32)}
    found = solve_banks(problem, "split")
    best = min(tried.values(), key=rank)
    assert (found.peak, found.makespan, found.msets) == (best.peak, best.makespan, best.msets)
    assert len({rank(one) for one in tried.values()}) > 1


def test_fewer_spills_come_before_fewer_banks_and_those_before_cycles() -> None:
    base = BankSolution("optimal", "split", peak=8, makespan=100, msets=10)
    order = [
        base._replace(msets=9), base, base._replace(makespan=101, msets=2), base._replace(peak=9, makespan=1),
        base._replace(peak=1, spills=(Spill(0, 0, 1, -1, 5),)),
    ]  # fmt: skip
    shuffled = [order[place] for place in (3, 0, 4, 2, 1)]
    assert sorted(shuffled, key=rank) == order


@pytest.mark.parametrize(
    ("rows", "entries", "parts"),
    [
        (64, 64, [(64,)]),
        (80, 64, [(64, 16), (16, 64), (48, 32)]),
        (160, 64, [(64, 64, 32), (32, 64, 64), (64, 48, 48)]),
        (160, 79, [(64, 64, 32), (32, 64, 64), (64, 48, 48)]),
        (72, 64, []),
    ],
)
def test_parts_are_few_and_full_or_even(rows: int, entries: int, parts: list[tuple[int, ...]]) -> None:
    assert parts_of(rows, entries) == parts


def test_parts_do_what_the_whole_did() -> None:
    problem = deep_tile(16)
    whole = cut(problem, (Split(0, (48, 16)),))
    names = [op.name.removeprefix("buckyball.bank_") for op in whole.ops]
    assert names[9:] == ["mvin", "mvin", "fp2int", "fp2int", "transpose", "mul_warp16", "memref.copy"]
    assert [op.latency for op in whole.ops[:6]] == [48, 48, 48, 48, 48 * 48, 16 * 48]
    assert [op.latency for op in whole.ops[9:]] == [16, 16, 16, 16, 16 * 16, 16 * 16, 0]
    assert [bank.rows for bank in whole.banks] == [48] * 5 + [16, 16] + [16] * 5
    assert whole.ops[14].writes == problem.ops[5].writes, "both products add to one accumulator"
    assert whole.ops[14].reads == (11, 10, 5)
    assert [whole.ops[9].reload, whole.ops[10].reload] == [7, 8]
    edges = {(edge.first, edge.then): edge.why for edge in whole.orders}
    assert edges[5, 14] == "bank", "the parts of a sum keep their order"
    assert edges[14, 6] == "bank", "what reads the sum waits for all of it"
    assert edges[15, 0] == "memory", "what is packed is loaded from there"
    assert (0, 11) not in edges, "a part needs nothing of another one"
    assert edges[9, 11] == edges[11, 13] == edges[10, 12] == "bank"


def test_memory_orders_hold_for_every_part_and_for_the_copies() -> None:
    problem = deep_tile(16)
    stores = problem.orders[-1]._replace(first=7, then=0, why="memory")
    whole = cut(problem._replace(orders=(*problem.orders[:-1], stores)), (Split(0, (32, 32)),))
    added_ops = [number for number, op in enumerate(whole.ops) if op.name == "memref.copy"]
    after = {edge.then for edge in whole.orders if edge.first == 7 and edge.why == "memory"}
    assert after == {0, 9, *added_ops}


def test_copies_inside_a_region_stand_behind_a_fence() -> None:
    problem = deep_tile(16)
    ops = tuple(op._replace(region=0) for op in problem.ops)
    looped = problem._replace(ops=ops, regions=(Region(0, 8),))
    plain, inside = (added(one, one.chains[0], (32, 32)) for one in (problem, looped))
    assert len(inside) == len(plain) + 1
    assert next(one for one in inside if one not in plain).op == -1
    whole = cut(looped, (Split(0, (32, 32)),))
    fence = next(number for number in range(9, len(whole.ops)) if whole.ops[number].name == "buckyball.fence")
    others = {number for number, op in enumerate(whole.ops) if op.region == 0 and number != fence}
    assert {edge.then for edge in whole.orders if edge.first == fence} == others
    assert any(whole.ops[number].name == "memref.copy" for number in others)
    assert not any(one.copies for one in added(looped, looped.chains[0], (16, 16, 16, 16)))
