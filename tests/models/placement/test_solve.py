"""Placements against brute force: least heights, and proofs that nothing fits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver_models.cp.placement import VARIANTS, PlacementModel, Variant
from layoutsolver_models.cp.timed import Search
from layoutsolver_models.placement.check import check_placement
from layoutsolver_models.placement.compact import compact
from layoutsolver_models.placement.race import fit
from layoutsolver_models.placement.search import ORDERS, CanonicalSearch, Order, can_search
from layoutsolver_models.placement.solve import solve_placement
from layoutsolver_models.problems.placement import Buffer, Gap, PlacementProblem, problem_errors
from layoutsolver_models.solve.layout import Limits
from tests.support.placement_problems import least_height, places, random_problem, small_buffers

CLOSE = (
    Buffer("a", 0, 2, 1), Buffer("b", 1, 4, 1), Buffer("c", 1, 3, 2), Buffer("d", 3, 6, 2), Buffer("e", 2, 5, 1),
    Buffer("f", 5, 7, 1),
)  # fmt: skip


@given(st.one_of(small_buffers(), small_buffers(windows=True), small_buffers(fixed=True)))
@settings(max_examples=60)
def test_the_least_height_is_that_of_brute_force(buffers: tuple[Buffer, ...]) -> None:
    problem = PlacementProblem(buffers)
    if problem_errors(problem):
        return
    expected = least_height(problem)
    found = solve_placement(problem)
    if expected is None:
        assert found.status == "infeasible"
        return
    assert (found.status, found.height, found.bound) == ("optimal", expected, expected)
    assert check_placement(problem, found.offsets) == []


@given(st.one_of(small_buffers(), small_buffers(fixed=True)), st.sampled_from(ORDERS))
@settings(max_examples=80)
def test_the_search_finds_a_placement_where_there_is_one_and_proves_where_not(
    buffers: tuple[Buffer, ...], order: Order
) -> None:
    problem = PlacementProblem(buffers)
    if problem_errors(problem):
        return
    for capacity in range(4, 13):
        made = compact(problem._replace(capacity=capacity))
        verdicts = []
        for part in made.parts:
            assert can_search(part)
            search = CanonicalSearch(part, capacity // made.unit, order)
            verdicts.append(search.run(10**6))
        assert all(verdict == "found" for verdict in verdicts) == places(problem, capacity), capacity


@given(st.one_of(small_buffers(windows=True), small_buffers(fixed=True)), st.sampled_from(VARIANTS))
@settings(max_examples=15)
def test_every_variant_of_the_model_agrees_with_brute_force(buffers: tuple[Buffer, ...], variant: Variant) -> None:
    problem = PlacementProblem(buffers)
    if problem_errors(problem):
        return
    for capacity in (4, 7, 10):
        made = compact(problem._replace(capacity=capacity))
        solved = [
            PlacementModel(part, capacity // made.unit, variant).solve(Search())[0]
            for part in made.parts
            if max(part.sizes) <= capacity // made.unit
        ]
        fits = len(solved) == len(made.parts) and all(status == "optimal" for status in solved)
        assert fits == places(problem, capacity)


@pytest.mark.parametrize("workers", [1, 2])
def test_turns_and_races_give_placements_and_proofs(workers: int) -> None:
    problem = random_problem(60, 0.0, 3)
    lowest = solve_placement(problem._replace(capacity=None), Limits(30.0))
    assert lowest.status == "optimal"
    for capacity, verdict in ((lowest.height, "found"), (lowest.height - 16, "none")):
        made = compact(problem._replace(capacity=capacity))
        answers = [fit(part, capacity // made.unit, Limits(30.0, workers), None) for part in made.parts]
        assert verdict in {answer.verdict for answer in answers}
        assert "open" not in {answer.verdict for answer in answers}


def test_the_same_problem_gives_the_same_answer_with_one_worker() -> None:
    problem = random_problem(80, 0.02, 7)
    assert solve_placement(problem) == solve_placement(problem)


def test_an_overload_is_named_with_its_time() -> None:
    found = solve_placement(PlacementProblem(CLOSE, 3))
    assert found.status == "infeasible"
    assert found.peak is not None
    assert (found.peak.lower, found.peak.upper, found.peak.load, found.peak.live) == (1, 2, 4, (0, 1, 2))


def test_a_limit_is_no_proof() -> None:
    problem = random_problem(300, 0.0, 1)
    found = solve_placement(problem, Limits(0.001))
    assert found.status in ("unknown", "feasible")


def test_gaps_free_the_place_and_windows_keep_a_part_of_it() -> None:
    absent = (Buffer("a", 0, 9, 4, gaps=(Gap(3, 6),)), Buffer("b", 3, 6, 4))
    partly = (Buffer("a", 0, 9, 4, gaps=(Gap(3, 6, (0, 1)),)), Buffer("b", 3, 6, 3))
    assert solve_placement(PlacementProblem(absent)).height == 4
    assert solve_placement(PlacementProblem(partly)).height == 4
    assert solve_placement(PlacementProblem((Buffer("a", 0, 9, 4), Buffer("b", 3, 6, 4)))).height == 8


def test_what_stays_live_in_a_gap_lies_where_the_window_says() -> None:
    problem = PlacementProblem((Buffer("a", 0, 9, 4, gaps=(Gap(3, 6, (2, 4)),)), Buffer("b", 3, 6, 2)), 4)
    (part,) = compact(problem).parts
    for variant in VARIANTS:
        status, offsets, _ = PlacementModel(part, 4 // compact(problem).unit, variant).solve(Search())
        assert status == "optimal"
        assert check_placement(problem, [offset * compact(problem).unit for offset in offsets]) == []


def test_nothing_to_place_is_placed() -> None:
    assert solve_placement(PlacementProblem((), 8)).status == "feasible"
    assert solve_placement(PlacementProblem(())).height == 0
