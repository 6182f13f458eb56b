"""Levels of the bank question: what each one finds, proves, and must not do."""

from __future__ import annotations

import pytest

from layoutsolver_models.banks.check import solution_errors
from layoutsolver_models.banks.estimate import makespan
from layoutsolver_models.banks.first_fit import first_fit
from layoutsolver_models.banks.solve import height, solve_banks, with_kept
from layoutsolver_models.banks.spill import expand
from layoutsolver_models.cp.banks import Places
from layoutsolver_models.problems.banks import LEVELS, Bank, BankOp, BankProblem, Before, Level
from tests.models.banks.problems import OPS, bank_orders, kept_through, mixed, stored_through, tile
from tests.support.bank_programs import orders_of


@pytest.mark.parametrize(
    ("bank_num", "level", "status", "peak"),
    [
        (16, "first_fit", "infeasible", 0),
        (16, "placement", "infeasible", 0),
        (16, "liveness", "optimal", 9),
        (16, "reorder", "optimal", 8),
        (16, "coalesce", "optimal", 6),
        (16, "elide", "optimal", 6),
        (16, "spill", "optimal", 6),
        (8, "liveness", "infeasible", 0),
        (8, "reorder", "optimal", 8),
        (7, "reorder", "infeasible", 0),
        (7, "coalesce", "optimal", 6),
        (6, "reorder", "infeasible", 0),
        (6, "coalesce", "optimal", 6),
        (5, "coalesce", "infeasible", 0),
        (5, "spill", "infeasible", 0),
    ],
)
def test_the_tile_of_the_specification(bank_num: int, level: Level, status: str, peak: int) -> None:
    problem = tile(bank_num)
    found = solve_banks(problem, level)
    assert (found.status, found.peak) == (status, peak)
    if found.order:
        assert found.bound == peak
        assert solution_errors(problem, found) == []


def test_levels_never_get_worse() -> None:
    peaks = [solve_banks(tile(32, 31), level).peak for level in LEVELS if level != "overlap"]
    assert peaks == sorted(peaks, reverse=True)
    assert peaks[:2] == [19, 19]


def test_overlap_is_the_fastest_of_what_fits() -> None:
    problem = tile(16)
    times = {level: solve_banks(problem, level).makespan for level in ("liveness", "reorder", "overlap")}
    fast = solve_banks(problem, "overlap")
    assert fast.status == "optimal"
    assert times["overlap"] <= times["reorder"] <= times["liveness"]
    assert solution_errors(problem, fast) == []


def test_allocations_are_left_out_but_never_that_of_an_accumulator() -> None:
    found = solve_banks(tile(16), "elide")
    plain = solve_banks(tile(16), "coalesce")
    assert (plain.msets, found.msets) == (12, 8)
    assert {into for _, into in found.kept}.isdisjoint({5})
    assert found.shared == ((5, 6),)


def test_fragmentation_is_solved_by_other_places() -> None:
    problem = mixed(16)
    assert first_fit(problem).failed == 16
    assert solve_banks(problem, "first_fit").status == "infeasible"
    placed = solve_banks(problem, "placement")
    assert (placed.status, placed.peak) == ("optimal", 16)
    assert solution_errors(problem, placed) == []


def test_banks_that_hardware_maps_need_ids_and_not_room_beside_each_other() -> None:
    mapped = mixed(16)._replace(model="hw_mapped")
    assert first_fit(mapped).failed == -1
    found = solve_banks(mapped, "placement")
    assert (found.status, found.peak) == ("optimal", 16)
    assert solve_banks(mapped._replace(largest_id=14), "placement").status == "infeasible"


def test_ids_end_where_instructions_end() -> None:
    problem = tile(16, largest_id=3)
    assert solve_banks(problem, "liveness").status == "infeasible"
    found = solve_banks(problem, "coalesce")
    assert found.status == "optimal"
    assert max(found.ids) <= 3
    assert solution_errors(problem, found) == []


def test_nothing_is_spilled_below_the_level_that_says_so_and_then_as_little_as_possible() -> None:
    problem = kept_through()
    assert solve_banks(problem, "elide").status == "infeasible"
    found = solve_banks(problem, "spill")
    assert found.status == "optimal"
    assert [(spill.bank, spill.reload, spill.cost) for spill in found.spills] == [(0, 0, 16)]
    expanded = expand(problem, found.spills)
    assert len(expanded.ops) == len(problem.ops) + 1
    assert solution_errors(problem, found) == []


def test_a_bank_that_was_computed_is_written_out_behind_a_fence() -> None:
    problem = stored_through()
    found = solve_banks(problem, "spill")
    (spill,) = found.spills
    assert spill.reload == -1
    assert spill.cost == 33
    moves = [op.name for op in expand(problem, found.spills).ops[len(problem.ops) :]]
    assert moves == ["buckyball.bank_mvout", "buckyball.fence", "buckyball.bank_mvin"]
    assert solution_errors(problem, found) == []


def test_cycles_compose_as_the_emulator_counts_them() -> None:
    problem = tile(16)
    serial = [0, 2, 4, 1, 3, 5, 6, 7, 8]
    assert makespan(problem, serial) == 64 + 64 + 4096 + 1024 + 16 + 16 + 1
    assert sum(op.latency for op in OPS) == 5409


