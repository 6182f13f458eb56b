"""Selection problems solved by elimination: what the best choice costs at least, and mostly the best choice itself.

All objectives but `pipes` are sums, which are minimised exactly. The busiest pipe is at least what each single pipe
comes to at least. Where a choice that is best for one pipe leaves the others no busier, it is the best altogether.

Where tables would become too large, or sets are too many to be told apart, the minima are lower bounds at first. States
that cost more than a known choice even so are dropped, until what is left is small enough.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from layoutsolver_models.elimination.balance import balance
from layoutsolver_models.elimination.decode import choice_from
from layoutsolver_models.elimination.factors import NEVER, Factors, factors_of
from layoutsolver_models.elimination.plan import LARGEST, Plan, plan_of
from layoutsolver_models.elimination.states import States, Vector, states_of
from layoutsolver_models.elimination.tables import Minima
from layoutsolver_models.elimination.tell import only_told, with_more_told, without_worse
from layoutsolver_models.elimination.weights import Levels, levels_of, pipe_weight, vector_of, weigh, weight_of
from layoutsolver_models.problems.selection import SelectionProblem, evaluate, faults
from layoutsolver_models.solve.chosen import Chosen, better, rank

ROUNDS = 16
GROWTH = 4
LARGEST_OF_ALL = 1 << 20
"""Tables may grow by so much from round to round, up to so many entries."""


class Eliminated(NamedTuple):
    """What elimination says of a problem.

    `bound` is what the first objective comes to at least, `choice` the best choice that is known, None if none. So many
    of the objectives are `proved`: no choice is better in these, given those before; it is `optimal` if that holds for
    all. `infeasible` says that there is none.
    """

    bound: int = 0
    choice: Chosen | None = None
    optimal: bool = False
    infeasible: bool = False
    proved: int = 0


class Round(NamedTuple):
    """Minima as if one of some pipes were the busiest, for each of them, with the states of a choice that attains them.

    `bounds` are what the first objective then comes to at least; `level` tells whether that pipe is the busiest one of
    its choice, as far as that is one.
    """

    factors: Factors
    plan: Plan
    levels: Levels
    minima: Minima
    bounds: tuple[int, ...]
    chosen: tuple[list[int], ...]
    level: tuple[bool, ...]


def eliminate(
    problem: SelectionProblem,
    variants: list[list[int]],
    conversions: list[int],
    known: Chosen | None = None,
    deadline: float | None = None,
) -> Eliminated:
    """What elimination says of what is left of a problem: nothing, where its numbers are none that this serves.

    `known` is a choice to improve. Capacities are left aside: what is said holds with them, but that the choice may
    exceed them; then it is none. Behind the deadline, on the clock of `time.monotonic`, there is no further round.
    """
    states = states_of(problem, variants, conversions)
    return Eliminated(0, known) if states is None else _Search(problem, known, deadline).run(states)


class _Search:
    def __init__(self, problem: SelectionProblem, known: Chosen | None, deadline: float | None) -> None:
        self.problem = problem
        self.deadline = deadline
        self.best = known
        self.bound = 0
        self.optimal = False

    def run(self, states: States) -> Eliminated:
        pipes = [pipe for pipe in self.problem.pipes if pipe in self.problem.bounded] or [""]
        done = self.round(states, pipes, LARGEST)
        if done is None:
            return Eliminated(0, self.best)
        if done.minima.values[0, 0] >= NEVER // 2:
            return Eliminated(infeasible=True)
        self.bound = max(done.bounds)
        told = only_told(states)
        if not self.optimal and told != states:
            self.round(told, pipes, LARGEST, proof=False)
        least = [tuple(map(int, done.minima.values[:, number])) for number in range(len(pipes))]
        place = least.index(max(least))
        largest = LARGEST
        for _ in range(ROUNDS):
            if self.optimal or not done.level[place] or self.late():
                break
            left = self.narrowed(states, done, place)
            if left == states:
                if done.plan.exact or largest >= LARGEST_OF_ALL:
                    break
                largest *= GROWTH
            states, pipes, place = left, [pipes[place]], 0
            again = self.round(states, pipes, largest)
            if again is None or again.minima.values[0, 0] >= NEVER // 2:
                break
            done = again
            self.bound = max(self.bound, done.bounds[0])
        if not self.optimal and len(self.problem.bounded) > 1 and self.problem.objective[0] == "pipes":
            self.bound, self.best = balance(states, self.best, self.bound, self.deadline)
        return Eliminated(self.bound, self.best, self.optimal, proved=self.proved(done, place))

    def proved(self, done: Round, place: int) -> int:
        """How many of the objectives the best choice is proved to be the least of."""
        if self.best is None:
            return 0
        reached = rank(self.problem, self.best)
        if self.optimal:
            return len(reached)
        least = done.levels.parts(done.minima.values[:, place].tolist())
        equal = list(takewhile(lambda pair: pair[0] == pair[1], zip(least, reached, strict=True)))
        return max(len(equal), int(reached[0] == self.bound))

    def late(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def narrowed(self, states: States, done: Round, place: int) -> States:
        """Without the states that are worse than the best choice; if none is, with more sets told apart."""
        of_value = done.factors.of_value
        left = states
        if self.best is not None:
            left = without_worse(states, of_value, done.minima.marginals(place), self.limit(done.levels))
        return with_more_told(states, of_value, done.chosen[place]) if left == states else left

    def limit(self, levels: Levels) -> list[int]:
        """What the levels are at most for a choice that is no worse than the best one, if that pipe is the busiest."""
        assert self.best is not None
        most = [0] * len(levels.weights)
        for value, (level, unit) in zip(rank(self.problem, self.best), levels.units, strict=True):
            most[level] += value * unit
        return most

    def round(self, states: States, pipes: list[str], largest: int, proof: bool = True) -> Round | None:
        """Minimise with each pipe as if it were the busiest one; None if the costs are too large for that."""
        problem = self.problem
        factors = factors_of(states)
        orders = [
            [pipe_weight(problem, pipe) if name == "pipes" else weight_of(problem, name) for name in problem.objective]
            for pipe in pipes
        ]
        levels = levels_of(factors, orders)
        if levels is None:
            return None
        plan = plan_of(factors, largest)
        minima = Minima(factors, plan, levels.weights)
        bounds = tuple(int(value) // levels.units[0][1] for value in minima.values[0])
        chosen = tuple(minima.choice(number) for number in range(len(pipes)))
        level = [True] * len(pipes)
        for number, pipe in enumerate(pipes):
            choice = self.take(states, chosen[number], levels.of(number))
            if choice is None:
                continue
            value = evaluate(problem, *choice)
            level[number] = value.busiest == (value.load[problem.pipes.index(pipe)] if pipe else 0)
            attained = [weigh(vector_of(problem, value), one) for one in levels.of(number)]
            if proof and level[number] and attained == minima.values[:, number].tolist():
                self.best, self.optimal = choice, True
        if not plan.exact and not self.optimal:
            other = Minima(factors, plan, levels.weights, evenly=True)
            for number in range(len(pipes)):
                self.take(states, other.choice(number), levels.of(number))
        return Round(factors, plan, levels, minima, bounds, chosen, tuple(level))

    def take(self, states: States, chosen: Sequence[int], levels: Sequence[Vector]) -> Chosen | None:
        """The choice that states stand for, if it is one; it is kept if it is the best so far."""
        choice = choice_from(states, chosen, levels)
        if choice is None or faults(self.problem, *choice):
            return None
        self.best = better(self.problem, self.best, choice)
        return choice
