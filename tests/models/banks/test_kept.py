"""The fewest allocations of an order."""

from __future__ import annotations

from layoutsolver_models.banks.kept import fewest_allocations
from layoutsolver_models.banks.solve import solve_banks
from layoutsolver_models.cp.banks import Places
from layoutsolver_models.cp.timed import Search
from layoutsolver_models.problems.banks import BankProblem, BankSolution
from tests.models.banks.problems import tile


def ordered(problem: BankProblem) -> tuple[BankSolution, Places]:
    """An order in which nothing is shared or kept, and its places."""
    found = solve_banks(problem, "reorder")
    lives = tuple((start, end + 1) for start, end in zip(found.first, found.last, strict=True))
    return found, Places(tuple(found.order.index(op) for op in range(9)), found.ids, lives, (), found.peak)


def test_a_conversion_is_done_in_place_where_its_operand_ends_and_its_result_begins() -> None:
    problem = tile(16)
    found, places = ordered(problem)
    fewest = fewest_allocations(problem, found.order, places, Search(probing=False), keeping=False)
    assert (fewest.places.shared, fewest.kept, fewest.proved) == (((5, 6),), (), True)
    start, end = places.lives[5]
    assert fewest.places.lives[5] == (start, end - 1), "the operand ends where the result begins"
    assert fewest.places.ids[5] == fewest.places.ids[6]


def test_an_operand_that_lives_on_is_not_converted_in_place() -> None:
    problem = tile(16)
    found, places = ordered(problem)
    longer = tuple((start, end + 1) if bank == 5 else (start, end) for bank, (start, end) in enumerate(places.lives))
    late = Places(places.times, places.ids, longer, (), 12)
    assert fewest_allocations(problem, found.order, late, Search(probing=False), keeping=False).places.shared == ()


def test_a_bank_that_is_shared_already_is_not_taken_over_again() -> None:
    problem = tile(16)
    found, places = ordered(problem)
    start, end = places.lives[5]
    lives = tuple((start, end - 1) if bank == 5 else life for bank, life in enumerate(places.lives))
    ids = tuple(places.ids[5] if bank == 6 else one for bank, one in enumerate(places.ids))
    shared = Places(places.times, ids, lives, ((5, 6),), places.peak)
    fewest = fewest_allocations(problem, found.order, shared, Search(probing=False), keeping=True)
    assert fewest.places.shared == ((5, 6),)
    assert len(fewest.kept) == 2
    assert not {bank for pair in fewest.kept for bank in pair} & {5}
