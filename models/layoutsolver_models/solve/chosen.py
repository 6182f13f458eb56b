"""Choices of a selection problem, by how good they are."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_models.problems.layout import Status
from layoutsolver_models.problems.selection import (
    SelectionObjective,
    SelectionProblem,
    SelectionSolution,
    evaluate,
)


class Chosen(NamedTuple):
    """A choice: the variants of each operation, and the conversions."""

    variants: tuple[tuple[int, ...], ...]
    conversions: tuple[int, ...]


def rank(problem: SelectionProblem, chosen: Chosen) -> tuple[int, ...]:
    """What a choice comes to by the objectives in their order: the least is the best."""
    value = evaluate(problem, *chosen)
    return tuple(value.of(name) for name in problem.objective)


def better(problem: SelectionProblem, one: Chosen | None, other: Chosen | None) -> Chosen | None:
    """The better of two choices, the first of equals; the other where one is missing."""
    if one is None or other is None:
        return one or other
    return other if rank(problem, other) < rank(problem, one) else one


def solution_of(
    problem: SelectionProblem, chosen: Chosen, bound: int, proved: tuple[SelectionObjective, ...]
) -> SelectionSolution:
    """A choice as an answer, with what it costs."""
    status: Status = "optimal" if len(proved) == len(problem.objective) else "feasible"
    value = evaluate(problem, chosen.variants, chosen.conversions)
    return SelectionSolution(status, chosen.variants, chosen.conversions, *value, bound, proved)
