"""Checks an assignment of layouts against a problem, without any of the solver's machinery."""

from __future__ import annotations

from collections.abc import Sequence

from layoutsolver_models.problems.layout import LayoutProblem


def cost_of(problem: LayoutProblem, layouts: Sequence[str]) -> int | None:
    """What an assignment (a layout for each value) costs, None if it breaks the problem anywhere."""
    if any(layout not in value.domain for value, layout in zip(problem.values, layouts, strict=True)):
        return None
    if any(layouts[pin.value] != pin.layout for pin in problem.pins):
        return None
    if any(len({layouts[value] for value in tie.values}) > 1 for tie in problem.ties):
        return None
    total = 0
    for relation in problem.relations:
        chosen = tuple(layouts[value] for value in relation.values)
        costs = [row.cost for row in problem.tables[relation.table].rows if row.layouts == chosen]
        if not costs:
            return None
        total += min(costs) * relation.weight
    return total
