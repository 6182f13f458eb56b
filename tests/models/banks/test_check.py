"""An answer in which anything is changed by hand is refused, whatever it claims."""

from __future__ import annotations

from typing import Any

import pytest

from layoutsolver_models.banks.check import solution_errors
from layoutsolver_models.banks.solve import solve_banks
from layoutsolver_models.problems.banks import (
    LEVELS,
    BankOp,
    BankProblem,
    BankSolution,
    Before,
    Level,
    Region,
    Spill,
    Split,
)
from tests.models.banks.problems import bank_orders, deep_tile, kept_through, mixed, stored_through, tile, two_stores

ANSWERS: dict[str, tuple[BankProblem, Level]] = {
    "places": (tile(32)._replace(largest_id=31), "placement"),
    "lives": (tile(16), "liveness"),
    "order": (tile(16), "reorder"),
    "shared": (tile(16), "coalesce"),
    "kept": (tile(16), "elide"),
    "mapped": (tile(16)._replace(model="hw_mapped"), "elide"),
    "dropped": (two_stores(loose=True), "overlap"),
    "loaded again": (kept_through(), "spill"),
    "stored": (stored_through(), "spill"),
    "cut": (deep_tile(16), "split"),
}
"""Problems, and the levels at which they are answered."""


@pytest.fixture(scope="module")
def answers() -> dict[str, tuple[BankProblem, BankSolution]]:
    return {name: (problem, solve_banks(problem, level)) for name, (problem, level) in ANSWERS.items()}


def test_real_answers_are_right(answers: dict[str, tuple[BankProblem, BankSolution]]) -> None:
    for name, (problem, found) in answers.items():
        assert found.status == "optimal", name
        assert solution_errors(problem, found) == [], name


def swapped(places: tuple[int, ...], one: int, other: int) -> tuple[int, ...]:
    out = list(places)
    out[one], out[other] = out[other], out[one]
    return tuple(out)


TAMPERED: list[tuple[str, dict[str, Any], str]] = [
    ("places", {"order": swapped(tuple(range(9)), 0, 1)}, "the order is not that of the text"),
    ("places", {"first": (0,) * 7, "last": (8,) * 7}, "one place and one life for every bank"),
    ("places", {"ids": (0, 0, 8, 9, 10, 11, 15)}, "banks 0 and 1 lie on each other"),
    ("places", {"shared": ((5, 6),)}, "shared banks at `placement`"),
    ("lives", {"order": (1, 0, *range(2, 9))}, "the order is not that of the text"),
    ("lives", {"ids": (0,) * 7}, "lie on each other"),
    ("lives", {"ids": (14, 4, 0, 1, 2, 8, 8)}, "outside the chip"),
    ("lives", {"ids": (-1, 4, 0, 1, 2, 8, 8)}, "outside the chip"),
    ("lives", {"ids": (0,) * 6}, "one place and one life"),
    ("lives", {"first": (1, 1, 2, 3, 4, 5, 6)}, "bank 0 is used outside its life"),
    ("lives", {"first": (-1, 1, 2, 3, 4, 5, 6)}, "bank 0 lives from -1"),
    ("lives", {"last": (1, 3, 4, 5, 5, 6, 7)}, "bank 0 is used outside its life"),
    ("lives", {"last": (2, 3, 4, 5, 5, 6, 10)}, "bank 6 lives from"),
    ("order", {"order": (0, 1, 2, 3, 4, 5, 6, 8, 7)}, "operation 8 comes before operation 7"),
    ("order", {"order": (0,) * 9}, "the order is no order"),
    ("order", {"kept": ((0, 5),)}, "kept allocations at `reorder`"),
    ("shared", {"shared": ()}, ""),
    ("shared", {"shared": ((5, 6), (5, 6))}, "a bank is shared twice"),
    ("shared", {"shared": ((0, 5),)}, "bank 5 cannot take over bank 0"),
    ("shared", {"shared": ((5, 9),)}, "a bank is shared that is none"),
    ("kept", {"kept": ((0, 5),)}, "bank 5 would see what bank 0 held"),
    ("kept", {"kept": ((0, 1), (0, 1))}, "a bank is kept twice"),
    ("kept", {"kept": ((0, 9),)}, "a bank is kept that is none"),
    ("kept", {"kept": ((0, 3),)}, "cannot take over the allocation"),
    ("dropped", {"dropped_fences": (2, 5)}, "fence 5 is needed"),
    ("dropped", {"dropped_fences": (1,)}, "fence 1 is needed"),
    ("dropped", {"level": "elide"}, "dropped fences at `elide`"),
    ("loaded again", {"level": "elide"}, "spills at `elide`"),
    ("loaded again", {"spills": (Spill(0, 1, 4, 0, 15),)}, "the spill of bank 0 costs 16, not 15"),
    ("loaded again", {"spills": (Spill(0, 1, 4, 2, 16),)}, "operation 2 does not load bank 0 again"),
    ("loaded again", {"spills": (Spill(0, 0, 4, 0, 16),)}, "not spilled between two uses"),
    ("loaded again", {"spills": (Spill(9, 0, 4, 0, 16),)}, "a bank is spilled that is none"),
    ("loaded again", {"spills": (Spill(0, 1, 4, 0, 16),) * 2}, "a bank is spilled twice"),
    ("loaded again", {"spills": ()}, "one place and one life"),
    ("stored", {"spills": (Spill(0, 1, 4, 0, 16),)}, "operation 0 does not load bank 0 again"),
    ("cut", {"level": "spill"}, "cuts at `spill`"),
    ("cut", {"splits": ()}, "bank 0 has 64 rows of 32"),
    ("cut", {"splits": (Split(0, (32, 16)),)}, "parts of 32, 16 rows are not 64"),
    ("cut", {"splits": (Split(0, (24, 40)),)}, "parts of 24, 40 rows are not 64"),
    ("cut", {"splits": (Split(0, (48, 16)),)}, "rows of 32"),
    ("cut", {"splits": (Split(0, (64, 0)),)}, "are not 64"),
    ("cut", {"splits": (Split(1, (32, 32)),)}, "there is no chain 1"),
    ("cut", {"splits": (Split(0, (32, 32)),) * 2}, "a chain is cut twice"),
]


