"""Solves a selection problem: what cannot be is removed first, the rest is eliminated variable by variable.

What that leaves open goes to CP-SAT, or to HiGHS, with its bound and the best choice so far.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable
from typing import NamedTuple

from layoutsolver_models.problems.selection import SelectionProblem, SelectionSolution, faults
from layoutsolver_models.solve.chosen import Chosen, better, solution_of
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.start import greedy_choice

HUGE = 2000
"""With a limit, problems of more operations do not go to the solvers, which would not keep it."""


Known = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]
"""A choice: the variants of each operation, and the conversions."""


class Open(NamedTuple):
    """The variants of each operation and the conversions that may still be part of a solution.

    `stuck` is an operation that has no variant left, -1 if all have.
    """

    variants: list[list[int]]
    conversions: list[int]
    stuck: int = -1


def solve_selection(
    problem: SelectionProblem,
    limits: Limits | None = None,
    known: Known | Callable[[], Known | None] | None = None,
) -> SelectionSolution:
    """The best choice by the problem's objectives in their order, with a proved bound of the first.

    `known` is a choice to start from, or gives one if it is needed: it is what comes out, as `feasible`, if a limit
    strikes before anything better is found. Raises `ValueError` if it is none.
    """
    limits = limits or Limits()
    begun = time.monotonic()
    later = known if callable(known) else None
    start = None if known is None or callable(known) else _checked(problem, known)
    left = narrow(problem)
    if left.stuck >= 0:
        return SelectionSolution("infeasible")
    from layoutsolver_models.elimination.solve import eliminate

    share = 1.0 if len(problem.ops) > HUGE else 0.5
    deadline = None if limits.seconds is None else begun + limits.seconds * share
    found = eliminate(problem, left.variants, left.conversions, start, deadline)
    if found.infeasible:
        return SelectionSolution("infeasible")
    if found.choice is not None and found.optimal:
        return solution_of(problem, found.choice, found.bound, problem.objective)
    best = found.choice or greedy_choice(problem, left.variants, left.conversions)
    late = limits.seconds is not None and time.monotonic() > begun + limits.seconds
    given = None if later is None or (late and best is not None) else later()
    if given is not None:
        best = better(problem, best, _checked(problem, given))
    if limits.seconds is not None:
        limits = limits._replace(seconds=begun + limits.seconds - time.monotonic())
        if best is not None and len(problem.ops) > HUGE:
            return solution_of(problem, best, found.bound, problem.objective[: found.proved])
    return by_solvers(problem, left, limits, best, found.bound, found.proved)


def _checked(problem: SelectionProblem, known: Known) -> Chosen:
    """A choice to start from. Raises `ValueError` if it is none."""
    wrong = faults(problem, *known)
    if wrong:
        raise ValueError(f"not a choice to start from: {wrong[0]}")
    return Chosen(*known)


def by_solvers(
    problem: SelectionProblem,
    left: Open,
    limits: Limits,
    known: Chosen | None = None,
    bound: int = 0,
    proved: int = 0,
) -> SelectionSolution:
    """The answer of CP-SAT, or of HiGHS where there is too much for it, to what is left of a problem.

    `known` is a choice to start from, `bound` what is known that the first objective comes to at least; so many
    objectives are `proved` for that choice.
    """
    from layoutsolver_models.cp.selection import SelectionModel, best_by_cp_sat

    if known is not None:
        if limits.seconds is not None and limits.seconds <= 0:
            return solution_of(problem, known, bound, problem.objective[:proved])
        left = _with(left, known.variants, known.conversions)
    built = SelectionModel(problem, left.variants, left.conversions, known)
    return best_by_cp_sat(built, limits, known, bound, proved)


def narrow(problem: SelectionProblem) -> Open:
    """What is left of the variants when each operand must be available, and the conversions that somebody can use."""
    possible = [list(range(len(op.variants))) for op in problem.ops]
    pinned = dict(problem.pins)
    users: list[list[int]] = [[] for _ in problem.values]
    makers: list[list[int]] = [[] for _ in problem.values]
    for number, op in enumerate(problem.ops):
        for value in op.operands:
            users[value].append(number)
        for value in op.results:
            makers[value].append(number)
    ways: list[dict[str, list[str]]] = [defaultdict(list) for _ in problem.values]
    for way in problem.conversions:
        ways[way.value][way.before].append(way.after)
    available: list[set[str] | None] = [None for _ in problem.values]

    def offered(value: int) -> set[str]:
        known = available[value]
        if known is None:
            known = set()
            for maker in makers[value]:
                op = problem.ops[maker]
                ports = [len(op.operands) + place for place, result in enumerate(op.results) if result == value]
                known |= {op.variants[number].layouts[port] for number in possible[maker] for port in ports}
            known |= {after for before in list(known) for after in ways[value].get(before, ())}
            available[value] = known
        return known

    queue = deque(range(len(problem.ops)))
    waiting = set(queue)
    while queue:
        number = queue.popleft()
        waiting.discard(number)
        op = problem.ops[number]
        left = []
        for variant in possible[number]:
            layouts = op.variants[variant].layouts
            results = zip(op.results, layouts[len(op.operands) :], strict=True)
            fits = all(layout in offered(value) for value, layout in zip(op.operands, layouts, strict=False))
            if fits and all(pinned.get(value, layout) == layout for value, layout in results):
                left.append(variant)
        if not left:
            return Open(possible, [], number)
        if len(left) < len(possible[number]):
            possible[number] = left
            for value in op.results:
                available[value] = None
                for user in users[value]:
                    if user not in waiting:
                        waiting.add(user)
                        queue.append(user)
    return Open(possible, _usable(problem, possible))


def _usable(problem: SelectionProblem, possible: list[list[int]]) -> list[int]:
    """Conversions from a layout in which something makes the value into one that somebody asks for."""
    asked: list[set[str]] = [set() for _ in problem.values]
    made: list[set[str]] = [set() for _ in problem.values]
    for op, variants in zip(problem.ops, possible, strict=True):
        for variant in variants:
            layouts = op.variants[variant].layouts
            for value, layout in zip(op.operands, layouts, strict=False):
                asked[value].add(layout)
            for value, layout in zip(op.results, layouts[len(op.operands) :], strict=True):
                made[value].add(layout)
    return [
        number
        for number, way in enumerate(problem.conversions)
        if way.before != way.after and way.before in made[way.value] and way.after in asked[way.value]
    ]


def _with(left: Open, variants: tuple[tuple[int, ...], ...], conversions: tuple[int, ...]) -> Open:
    """What is left, and all that a known choice takes."""
    kept = [sorted({*some, *taken}) for some, taken in zip(left.variants, variants, strict=True)]
    return Open(kept, sorted({*left.conversions, *conversions}))
