"""The smallest sets of relations, ties and pins that cannot hold together, by QuickXplain (Junker, AAAI 2004)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from layoutsolver_models.problems.layout import LayoutProblem, LayoutSolution
from layoutsolver_models.solve.compiled import Compiled, compile_problem
from layoutsolver_models.solve.components import solutions, split
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.propagate import Removal, propagate

Group = tuple[Literal["relation", "tie", "pin", "domain"], int]

SEARCH_NODES = 4096
"""Decisions after which the feasibility of a part is asked of CP-SAT instead of searched for."""


def find_conflict(problem: LayoutProblem, limits: Limits) -> LayoutSolution:
    """An infeasible answer with a minimal conflict, or an unknown one where a limit kept it from being proved."""
    for index, value in enumerate(problem.values):
        if not value.domain:
            return LayoutSolution("infeasible", conflict=(("domain", index),))
    suspects = _suspects(problem)

    def infeasible(groups: Sequence[Group]) -> bool:
        return is_feasible(restrict(problem, groups), limits) is False

    if not infeasible(suspects):
        return LayoutSolution("unknown")
    core = quickxplain(infeasible, suspects)
    domains = _needed_domains(problem, core, limits)
    return LayoutSolution("infeasible", conflict=tuple(sorted(core + domains, key=_order)))


def _order(group: Group) -> tuple[int, int]:
    return ("relation", "tie", "pin", "domain").index(group[0]), group[1]


def quickxplain(infeasible: Callable[[Sequence[Group]], bool], groups: list[Group]) -> list[Group]:
    """A minimal infeasible subset of `groups`, which are infeasible together; earlier groups are preferred."""

    def search(background: list[Group], added: bool, rest: list[Group]) -> list[Group]:
        if added and infeasible(background):
            return []
        if len(rest) == 1:
            return rest
        half = len(rest) // 2
        left, right = rest[:half], rest[half:]
        second = search(background + left, bool(left), right)
        first = search(background + second, bool(second), left)
        return first + second

    return search([], False, groups) if groups else []


def restrict(problem: LayoutProblem, groups: Sequence[Group], relaxed: frozenset[int] = frozenset()) -> LayoutProblem:
    """The problem with only these groups and the values they touch; values in `relaxed` may have any layout."""
    relations = [problem.relations[index] for kind, index in groups if kind == "relation"]
    ties = [problem.ties[index] for kind, index in groups if kind == "tie"]
    pins = [problem.pins[index] for kind, index in groups if kind == "pin"]
    number: dict[int, int] = {}
    for values in [*(r.values for r in relations), *(t.values for t in ties), tuple(p.value for p in pins)]:
        for value in values:
            number.setdefault(value, len(number))
    values_left = tuple(
        replace(problem.values[value], domain=problem.layouts) if value in relaxed else problem.values[value]
        for value in number
    )
    return LayoutProblem(
        problem.layouts,
        values_left,
        problem.tables,
        tuple(replace(r, values=tuple(number[value] for value in r.values)) for r in relations),
        tuple(replace(t, values=tuple(number[value] for value in t.values)) for t in ties),
        tuple(replace(p, value=number[p.value]) for p in pins),
    )


def is_feasible(problem: LayoutProblem, limits: Limits) -> bool | None:
    """Whether any assignment satisfies the problem; None if a limit was reached first."""
    compiled = compile_problem(problem)
    state = list(compiled.start)
    if 0 in state or propagate(compiled, state, range(len(compiled.scopes))) >= 0:
        return False
    for component in split(compiled, state):
        first = next(iter(solutions(compiled, component, list(state), nodes=SEARCH_NODES)), ())
        if first == ():
            return False
        if first is None:
            from layoutsolver_models.cp.layout import best_by_cp_sat

            answer = best_by_cp_sat(problem, compiled, component, list(state), [], limits, limits.seconds)
            if answer.status == "infeasible":
                return False
            if answer.status == "unknown":
                return None
    return True


def _suspects(problem: LayoutProblem) -> list[Group]:
    """Groups that together are infeasible: the reasons behind an empty domain, else everything."""
    compiled = compile_problem(problem)
    state = list(compiled.start)
    removals: list[Removal] = []
    if 0 in state:
        return _groups(problem, compiled, set(), {state.index(0)})
    failed = propagate(compiled, state, range(len(compiled.scopes)), None, removals)
    if failed < 0:
        classes = set(range(len(state)))
        return _groups(problem, compiled, set(range(len(problem.relations))), classes)
    relations = {failed}
    classes = set(compiled.scopes[failed])
    for removal in reversed(removals):
        if removal.index in classes:
            relations.add(removal.relation)
            classes.update(compiled.scopes[removal.relation])
    return _groups(problem, compiled, relations, classes)


def _groups(problem: LayoutProblem, compiled: Compiled, relations: set[int], classes: set[int]) -> list[Group]:
    groups: list[Group] = [("relation", index) for index in sorted(relations)]
    groups += [("tie", index) for index, tie in enumerate(problem.ties) if compiled.class_of[tie.values[0]] in classes]
    groups += [("pin", index) for index, pin in enumerate(problem.pins) if compiled.class_of[pin.value] in classes]
    return groups


def _needed_domains(problem: LayoutProblem, core: list[Group], limits: Limits) -> list[Group]:
    """The values whose own domain the conflict needs: with any layout allowed there, it would go away."""
    touched: dict[int, None] = {}
    for kind, index in core:
        if kind == "relation":
            touched.update(dict.fromkeys(problem.relations[index].values))
        elif kind == "tie":
            touched.update(dict.fromkeys(problem.ties[index].values))
        elif kind == "pin":
            touched[problem.pins[index].value] = None
    relaxed: set[int] = set()
    for value in touched:
        if is_feasible(restrict(problem, core, frozenset(relaxed | {value})), limits) is False:
            relaxed.add(value)
    return [("domain", value) for value in touched if value not in relaxed]