@pytest.mark.parametrize(("name", "change", "words"), TAMPERED)
def test_a_changed_answer_is_refused(
    answers: dict[str, tuple[BankProblem, BankSolution]], name: str, change: dict[str, Any], words: str
) -> None:
    problem, found = answers[name]
    changed = found._replace(**change)
    assert changed != found
    errors = solution_errors(problem, changed)
    assert errors
    assert any(words in error for error in errors), errors


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("field", ["peak", "bound", "makespan", "msets"])
@pytest.mark.parametrize("by", [-1, 1])
def test_every_number_is_counted_again(
    answers: dict[str, tuple[BankProblem, BankSolution]], name: str, field: str, by: int
) -> None:
    problem, found = answers[name]
    error, *_ = solution_errors(problem, found._replace(**{field: getattr(found, field) + by}))
    assert str(getattr(found, field)) in error


def test_what_was_left_out_must_have_been_possible(answers: dict[str, tuple[BankProblem, BankSolution]]) -> None:
    """Kept and shared pairs of an answer, on a problem whose banks do not allow them."""
    problem, found = answers["kept"]
    (source, target), (one, other) = found.shared[0], found.kept[0]

    def errors(**changes: Any) -> str:
        return "; ".join(solution_errors(problem._replace(**changes), found))

    def banks(number: int, **changes: Any) -> Any:
        return tuple(b._replace(**changes) if n == number else b for n, b in enumerate(problem.banks))

    assert f"bank {target} cannot take over bank {source}" in errors(banks=banks(target, filled=8, rows=16))
    assert f"bank {target} cannot take over bank {source}" in errors(banks=banks(target, row=2, col=2))
    assert f"bank {other} would see what bank {one} held" in errors(banks=banks(other, filled=8, rows=16))
    assert f"bank {other} cannot take over the allocation" in errors(banks=banks(one, row=2, col=2))
    accumulating = tuple(op._replace(accumulates=True) for op in problem.ops)
    assert f"bank {target} cannot take over bank {source}" in errors(ops=accumulating)
    reading = tuple(op._replace(reads=(*op.reads, other)) if other in op.writes else op for op in problem.ops)
    assert f"bank {other} would see what bank {one} held" in errors(ops=reading)


