"""The solver against an oracle that tries every assignment."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver_models.problems.layout import Choice, LayoutProblem, LayoutValue, Relation, Row, Table
from layoutsolver_models.solve import layout as layout_module
from layoutsolver_models.solve.check import cost_of
from layoutsolver_models.solve.conflict import is_feasible, restrict
from layoutsolver_models.solve.count import count_solutions
from layoutsolver_models.solve.layout import Limits, solve_layout
from layoutsolver_models.solve.rank import ranked_solutions
from tests.support.solving import brute_force, random_problem


def check_against_oracle(problem: LayoutProblem) -> None:
    oracle = brute_force(problem)
    solution = solve_layout(problem)
    assert count_solutions(problem).total == len(oracle.ranked_costs)
    if oracle.layouts is None:
        assert solution.status == "infeasible"
        check_conflict(problem)
        return
    assert solution.status == "optimal"
    assert solution.layouts == oracle.layouts
    assert solution.cost == solution.bound == oracle.cost
    assert cost_of(problem, solution.layouts) == solution.cost
    for relation, row in zip(problem.relations, solution.rows, strict=True):
        chosen = problem.tables[relation.table].rows[row]
        assert chosen.layouts == tuple(solution.layouts[value] for value in relation.values)


def check_conflict(problem: LayoutProblem) -> None:
    """The conflict is infeasible, and feasible without any one of its members."""
    solution = solve_layout(problem)
    groups = list(solution.conflict)
    assert groups
    domains = {index for kind, index in groups if kind == "domain"}
    rest = [group for group in groups if group[0] != "domain"]
    relaxed = frozenset(range(len(problem.values))) - domains
    if not rest:
        assert any(not problem.values[index].domain for index in domains)
        return
    assert is_feasible(restrict(problem, rest, relaxed), Limits()) is False
    for dropped in rest:
        others = [group for group in rest if group != dropped]
        assert is_feasible(restrict(problem, others, relaxed), Limits()) is True
    for domain in domains:
        assert is_feasible(restrict(problem, rest, relaxed | {domain}), Limits()) is True


@settings(max_examples=300)
@given(st.randoms(use_true_random=False), st.integers(1, 6), st.integers(0, 8))
def test_small_problems_are_solved_as_by_trying_everything(rng: random.Random, values: int, relations: int) -> None:
    check_against_oracle(random_problem(rng, values, relations))


@pytest.mark.parametrize("seed", range(120))
def test_cp_sat_gives_what_enumeration_gives(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout_module, "ENUMERATED", 1)
    monkeypatch.setattr("layoutsolver_models.solve.count.ENUMERATED", 1)
    check_against_oracle(random_problem(random.Random(seed), 5, 4))


@pytest.mark.parametrize("nodes", [1, 4096])
@pytest.mark.parametrize("seed", range(40))
def test_ranking_lists_the_cheapest_solutions_in_order(seed: int, nodes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("layoutsolver_models.solve.rank.LISTED", nodes)
    problem = random_problem(random.Random(seed), 5, 3)
    oracle = brute_force(problem)
    found = list(ranked_solutions(problem, 7))
    assert [solution.cost for solution in found] == list(oracle.ranked_costs[:7])
    assert [cost_of(problem, solution.layouts) for solution in found] == [solution.cost for solution in found]
    assert len({solution.layouts for solution in found}) == len(found)
    if found:
        assert found[0].layouts == solve_layout(problem).layouts


def long_chain(length: int) -> LayoutProblem:
    """Values that may differ from their neighbours at a price: too many solutions to list, not to optimise."""
    values = tuple(LayoutValue(f"v{n}", 8, 1, ("a", "b", "c")) for n in range(length))
    rows = tuple(Row(f"{x}{y}", (x, y), int(x != y)) for x in "abc" for y in "abc")
    liking = tuple(Row(x, (x,), cost) for x, cost in zip("abc", (2, 0, 1), strict=True))
    disliking = tuple(Row(x, (x,), cost) for x, cost in zip("abc", (0, 2, 1), strict=True))
    relations = [Relation("step", 0, (n, n + 1)) for n in range(length - 1)]
    relations += [Relation("like", 1 + n % 2, (n,)) for n in range(length)]
    tables = (Table(("x", "y"), rows), Table(("x",), liking), Table(("x",), disliking))
    order = tuple(Choice("value", n) for n in reversed(range(length)))
    return LayoutProblem(("a", "b", "c"), values, tables, tuple(relations), (), (), order)


def best_of_chain(problem: LayoutProblem) -> int:
    """The least cost of `long_chain`, by dynamic programming."""
    best = dict.fromkeys("abc", 0)
    for n in range(len(problem.values)):
        own = {row.layouts[0]: row.cost for row in problem.tables[1 + n % 2].rows}
        best = {x: own[x] + min(best[y] + (x != y if n else 0) for y in "abc") for x in "abc"}
    return min(best.values())


def test_long_chain_goes_to_cp_sat_and_is_proved_optimal() -> None:
    problem = long_chain(60)
    solution = solve_layout(problem)
    assert solution.status == "optimal"
    assert solution.cost == solution.bound == best_of_chain(problem)
    assert count_solutions(problem).total == 3**60


def test_preference_decides_between_equal_costs_in_cp_sat() -> None:
    rows = tuple(Row(f"{x}{y}", (x, y)) for x in "abc" for y in "abc" if (x, y) != ("a", "a"))
    values = tuple(LayoutValue(f"v{n}", 8, 1, ("a", "b", "c")) for n in range(40))
    relations = tuple(Relation("apart", 0, (n, n + 1)) for n in range(39))
    order = tuple(Choice("value", n) for n in range(40))
    solution = solve_layout(
        LayoutProblem(("a", "b", "c"), values, (Table(("x", "y"), rows),), relations, (), (), order)
    )
    assert solution.layouts == tuple("ab" * 20)


def test_reaching_the_time_limit_is_never_a_conflict() -> None:
    solution = solve_layout(long_chain(3000), Limits(seconds=0.05))
    assert solution.status in ("unknown", "feasible")
    assert solution.conflict == ()
    if solution.status == "feasible":
        assert solution.bound <= solution.cost


def test_same_problem_gives_the_same_solution_every_time() -> None:
    problem = long_chain(40)
    assert len({solve_layout(problem) for _ in range(5)}) == 1


def test_objective_without_instructions_ignores_costs() -> None:
    rows = (Row("cheap", ("b",), 0), Row("dear", ("a",), 9))
    problem = LayoutProblem(
        ("a", "b"), (LayoutValue("v", 8, 1, ("a", "b")),), (Table(("x",), rows),), (Relation("op", 0, (0,)),),
        preference=(Choice("value", 0),),
    )  # fmt: skip
    assert solve_layout(problem).layouts == ("b",)
    assert solve_layout(problem._replace(objective=("preference",))).layouts == ("a",)


def test_value_without_any_layout_is_the_conflict_itself() -> None:
    problem = LayoutProblem(("a",), (LayoutValue("v", 8, 1, ()),), (), ())
    assert solve_layout(problem).conflict == (("domain", 0),)


def test_growth_of_independent_parts_is_linear_in_solutions_looked_at() -> None:
    counts = []
    for parts in (100, 200):
        values = tuple(LayoutValue(f"v{n}", 8, 1, ("a", "b", "c")) for n in range(2 * parts))
        table = Table(("x", "y"), tuple(Row(x, (x, x)) for x in "abc"))
        relations = tuple(Relation("pair", 0, (2 * n, 2 * n + 1)) for n in range(parts))
        order = tuple(Choice("value", n) for n in range(2 * parts))
        problem = LayoutProblem(("a", "b", "c"), values, (table,), relations, (), (), order)
        assert solve_layout(problem).layouts == ("a",) * (2 * parts)
        counts.append(count_solutions(problem).total)
    assert counts == [3**100, 3**200]


@pytest.mark.parametrize("seed", range(30))
def test_listing_many_parts_keeps_the_order_of_costs(seed: int) -> None:
    rng = random.Random(seed)
    values, relations = [], []
    for part in range(30):
        values.append(LayoutValue(f"v{part}", 8, 1, ("a", "b", "c")))
        relations.append(Relation("op", rng.randrange(3), (part,)))
    tables = tuple(Table(("x",), tuple(Row(x, (x,), rng.randint(0, 9)) for x in "abc")) for _ in range(3))
    problem = LayoutProblem(("a", "b", "c"), tuple(values), tables, tuple(relations))
    found = list(ranked_solutions(problem, 50))
    costs = [solution.cost for solution in found]
    assert len({solution.layouts for solution in found}) == 50
    assert all(left <= right for left, right in pairwise(costs))
    best = [sorted(row.cost for row in tables[r.table].rows) for r in relations]
    assert costs[0] == sum(part[0] for part in best)
    assert costs[1] == costs[0] + min(part[1] - part[0] for part in best)
