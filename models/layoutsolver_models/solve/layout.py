"""Solves a layout problem: contract, propagate, split, decide each part, and prove the cost minimal.

A part that has few solutions is decided by looking at all of them, which is a proof; the others go to CP-SAT. A
limit that was reached is reported as such and never as a conflict.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from layoutsolver_models.problems.layout import LayoutProblem, LayoutSolution, Status
from layoutsolver_models.solve.compiled import Compiled, compile_problem
from layoutsolver_models.solve.components import Component, solutions, split
from layoutsolver_models.solve.observe import Observer
from layoutsolver_models.solve.propagate import propagate

ENUMERATED = 64
"""A part with at most so many decisions in its search tree is decided by enumeration."""


class Limits(NamedTuple):
    """How long a solve may take in seconds (None: as long as it needs), with how many threads, and which seed.

    `observe` hears of solutions and bounds while parts that are not decided by enumeration are solved.
    """

    seconds: float | None = None
    workers: int = 1
    seed: int = 1
    observe: Observer | None = None


def solve_layout(problem: LayoutProblem, limits: Limits | None = None) -> LayoutSolution:
    """The cheapest assignment, first in the order of preference among equals, or a minimal conflict.

    The same problem and seed give the same solution, byte for byte, unless a time limit strikes.
    """
    limits = limits or Limits()
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    compiled = compile_problem(problem)
    state = list(compiled.start)
    if 0 in state or propagate(compiled, state, range(len(compiled.scopes))) >= 0:
        return _conflict(problem, limits)
    status: Status = "optimal"
    slack = 0
    costs = relation_costs(problem)
    components = split(compiled, state)
    preferences = component_preferences(problem, compiled, components)
    for component, choices in zip(components, preferences, strict=True):
        found = _best_enumerated(problem, compiled, component, state, choices, costs)
        if found is None:
            from layoutsolver_models.cp.layout import best_by_cp_sat

            left = None if deadline is None else max(deadline - time.monotonic(), 0.01)
            answer = best_by_cp_sat(problem, compiled, component, state, choices, limits, left)
            if answer.status == "infeasible":
                return _conflict(problem, limits)
            if answer.status == "unknown":
                return LayoutSolution("unknown")
            if answer.status == "feasible":
                status = "feasible"
                slack += answer.cost - answer.bound
            found = answer.masks
        elif not found:
            return _conflict(problem, limits)
        for index, mask in zip(component.classes, found, strict=True):
            state[index] = mask
    return _finish(problem, compiled, state, status, slack)


def _conflict(problem: LayoutProblem, limits: Limits) -> LayoutSolution:
    from layoutsolver_models.solve.conflict import find_conflict

    return find_conflict(problem, limits)


def relation_costs(problem: LayoutProblem) -> list[bool]:
    """Per table, whether any of its rows costs anything that the objective counts."""
    counted = "instructions" in problem.objective
    return [counted and any(row.cost for row in table.rows) for table in problem.tables]


def component_preferences(
    problem: LayoutProblem, compiled: Compiled, components: list[Component]
) -> list[list[tuple[str, int]]]:
    """For each component, the choices of the order of preference that concern it, weightiest first."""
    of_class: dict[int, int] = {}
    of_relation: dict[int, int] = {}
    for number, component in enumerate(components):
        of_class.update(dict.fromkeys(component.classes, number))
        of_relation.update(dict.fromkeys(component.relations, number))
    out: list[list[tuple[str, int]]] = [[] for _ in components]
    for choice in problem.preference:
        if choice.kind == "value":
            found = of_class.get(compiled.class_of[choice.index])
        else:
            found = of_relation.get(choice.index)
        if found is not None:
            out[found].append((choice.kind, choice.index))
    return out


def component_cost(
    problem: LayoutProblem, compiled: Compiled, component: Component, state: list[int], costly: list[bool]
) -> int:
    """What the component's relations cost in a state in which its classes are decided."""
    total = 0
    for number in component.relations:
        relation = problem.relations[number]
        if costly[relation.table]:
            rows = problem.tables[relation.table].rows
            total += relation.weight * min(rows[row].cost for row in compiled.rows_within(number, state))
    return total


def preference_key(
    problem: LayoutProblem, compiled: Compiled, choices: list[tuple[str, int]], state: list[int]
) -> tuple[int, ...]:
    """The digits of the order of preference in a decided state; smaller is preferred."""
    key: list[int] = []
    for kind, index in choices:
        if kind == "value":
            layout = compiled.layouts[state[compiled.class_of[index]].bit_length() - 1]
            key.append(problem.values[index].domain.index(layout))
        else:
            key.append(compiled.rows_within(index, state)[0])
    return tuple(key)


def _best_enumerated(
    problem: LayoutProblem,
    compiled: Compiled,
    component: Component,
    state: list[int],
    choices: list[tuple[str, int]],
    costly: list[bool],
) -> list[int] | None:
    """The best solution of a small component, empty if it has none, None if it is not small."""
    best: list[int] = []
    best_key: tuple[int, tuple[int, ...], list[int]] | None = None
    for masks in solutions(compiled, component, state, nodes=ENUMERATED):
        if masks is None:
            return None
        cost = component_cost(problem, compiled, component, state, costly)
        key = (cost, preference_key(problem, compiled, choices, state), masks)
        if best_key is None or key < best_key:
            best, best_key = masks, key
    return best


def _finish(problem: LayoutProblem, compiled: Compiled, state: list[int], status: Status, slack: int) -> LayoutSolution:
    names = {1 << index: name for index, name in enumerate(compiled.layouts)}
    layouts = tuple(names[state[index]] for index in compiled.class_of)
    rows: list[int] = []
    cost = 0
    for number, relation in enumerate(problem.relations):
        table = problem.tables[relation.table].rows
        row = min(compiled.rows_within(number, state), key=lambda row: (table[row].cost, row))
        rows.append(row)
        cost += table[row].cost * relation.weight
    return LayoutSolution(status, layouts, tuple(rows), cost, cost - slack)
