"""What an explanation must hold to, checked without the code that found it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from layoutsolver.api import SolveOptions, SolveResult, solve
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.layout import Group, LayoutProblem
from layoutsolver_models.solve.conflict import Conflict

Demand = tuple[tuple[int, ...], list[tuple[str, ...]]]
"""Values, and the combinations of layouts that are allowed them."""


def explained(text: str, compat: str = "", conflicts: int = 3, repairs: int = 3) -> SolveResult:
    """The result for a program's text, with conflicts and repairs."""
    return solve(SourceFile("test.mlir", text), SolveOptions(compat=compat, conflicts=conflicts, repairs=repairs))


def demand_of(problem: LayoutProblem, group: Group) -> Demand:
    """What one group asks of its values."""
    kind, index = group
    if kind == "relation":
        relation = problem.relations[index]
        return relation.values, [row.layouts for row in problem.tables[relation.table].rows]
    if kind == "tie":
        values = problem.ties[index].values
        return values, [(layout,) * len(values) for layout in problem.layouts]
    if kind == "pin":
        return (problem.pins[index].value,), [(problem.pins[index].layout,)]
    return (index,), [(layout,) for layout in problem.values[index].domain]


def satisfiable(problem: LayoutProblem, groups: Sequence[Group]) -> bool:
    """Whether these groups hold together, by backtracking; a value without a domain group may have any layout."""
    return (
        next(_assignments([demand_of(problem, group) for group in groups], set(problem.layouts), {}), None) is not None
    )


def _assignments(demands: list[Demand], layouts: set[str], chosen: dict[int, str]) -> Iterator[dict[int, str]]:
    if not demands:
        yield chosen
        return
    at = max(range(len(demands)), key=lambda place: (sum(v in chosen for v in demands[place][0]), -place))
    values, rows = demands[at]
    for row in rows:
        taken = dict(chosen)
        if all(
            layout in layouts and taken.setdefault(v, layout) == layout for v, layout in zip(values, row, strict=True)
        ):
            yield from _assignments(demands[:at] + demands[at + 1 :], layouts, taken)


def all_groups(problem: LayoutProblem) -> list[Group]:
    """Every relation, tie, pin and domain of a problem."""
    groups: list[Group] = [("relation", index) for index in range(len(problem.relations))]
    groups += [("tie", index) for index in range(len(problem.ties))]
    groups += [("pin", index) for index in range(len(problem.pins))]
    groups += [("domain", index) for index in range(len(problem.values))]
    return groups


def fault_of(problem: LayoutProblem, conflict: Conflict) -> str | None:
    """Why a conflict is none, or not minimal though it says so; None if all is well."""
    groups = list(conflict.groups)
    if len(set(groups)) < len(groups):
        return "a group is listed twice"
    if satisfiable(problem, groups):
        return "the groups hold together"
    for group in groups:
        if conflict.minimal and not satisfiable(problem, [other for other in groups if other != group]):
            return f"{group} is not needed"
    return None


def overlap(conflicts: Sequence[Conflict]) -> bool:
    """Whether two conflicts share an operation, a tie or a pin."""
    groups = [group for conflict in conflicts for group in conflict.groups if group[0] != "domain"]
    return len(set(groups)) < len(groups)


def lost(before: str, after: str) -> list[str]:
    """Comments and results of a text that another one no longer has."""
    comments = re.findall(r"//[^\n]*", before)
    names = re.findall(r"(%[\w.$-]+)(?:[:][0-9]+)?\s*(?=[,=])", before)
    held = set(re.findall(r"%[\w.$-]+", after))
    return [comment for comment in comments if comment not in after] + [name for name in names if name not in held]
