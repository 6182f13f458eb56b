"""Levels of the bank question: what each one finds, proves, and must not do."""

from __future__ import annotations

import pytest

from layoutsolver_models.banks.check import solution_errors
from layoutsolver_models.banks.estimate import makespan
from layoutsolver_models.banks.first_fit import first_fit
from layoutsolver_models.banks.floor import capacity_floor
from layoutsolver_models.banks.solve import solve_banks
from layoutsolver_models.banks.spill import expand
from layoutsolver_models.problems.banks import LEVELS, Bank, BankOp, BankProblem, Before, Level
from tests.models.banks.problems import OPS, bank_orders, mixed, tile


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


def kept_through() -> BankProblem:
    """A bank that is loaded at the start and needed at the end, around a large need in between."""
    ops = (
        BankOp("mvin", "loader", 16, (), (0,), reload=0),
        BankOp("relu", "relu", 16, (0,), (1,)),
        BankOp("mvin", "loader", 16, (), (2,), reload=2),
        BankOp("relu", "relu", 16, (1, 2), (3,)),
        BankOp("relu", "relu", 16, (3, 0), (4,)),
    )
    banks = tuple(Bank(name, 1, 2, 0, 9, 16) for name in "abcde")
    return BankProblem(ops, banks, tuple(bank_orders(ops)), tuple(range(1, 6)), bank_num=6)


def test_nothing_is_spilled_below_the_level_that_says_so_and_then_as_little_as_possible() -> None:
    problem = kept_through()
    assert solve_banks(problem, "elide").status == "infeasible"
    found = solve_banks(problem, "spill")
    assert found.status == "optimal"
    assert [(spill.bank, spill.reload, spill.cost) for spill in found.spills] == [(0, 0, 16)]
    expanded = expand(problem, found.spills)
    assert len(expanded.ops) == len(problem.ops) + 1
    assert solution_errors(expanded, found) == []


def test_a_bank_that_was_computed_is_written_out_behind_a_fence() -> None:
    ops = list(kept_through().ops)
    ops[0] = BankOp("relu", "relu", 16, (0,), (0,))
    problem = kept_through()._replace(ops=tuple(ops), orders=tuple(bank_orders(tuple(ops))))
    found = solve_banks(problem, "spill")
    (spill,) = found.spills
    assert spill.reload == -1
    assert spill.cost == 33
    moves = [op.name for op in expand(problem, found.spills).ops[len(ops) :]]
    assert moves == ["buckyball.bank_mvout", "buckyball.fence", "buckyball.bank_mvin"]
    assert solution_errors(expand(problem, found.spills), found) == []


def test_what_one_operation_needs() -> None:
    problem = tile(16)
    assert capacity_floor(problem, in_place=False) == (6, 8)
    assert capacity_floor(problem, in_place=True) == (5, 6)


def test_cycles_compose_as_the_emulator_counts_them() -> None:
    problem = tile(16)
    serial = [0, 2, 4, 1, 3, 5, 6, 7, 8]
    assert makespan(problem, serial) == 64 + 64 + 4096 + 1024 + 16 + 16 + 1
    assert sum(op.latency for op in OPS) == 5409


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"order": (1, 0, 2, 3, 4, 5, 6, 8, 7)}, "operation 8 comes before operation 7"),
        ({"ids": (0, 0, 0, 0, 0, 0, 0)}, "lie on each other"),
        ({"ids": (14, 4, 0, 1, 2, 8, 8)}, "outside the chip"),
        ({"peak": 5}, "the peak is"),
        ({"first": (3, 1, 2, 3, 4, 5, 6)}, "used outside its life"),
    ],
)
def test_a_changed_solution_is_refuted(change: dict[str, object], words: str) -> None:
    problem = tile(16)
    found = solve_banks(problem, "liveness")
    assert any(words in error for error in solution_errors(problem, found._replace(**change)))  # type: ignore[arg-type]


def test_an_edge_that_is_broken_is_found_whatever_the_level() -> None:
    problem = tile(16)._replace(orders=(Before(8, 0, "memory"),))
    assert solution_errors(problem, solve_banks(tile(16), "reorder")) != []
