"""An unsatisfiable core of a layout problem's groups, by CP-SAT assumptions.

A core is sufficient, not minimal, and not to be believed as it comes: the caller solves it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from layoutsolver_models.cp.model import GroupedModel
from layoutsolver_models.problems.layout import Group, LayoutProblem
from layoutsolver_models.solve.layout import Limits


def core_by_cp_sat(problem: LayoutProblem, groups: Sequence[Group], limits: Limits) -> list[Group] | None:
    """Groups that the solver blames for infeasibility; None if it finds the problem feasible or gives up."""
    model = GroupedModel()
    layout = [
        {name: model.new_bool(f"value {number} {name}") for name in value.domain}
        for number, value in enumerate(problem.values)
    ]
    for number, literals in enumerate(layout):
        model.exactly_one(f"value {number}", list(literals.values()))
    assumed: dict[int, Group] = {}
    for kind, index in groups:
        switch = model.new_bool(f"{kind} {index}")
        assumed[switch] = (kind, index)
        name = f"{kind} {index}"
        if kind == "relation":
            _post_relation(model, problem, index, layout, switch, name)
        elif kind == "tie":
            _post_tie(model, problem.ties[index].values, layout, switch, name)
        else:
            pin = problem.pins[index]
            chosen = layout[pin.value].get(pin.layout)
            model.at_least_one_if(name, switch, [] if chosen is None else [chosen])
    model.assume(list(assumed))
    answer = model.solve(limits.seconds, 1, limits.seed, presolve=False)
    if answer.status != "infeasible" or not answer.core or any(literal not in assumed for literal in answer.core):
        return None
    return [assumed[literal] for literal in sorted(answer.core)]


def _post_relation(
    model: GroupedModel, problem: LayoutProblem, index: int, layout: list[dict[str, int]], switch: int, name: str
) -> None:
    relation = problem.relations[index]
    rows: list[int] = []
    for number, row in enumerate(problem.tables[relation.table].rows):
        literals = [layout[value].get(chosen) for value, chosen in zip(relation.values, row.layouts, strict=True)]
        if None in literals:
            continue
        literal = model.new_bool(f"{name} row {number}")
        rows.append(literal)
        for effect in literals:
            if effect is not None:
                model.implies(name, literal, effect)
    model.at_least_one_if(name, switch, rows)


def _post_tie(
    model: GroupedModel, values: tuple[int, ...], layout: list[dict[str, int]], switch: int, name: str
) -> None:
    """With the switch on, a layout of one value is the layout of the next."""
    for left, right in pairwise(values):
        for one, other in ((left, right), (right, left)):
            for chosen, literal in layout[one].items():
                partner = layout[other].get(chosen)
                model.implies_if(name, switch, literal, [] if partner is None else [partner])
