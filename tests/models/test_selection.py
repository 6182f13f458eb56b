"""Selection problems against brute force, and the two provers against each other."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, permutations, product

import pytest

from layoutsolver_models.cp import selection as cp
from layoutsolver_models.elimination.solve import eliminate
from layoutsolver_models.problems.json import from_json, to_json
from layoutsolver_models.problems.selection import (
    OBJECTIVES,
    Saving,
    SelectionOp,
    SelectionProblem,
    SelectionSolution,
    SelectionValue,
    Setup,
    ValueConversion,
    Variant,
    evaluate,
    faults,
)
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import by_solvers, narrow, solve_selection
from layoutsolver_models.solve.start import greedy_choice

LAYOUTS = ("c", "ls2", "d2", "d4")
PIPES = ("load", "execute", "store", "predicate")
BOUNDED = PIPES[:3]
Choice = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]


def random_problem(seed: int, most: int = 4, objective: str = "pipes") -> SelectionProblem:
    """A random problem of up to `most` operations, each with one result, some with pins and penalties."""
    rng = random.Random(seed)
    ops: list[SelectionOp] = []
    ways: list[ValueConversion] = []
    for number in range(rng.randint(1, most)):
        near = range(max(0, number - 4), number)
        operands = tuple(rng.sample(near, min(len(near), rng.choice([0, 1, 1, 2]))))
        variants = tuple(
            Variant(
                f"row{row}", tuple(rng.choice(LAYOUTS) for _ in (*operands, 0)), random_cost(rng, 3),
                *rng.choice([((), ()), (random_cost(rng, 2), ()), ((), some_setups(number + row))]),
            )
            for row in range(rng.randint(2, 5))
        )  # fmt: skip
        weight = rng.choice([1, 1, 4])
        ops.append(SelectionOp(f"op{number}", operands, (number,), variants, weight, rng.random() < 0.3))
        ways += [
            ValueConversion(number, before, after, random_cost(rng, 2), weight)
            for before, after in permutations(LAYOUTS, 2)
            if rng.random() < 0.4
        ]
    values = tuple(SelectionValue(f"%{number}", LAYOUTS, (2, 4, 2, 4)) for number in range(len(ops)))
    pins = ((0, rng.choice(ops[0].variants).layouts[0]),) if rng.random() < 0.2 else ()
    penalties = ((len(ops) - 1, rng.choice(LAYOUTS), 2),) if rng.random() < 0.3 else ()
    savings = tuple(saving for op in ops[1:] for saving in some_savings(ops, op))
    return SelectionProblem(
        PIPES, BOUNDED, values, tuple(ops), tuple(ways), pins, penalties, OBJECTIVES[objective], savings=savings
    )


def some_setups(number: int) -> tuple[Setup, ...]:
    """One or two setups, of three that there are."""
    every = (Setup("table", (0, 2, 0, 1)), Setup("ramp", (0, 1, 0, 0)), Setup("pattern", (0, 0, 0, 1)))
    return every[number % 3 : number % 3 + 1 + number % 2]


def some_savings(ops: list[SelectionOp], op: SelectionOp) -> Iterator[Saving]:
    """What every other variant saves where its operand is made, as it takes it, by some of the variants that do so."""
    for number, variant in list(enumerate(op.variants))[::2]:
        for maker in op.operands[:1]:
            able = (one for one, made in enumerate(ops[maker].variants) if made.layouts[-1] == variant.layouts[0])
            makers = tuple(able)[number % 3 :: 2]
            if makers:
                yield Saving(op.results[0], number, maker, makers, tuple(min(2, cost) for cost in variant.cost))


def random_cost(rng: random.Random, most: int) -> tuple[int, ...]:
    return tuple(rng.randint(0, most) for _ in PIPES)


def choices(problem: SelectionProblem) -> list[Choice]:
    """All choices in which nothing is converted that nobody needs."""
    found: list[Choice] = []
    ways_to_run = [
        [some for size in range(1, (len(op.variants) if op.copies else 1) + 1)
         for some in combinations(range(len(op.variants)), size)]
        for op in problem.ops
    ]  # fmt: skip
    for variants in product(*ways_to_run):
        made: list[set[str]] = [set() for _ in problem.values]
        asked: set[tuple[int, str]] = set()
        for op, chosen in zip(problem.ops, variants, strict=True):
            for number in chosen:
                layouts = op.variants[number].layouts
                asked |= set(zip(op.operands, layouts, strict=False))
                made[op.results[0]].add(layouts[-1])
        needed = [
            [
                number
                for number, way in enumerate(problem.conversions)
                if (way.value, way.after) == pair and way.before in made[pair[0]]
            ]
            for pair in sorted(asked)
            if pair[1] not in made[pair[0]]
        ]
        found += [(variants, tuple(sorted(taken))) for taken in product(*needed)]
    return [choice for choice in found if not faults(problem, *choice)]


def value_of(problem: SelectionProblem, choice: Choice) -> tuple[int, ...]:
    value = evaluate(problem, *choice)
    return tuple(value.of(name) for name in problem.objective)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(25))
def test_the_best_choice_is_that_of_brute_force(seed: int, objective: str) -> None:
    problem = random_problem(seed, objective=objective)
    solution = solve_selection(problem)
    possible = choices(problem)
    if not possible:
        assert solution.status == "infeasible"
        return
    assert (solution.status, solution.proved) == ("optimal", problem.objective)
    assert faults(problem, solution.variants, solution.conversions) == []
    best = min(value_of(problem, choice) for choice in possible)
    assert value_of(problem, (solution.variants, solution.conversions)) == best
    assert solution.bound == best[0]


def test_some_of_these_problems_have_no_solution_and_most_have_several() -> None:
    counts = [len(choices(random_problem(seed))) for seed in range(25)]
    assert 0 in counts
    assert sum(count > 5 for count in counts) > 12


OPEN = [seed for seed in range(30) if narrow(random_problem(seed, 25)).stuck < 0]
"""Seeds of problems of which it does not show at once that they have no solution."""


@pytest.mark.parametrize("seed", OPEN[:8])
def test_linear_programming_finds_the_same_values(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_problem(seed, 25)
    left = narrow(problem)
    exact = by_solvers(problem, left, Limits())
    monkeypatch.setattr(cp, "LARGE", 0)
    linear = by_solvers(problem, left, Limits())
    assert linear[4:] == exact[4:]
    assert linear.status == exact.status
    if linear.status != "infeasible":
        assert faults(problem, linear.variants, linear.conversions) == []


def test_the_same_problem_gives_the_same_answer_and_survives_json() -> None:
    problem = random_problem(7, 12)
    again = from_json(SelectionProblem, to_json(problem))
    assert again == problem
    assert to_json(solve_selection(again)) == to_json(solve_selection(problem))


def test_a_known_choice_is_what_is_left_when_the_time_is_up() -> None:
    problem = next(
        problem
        for problem in map(random_problem, range(50))
        if len(choices(problem)) > 5 and solve_selection(problem, Limits(1e-9)).status == "feasible"
    )
    worst = max(choices(problem), key=lambda choice: value_of(problem, choice))
    solution = solve_selection(problem, Limits(1e-9), worst)
    assert solution.status == "feasible"
    assert value_of(problem, (solution.variants, solution.conversions)) <= value_of(problem, worst)
    assert solve_selection(problem, known=worst) == solve_selection(problem)


@pytest.mark.parametrize("seed", range(30))
def test_a_choice_to_start_from_is_asked_for_where_elimination_does_not_find_the_best(seed: int) -> None:
    problem = random_problem(seed)
    every, left = choices(problem), narrow(problem)
    worst = max(every, key=lambda choice: value_of(problem, choice), default=None)
    given: list[Choice | None] = []

    def start() -> Choice | None:
        given.append(worst)
        return worst

    found = eliminate(problem, left.variants, left.conversions)
    assert solve_selection(problem, known=start).status == ("optimal" if every else "infeasible")
    assert bool(given) == (bool(every) and not found.optimal)


def test_a_start_that_comes_late_is_answered_if_it_is_the_best() -> None:
    problem = next(one for one in map(random_problem, range(99)) if not any(eliminate(one, *narrow(one)[:2])[2:4]))
    best = min(choices(problem), key=lambda choice: value_of(problem, choice))
    solution = solve_selection(problem, known=lambda: best)
    assert value_of(problem, (solution.variants, solution.conversions)) == value_of(problem, best)
    with pytest.raises(ValueError, match="not a choice to start from"):
        solve_selection(problem, known=lambda: (((),) * len(problem.ops), ()))


def test_what_is_no_choice_cannot_be_started_from() -> None:
    problem = random_problem(7, 12)
    with pytest.raises(ValueError, match="not a choice to start from"):
        solve_selection(problem, known=(tuple(() for _ in problem.ops), ()))


def two_ops(ways: tuple[ValueConversion, ...], copies: bool = False) -> SelectionProblem:
    """A load in c or d2, and a use that takes d4 alone."""
    load = SelectionOp("load", (), (0,), (Variant("L.c", ("c",), (1,)), Variant("L.d2", ("d2",), (2,))), 1, copies)
    use = SelectionOp("use", (0,), (), (Variant("U.d4", ("d4",), (0,)),))
    return SelectionProblem(("all",), ("all",), (SelectionValue("%x", LAYOUTS, (1, 1, 1, 1)),), (load, use), ways)


def test_an_operand_that_nothing_makes_is_infeasible_and_says_where() -> None:
    problem = two_ops(())
    assert narrow(problem).stuck == 1
    assert solve_selection(problem).status == "infeasible"


def test_a_conversion_starts_from_what_an_operation_makes() -> None:
    chain = (ValueConversion(0, "c", "d2", (0,)), ValueConversion(0, "d2", "d4", (1,)))
    solution = solve_selection(two_ops(chain))
    assert (solution.variants, solution.conversions, solution.total) == (((1,), (0,)), (1,), 3)
    cheaper = (*chain, ValueConversion(0, "c", "d4", (1,)))
    assert solve_selection(two_ops(cheaper)).total == 2


def test_a_copy_serves_where_a_conversion_is_dearer() -> None:
    load = (Variant("L.c", ("c",), (1,)), Variant("L.d2", ("d2",), (1,)))
    uses = tuple(SelectionOp(f"use {name}", (0,), (), (Variant("U", (name,), (0,)),)) for name in ("c", "d2"))
    values = (SelectionValue("%x", LAYOUTS, (1, 1, 1, 1)),)
    ways = (ValueConversion(0, "c", "d2", (3,)),)
    for copies, total in ((True, 2), (False, 4)):
        ops = (SelectionOp("load", (), (0,), load, 1, copies), *uses)
        assert solve_selection(SelectionProblem(("all",), ("all",), values, ops, ways)).total == total


def test_pins_and_penalties_move_the_choice() -> None:
    ways = (ValueConversion(0, "c", "d4", (1,)), ValueConversion(0, "d2", "d4", (0,)))
    problem = two_ops(ways)
    assert solve_selection(problem).total == 2
    assert solve_selection(problem._replace(pins=((0, "d2"),))).variants[0] == (1,)
    assert solve_selection(problem._replace(penalties=((0, "d2", 5),))).variants[0] == (0,)
    assert solve_selection(problem._replace(penalties=((0, "c", 5),))).variants[0] == (1,)
    assert solve_selection(problem._replace(pins=((0, "ls2"),))).status == "infeasible"


def test_faults_are_found() -> None:
    problem = two_ops((ValueConversion(0, "c", "d4", (1,)),))
    assert faults(problem, ((0,), (0,)), (0,)) == []
    assert faults(problem, ((0,), (0,)), ()) == ["use needs %x in d4"]
    assert faults(problem, ((0, 1), (0,)), (0,)) == ["load runs in 2 variants"]
    assert faults(problem, ((), (0,)), ())[0] == "load runs in 0 variants"
    assert "in which nothing makes it" in faults(problem, ((1,), (0,)), (0,))[0]
    assert faults(problem._replace(pins=((0, "d2"),)), ((0,), (0,)), (0,)) == ["%x is not made in d2 alone"]


def test_a_limit_that_has_passed_proves_nothing() -> None:
    problem = random_problem(OPEN[0], 25)
    left = narrow(problem)
    assert by_solvers(problem, left, Limits(seconds=1e-6)) == SelectionSolution("unknown")
    assert by_solvers(problem, left, Limits()).proved == problem.objective


def test_greedy_choices_are_choices_and_cost_no_less_than_the_best() -> None:
    found = 0
    for seed in OPEN:
        problem = random_problem(seed, 25)
        left = narrow(problem)
        choice = greedy_choice(problem, left.variants, left.conversions)
        if choice is not None:
            found += 1
            assert faults(problem, *choice) == []
            assert value_of(problem, choice) >= value_of(problem, solve_selection(problem)[1:3])
    assert found > 8
