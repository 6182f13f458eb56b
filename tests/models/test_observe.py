"""What an observer hears of a solve."""

from __future__ import annotations

from layoutsolver_models.cp.model import GroupedModel
from layoutsolver_models.solve.observe import Event


def knapsack(size: int) -> GroupedModel:
    """Literals in pairs that exclude each other, at least one of each three in a row: the fewest are wanted."""
    model = GroupedModel()
    literals = [model.new_bool(f"x{number}") for number in range(size)]
    for number in range(size):
        group = [literals[number], literals[(number * 7 + 3) % size], literals[(number * 5 + 1) % size]]
        model.at_least_one(f"cover {number}", group)
    model.minimize([(1 + number % 3, literal) for number, literal in enumerate(literals)])
    return model


def test_the_last_event_is_the_optimum_and_its_bound() -> None:
    heard: list[Event] = []
    answer = knapsack(60).solve(None, 1, 1, observe=heard.append)
    assert answer.status == "optimal"
    solutions = [event.objective for event in heard if event.kind == "solution"]
    assert solutions
    assert solutions == sorted(solutions, key=lambda cost: -(cost or 0)), "each solution is better than the one before"
    assert solutions[-1] == answer.objective
    assert all(event.bound <= answer.objective for event in heard), "no bound is above the optimum"


def test_observing_changes_nothing() -> None:
    assert knapsack(40).solve(None, 1, 1, observe=lambda event: None) == knapsack(40).solve(None, 1, 1)


def test_a_question_without_an_objective_is_not_observed() -> None:
    model = GroupedModel()
    model.at_least_one("one", [model.new_bool("x")])
    heard: list[Event] = []
    assert model.solve(None, 1, 1, observe=heard.append).status == "optimal"
    assert heard == []
