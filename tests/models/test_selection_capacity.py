"""Capacities of selection problems: what is live, what fits, against brute force; and what cannot hold together."""

from __future__ import annotations

import random
from functools import cache

import pytest

from layoutsolver_models.cp import selection as cp
from layoutsolver_models.problems.capacity import CONVERSION, Capacity, Held, Pick, Together, demand
from layoutsolver_models.problems.selection import SelectionProblem, SelectionSolution, evaluate, faults
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection
from layoutsolver_models.solve.selection_conflict import closed, relaxed, smallest_conflict
from tests.models.test_selection import choices, random_problem, value_of


def held_by(
    problem: SelectionProblem, value: int, users: list[int], makers: list[int], sizes: tuple[int, ...]
) -> list[Held]:
    """The registers of a value in each layout in which a user takes it, or a maker makes it."""
    found: dict[str, list[Together]] = {}
    for number in (*users, *makers):
        op = problem.ops[number]
        for place, variant in enumerate(op.variants):
            taken = zip(op.operands, variant.layouts, strict=False) if number in users else ()
            made = zip(op.results, variant.layouts[len(op.operands) :], strict=True) if number in makers else ()
            for layout in {layout for port, layout in (*taken, *made) if port == value}:
                found.setdefault(layout, []).append((Pick(number, place),))
    layouts = problem.values[value].layouts
    return [Held(value, sizes[layouts.index(layout)], tuple(picks)) for layout, picks in found.items()]


def between(problem: SelectionProblem, number: int, rng: random.Random) -> tuple[Held, ...]:
    """Registers that some variants of an operation, some conversions and some of both together need in between."""
    variants = range(len(problem.ops[number].variants))
    found = [Held(-1, rng.randint(0, 3), ((Pick(number, variant),),)) for variant in variants if rng.random() < 0.3]
    made = problem.ops[number].results
    ways = [way for way, known in enumerate(problem.conversions) if known.value in made and rng.random() < 0.3]
    found += [Held(-1, rng.randint(1, 3), ((Pick(way, CONVERSION),),)) for way in ways]
    if ways:
        found.append(Held(-1, 1, ((Pick(number, 0), Pick(ways[0], CONVERSION)),)))
    return tuple(found)


def with_points(problem: SelectionProblem, limit: int, rng: random.Random) -> SelectionProblem:
    """The problem with registers of random sizes, and points at which at most `limit` are live."""
    values = tuple(
        value._replace(registers=tuple(rng.choice([1, 1, 2, 4]) for _ in value.layouts)) for value in problem.values
    )
    points = []
    for number in range(len(problem.ops)):
        held: list[Held] = []
        for value, known in enumerate(values):
            made = next(place for place, op in enumerate(problem.ops) if value in op.results)
            users = [place for place, op in enumerate(problem.ops) if value in op.operands and place > number]
            if made == number or (users and made < number):
                held += held_by(problem, value, users, [number] * (made == number), known.registers)
        name = f"op {number}"
        points.append(Capacity(name, "vector", limit, (*held, *between(problem, number, rng))))
        if rng.random() < 0.3:
            when = (Pick(number, rng.randrange(len(problem.ops[number].variants))),)
            points.append(Capacity(f"within {name}", "vector", limit, (*held, Held(-1, 1, ((),))), None, when))
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


def test_registers_count_once_where_one_of_their_ways_is_taken() -> None:
    held = Held(0, 3, ((Pick(1, 2),), (Pick(1, 0), Pick(3, CONVERSION))))
    point = Capacity("k", "vector", 0, (held, Held(-1, 4, ((),))))
    for first, ways, expected in (((1,), (3,), 4), ((2,), (), 7), ((0,), (), 4), ((0,), (1, 3), 7), ((0, 2), (3,), 7)):
        assert demand(point, ((0,), first), ways) == expected
    assert demand(point._replace(when=(Pick(0, 1),)), ((0,), (2,))) == 0
    assert demand(point._replace(when=(Pick(0, 0), Pick(5, CONVERSION))), ((0,), (2,)), (5,)) == 7


def test_what_is_needed_in_between_decides_some_of_these_problems() -> None:
    differ = 0
    for seed in SEEDS:
        problem = bounded(seed)
        points = [
            point._replace(held=tuple(held for held in point.held if held.value >= 0))
            for point in problem.capacities if not point.when
        ]  # fmt: skip
        without = problem._replace(capacities=tuple(points))
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
        problem = closed(problem)
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
