"""Capacities of selection problems: what is live, what fits, against brute force; and what cannot hold together."""

from __future__ import annotations

import random
from functools import cache

import pytest

from layoutsolver_models.cp import selection as cp
from layoutsolver_models.problems.capacity import Capacity, Live, Sequence, demand
from layoutsolver_models.problems.selection import SelectionProblem, SelectionSolution, evaluate, faults
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection
from layoutsolver_models.solve.selection_conflict import relaxed, smallest_conflict
from tests.models.test_selection import choices, random_problem, value_of


def sequences(problem: SelectionProblem, number: int, rng: random.Random) -> tuple[Sequence, ...]:
    """Registers that some variants of an operation and some conversions need in between."""
    variants = range(len(problem.ops[number].variants))
    found = [Sequence(number, variant, rng.randint(0, 3)) for variant in variants if rng.random() < 0.3]
    made = problem.ops[number].results
    ways = [way for way, known in enumerate(problem.conversions) if known.value in made and rng.random() < 0.3]
    return (*found, *(Sequence(way, -1, rng.randint(1, 3)) for way in ways))


def with_points(problem: SelectionProblem, limit: int, rng: random.Random) -> SelectionProblem:
    """The problem with registers of random sizes, and points at which at most `limit` are live."""
    values = tuple(
        value._replace(registers=tuple(rng.choice([1, 1, 2, 4]) for _ in value.layouts)) for value in problem.values
    )
    points = []
    for number in range(len(problem.ops)):
        live = []
        for value, known in enumerate(values):
            made = next(place for place, op in enumerate(problem.ops) if value in op.results)
            users = tuple(place for place, op in enumerate(problem.ops) if value in op.operands and place > number)
            if made == number or (users and made < number):
                live.append(Live(value, users, (number,) * (made == number), known.registers))
        points.append(Capacity(f"op {number}", "vector", limit, tuple(live), None, sequences(problem, number, rng)))
    return problem._replace(values=values, capacities=tuple(points), objective=problem.objective)


def bounded(seed: int, most: int = 4) -> SelectionProblem:
    rng = random.Random(seed)
    return with_points(random_problem(seed, most), rng.randint(1, 6), rng)


SEEDS = range(60)


@cache
def solved(seed: int) -> SelectionSolution:
    """The answer to `bounded(seed)`."""
    return solve_selection(bounded(seed))


@cache
def unlimited(seed: int) -> SelectionSolution:
    """The answer to `bounded(seed)` with as many registers as one likes."""
    return solve_selection(bounded(seed)._replace(capacities=()))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_choice_within_the_limits_is_that_of_brute_force(seed: int) -> None:
    problem, solution = bounded(seed), solved(seed)
    possible = choices(problem)
    if not possible:
        assert solution.status == "infeasible"
        return
    assert solution.status == "optimal"
    assert faults(problem, solution.variants, solution.conversions) == []
    assert value_of(problem, (solution.variants, solution.conversions)) == min(
        value_of(problem, choice) for choice in possible
    )


def test_limits_make_some_infeasible_and_others_dearer() -> None:
    verdicts = {"infeasible": 0, "dearer": 0, "same": 0}
    for seed in SEEDS:
        problem, free, found = bounded(seed), unlimited(seed), solved(seed)
        if free.status == "infeasible":
            continue
        if found.status == "infeasible":
            verdicts["infeasible"] += 1
        else:
            dearer = evaluate(problem, *found[1:3]) != evaluate(problem, *free[1:3])
            verdicts["dearer" if dearer else "same"] += 1
    assert min(verdicts.values()) >= 5


@pytest.mark.parametrize("seed", range(12))
def test_linear_programming_keeps_within_the_limits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = bounded(seed, 20)
    exact = solve_selection(problem)
    monkeypatch.setattr(cp, "LARGE", 0)
    linear = solve_selection(problem)
    assert linear[4:] == exact[4:]
    assert linear.status == exact.status


def test_a_value_counts_in_each_layout_in_which_it_is_taken_later_and_once_in_each() -> None:
    problem, possible = next(
        (problem, possible)
        for problem in (bounded(seed, 6) for seed in range(200))
        if any(len(live.users) > 1 for point in problem.capacities for live in point.live)
        and len(possible := choices(problem._replace(capacities=()))) > 100
    )
    for choice in possible[:200]:
        for whole in problem.capacities:
            point = whole._replace(sequences=())
            taken: set[tuple[int, str]] = set()
            for live in point.live:
                for number in live.users:
                    op = problem.ops[number]
                    for variant in choice[0][number]:
                        pairs = zip(op.operands, op.variants[variant].layouts, strict=False)
                        taken |= {pair for pair in pairs if pair[0] == live.value}
                for number in live.makers:
                    op = problem.ops[number]
                    taken |= {(live.value, op.variants[variant].layouts[-1]) for variant in choice[0][number]}
            sizes = {live.value: live.registers for live in point.live}
            expected = sum(sizes[value][problem.values[value].layouts.index(layout)] for value, layout in taken)
            assert demand(point, problem.values, problem.ops, choice[0]) == expected


def test_sequences_count_where_their_choice_is_made() -> None:
    problem = bounded(0, 6)
    point = problem.capacities[0]._replace(live=(), sequences=(Sequence(1, 2, 5), Sequence(3, -1, 7)))
    variants: tuple[tuple[int, ...], ...] = tuple((0,) for _ in problem.ops)
    chosen = (variants[0], (2,), *variants[2:])
    for some, ways, expected in ((variants, (), 0), (chosen, (), 5), (variants, (3,), 7), (chosen, (1, 3), 12)):
        assert demand(point, problem.values, problem.ops, some, ways) == expected


def test_sequences_decide_some_of_these_problems() -> None:
    differ = 0
    for seed in SEEDS:
        problem = bounded(seed)
        without = problem._replace(capacities=tuple(point._replace(sequences=()) for point in problem.capacities))
        differ += solved(seed)[:7] != solve_selection(without)[:7]
    assert differ > 5


def test_each_part_of_a_conflict_over_registers_is_needed() -> None:
    found = 0
    for seed in SEEDS:
        problem = bounded(seed)
        if unlimited(seed).status != "optimal" or solved(seed).status != "infeasible":
            continue
        found += 1
        core, minimal = smallest_conflict(problem, Limits())
        assert minimal
        assert core.capacities
        assert solve_selection(relaxed(problem, core)).status == "infeasible"
        for name in ("ops", "pins", "capacities"):
            for one in getattr(core, name):
                fewer = core._replace(**{name: getattr(core, name) - {one}})
                assert solve_selection(relaxed(problem, fewer)).status == "optimal"
    assert found > 10


def test_capacities_are_not_blamed_where_operations_contradict_each_other() -> None:
    contradictory = [seed for seed in SEEDS if unlimited(seed).status == "infeasible"]
    assert len(contradictory) > 2
    for seed in contradictory:
        assert not smallest_conflict(bounded(seed), Limits())[0].capacities
