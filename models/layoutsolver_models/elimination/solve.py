"""Selection problems solved by elimination: what the best choice costs at least, and mostly the best choice itself.

All objectives but `pipes` are sums, which are minimised exactly. The busiest pipe is at least what each single pipe
comes to at least. Where a choice that is best for one pipe leaves the others no busier, it is the best altogether.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from math import comb
from typing import NamedTuple

from layoutsolver_models.elimination.decode import choice_from
from layoutsolver_models.elimination.factors import NEVER, Factors, factors_of
from layoutsolver_models.elimination.plan import Plan, plan_of
from layoutsolver_models.elimination.states import MANY, States, Told, states_of
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


MOST_STATES = 1024
"""No more states of one variable are told apart."""


def eliminate(
    problem: SelectionProblem, variants: list[list[int]], conversions: list[int], deadline: float | None = None
) -> Eliminated:
    """What elimination says of what is left of a problem: nothing, where its numbers are none that this serves.

    Capacities are left aside: what is said holds with them, but that the choice may exceed them; then it is none.
    Behind the deadline, on the clock of `time.monotonic`, no more sets are told apart.
    """
    told = Told({}, {})
    while True:
        states = states_of(problem, variants, conversions, told)
        if states is None:
            return Eliminated()
        factors = factors_of(states)
        found, more = _single_pipes(Posed(problem, states, factors, plan_of(factors)))
        late = deadline is not None and time.monotonic() > deadline
        if found.optimal or found.infeasible or late or not (more.ops or more.values):
            return found
        told = Told({**told.ops, **more.ops}, {**told.values, **more.values})


def _single_pipes(posed: Posed) -> tuple[Eliminated, Told]:
    """The best choice as if one of the pipes were always the busiest one, for each of them.

    Where it takes more sets than are told apart, also which are to be.
    """
    problem = posed.problem
    more = Told({}, {})
    pipes = [pipe for pipe in problem.pipes if pipe in problem.bounded] or [""]
    orders = [
        [pipe_weight(problem, pipe) if name == "pipes" else weight_of(problem, name) for name in problem.objective]
        for pipe in pipes
    ]
    levels = levels_of(posed.factors, orders)
    if levels is None:
        return Eliminated(), more
    minima = Minima(posed.factors, posed.plan, levels.weights)
    if minima.values[0, 0] >= NEVER:
        return Eliminated(infeasible=True), more
    bound = int(minima.values[0].max()) // levels.unit
    best: Chosen | None = None
    for number, pipe in enumerate(pipes):
        states = minima.choice(number)
        if minima.values[0, number] // levels.unit == bound:
            _tell_more(posed, states, more)
        choice = choice_from(posed.states, states, levels.of(number))
        if choice is None or faults(problem, *choice):
            continue
        value = evaluate(problem, *choice)
        vector = vector_of(problem, value)
        attained = [weigh(vector, level) for level in levels.of(number)] == minima.values[:, number].tolist()
        if attained and value.busiest == (value.load[problem.pipes.index(pipe)] if pipe else 0):
            return Eliminated(bound, choice, optimal=True), more
        best = better(problem, best, choice)
    return Eliminated(bound, best), more


def _tell_more(posed: Posed, chosen: list[int], more: Told) -> None:
    """Note which operations and values are in a set that is not told apart from others, and how large it may be."""
    for number, (op, state) in enumerate(zip(posed.states.ops, chosen, strict=False)):
        if not op.sets[state] and _count(map(len, op.sets), op.beyond) <= MOST_STATES:
            more.ops[number] = op.beyond
    for value, variable in posed.factors.of_value.items():
        known = posed.states.values[value]
        told = (some.bit_count() for some in known.sets if some != MANY)
        if known.sets[chosen[variable]] == MANY and _count(told, known.beyond) <= MOST_STATES:
            more.values[value] = known.beyond


def _count(lengths: Iterable[int], most: int) -> int:
    """How many sets of at most so many members there are of all that are in sets of one."""
    single = sum(1 for length in lengths if length == 1)
    return sum(comb(single, size) for size in range(1, most + 1))
