"""The busiest of several pipes that are about equally busy: bounds by multipliers, choices put together from others.

Weighted by shares that sum to one, the pipes come to no more than the busiest of them; the shares that make the least
such sum largest give the bound (Lagrangian relaxation). The choices that attain these sums differ in places that have
nothing to do with each other, each of which may be taken from either choice.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from layoutsolver_models.elimination.decode import choice_from
from layoutsolver_models.elimination.factors import NEVER, factors_of
from layoutsolver_models.elimination.mix import mixed
from layoutsolver_models.elimination.plan import plan_of
from layoutsolver_models.elimination.states import States
from layoutsolver_models.elimination.tables import Minima
from layoutsolver_models.elimination.weights import levels_of, pipe_weight, weight_of
from layoutsolver_models.problems.selection import evaluate, faults
from layoutsolver_models.solve.chosen import Chosen, better

STEPS = 16
SHARES = 1 << 10
"""All shares together."""


class Balanced(NamedTuple):
    """What the busiest pipe comes to at least, and the best choice."""

    bound: int
    choice: Chosen | None


def balance(states: States, known: Chosen | None, bound: int, deadline: float | None) -> Balanced:
    """A better bound of the busiest pipe, which is minimised first, and a better choice than a known one, if there are.

    What is known already is what comes back at least.
    """
    problem = states.problem
    pipes = [pipe for pipe in problem.pipes if pipe in problem.bounded]
    factors = factors_of(states)
    plan = plan_of(factors)
    shares = {pipe: SHARES // len(pipes) for pipe in pipes}
    best = known
    for step in range(1, STEPS + 1):
        late = deadline is not None and time.monotonic() > deadline
        if late or (best is not None and evaluate(problem, *best).busiest == bound):
            break
        weights = [pipe_weight(problem, pipe) for pipe in pipes]
        joined = tuple(
            sum(shares[pipe] * weight[entry] for pipe, weight in zip(pipes, weights, strict=True))
            for entry in range(len(weights[0]))
        )
        levels = levels_of(factors, [[joined, *(weight_of(problem, name) for name in problem.objective[1:])]])
        if levels is None:
            break
        minima = Minima(factors, plan, levels.weights)
        least = int(minima.values[0, 0])
        if least >= NEVER // 2:
            break
        bound = max(bound, -(-(least // levels.units[0][1]) // sum(shares.values())))
        choice = choice_from(states, minima.choice(0), levels.of(0))
        if choice is None or faults(problem, *choice):
            break
        best = mixed(problem, better(problem, best, choice) or choice, choice)
        load = dict(zip(problem.pipes, evaluate(problem, *choice).load, strict=True))
        busiest = max(load[pipe] for pipe in pipes)
        busy = {pipe: shares[pipe] * 2.0 ** (4 * (load[pipe] / max(busiest, 1) - 1) / step) for pipe in pipes}
        shares = {pipe: max(1, round(SHARES * busy[pipe] / sum(busy.values()))) for pipe in pipes}
    return Balanced(bound, best)
