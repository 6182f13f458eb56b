"""Elimination of selection problems against brute force and against CP-SAT."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver_models.elimination.solve import Eliminated, eliminate
from layoutsolver_models.problems.selection import (
    OBJECTIVES,
    SelectionProblem,
    faults,
)
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import by_solvers, narrow, solve_selection
from tests.models.test_selection import choices, random_problem, value_of


def eliminated(problem: SelectionProblem) -> Eliminated | None:
    left = narrow(problem)
    return None if left.stuck >= 0 else eliminate(problem, left.variants, left.conversions)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(list(OBJECTIVES)))
def test_what_is_called_best_is_that_of_brute_force(seed: int, objective: str) -> None:
    problem = random_problem(seed, objective=objective)
    found = eliminated(problem)
    possible = choices(problem)
    if found is None or found.infeasible:
        assert possible == []
        return
    best = min(value_of(problem, choice) for choice in possible)
    assert found.bound <= best[0]
    if problem.objective[0] != "pipes":
        assert found.bound == best[0]
    if found.choice is not None:
        assert faults(problem, *found.choice) == []
        assert value_of(problem, found.choice) >= best
        assert not found.optimal or value_of(problem, found.choice) == best


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(12))
def test_medium_problems_come_to_what_cp_sat_proves(seed: int, objective: str) -> None:
    problem = random_problem(seed, 25, objective)
    left = narrow(problem)
    if left.stuck >= 0:
        return
    exact = by_solvers(problem, left, Limits())
    found = solve_selection(problem)
    assert found[3:] == exact[3:]
    assert found.status == exact.status
    assert found.status == "infeasible" or faults(problem, found.variants, found.conversions) == []
