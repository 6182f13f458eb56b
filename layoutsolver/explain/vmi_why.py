"""Why a vector of a VMI program has its layouts: what each other one would cost, or why it cannot be."""

from __future__ import annotations

import re
import textwrap
from typing import NamedTuple

from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.pose.vmi.reasons import reasons_of
from layoutsolver_models.problems.selection import SelectionProblem, SelectionSolution, bounded_sum
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import narrow, solve_selection
from layoutsolver_models.solve.selection_conflict import smallest_conflict


class Other(NamedTuple):
    """A layout in which a value is not made: what that would cost more on each pipe, or why it cannot be.

    `proved` says that there is nothing cheaper; a limit may have kept it from being shown.
    """

    layout: str
    more: tuple[int, ...] = ()
    busiest: int = 0
    total: int = 0
    registers: int = 0
    proved: bool = True
    reason: str = ""


class Why(NamedTuple):
    """A value, the layouts in which it is made and to which it is converted, and all others."""

    value: str
    line: int
    made: tuple[str, ...]
    converted: tuple[str, ...]
    pipes: tuple[str, ...]
    busiest: int
    others: tuple[Other, ...]


def why(posed: PosedVmi, solution: SelectionSolution, value: int, limits: Limits) -> Why:
    """What speaks for a value's layout: the problem is solved again with each other one fixed."""
    problem = posed.problem
    known = problem.values[value]
    made = _made(problem, solution, value)
    converted = tuple(
        problem.conversions[number].after
        for number in solution.conversions
        if problem.conversions[number].value == value
    )
    others = [
        other(posed, solution, value, layout, limits)
        for layout in known.layouts
        if not (layout in made and len(made) == 1)
    ]
    line = known.where.line if known.where is not None else 0
    return Why(known.id, line, made, converted, problem.pipes, solution.busiest, tuple(others))


def _made(problem: SelectionProblem, solution: SelectionSolution, value: int) -> tuple[str, ...]:
    out: dict[str, None] = {}
    for op, chosen in zip(problem.ops, solution.variants, strict=True):
        for number in chosen:
            layouts = op.variants[number].layouts[len(op.operands) :]
            out.update({layout: None for made, layout in zip(op.results, layouts, strict=True) if made == value})
    return tuple(out)


def other(posed: PosedVmi, solution: SelectionSolution, value: int, layout: str, limits: Limits) -> Other:
    """One layout fixed, and the rest solved again."""
    problem = posed.problem
    pins = (*(pin for pin in problem.pins if pin[0] != value), (value, layout))
    fixed = problem._replace(pins=pins)
    if narrow(fixed).stuck >= 0:
        return Other(layout, reason=_impossible(posed, fixed, value, layout))
    found = solve_selection(fixed, limits)
    if found.status == "infeasible":
        return Other(layout, reason=_impossible(posed, fixed, value, layout))
    if found.status == "unknown":
        return Other(layout, reason="a time limit was reached before this was known", proved=False)
    more = tuple(now - before for now, before in zip(found.load, solution.load, strict=True))
    return Other(
        layout, more, found.busiest - solution.busiest, bounded_sum(problem, more),
        found.registers - solution.registers, found.status == "optimal",
    )  # fmt: skip


def _impossible(posed: PosedVmi, fixed: SelectionProblem, value: int, layout: str) -> str:
    """Why a value cannot be made in a layout: its own operation, or those that cannot take it."""
    problem = posed.problem
    makers = [number for number, op in enumerate(problem.ops) if value in op.results]
    for number in makers:
        op = problem.ops[number]
        port = len(op.operands) + op.results.index(value)
        if not any(variant.layouts[port] == layout for variant in op.variants):
            name = op.id.partition(" ")[0]
            if posed.op_of[number] < 0:
                return f"`{name}` never passes it on"
            ending = re.compile(rf"[._]{re.escape(layout.rpartition(' ')[2].upper())}$")
            reasons = reasons_of(posed.program.ops[posed.op_of[number]], posed.refused[number])
            for reason, rules in reasons.items():
                meant = [rule for rule in rules if ending.search(rule)]
                if meant:
                    return f"`{name}` does not make it: {reason}"
            return f"`{name}` has no rule that makes it"
    core, _ = smallest_conflict(fixed, Limits(seconds=2.0))
    named = [problem.ops[number].id for number in sorted(core.ops)]
    return f"it contradicts {', '.join(named[:4])}" + (f" and {len(named) - 4} more" if len(named) > 4 else "")


def why_text(found: Why) -> str:
    """The answer as lines of text, the cheapest layouts first."""
    place = f" (line {found.line})" if found.line else ""
    head = f"{found.value}{place} is made in {' and '.join(found.made)}"
    if found.converted:
        head += f", and converted to {' and '.join(found.converted)}"
    lines = [head]
    possible = sorted((other for other in found.others if not other.reason), key=lambda one: (one.busiest, one.total))
    width = max((len(other.layout) for other in possible), default=0)
    for other in possible:
        lines.append(f"  {other.layout.ljust(width)}  {_cost_words(found, other)}")
    reasons: dict[str, list[str]] = {}
    for other in found.others:
        if other.reason:
            said = f"{'impossible' if other.proved else 'unknown'}: {other.reason}"
            reasons.setdefault(said, []).append(other.layout)
    for said, layouts in reasons.items():
        lines += [f"  {said}", *textwrap.wrap(", ".join(layouts), 110, initial_indent="    ", subsequent_indent="    ")]
    return "\n".join(lines) + "\n"


def _cost_words(found: Why, other: Other) -> str:
    changes = [f"{pipe} {number:+d}" for pipe, number in zip(found.pipes, other.more, strict=True) if number]
    if other.registers:
        changes.append(f"registers {other.registers:+d}")
    if not other.busiest and not other.total:
        words = "as good" if not changes else "as fast"
    elif other.busiest:
        words = f"dearer: the busiest pipe takes {found.busiest + other.busiest} instead of {found.busiest}"
    else:
        words = f"dearer by {other.total} in all" if other.total > 0 else f"cheaper by {-other.total} in all"
    return f"{words} ({', '.join(changes)})" if changes else words
