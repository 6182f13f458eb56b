"""Helpers to solve programs and problems in tests, and an oracle that tries every assignment."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

from layoutsolver.api import SolveOptions, SolveResult, solve
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.layout import (
    Choice,
    LayoutProblem,
    LayoutValue,
    Pin,
    Relation,
    Row,
    Table,
    Tie,
)
from layoutsolver_models.solve.check import cost_of

UNIVERSE = ("a", "b", "c")


def solve_text(text: str, compat: str = "", chip: str = "") -> SolveResult:
    """The result for a program's text."""
    return solve(SourceFile("test.mlir", text), SolveOptions(compat=compat, chip=chip))


def function_types(result: SolveResult) -> tuple[tuple[str, str | None], ...]:
    """Each `ave.hir` operation in order with the functionType that the solution gives it, layout casts left out."""
    assert result.posed is not None
    assert result.solution is not None
    posed, solution = result.posed, result.solution
    chosen: dict[int, str] = {}
    for relation, row in enumerate(solution.rows):
        table = posed.problem.tables[posed.problem.relations[relation].table]
        dist = table.rows[row].attrs.get("functionType")
        if dist is not None:
            chosen[posed.op_of_relation[relation]] = dist
    return tuple(
        (node.name, chosen.get(node.index))
        for node in posed.graph.ops
        if node.name.startswith("ave.hir.") and node.name != "ave.hir.vector.layout_cast"
    )


def layouts_by_name(result: SolveResult) -> dict[str, str]:
    """The layout of each named vector."""
    assert result.posed is not None
    assert result.solution is not None
    return {
        value.id: layout for value, layout in zip(result.posed.problem.values, result.solution.layouts, strict=True)
    }


def codes(result: SolveResult) -> list[str]:
    """The codes of all errors and warnings, in order."""
    return [item.code for item in result.diagnostics]


def random_problem(rng: random.Random, values: int, relations: int, pins: bool = True) -> LayoutProblem:
    """A small problem without any meaning: feasible or not, with costs, ties, repeated ports and preferences."""
    known = tuple(
        LayoutValue(f"v{n}", 8, 1, tuple(name for name in UNIVERSE if rng.random() < 0.9) or ("a",))
        for n in range(values)
    )
    tables = []
    for _ in range(3):
        ports = rng.randint(1, 3)
        rows = tuple(
            Row(f"R{n}", tuple(rng.choice(UNIVERSE) for _ in range(ports)), rng.randint(0, 3))
            for n in range(rng.randint(2, 3 ** min(ports, 2)))
        )
        tables.append(Table(tuple(f"p{n}" for n in range(ports)), rows))
    posted = []
    for _ in range(relations):
        number = rng.randrange(3)
        scope = tuple(rng.randrange(values) for _ in tables[number].roles)
        posted.append(Relation("op", number, scope, rng.randint(0, 3)))
    ties = tuple(
        Tie(tuple(rng.randrange(values) for _ in range(rng.randint(2, 3))), "tied") for _ in range(rng.randint(0, 2))
    )
    fixed = tuple(Pin(rng.randrange(values), rng.choice(UNIVERSE)) for _ in range(int(pins and rng.random() < 0.3)))
    order = tuple(Choice("value", index) for index in rng.sample(range(values), values))
    return LayoutProblem(UNIVERSE, known, tuple(tables), tuple(posted), ties, fixed, order)


@dataclass(frozen=True, slots=True)
class Everything:
    """All solutions of a problem: the best one's cost and layouts (None if there is none), and their number."""

    cost: int | None
    layouts: tuple[str, ...] | None
    ranked_costs: tuple[int, ...]


def brute_force(problem: LayoutProblem) -> Everything:
    """Try every assignment; ties in cost go by the order of preference over values."""
    found = []
    for layouts in itertools.product(*(value.domain for value in problem.values)):
        cost = cost_of(problem, layouts)
        if cost is not None:
            key = [problem.values[c.index].domain.index(layouts[c.index]) for c in problem.preference]
            found.append((cost, key, layouts))
    found.sort()
    if not found:
        return Everything(None, None, ())
    return Everything(found[0][0], found[0][2], tuple(cost for cost, _, _ in found))
