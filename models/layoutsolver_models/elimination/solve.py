"""Selection problems solved by elimination: what the best choice costs at least, and mostly the best choice itself.

All objectives but `pipes` are sums, which are minimised exactly. The busiest pipe is at least what each single pipe
comes to at least. Where a choice that is best for one pipe leaves the others no busier, it is the best altogether.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_models.elimination.decode import choice_from
from layoutsolver_models.elimination.factors import NEVER, Factors, factors_of
from layoutsolver_models.elimination.plan import Plan, plan_of
from layoutsolver_models.elimination.states import States, states_of
from layoutsolver_models.elimination.tables import Minima
from layoutsolver_models.elimination.weights import levels_of, pipe_weight, vector_of, weigh, weight_of
from layoutsolver_models.problems.selection import SelectionProblem, evaluate, faults
from layoutsolver_models.solve.chosen import Chosen, better


class Eliminated(NamedTuple):
    """What elimination says of a problem.

    `bound` is what the first objective comes to at least, `choice` the best choice that was found, None if none. It is
    `optimal` if no choice is better in any objective, given those before it; `infeasible` says that there is none.
    """

    bound: int = 0
    choice: Chosen | None = None
    optimal: bool = False
    infeasible: bool = False


class Posed(NamedTuple):
    """A problem, its states, and how they are eliminated."""

    problem: SelectionProblem
    states: States
    factors: Factors
    plan: Plan


def eliminate(problem: SelectionProblem, variants: list[list[int]], conversions: list[int]) -> Eliminated:
    """What elimination says of what is left of a problem: nothing, where its numbers are none that this serves.

    Capacities are left aside: what is said holds with them, but that the choice may exceed them; then it is none.
    """
    states = states_of(problem, variants, conversions)
    if states is None:
        return Eliminated()
    factors = factors_of(states)
    return _single_pipes(Posed(problem, states, factors, plan_of(factors)))


def _single_pipes(posed: Posed) -> Eliminated:
    """The best choice as if one of the pipes were always the busiest one, for each of them."""
    problem = posed.problem
    pipes = [pipe for pipe in problem.pipes if pipe in problem.bounded] or [""]
    orders = [
        [pipe_weight(problem, pipe) if name == "pipes" else weight_of(problem, name) for name in problem.objective]
        for pipe in pipes
    ]
    levels = levels_of(posed.factors, orders)
    if levels is None:
        return Eliminated()
    minima = Minima(posed.factors, posed.plan, levels.weights)
    if minima.values[0, 0] >= NEVER:
        return Eliminated(infeasible=True)
    bound = int(minima.values[0].max()) // levels.unit
    best: Chosen | None = None
    for number, pipe in enumerate(pipes):
        choice = choice_from(posed.states, minima.choice(number), levels.of(number))
        if choice is None or faults(problem, *choice):
            continue
        value = evaluate(problem, *choice)
        vector = vector_of(problem, value)
        attained = [weigh(vector, level) for level in levels.of(number)] == minima.values[:, number].tolist()
        if attained and value.busiest == (value.load[problem.pipes.index(pipe)] if pipe else 0):
            return Eliminated(bound, choice, optimal=True)
        best = better(problem, best, choice)
    return Eliminated(bound, best)
