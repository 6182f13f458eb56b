"""Counts the solutions of a selection problem exactly, and lists the best.

A solution is one variant for each operation, copies left aside: which conversions that takes follows from it, since the
layout in which a value is made is known then, and there is one conversion at most between two layouts. Values are the
variables, by the layout in which they are made.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product
from math import prod
from typing import NamedTuple

from layoutsolver_models.problems.selection import SelectionProblem, SelectionSolution
from layoutsolver_models.solve.bucket import CountLimitError, Factor, count_assignments
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import Open, narrow

Ways = dict[int, dict[str, set[str]]]
"""By value and layout, those from which a conversion leads there, itself among them."""


class SelectionCount(NamedTuple):
    """The number of solutions in all, and of each part that has more than one; at most so many if not `exact`."""

    total: int
    parts: tuple[int, ...]
    exact: bool = True


def count_selection(problem: SelectionProblem) -> SelectionCount:
    """How many solutions a problem has.

    Not exact are counts of problems with capacities, which are passed over, and of parts that are too entangled: these
    are at most what their operations have variants.
    """
    left = narrow(problem)
    if left.stuck >= 0:
        return SelectionCount(0, ())
    factors = _factors(problem, left)
    total, exact = 1, not problem.capacities
    parts: list[int] = []
    for ops in _components(problem):
        variables = {value for number in ops for value in (*problem.ops[number].operands, *problem.ops[number].results)}
        try:
            found = count_assignments([factors[number] for number in ops], variables)
        except CountLimitError:
            found, exact = prod(len(left.variants[number]) for number in ops), False
        total *= found
        parts += [found] if found > 1 else []
    return SelectionCount(total, tuple(parts) if total else (), exact)


def _factors(problem: SelectionProblem, left: Open) -> list[Factor]:
    """For each operation, how many of its variants fit to the layouts in which its values are made."""
    ways: Ways = defaultdict(lambda: defaultdict(set))
    made: dict[int, set[str]] = defaultdict(set)
    for number, op in enumerate(problem.ops):
        for place, value in enumerate(op.results, len(op.operands)):
            made[value].update(op.variants[variant].layouts[place] for variant in left.variants[number])
    for value, layouts in made.items():
        for layout in layouts:
            ways[value][layout].add(layout)
    for way in problem.conversions:
        if way.before in made[way.value]:
            ways[way.value][way.after].add(way.before)
    numbers = {
        (value, layout): place for value, layouts in made.items() for place, layout in enumerate(sorted(layouts))
    }
    return [_factor(problem, number, left.variants[number], ways, numbers) for number in range(len(problem.ops))]


def _factor(
    problem: SelectionProblem, number: int, variants: list[int], ways: Ways, numbers: dict[tuple[int, str], int]
) -> Factor:
    op = problem.ops[number]
    scope = tuple(dict.fromkeys((*op.operands, *op.results)))
    table: Counter[tuple[int, ...]] = Counter()
    for variant in variants:
        allowed: dict[int, set[str]] = {}
        layouts = op.variants[variant].layouts
        for value, layout in zip(op.operands, layouts, strict=False):
            before = ways[value][layout]
            allowed[value] = allowed.get(value, before) & before
        for value, layout in zip(op.results, layouts[len(op.operands) :], strict=True):
            allowed[value] = allowed.get(value, {layout}) & {layout}
        table.update(
            tuple(numbers[value, layout] for value, layout in zip(scope, chosen, strict=True))
            for chosen in product(*(sorted(allowed[value]) for value in scope))
        )
    return scope, dict(table)


def _components(problem: SelectionProblem) -> list[list[int]]:
    """The operations of each part that shares no value with another one, in the order of their first operation."""
    touching: dict[int, list[int]] = defaultdict(list)
    for number, op in enumerate(problem.ops):
        for value in {*op.operands, *op.results}:
            touching[value].append(number)
    seen = [False] * len(problem.ops)
    out: list[list[int]] = []
    for first in range(len(problem.ops)):
        if seen[first]:
            continue
        seen[first] = True
        found, waiting = [first], [first]
        while waiting:
            op = problem.ops[waiting.pop()]
            for other in {number for value in (*op.operands, *op.results) for number in touching[value]}:
                if not seen[other]:
                    seen[other] = True
                    found.append(other)
                    waiting.append(other)
        out.append(sorted(found))
    return out


def best_selections(problem: SelectionProblem, count: int, limits: Limits) -> Iterator[SelectionSolution]:
    """The `count` best solutions by the problem's objectives, fewer if there are fewer or if time is up."""
    from layoutsolver_models.cp.selection import SelectionModel, best_by_cp_sat

    end = None if limits.seconds is None else time.monotonic() + limits.seconds
    single = problem._replace(ops=tuple(op._replace(copies=False) for op in problem.ops), start=None)
    left = narrow(single)
    if left.stuck >= 0:
        return
    known: list[SelectionSolution] = []
    while len(known) < count:
        built = SelectionModel(single, left.variants, left.conversions, None)
        for earlier in known:
            taken = [literals[chosen[0]] for literals, chosen in zip(built.variant, earlier.variants, strict=True)]
            built.model.not_all("listed", taken)
        seconds = None if end is None else end - time.monotonic()
        if seconds is not None and seconds <= 0:
            return
        found = best_by_cp_sat(built, limits._replace(seconds=seconds))
        if found.status != "optimal":
            return
        known.append(found)
        yield found