def test_what_is_added_to_takes_over_no_bank() -> None:
    """An accumulator would add to what the other bank held."""
    op = BankOp("mul", "vec", 16, (0, 1), (1,), accumulates=True, in_place=((0, 1),))
    banks = (Bank("a", 1, 4, 0, 3), Bank("b", 1, 4, 1, 4))
    problem = BankProblem((op,), banks, (), (2,))
    assert (solve_banks(problem, "coalesce").shared, solve_banks(problem, "coalesce").peak) == ((), 8)
    plain = problem._replace(ops=(op._replace(accumulates=False, reads=(0,)),))
    assert (solve_banks(plain, "coalesce").shared, solve_banks(plain, "coalesce").peak) == (((0, 1),), 4)


def test_the_makespan_is_the_least_of_all_orders_within_the_peak() -> None:
    problem = tile(16)
    within = [order for order in orders_of(problem) if peak_of(problem, order) <= 8]
    found = solve_banks(problem, "reorder")
    assert found.makespan == min(makespan(problem, order, None, found.msets) for order in within)


def test_an_operation_waits_for_what_it_needs_in_the_schedule() -> None:
    """The unit `b` does the independent work first, since the other waits; as if it did not, the order would turn."""
    ops = (
        BankOp("first", "a", 100, (), (0,)), BankOp("waits", "b", 10, (0,), (1,)),
        BankOp("free", "b", 90, (), (2,)), BankOp("last", "c", 80, (1,), (3,)),
    )  # fmt: skip
    banks = tuple(Bank(name, 1, 1, 0, 9) for name in "abcd")
    problem = BankProblem(ops, banks, tuple(bank_orders(ops)), tuple(range(1, 5)))
    found = solve_banks(problem, "overlap")
    assert found.makespan == 190 + found.msets
    assert found.order.index(2) < found.order.index(1)


def peak_of(problem: BankProblem, order: list[int]) -> int:
    at = {op: place for place, op in enumerate(order)}
    spans = []
    for number, bank in enumerate(problem.banks):
        users = [at[n] for n, op in enumerate(problem.ops) if number in (*op.reads, *op.writes)]
        spans.append((min(users), max(users), bank.size))
    return max(sum(size for low, high, size in spans if low <= point <= high) for point in at.values())


def test_a_bank_that_nothing_uses_takes_no_place_where_lives_may_change() -> None:
    whole = tile(16)
    unused = whole._replace(banks=(*whole.banks, Bank("idle", 1, 31, 7, 23)))
    assert solve_banks(unused._replace(bank_num=64, largest_id=63), "placement").peak == 19 + 31
    levels: tuple[Level, ...] = ("liveness", "elide", "overlap")
    for level in levels:
        found, plain = solve_banks(unused, level), solve_banks(whole, level)
        assert (found.status, found.peak, found.msets, found.first[-1], found.last[-1]) == (
            plain.status, plain.peak, plain.msets, 0, -1
        )  # fmt: skip
        assert solution_errors(unused, found) == []
    none = BankProblem((), (Bank("idle", 1, 4, 0, 1),), (), ())
    for level in LEVELS[2:]:
        found = solve_banks(none, level)
        assert (found.status, found.peak, found.msets, found.order) == ("optimal", 0, 0, ())
        assert solution_errors(none, found) == []


def test_above_the_limit_of_schedules_nothing_is_said_to_be_optimal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("layoutsolver_models.banks.solve.LARGEST_SCHEDULE", 8)
    found = solve_banks(tile(16), "elide")
    assert (found.status, found.peak, found.bound) == ("feasible", 6, 6)
    assert solve_banks(tile(16), "liveness").status == "optimal"


@pytest.mark.parametrize(("level", "msets"), [("coalesce", 14), ("elide", 10)])
def test_conversions_are_done_in_place_where_that_only_saves_allocations(level: Level, msets: int) -> None:
    """The peak is that of a wide bank: no fewer are live for the conversion."""
    whole = tile(16)
    wide = BankOp("mvin", "loader", 16, (), (7,), reload=7)
    problem = whole._replace(
        ops=(*whole.ops, wide), banks=(*whole.banks, Bank("wide", 1, 8, 7, 23)), places=(*whole.places, 16)
    )
    found = solve_banks(problem, level)
    assert (found.status, found.peak, found.shared, found.msets) == ("optimal", 8, ((5, 6),), msets)
    assert solution_errors(problem, found) == []


def test_a_bank_that_stays_allocated_counts_until_it_is_taken_over() -> None:
    banks = tuple(Bank(name, 1, 4, 0, 9) for name in "abc")
    problem = BankProblem((), banks, (), (), model="hw_mapped")
    places = Places((), (0, 1, 0), ((0, 1), (2, 3), (4, 5)), (), 4)
    assert height(problem, places.ids, places) == 4
    assert height(problem, places.ids, with_kept(places, ((0, 2),))) == 8


def test_what_adds_takes_over_no_allocation_even_if_it_is_not_said_to_read() -> None:
    ops = (
        BankOp("mvin", "loader", 16, (), (0,), reload=0), BankOp("mvout", "storer", 16, (0,), ()),
        BankOp("add", "vec", 16, (), (1,), accumulates=True), BankOp("mvout", "storer", 16, (1,), ()),
    )  # fmt: skip
    banks = (Bank("a", 1, 4, 0, 9), Bank("b", 1, 4, 1, 9))
    problem = BankProblem(ops, banks, (*bank_orders(ops), Before(1, 2, "memory")), tuple(range(2, 6)))
    assert solve_banks(problem, "elide").kept == ()
    plain = problem._replace(ops=(*ops[:2], ops[2]._replace(accumulates=False), ops[3]))
    assert solve_banks(plain, "elide").kept == ((0, 1),)