def test_a_bank_that_is_still_needed_is_not_given_away() -> None:
    """The source is stored behind the conversion: by hand, since the search would store it before."""
    ops = (
        BankOp("mvin", "loader", 16, (), (0,), reload=0),
        BankOp("int2fp", "int2fp", 16, (0,), (1,), in_place=((0, 1),)),
        BankOp("mvout", "storer", 16, (0,), ()),
        BankOp("mvout", "storer", 16, (1,), ()),
    )
    base = tile(16)
    problem = BankProblem(ops, base.banks[:2], tuple(bank_orders(ops)), tuple(range(7, 11)))
    found = solve_banks(problem, "liveness")._replace(level="coalesce")
    assert (solution_errors(problem, found), found.peak) == ([], 8)
    said = solution_errors(problem, found._replace(shared=((0, 1),), ids=(0, 0), peak=4, bound=4))
    assert said == ["bank 0 is used when bank 1 has taken its place"]


def test_a_bank_that_takes_over_lies_where_the_other_one_did(
    answers: dict[str, tuple[BankProblem, BankSolution]],
) -> None:
    problem, found = answers["shared"]
    ((source, target),) = found.shared
    ids = tuple(12 if number == target else place for number, place in enumerate(found.ids))
    assert solution_errors(problem, found._replace(ids=ids)) == [f"banks {source} and {target} are one, and lie apart"]
    last = tuple(end - 1 if number == source else end for number, end in enumerate(found.last))
    assert solution_errors(problem, found._replace(last=last)) != []
    longer = tuple(end + 1 if number == source else end for number, end in enumerate(found.last))
    assert "ends at" in solution_errors(problem, found._replace(last=longer))[0]


def test_nothing_else_lies_where_a_bank_stays_allocated(
    answers: dict[str, tuple[BankProblem, BankSolution]],
) -> None:
    """Between the banks of a kept pair their place is taken; where ids are mapped, it counts."""
    problem, found = answers["kept"]
    one, other = found.kept[0]
    ids = tuple(found.ids[one] + 8 if number == other else place for number, place in enumerate(found.ids))
    assert f"bank {other} takes over the allocation of bank {one}, and lies apart" in solution_errors(
        problem, found._replace(ids=ids)
    )
    mapped, answer = answers["mapped"]
    assert solution_errors(mapped._replace(bank_num=5), answer) == ["6 banks are live at once"]


def test_operations_stay_in_their_region_and_edges_hold_at_every_level() -> None:
    problem = tile(16)
    found = solve_banks(problem, "reorder")
    assert "comes before" in solution_errors(problem._replace(orders=(Before(8, 0, "memory"),)), found)[0]
    inside = tuple(op._replace(region=0) if number == 1 else op for number, op in enumerate(problem.ops))
    looped = problem._replace(ops=inside, regions=(Region(0, 2),))
    assert "region 0 holds other operations" in solution_errors(looped, found)[0]


def test_a_bank_that_nothing_uses_is_not_allocated_and_not_counted() -> None:
    whole = tile(16)
    problem = whole._replace(banks=(*whole.banks, whole.banks[0]._replace(name="idle")))
    found = solve_banks(problem, "elide")
    assert solution_errors(problem, found) == []
    used = found._replace(first=(*found.first[:-1], 0), last=(*found.last[:-1], 2))
    assert solution_errors(problem, used) != []
    assert solution_errors(whole, solve_banks(whole, "elide")._replace(first=(0,) * 7, last=(-1,) * 7)) != []


def test_a_fixed_life_must_hold_its_uses() -> None:
    problem = mixed(16)
    found = solve_banks(problem, "placement")
    assert solution_errors(problem, found) == []
    early = tuple(bank._replace(release=10) if number == 0 else bank for number, bank in enumerate(problem.banks))
    assert "bank 0 is used outside its life" in solution_errors(problem._replace(banks=early), found)


@pytest.mark.parametrize("level", LEVELS)
def test_an_answer_without_an_order_claims_nothing(level: Level) -> None:
    none = BankSolution("infeasible", level)
    assert solution_errors(tile(16), none) == []
    assert solution_errors(tile(16), none._replace(bound=1)) == ["an answer without an order claims something"]
    assert solution_errors(tile(16), none._replace(status="optimal")) != []
