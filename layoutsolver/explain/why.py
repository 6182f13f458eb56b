"""Why a value has its layout, and why not another: what excludes each, or what it would cost more."""

from __future__ import annotations

from dataclasses import dataclass

from layoutsolver.explain.words import group_words, refusals
from layoutsolver.pose.posed import Posed
from layoutsolver_models.problems.layout import LayoutSolution, Pin
from layoutsolver_models.solve.conflict import find_conflicts
from layoutsolver_models.solve.layout import Limits, solve_layout
from layoutsolver_models.vecmem import DOMAINS, VECMEM_TYPES


@dataclass(frozen=True, slots=True)
class Alternative:
    """A layout that a value does not have: its extra cost, or the requirements that exclude it.

    `extra` is None where it is impossible; `preferred` says that it costs the same and loses by the order of
    preference; `unknown` that a limit was reached.
    """

    layout: str
    extra: int | None
    reasons: tuple[str, ...] = ()
    preferred: bool = False
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class Why:
    """The chosen layout of a value, and all others of its element width; line and column are 0 where it has none."""

    value: str
    line: int
    column: int
    chosen: str
    cost: int
    alternatives: tuple[Alternative, ...]


def values_named(posed: Posed, name: str) -> list[int]:
    """The problem values of a name, with or without its `%`, optionally `name@line` for one of several."""
    wanted, _, line = name.partition("@")
    wanted = wanted if wanted.startswith("%") else f"%{wanted}"
    return [
        number
        for number, value in enumerate(posed.problem.values)
        if value.id == wanted and (not line or (value.where is not None and str(value.where.line) == line))
    ]


def why(posed: Posed, solution: LayoutSolution, value: int, limits: Limits) -> Why:
    """Why a value of a solved problem has its layout and no other one."""
    problem = posed.problem
    known = problem.values[value]
    chosen = solution.layouts[value]
    others = [layout for layout in DOMAINS.get(known.bits, known.domain) if layout != chosen]
    alternatives = []
    for layout in others:
        alternatives.append(alternative(posed, solution, value, layout, limits))
    line, column = (known.where.line, known.where.column) if known.where is not None else (0, 0)
    return Why(known.id, line, column, chosen, solution.cost, tuple(alternatives))


def alternative(posed: Posed, solution: LayoutSolution, value: int, layout: str, limits: Limits) -> Alternative:
    """What a layout that a value of a solved problem does not have would cost, or what excludes it."""
    problem = posed.problem
    known = problem.values[value]
    if layout not in known.domain:
        room = VECMEM_TYPES[layout].lanes
        reason = f"{known.lanes} elements are in use, {layout} has room for {room}"
        return Alternative(layout, None, (reason,))
    pinned = problem._replace(pins=(*problem.pins, Pin(value, layout)))
    answer = solve_layout(pinned, limits)
    if answer.status in ("optimal", "feasible"):
        extra = answer.cost - solution.cost
        counted = "instructions" in problem.objective
        return Alternative(layout, extra, preferred=extra == 0 or not counted)
    if answer.status == "unknown":
        return Alternative(layout, None, unknown=True)
    conflicts = find_conflicts(pinned, 1, limits)
    mine = ("pin", len(problem.pins))
    groups = [group for conflict in conflicts for group in conflict.groups if group != mine]
    reasons = [*(group_words(posed, group) for group in groups), *refusals(posed, groups)]
    return Alternative(layout, None, tuple(reasons))


def why_text(answer: Why) -> str:
    """The answer for people."""
    lines = [f"`{answer.value}` is in {answer.chosen}"]
    for other in answer.alternatives:
        if other.unknown:
            lines.append(f"  not in {other.layout}? the limit was reached before that was known")
        elif other.extra is None:
            together = " together" if len(other.reasons) > 1 else ""
            lines.append(f"  not in {other.layout}, because{together}")
            lines.extend(f"    {reason}" for reason in other.reasons)
        elif other.preferred:
            lines.append(f"  not in {other.layout}: the same cost, but {answer.chosen} comes first in preference")
        else:
            plural = "s" if other.extra != 1 else ""
            lines.append(f"  not in {other.layout}: {other.extra} more extra instruction{plural} executed")
    if not answer.alternatives:
        lines.append("  there is no other layout for its element width")
    return "\n".join(lines) + "\n"
