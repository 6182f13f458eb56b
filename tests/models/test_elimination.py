"""Elimination of selection problems against brute force and against CP-SAT."""

from __future__ import annotations

import random
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver_models.elimination import plan as plan_module
from layoutsolver_models.elimination import solve as solve_module
from layoutsolver_models.elimination import states as states_module
from layoutsolver_models.elimination.factors import NEVER, factors_of, least
from layoutsolver_models.elimination.mix import mixed
from layoutsolver_models.elimination.plan import plan_of
from layoutsolver_models.elimination.solve import Eliminated, eliminate
from layoutsolver_models.elimination.states import MANY, States, states_of
from layoutsolver_models.elimination.tables import Minima
from layoutsolver_models.elimination.weights import levels_of, weight_of
from layoutsolver_models.problems.selection import (
    OBJECTIVES,
    SelectionObjective,
    SelectionOp,
    SelectionProblem,
    SelectionValue,
    ValueConversion,
    Variant,
    faults,
)
from layoutsolver_models.solve.chosen import Chosen, rank
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import by_solvers, narrow, solve_selection
from layoutsolver_models.solve.start import greedy_choice
from tests.models.test_selection import choices, random_problem, value_of


def eliminated(problem: SelectionProblem) -> Eliminated | None:
    left = narrow(problem)
    return None if left.stuck >= 0 else eliminate(problem, left.variants, left.conversions)


@settings(max_examples=100)
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


OPEN = [seed for seed in range(16) if narrow(random_problem(seed, 25)).stuck < 0]
"""Seeds of problems of which it does not show at once that they have no solution."""


def test_most_of_these_problems_are_open() -> None:
    assert len(OPEN) >= 8


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", OPEN[:8])
def test_medium_problems_come_to_what_cp_sat_proves(seed: int, objective: str) -> None:
    problem = random_problem(seed, 25, objective)
    left = narrow(problem)
    assert left.stuck < 0
    exact = by_solvers(problem, left, Limits())
    found = solve_selection(problem)
    assert found[3:] == exact[3:]
    assert found.status == exact.status
    assert found.status == "infeasible" or faults(problem, found.variants, found.conversions) == []


def minima_of(problem: SelectionProblem, objective: SelectionObjective, largest: int) -> tuple[States, Minima] | None:
    left = narrow(problem)
    states = None if left.stuck >= 0 else states_of(problem, left.variants, left.conversions)
    if states is None:
        return None
    factors = factors_of(states)
    levels = levels_of(factors, [[weight_of(problem, objective)]])
    assert levels is not None
    return states, Minima(factors, plan_of(factors, largest), levels.weights)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(["total", "rest", "registers"]), st.sampled_from([1, 8, 64]))
