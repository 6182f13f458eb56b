"""Why a VMI program has no layouts: the smallest set of operations, ties and pins that cannot hold together.

Suspects are dropped one after the other, each time asking whether the rest still contradicts itself; what is left is
needed in whole.
"""

from __future__ import annotations

import time
from itertools import product
from typing import NamedTuple

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.explain.vmi_round import round_words, way_round
from layoutsolver.explain.vmi_words import operation_words, refused_words, ways_words
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.source import Span
from layoutsolver_models.problems.selection import SelectionOp, SelectionProblem, Variant
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import narrow, solve_selection


class Suspects(NamedTuple):
    """Operations of the problem (control flow and boundaries among them) and pins, by number."""

    ops: frozenset[int]
    pins: frozenset[int]

    def without(self, op: int = -1, pin: int = -1) -> Suspects:
        """All but one."""
        return Suspects(self.ops - {op}, self.pins - {pin})


def conflict_of(posed: PosedVmi, limits: Limits) -> Diagnostic:
    """The message about the smallest conflict of a problem that has no solution."""
    core, minimal = smallest_conflict(posed.problem, limits)
    problem = posed.problem
    source = posed.program.graph.module.source
    labels: list[Label] = []
    notes: list[str] = []
    for number in sorted(core.ops):
        where = problem.ops[number].where
        span = Span(where.start, where.end) if where is not None else Span(0, 0)
        labels.append(Label(source, span, operation_words(posed, number)))
        notes += refused_words(posed, number)
    for number in sorted(core.pins):
        value, layout = problem.pins[number]
        where = problem.values[value].where
        span = Span(where.start, where.end) if where is not None else Span(0, 0)
        labels.append(Label(source, span, f"{problem.values[value].id} is fixed to {layout}"))
    between = {value for number in core.ops for value in problem.ops[number].operands}
    notes += [words for value in sorted(between) for words in ways_words(posed, value)]
    if core.pins:
        free = problem._replace(pins=tuple(pin for n, pin in enumerate(problem.pins) if n not in core.pins))
        if not _contradicts(free, limits):
            named = " and ".join(problem.values[problem.pins[number][0]].id for number in sorted(core.pins))
            notes.append(f"without the fixed layout of {named} there is a solution")
    found = way_round(posed, core.ops)
    notes += [] if found is None else [round_words(found)]
    first = max(labels, key=lambda label: label.span.start, default=Label(source, Span(0, 0)))
    rest = tuple(label for label in labels if label is not first)
    count = len(core.ops) + len(core.pins)
    message = f"no layouts serve these {count} together" if count > 1 else "no layout serves this"
    return Diagnostic("LS0805", "error", message, first, rest, tuple(dict.fromkeys(notes)), (), minimal)


def smallest_conflict(problem: SelectionProblem, limits: Limits) -> tuple[Suspects, bool]:
    """Suspects of which each is needed for the contradiction; whether time sufficed to make sure of that."""
    end = None if limits.seconds is None else time.monotonic() + limits.seconds
    suspects = Suspects(frozenset(range(len(problem.ops))), frozenset(range(len(problem.pins))))
    near = _upstream_of_stuck(problem)
    if near is not None and _contradicts(relaxed(problem, near), limits):
        suspects = near
    for op in sorted(suspects.ops):
        if end is not None and time.monotonic() > end:
            return suspects, False
        fewer = suspects.without(op=op)
        if _contradicts(relaxed(problem, fewer), limits):
            suspects = fewer
    for pin in sorted(suspects.pins):
        fewer = suspects.without(pin=pin)
        if _contradicts(relaxed(problem, fewer), limits):
            suspects = fewer
    return suspects, True


def relaxed(problem: SelectionProblem, kept: Suspects) -> SelectionProblem:
    """The problem with only some of its operations and pins in force: others make what is asked of them, of nothing."""
    ops = tuple(op if number in kept.ops else _free(problem, op) for number, op in enumerate(problem.ops))
    pins = tuple(pin for number, pin in enumerate(problem.pins) if number in kept.pins)
    return problem._replace(ops=ops, pins=pins, penalties=(), objective=("total",))


def _free(problem: SelectionProblem, op: SelectionOp) -> SelectionOp:
    """An operation that needs nothing and makes its results in any layouts, in several at once if that is asked."""
    choices = product(*(problem.values[value].layouts for value in op.results))
    nothing = (0,) * len(problem.pipes)
    return op._replace(operands=(), variants=tuple(Variant("", layouts, nothing) for layouts in choices), copies=True)


def _contradicts(problem: SelectionProblem, limits: Limits) -> bool:
    return narrow(problem).stuck >= 0 or solve_selection(problem, limits).status == "infeasible"


def _upstream_of_stuck(problem: SelectionProblem) -> Suspects | None:
    """The operation that narrowing leaves without a variant, and all that its operands come from."""
    stuck = narrow(problem).stuck
    if stuck < 0:
        return None
    makers: dict[int, list[int]] = {}
    for number, op in enumerate(problem.ops):
        for value in op.results:
            makers.setdefault(value, []).append(number)
    found, waiting = {stuck}, [stuck]
    while waiting:
        for value in problem.ops[waiting.pop()].operands:
            new = set(makers.get(value, ())) - found
            found |= new
            waiting += new
    touched = {value for number in found for value in (*problem.ops[number].operands, *problem.ops[number].results)}
    pins = frozenset(number for number, (value, _) in enumerate(problem.pins) if value in touched)
    return Suspects(frozenset(found), pins)
