"""Why a VMI program has no layouts: the smallest set of operations, ties and pins that cannot hold together."""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.explain.vmi_registers import capacity_conflict
from layoutsolver.explain.vmi_round import round_words, way_round
from layoutsolver.explain.vmi_words import operation_words, refused_words, ways_words
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.source import Span
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection_conflict import (
    Suspects,
    contradicts,
    independent_conflicts,
    smallest_conflict,
)


def conflicts_of(posed: PosedVmi, limits: Limits, most: int) -> list[Diagnostic]:
    """A message about each of the first independent conflicts of a problem that has no solution."""
    found = independent_conflicts(posed.problem, limits, most)
    return [conflict_words(posed, core, minimal, limits) for core, minimal in found]


def conflict_of(posed: PosedVmi, limits: Limits) -> Diagnostic:
    """The message about the smallest conflict of a problem that has no solution."""
    return conflict_words(posed, *smallest_conflict(posed.problem, limits), limits)


def conflict_words(posed: PosedVmi, core: Suspects, minimal: bool, limits: Limits) -> Diagnostic:
    """The message about a conflict."""
    if core.capacities:
        return capacity_conflict(posed, core, minimal, limits)
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
        if not contradicts(free, limits):
            named = " and ".join(problem.values[problem.pins[number][0]].id for number in sorted(core.pins))
            notes.append(f"without the fixed layout of {named} there is a solution")
    found = way_round(posed, core.ops)
    notes += [] if found is None else [round_words(found)]
    first = max(labels, key=lambda label: label.span.start, default=Label(source, Span(0, 0)))
    rest = tuple(label for label in labels if label is not first)
    count = len(core.ops) + len(core.pins)
    said = f"no layouts serve these {count} together" if count > 1 else "no layout serves this"
    message = f"VMI-LAYOUT-CONTRACT: {said}"
    return Diagnostic("LS0805", "error", message, first, rest, tuple(dict.fromkeys(notes)), (), minimal)