def test_small_tables_give_lower_bounds(seed: int, objective: SelectionObjective, largest: int) -> None:
    problem = random_problem(seed, 14)
    exact, loose = minima_of(problem, objective, 1 << 16), minima_of(problem, objective, largest)
    if exact is None or loose is None:
        return
    assert exact[1].plan.exact
    least, bound = int(exact[1].values[0, 0]), int(loose[1].values[0, 0])
    assert bound <= least or least >= NEVER
    if loose[1].plan.exact:
        assert bound == least
    if least < NEVER:
        weights = exact[1]
        for tight, weak in zip(weights.marginals(0), loose[1].marginals(0), strict=True):
            assert (weak[0] <= np.where(tight[0] < NEVER // 2, tight[0], 2 * NEVER)).all()


@pytest.mark.parametrize("seed", range(20))
def test_sums_have_no_more_entries_than_they_may(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_problem(seed, 14)
    exact = minima_of(problem, "total", 1 << 16)
    monkeypatch.setattr(plan_module, "LARGEST_SUM", 40)
    loose = minima_of(problem, "total", 1 << 16)
    if exact is None or loose is None:
        assert exact is loose
        return
    for made in loose[1].plan.made:
        for one in made:
            widest = max(prod(one.sizes[axis] for axis in {0, *part.axes}) for part in one.parts)
            assert prod(one.sizes) <= max(40, widest)
    assert (loose[1].values <= exact[1].values).all()


def test_tables_are_often_too_small_in_that_test() -> None:
    plans = [minima_of(random_problem(seed, 14), "total", 8) for seed in range(40)]
    assert sum(found is not None and not found[1].plan.exact for found in plans) > 10


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_a_state_comes_to_the_minimum_with_nothing_else_in_its_place(seed: int) -> None:
    problem = random_problem(seed, 6)
    found = minima_of(problem, "total", 1 << 16)
    if found is None:
        return
    states, minima = found
    marginals = minima.marginals(0)
    for number, op in enumerate(states.ops):
        for place, some in enumerate(op.sets):
            ops = [*states.ops[:number], op._replace(sets=(some,)), *states.ops[number + 1 :]]
            factors = factors_of(states._replace(ops=ops))
            levels = levels_of(factors, [[weight_of(problem, "total")]])
            assert levels is not None
            alone = int(Minima(factors, plan_of(factors), levels.weights).values[0, 0])
            assert alone == (marginals[number][0, place] if len(op.sets) > 1 else minima.values[0, 0])


def wide_problem(seed: int) -> SelectionProblem:
    """One value that many ask for in any of many layouts: more sets of these than are told apart."""
    rng = random.Random(seed)
    layouts = tuple(f"l{number}" for number in range(9))
    value = SelectionValue("%x", layouts, tuple(rng.randint(1, 3) for _ in layouts))
    load = tuple(Variant(f"L.{one}", (one,), (rng.randint(1, 4), 0)) for one in layouts)
    ops = [SelectionOp("load", (), (0,), load, 1, True)]
    for number in range(rng.randint(3, 6)):
        some = rng.sample(layouts, rng.randint(1, 3))
        uses = tuple(Variant(f"U.{one}", (one,), (0, rng.randint(0, 3))) for one in some)
        ops.append(SelectionOp(f"use {number}", (0,), (), uses))
    ways = tuple(
        ValueConversion(0, before, after, (0, rng.randint(1, 5)))
        for before in layouts
        for after in layouts
        if before != after and rng.random() < 0.7
    )
    return SelectionProblem(("a", "b"), ("b",), (value,), tuple(ops), ways, objective=OBJECTIVES["total"])


@pytest.mark.parametrize("seed", range(25))
def test_sets_that_are_not_told_apart_at_first_are_told_apart_where_needed(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states_module, "OP_STATES", 9)
    monkeypatch.setattr(states_module, "VALUE_STATES", 9)
    problem = wide_problem(seed)
    left = narrow(problem)
    found = eliminate(problem, left.variants, left.conversions)
    exact = by_solvers(problem, left, Limits())
    assert found.optimal
    assert found.choice is not None
    assert rank(problem, found.choice) == rank(problem, Chosen(exact.variants, exact.conversions))
    assert found.bound == rank(problem, found.choice)[0]


def test_in_some_of_these_several_layouts_are_taken() -> None:
    taken = []
    for seed in range(25):
        solution = solve_selection(wide_problem(seed))
        taken.append(len(solution.variants[0]) + len(solution.conversions))
    assert sum(count > 2 for count in taken) > 5


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(15))
def test_a_split_search_says_the_same(seed: int, objective: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_problem(seed + 100, 20, objective)
    exact = eliminated(problem)
    monkeypatch.setattr(solve_module, "LARGEST", 4)
    found = eliminated(problem)
    assert (exact is None) == (found is None)
    if exact is None or found is None or exact.infeasible:
        return
    assert not found.infeasible
    assert found.bound <= exact.bound
    if exact.optimal and found.optimal:
        assert exact.choice is not None
        assert found.choice is not None
        assert rank(problem, found.choice) == rank(problem, exact.choice)


def test_costs_too_large_for_tables_are_left_to_the_solvers() -> None:
    problem = wide_problem(1)
    large = tuple(op._replace(weight=1 << 50) for op in problem.ops)
    left = narrow(problem)
    assert eliminate(problem._replace(ops=large), left.variants, left.conversions) == Eliminated()


def test_the_least_is_found_level_by_level() -> None:
    table = np.array([[[3, 1, 1]], [[0, 5, 4]]])
    assert least(table).tolist() == [[1], [4]]


def balanced_problem(seed: int, count: int) -> SelectionProblem:
    """A random problem that always has a solution, in which no pipe is the busiest by itself."""
    rng = random.Random(seed)
    layouts = ("c", "ls2", "d2", "d4")
    ops: list[SelectionOp] = []
    ways: list[ValueConversion] = []
    for number in range(count):
        near = range(max(0, number - 3), number)
        operands = tuple(rng.sample(near, min(len(near), rng.choice([0, 1, 1, 2]))))
        variants = tuple(
            Variant(
                f"r{row}", tuple(rng.choice(layouts) for _ in (*operands, 0)), (*(rng.randint(0, 3) for _ in "lesp"),)
            )
            for row in range(rng.randint(2, 4))
        )
        ops.append(SelectionOp(f"op{number}", operands, (number,), variants, rng.choice([1, 1, 2]), rng.random() < 0.3))
        ways += [
            ValueConversion(number, before, after, (*(rng.randint(0, 2) for _ in "lesp"),))
            for before in layouts
            for after in layouts
            if before != after
        ]
    values = tuple(SelectionValue(f"%{number}", layouts, (2, 4, 2, 4)) for number in range(count))
    return SelectionProblem(
        ("load", "execute", "store", "predicate"), ("load", "execute", "store"), values, tuple(ops), tuple(ways)
    )


@pytest.mark.parametrize("seed", range(6))
def test_equally_busy_pipes_are_bounded_and_balanced(seed: int) -> None:
    problem = balanced_problem(seed, 24)
    left = narrow(problem)
    exact = by_solvers(problem, left, Limits())
    found = eliminate(problem, left.variants, left.conversions)
    assert found.choice is not None
    assert faults(problem, *found.choice) == []
    reached = rank(problem, found.choice)[0]
    assert found.bound <= exact.busiest <= reached
    assert reached - found.bound <= 3
    least = rank(problem, Chosen(exact.variants, exact.conversions))
    assert rank(problem, found.choice)[: found.proved] == least[: found.proved]
    again = by_solvers(problem, left, Limits(), found.choice, found.bound, found.proved)
    assert again[3:] == exact[3:]


def test_objectives_are_proved_one_after_the_other() -> None:
    proved = [eliminated(balanced_problem(seed, 24)) for seed in range(6)]
    assert any(found is not None and 0 < found.proved < 4 for found in proved)


def test_places_of_two_choices_are_put_together() -> None:
    variants = (Variant("left", (), (2, 0)), Variant("right", (), (0, 2)))
    ops = tuple(SelectionOp(f"op{number}", (), (), variants) for number in range(6))
    problem = SelectionProblem(("a", "b"), ("a", "b"), (), ops)
    one, other = Chosen(((0,),) * 6, ()), Chosen(((1,),) * 6, ())
    assert rank(problem, mixed(problem, one, other))[0] == 6
    assert mixed(problem, one, one) == one


def test_conversions_go_with_the_place_that_they_are_in() -> None:
    problem = wide_problem(3)
    left = narrow(problem)
    one = greedy_choice(problem, left.variants, left.conversions)
    other = eliminate(problem, left.variants, left.conversions).choice
    assert one is not None
    assert other is not None
    assert rank(problem, mixed(problem, one, other)) <= min(rank(problem, one), rank(problem, other))


@pytest.mark.parametrize("seed", range(12))
def test_what_is_not_told_apart_costs_no_more_than_any_set_that_it_stands_for(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = balanced_problem(seed, 20)
    problem = problem._replace(ops=tuple(op._replace(copies=True) for op in problem.ops))
    left = narrow(problem)
    tight = states_of(problem, left.variants, left.conversions)
    monkeypatch.setattr(states_module, "OP_STATES", 1)
    monkeypatch.setattr(states_module, "VALUE_STATES", 1)
    loose = states_of(problem, left.variants, left.conversions)
    assert tight is not None
    assert loose is not None
    places = [
        [rough.sets.index(some if some in rough.sets else ()) for some in fine.sets]
        for fine, rough in zip(tight.ops, loose.ops, strict=True)
    ]
    places += [
        [loose.values[value].sets.index(some if some in loose.values[value].sets else MANY) for some in fine.sets]
        for value, fine in tight.values.items()
    ]
    told, untold = factors_of(tight), factors_of(loose)
    assert any(op.beyond for op in loose.ops)
    assert any(known.beyond for known in loose.values.values())
    for entry in range(6):
        weights = np.zeros((1, 1, 6), np.int64)
        weights[0, 0, entry] = 1
        for (leaf, scope), (rough_leaf, _) in zip(told.scopes, untold.scopes, strict=True):
            exact = told.leaves[leaf].table(weights)[0, 0]
            rough = untold.leaves[rough_leaf].table(weights)[0, 0]
            assert (rough[np.ix_(*(places[one] for one in scope))] <= exact).all()
