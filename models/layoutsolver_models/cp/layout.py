"""One component of a layout problem as a CP-SAT model: a literal for each layout of a class and each row.

The cost is minimised first; then, with the cost fixed, the order of preference, several digits at a time.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from layoutsolver_models.cp.model import CpAnswer, GroupedModel
from layoutsolver_models.problems.layout import LayoutProblem, Status
from layoutsolver_models.solve.compiled import Compiled
from layoutsolver_models.solve.components import Component
from layoutsolver_models.solve.layout import Limits

DIGITS_AT_A_TIME = 1 << 40
"""Digits of the order of preference are minimised together as long as their combined range stays below this."""


@dataclass(frozen=True, slots=True)
class ComponentAnswer:
    """A component's masks (in the order of its classes), their cost, and the proved bound of the cost."""

    status: Status
    masks: list[int] = field(default_factory=list)
    cost: int = 0
    bound: int = 0


class LayoutModel:
    """The model of a component, with the literals of layouts and rows by name."""

    def __init__(self, problem: LayoutProblem, compiled: Compiled, component: Component, state: list[int]) -> None:
        self.problem = problem
        self.compiled = compiled
        self.component = component
        self.model = GroupedModel()
        self.counted = "instructions" in problem.objective
        self.layout: dict[int, dict[int, int]] = {}
        self.row: dict[int, dict[int, int]] = {}
        self.cost: list[tuple[int, int]] = []
        for index in component.classes:
            self._add_class(index, state[index])
        for relation in component.relations:
            self._add_relation(relation, state)

    def _add_class(self, index: int, mask: int) -> None:
        bits = [1 << place for place in range(mask.bit_length()) if mask >> place & 1]
        self.layout[index] = {bit: self.model.new_bool(f"class {index} layout {bit}") for bit in bits}
        self.model.exactly_one(f"class {index}", list(self.layout[index].values()))

    def _add_relation(self, number: int, state: list[int]) -> None:
        relation = self.problem.relations[number]
        rows = self.problem.tables[relation.table].rows
        scope = self.compiled.scopes[number]
        group = f"relation {number}"
        bits_of = dict(self.compiled.tables[self.compiled.variants[number]])
        literals = self.row[number] = {}
        supports: dict[tuple[int, int], list[int]] = {}
        for row in self.compiled.rows_within(number, state):
            literal = literals[row] = self.model.new_bool(f"{group} row {row}")
            if rows[row].cost and self.counted:
                self.cost.append((rows[row].cost * relation.weight, literal))
            for index, bit in zip(scope, bits_of[row], strict=True):
                if index in self.layout:
                    self.model.implies(group, literal, self.layout[index][bit])
                    supports.setdefault((index, bit), []).append(literal)
        self.model.exactly_one(group, list(literals.values()))
        for (index, bit), supporting in supports.items():
            if len(supporting) == 1:
                self.model.implies(group, self.layout[index][bit], supporting[0])

    def digit(self, kind: str, index: int) -> tuple[list[tuple[int, int]], int]:
        """The terms of one choice of the order of preference, and the number of its values."""
        if kind == "relation":
            rows = self.row[index]
            return [(row, literal) for row, literal in rows.items() if row], max(rows) + 1
        value = self.problem.values[index]
        ranks = {name: rank for rank, name in enumerate(value.domain)}
        terms = [
            (ranks[self.compiled.layouts[bit.bit_length() - 1]], literal)
            for bit, literal in self.layout[self.compiled.class_of[index]].items()
        ]
        return [(rank, literal) for rank, literal in terms if rank], len(value.domain)

    def masks(self, answer: CpAnswer) -> list[int]:
        """The chosen layout of each class."""
        return [
            next(bit for bit, literal in self.layout[index].items() if literal in answer.true)
            for index in self.component.classes
        ]


def best_by_cp_sat(
    problem: LayoutProblem,
    compiled: Compiled,
    component: Component,
    state: list[int],
    choices: list[tuple[str, int]],
    limits: Limits,
    seconds: float | None,
    forbidden: Sequence[tuple[int, ...]] = (),
) -> ComponentAnswer:
    """The cheapest solution of a component, first in the order of preference; `feasible` if a limit cut the proof.

    Solutions in `forbidden` (masks in the order of the component's classes) do not count.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    built = LayoutModel(problem, compiled, component, state)
    model = built.model
    for masks in forbidden:
        chosen = zip(component.classes, masks, strict=True)
        model.not_all("forbidden", [built.layout[index][mask] for index, mask in chosen])

    def solve() -> CpAnswer:
        left = None if deadline is None else max(deadline - time.monotonic(), 0.01)
        return model.solve(left, limits.workers, limits.seed, observe=limits.observe)

    if built.cost:
        model.minimize(built.cost)
    answer = solve()
    if answer.status in ("infeasible", "unknown"):
        return ComponentAnswer(answer.status)
    cost, bound = answer.objective, answer.bound
    if answer.status == "feasible":
        return ComponentAnswer("feasible", built.masks(answer), cost, bound)
    if built.cost:
        model.equals("cost", built.cost, cost)
    for terms in _digit_groups(built, choices):
        model.hint(answer.true)
        model.minimize(terms)
        better = solve()
        if better.status != "optimal":
            return ComponentAnswer("feasible", built.masks(answer), cost, cost)
        answer = better
        model.equals("preference", terms, answer.objective)
    return ComponentAnswer("optimal", built.masks(answer), cost, cost)


def next_best_by_cp_sat(
    problem: LayoutProblem,
    compiled: Compiled,
    component: Component,
    state: list[int],
    choices: list[tuple[str, int]],
    count: int,
    limits: Limits,
) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    """The `count` best solutions of a component, each found with the earlier ones forbidden.

    Each is `(cost, number in the list, masks)`; the list ends early where a limit is reached.
    """
    found: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    while len(found) < count:
        left = None if deadline is None else max(0.01, deadline - time.monotonic())
        forbidden = [masks for _, _, masks in found]
        answer = best_by_cp_sat(problem, compiled, component, state, choices, limits, left, forbidden)
        if answer.status != "optimal":
            break
        found.append((answer.cost, (len(found),), tuple(answer.masks)))
    return found


def _digit_groups(built: LayoutModel, choices: list[tuple[str, int]]) -> list[list[tuple[int, int]]]:
    """Runs of digits as weighted sums, each small enough for exact arithmetic, weightiest digits first."""
    groups: list[list[tuple[int, int]]] = []
    run: list[tuple[list[tuple[int, int]], int]] = []
    span = 1
    for kind, index in choices:
        terms, size = built.digit(kind, index)
        if not terms:
            continue
        if span * size > DIGITS_AT_A_TIME:
            groups.append(_combine(run))
            run, span = [], 1
        run.append((terms, size))
        span *= size
    if run:
        groups.append(_combine(run))
    return groups


def _combine(run: list[tuple[list[tuple[int, int]], int]]) -> list[tuple[int, int]]:
    total: dict[int, int] = {}
    scale = 1
    for terms, size in reversed(run):
        for weight, literal in terms:
            total[literal] = total.get(literal, 0) + weight * scale
        scale *= size
    return [(weight, literal) for literal, weight in total.items()]
