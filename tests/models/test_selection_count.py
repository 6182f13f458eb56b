"""Solutions of selection problems, counted and listed, against trying every choice."""

from __future__ import annotations

import pytest

from layoutsolver_models.problems.selection import OBJECTIVES, SelectionProblem, ValueConversion, faults
from layoutsolver_models.solve import bucket
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection_count import best_selections, count_selection
from tests.models.test_selection import Choice, choices, random_problem, value_of


def counted(seed: int, most: int = 5, objective: str = "pipes") -> SelectionProblem:
    """A random problem without copies, with one conversion at most between two layouts of a value."""
    problem = random_problem(seed, most, objective)
    ways: dict[tuple[int, str, str], ValueConversion] = {}
    for way in problem.conversions:
        ways.setdefault((way.value, way.before, way.after), way)
    ops = tuple(op._replace(copies=False) for op in problem.ops)
    return problem._replace(ops=ops, conversions=tuple(ways.values()))


def possible(problem: SelectionProblem) -> list[Choice]:
    return choices(problem)


@pytest.mark.parametrize("seed", range(60))
def test_the_count_is_that_of_trying_everything(seed: int) -> None:
    problem = counted(seed)
    found = count_selection(problem)
    assert found.exact
    assert found.total == len(possible(problem))
    product = 1
    for part in found.parts:
        assert part > 1
        product *= part
    assert product == found.total or found.total == 0


def test_these_counts_differ() -> None:
    totals = [count_selection(counted(seed)).total for seed in range(60)]
    assert 0 in totals
    assert len(set(totals)) > 20
    assert max(len(count_selection(counted(seed)).parts) for seed in range(60)) > 1


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(8))
def test_the_best_are_listed_in_their_order(seed: int, objective: str) -> None:
    problem = counted(seed, 4, objective)
    values = sorted(value_of(problem, choice) for choice in possible(problem))
    found = list(best_selections(problem, 6, Limits()))
    assert [value_of(problem, (one.variants, one.conversions)) for one in found] == values[:6]
    assert len({one.variants for one in found}) == len(found)
    assert all(not faults(problem, one.variants, one.conversions) for one in found)


def test_with_capacities_the_count_is_an_upper_bound_and_the_list_keeps_within() -> None:
    from tests.models.test_selection_capacity import bounded

    cut = 0
    for seed in range(30):
        problem = bounded(seed)
        problem = problem._replace(ops=counted(seed, 4).ops, conversions=counted(seed, 4).conversions)
        found = count_selection(problem)
        assert not found.exact or not found.total
        inside = possible(problem)
        assert found.total >= len(inside)
        assert len(list(best_selections(problem, 1000, Limits()))) == len(inside) or len(inside) > 20
        cut += found.total > len(inside)
        if seed > 8:
            break
    assert cut > 2


def test_what_is_too_entangled_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = next(counted(seed) for seed in range(60) if count_selection(counted(seed)).total > 20)
    exact = count_selection(problem)
    monkeypatch.setattr(bucket, "TABLE_LIMIT", 1)
    found = count_selection(problem)
    assert not found.exact
    assert found.total >= exact.total


def test_a_limit_ends_the_list() -> None:
    problem = next(counted(seed) for seed in range(60) if count_selection(counted(seed)).total > 20)
    assert list(best_selections(problem, 5, Limits(1e-9))) == []
