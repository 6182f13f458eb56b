"""The layouts that a program states: those of its vector types, and those that follow from its functionTypes.

Every operation is held to the rows with its functionType, every value to the layout of its type. Where the rules of the
default mode have no such layouts, those of the released analyzer are asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from layoutsolver.graph.model import Graph
from layoutsolver.ops.attributes import attributes
from layoutsolver.pose.ave import PoseOptions, pose_ave
from layoutsolver.pose.posed import Posed
from layoutsolver_models.problems.layout import LayoutProblem, LayoutSolution, Pin, Relation, Table
from layoutsolver_models.solve.layout import Limits, solve_layout


class Stated(NamedTuple):
    """A program posed with everything as it is stated, and the best solution of that."""

    posed: Posed
    solution: LayoutSolution

    @property
    def layouts(self) -> dict[int, str]:
        """The layout of every vector, by graph value."""
        return {value: self.solution.layouts[number] for value, number in self.posed.number.items()}


def stated_solution(
    graph: Graph, dists: Mapping[int, str], layouts: Mapping[int, str], chip: str, limits: Limits
) -> Stated | None:
    """The layouts that go with functionTypes (by operation) and layouts (by value), None if there are none."""
    for compat in (False, True):
        posed = pose_ave(graph, PoseOptions(compat, chip))
        if any(item.severity == "error" for item in posed.diagnostics):
            continue
        posed.problem = _held(posed, dists, layouts)
        answer = solve_layout(posed.problem, limits)
        if answer.status in ("optimal", "feasible"):
            return Stated(posed, answer)
    return None


def written_functiontypes(graph: Graph) -> dict[int, str]:
    """The functionType that the text gives each operation."""
    if "functionType" not in graph.module.source.text:
        return {}
    found = ((node.index, attributes(node)) for node in graph.ops if node.name.startswith("ave.hir."))
    return {index: attrs["functionType"] for index, attrs in found if "functionType" in attrs}


def written_layouts(graph: Graph) -> dict[int, str]:
    """The layouts that the vector types of the text carry, by graph value."""
    vectors = ((value.index, value.vector) for value in graph.values)
    return {index: vector.layout for index, vector in vectors if vector is not None and vector.layout}


def _held(posed: Posed, dists: Mapping[int, str], given: Mapping[int, str]) -> LayoutProblem:
    """The problem in which every operation has its functionType, and every value the layout of its type."""
    problem = posed.problem
    tables: list[Table] = []
    numbers: dict[tuple[int, str], int] = {}
    relations: list[Relation] = []
    for number, relation in enumerate(problem.relations):
        dist = dists.get(posed.op_of_relation[number], "")
        key = (relation.table, dist)
        if key not in numbers:
            numbers[key] = len(tables)
            tables.append(_with_functiontype(problem.tables[relation.table], dist))
        relations.append(relation._replace(table=numbers[key]))
    pins = [Pin(posed.number[value], layout) for value, layout in given.items() if value in posed.number]
    return problem._replace(tables=tuple(tables), relations=tuple(relations), pins=(*problem.pins, *pins))


def _with_functiontype(table: Table, dist: str) -> Table:
    """The rows of a table that have a functionType; those without any where the text gives none."""
    rows = tuple(row for row in table.rows if row.attrs.get("functionType", "") == dist)
    if not rows and not dist:
        rows = table.rows
    return table._replace(rows=rows)
