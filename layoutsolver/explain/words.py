"""Requirements of a problem in words: one line for each group, with its place."""

from __future__ import annotations

from collections.abc import Iterable

from layoutsolver.pose.posed import Posed
from layoutsolver_models.problems.layout import Group, Where
from layoutsolver_models.vecmem import VECMEM_TYPES


def names(layouts: tuple[str, ...]) -> str:
    """Layouts as an enumeration.

    >>> names(("b16", "b16_2vl"))
    'b16 or b16_2vl'
    """
    return " or ".join(layouts) if layouts else "none at all"


def group_where(posed: Posed, group: Group) -> Where | None:
    """The place of a group."""
    kind, index = group
    problem = posed.problem
    if kind == "relation":
        return problem.relations[index].where
    if kind == "tie":
        return problem.ties[index].where
    return problem.pins[index].where if kind == "pin" else problem.values[index].where


def group_words(posed: Posed, group: Group) -> str:
    """A requirement with its place: an operation with its rules, values of one layout, a layout given by a type."""
    kind, index = group
    problem = posed.problem
    where = group_where(posed, group)
    place = f"{where.line}:{where.column} " if where is not None else ""
    if kind == "relation":
        relation = problem.relations[index]
        rows = problem.tables[relation.table].rows
        ids = ", ".join(dict.fromkeys(row.rule for row in rows))
        return f"{place}`{relation.op}`: rules {ids}" if ids else f"{place}`{relation.op}`: no rule is left"
    if kind == "tie":
        tie = problem.ties[index]
        tied = ", ".join(dict.fromkeys(f"`{problem.values[value].id}`" for value in tie.values))
        return f"{place}{tied} have one layout: {tie.reason}"
    if kind == "pin":
        pin = problem.pins[index]
        return f"{place}the type of `{problem.values[pin.value].id}` gives the layout {pin.layout}"
    return f"{place}`{problem.values[index].id}`: {room(posed, index)}"


def refusals(posed: Posed, groups: Iterable[Group]) -> list[str]:
    """Why rows of these operations are no choice, one line each, and what would help; empty if none was left out."""
    problem = posed.problem
    lines: list[str] = []
    helps: dict[str, None] = {}
    for kind, index in groups:
        if kind != "relation":
            continue
        relation = problem.relations[index]
        names = [problem.values[value].id for value in relation.values]
        reasons: dict[str, list[str]] = {}
        for refused in problem.tables[relation.table].refused:
            shown = dict.fromkeys(f"`{name}` in {layout}" for name, layout in zip(names, refused.layouts, strict=True))
            reasons.setdefault(f"{refused.why} ({refused.by})", []).append(", ".join(shown))
            if refused.help:
                helps[refused.help] = None
        place = f"{relation.where.line}:{relation.where.column} " if relation.where is not None else ""
        for why, shown_rows in reasons.items():
            lines.append(f"{place}`{relation.op}` not with {', nor '.join(shown_rows)}: {why}")
    return [*lines, *helps]


def room(posed: Posed, index: int) -> str:
    """What a value's element width and count leave as layouts."""
    value = posed.problem.values[index]
    lanes = max((VECMEM_TYPES[name].lanes for name in value.domain), default=0)
    text = f"{value.lanes} element{'s' * (value.lanes != 1)} of {value.bits} bit{'s' * (value.bits != 1)}"
    text += f" go in {names(value.domain)} only"
    return text if value.lanes <= lanes else f"{text}, which hold {lanes}"
