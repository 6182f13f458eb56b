"""The solutions of a layout problem from the best on, without listing them all."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from layoutsolver_models.problems.layout import LayoutProblem
from layoutsolver_models.solve.compiled import Compiled, compile_problem
from layoutsolver_models.solve.components import Component, solutions, split
from layoutsolver_models.solve.layout import (
    Limits,
    component_cost,
    component_preferences,
    preference_key,
    relation_costs,
)
from layoutsolver_models.solve.propagate import propagate

LISTED = 4096
"""A part with at most so many decisions in its search tree is listed whole; of others CP-SAT finds the next best."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A solution: its cost, and the layout of each value."""

    cost: int
    layouts: tuple[str, ...]


PartSolution = tuple[int, tuple[int, ...], tuple[int, ...]]
"""Cost, preference digits, and masks of one part."""


def ranked_solutions(problem: LayoutProblem, count: int, limits: Limits | None = None) -> Iterator[Ranked]:
    """The `count` cheapest solutions, ties in the order of preference within each part; fewer if there are fewer."""
    compiled = compile_problem(problem)
    state = list(compiled.start)
    if 0 in state or propagate(compiled, state, range(len(compiled.scopes))) >= 0:
        return
    components = split(compiled, state)
    preferences = component_preferences(problem, compiled, components)
    parts: list[list[PartSolution]] = []
    for component, choices in zip(components, preferences, strict=True):
        parts.append(_part(problem, compiled, component, state, choices, count, limits or Limits()))
        if not parts[-1]:
            return
    base = _decided_cost(problem, compiled, components, state)
    names = {1 << index: name for index, name in enumerate(compiled.layouts)}
    for cost, picks in _merge(parts, count):
        final = list(state)
        for component, part, pick in zip(components, parts, picks, strict=True):
            for index, mask in zip(component.classes, part[pick][2], strict=True):
                final[index] = mask
        yield Ranked(base + cost, tuple(names[final[index]] for index in compiled.class_of))


def _part(
    problem: LayoutProblem,
    compiled: Compiled,
    component: Component,
    state: list[int],
    choices: list[tuple[str, int]],
    count: int,
    limits: Limits,
) -> list[PartSolution]:
    costly = relation_costs(problem)
    found: list[PartSolution] = []
    for masks in solutions(compiled, component, state, nodes=LISTED):
        if masks is None:
            from layoutsolver_models.cp.layout import next_best_by_cp_sat

            return next_best_by_cp_sat(problem, compiled, component, state, choices, count, limits)
        cost = component_cost(problem, compiled, component, state, costly)
        found.append((cost, preference_key(problem, compiled, choices, state), tuple(masks)))
    return sorted(found)[:count]


def _decided_cost(problem: LayoutProblem, compiled: Compiled, components: list[Component], state: list[int]) -> int:
    inside = {relation for component in components for relation in component.relations}
    rest = Component([], [number for number in range(len(problem.relations)) if number not in inside])
    return component_cost(problem, compiled, rest, state, relation_costs(problem))


Chain = tuple["Chain", int] | None
"""Which entry of each list was picked, the last list's in front."""


def _merge(parts: list[list[PartSolution]], count: int) -> Iterator[tuple[int, list[int]]]:
    """The cheapest sums of one entry from each list: cost and the entry of each list.

    Lists are taken in one by one, and only the best `count` sums are kept.
    """
    best: list[tuple[int, Chain]] = [(0, None)]
    for part in parts:
        best = _cheapest(best, part, count)
    for cost, chain in best:
        picks: list[int] = []
        while chain is not None:
            chain, pick = chain
            picks.append(pick)
        yield cost, picks[::-1]


def _cheapest(sums: list[tuple[int, Chain]], part: list[PartSolution], count: int) -> list[tuple[int, Chain]]:
    heap = [(sums[0][0] + part[0][0], 0, 0)]
    seen = {(0, 0)}
    out: list[tuple[int, Chain]] = []
    while heap and len(out) < count:
        cost, left, right = heapq.heappop(heap)
        out.append((cost, (sums[left][1], right)))
        for place in ((left, right + 1), (left + 1, right)):
            if place not in seen and place[0] < len(sums) and place[1] < len(part):
                seen.add(place)
                heapq.heappush(heap, (sums[place[0]][0] + part[place[1]][0], *place))
    return out
