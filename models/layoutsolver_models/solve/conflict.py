"""The smallest sets of relations, ties and pins that cannot hold together.

Suspects come from the reasons of a propagation that emptied a domain, else from a CP-SAT core that is solved again
before it is believed; QuickXplain (Junker, AAAI 2004) shrinks them. What a value may be at all (its width, its room)
is blamed only where operations alone do not explain the conflict.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from layoutsolver_models.problems.layout import Group, LayoutProblem, LayoutSolution
from layoutsolver_models.solve.compiled import Compiled, compile_problem
from layoutsolver_models.solve.components import solutions, split
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.propagate import Removal, propagate

SEARCH_NODES = 4096
"""Decisions after which the feasibility of a part is asked of CP-SAT instead of searched for."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Groups that cannot hold together; `minimal` says that each of them is needed for that.

    A value may have any layout unless its domain is one of the groups.
    """

    groups: tuple[Group, ...]
    minimal: bool = True


@dataclass(slots=True)
class Budget:
    """Seconds for all conflicts together; without a limit, time never runs out."""

    seconds: float | None
    started: float = field(default_factory=time.monotonic)

    def left(self) -> float | None:
        """Seconds left (at least a hundredth), None without a limit."""
        if self.seconds is None:
            return None
        return max(0.01, self.seconds - (time.monotonic() - self.started))

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.seconds is not None and time.monotonic() - self.started > self.seconds


class _OutOfTime(Exception):
    """The budget ended during the search for a smaller conflict."""


def find_conflict(problem: LayoutProblem, limits: Limits) -> LayoutSolution:
    """An infeasible answer with its first conflict, or an unknown one where a limit kept it from being proved."""
    found = find_conflicts(problem, 1, limits)
    if not found:
        return LayoutSolution("unknown")
    return LayoutSolution("infeasible", conflict=found[0].groups, minimal=found[0].minimal)


def find_conflicts(problem: LayoutProblem, most: int, limits: Limits, known: Sequence[Conflict] = ()) -> list[Conflict]:
    """Up to `most` conflicts that share no group; empty if the problem is feasible or a limit was reached.

    `known` are conflicts that were found before, as this function finds them: they are not looked for again.
    """
    budget = Budget(limits.seconds)
    found: list[Conflict] = [
        Conflict((("domain", index),)) for index, value in enumerate(problem.values) if not value.domain
    ][:most]
    if found:
        return found
    found = [*known][:most]
    gone: set[Group] = {group for conflict in found for group in conflict.groups if group[0] != "domain"}
    loose, strict = _Remaining(_any_domain(problem)), _Remaining(problem)
    while len(found) < most:
        conflict = _next_conflict(loose, strict, gone, limits._replace(seconds=budget.left()), budget)
        if conflict is None:
            break
        found.append(conflict)
        if budget.over:
            break
        gone.update(group for group in conflict.groups if group[0] != "domain")
    return found


class _Remaining:
    """A problem of which groups are taken away bit by bit; compiled again only where ties or pins go."""

    def __init__(self, problem: LayoutProblem) -> None:
        self.problem = problem
        self.compiled = compile_problem(problem)
        self.gone: set[Group] = set()

    def without(self, gone: set[Group]) -> Compiled:
        """The compiled problem without these groups, which only ever grow; relations keep their numbers."""
        new = gone - self.gone
        self.gone |= new
        if any(kind in ("tie", "pin") for kind, _ in new):
            self.compiled = compile_problem(_without_fixing(self.problem, gone))
            new = self.gone
        for kind, index in new:
            if kind == "relation":
                for touched in self.compiled.scopes[index]:
                    self.compiled.touching[touched].remove(index)
        return self.compiled


def _next_conflict(
    loose: _Remaining, strict: _Remaining, gone: set[Group], limits: Limits, budget: Budget
) -> Conflict | None:
    """The next conflict without the groups in `gone`; `loose` is the problem with every domain full."""
    problem = strict.problem
    everything = frozenset(range(len(problem.values)))
    doubt = False

    def infeasible(groups: Sequence[Group], relaxed: frozenset[int] = frozenset()) -> bool:
        nonlocal doubt
        if budget.over:
            raise _OutOfTime
        answer = is_feasible(restrict(problem, groups, relaxed), limits)
        doubt |= answer is None
        return answer is False

    suspects = blamed = _suspects(loose, gone, limits)
    try:
        if suspects is not None and infeasible(suspects, everything):
            core = quickxplain(lambda groups: infeasible(groups, everything), suspects)
            return Conflict(tuple(sorted(core, key=_order)), minimal=not doubt)
        suspects = _suspects(strict, gone, limits)
        if suspects is None:
            return None
        blamed = [*suspects, *(("domain", value) for value in _touched(problem, suspects))]
        if not infeasible(suspects):
            return None
        core = quickxplain(infeasible, suspects)
        domains = _needed_domains(problem, core, infeasible)
    except _OutOfTime:
        return None if blamed is None else Conflict(tuple(sorted(blamed, key=_order)), minimal=False)
    return Conflict(tuple(sorted(core + domains, key=_order)), minimal=not doubt)


def _any_domain(problem: LayoutProblem) -> LayoutProblem:
    """The problem with nothing said of what a value may be."""
    return problem._replace(values=tuple(value._replace(domain=problem.layouts) for value in problem.values))


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
        problem.values[value]._replace(domain=problem.layouts) if value in relaxed else problem.values[value]
        for value in number
    )
    return LayoutProblem(
        problem.layouts,
        values_left,
        problem.tables,
        tuple(r._replace(values=tuple(number[value] for value in r.values)) for r in relations),
        tuple(t._replace(values=tuple(number[value] for value in t.values)) for t in ties),
        tuple(p._replace(value=number[p.value]) for p in pins),
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


def _suspects(remaining: _Remaining, gone: set[Group], limits: Limits) -> list[Group] | None:
    """Groups that together are infeasible, those in `gone` left out; None if what is left is feasible."""
    problem = remaining.problem
    compiled = remaining.without(gone)
    kept = _all_groups(problem, gone)
    state = list(compiled.start)
    if 0 in state:
        classes = {state.index(0)}
        return [group for group in kept if group[0] != "relation" and _class_of(problem, compiled, group) in classes]
    removals: list[Removal] = []
    failed = propagate(compiled, state, [index for kind, index in kept if kind == "relation"], None, removals)
    if failed >= 0:
        relations = {failed}
        classes = set(compiled.scopes[failed])
        for removal in reversed(removals):
            if removal.index in classes:
                relations.add(removal.relation)
                classes.update(compiled.scopes[removal.relation])
        return [
            group
            for group in kept
            if (group[1] in relations if group[0] == "relation" else _class_of(problem, compiled, group) in classes)
        ]
    if is_feasible(_without(problem, gone), limits) is not False:
        return None
    from layoutsolver_models.cp.core import core_by_cp_sat

    blamed_core = core_by_cp_sat(problem, kept, limits)
    if blamed_core is not None:
        core = [group for group in kept if group in set(blamed_core)]
        if is_feasible(restrict(problem, core), limits) is False:
            return core
    return kept


def _all_groups(problem: LayoutProblem, gone: set[Group]) -> list[Group]:
    groups: list[Group] = [("relation", index) for index in range(len(problem.relations))]
    groups += [("tie", index) for index in range(len(problem.ties))]
    groups += [("pin", index) for index in range(len(problem.pins))]
    return [group for group in groups if group not in gone]


def _without_fixing(problem: LayoutProblem, gone: set[Group]) -> LayoutProblem:
    """The problem without some ties and pins, all relations as they were."""
    ties = [tie for index, tie in enumerate(problem.ties) if ("tie", index) not in gone]
    pins = [pin for index, pin in enumerate(problem.pins) if ("pin", index) not in gone]
    return problem._replace(ties=tuple(ties), pins=tuple(pins))


def _without(problem: LayoutProblem, gone: set[Group]) -> LayoutProblem:
    """The problem without some groups, its values as they were; the order of preference is left out."""
    if not gone:
        return problem
    relations = [relation for index, relation in enumerate(problem.relations) if ("relation", index) not in gone]
    return _without_fixing(problem, gone)._replace(relations=tuple(relations), preference=())


def _class_of(problem: LayoutProblem, compiled: Compiled, group: Group) -> int:
    kind, index = group
    return compiled.class_of[problem.ties[index].values[0] if kind == "tie" else problem.pins[index].value]


def _needed_domains(
    problem: LayoutProblem, core: list[Group], infeasible: Callable[[Sequence[Group], frozenset[int]], bool]
) -> list[Group]:
    """The values whose own domain the conflict needs: with any layout allowed there, it would go away."""
    touched = _touched(problem, core)
    relaxed: set[int] = set()
    for value in touched:
        if infeasible(core, frozenset(relaxed | {value})):
            relaxed.add(value)
    return [("domain", value) for value in touched if value not in relaxed]


def _touched(problem: LayoutProblem, groups: Sequence[Group]) -> list[int]:
    """The values that groups speak of, in their order."""
    touched: dict[int, None] = {}
    for kind, index in groups:
        if kind == "relation":
            touched.update(dict.fromkeys(problem.relations[index].values))
        elif kind == "tie":
            touched.update(dict.fromkeys(problem.ties[index].values))
        else:
            touched[problem.pins[index].value if kind == "pin" else index] = None
    return list(touched)
