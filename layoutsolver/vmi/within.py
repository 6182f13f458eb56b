"""Solving within a number of registers: by what each choice needs by itself, then by what is written for all."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from layoutsolver.backends import load_register_peaks
from layoutsolver.pose.vmi.capacity import KINDS, RegisterPoints
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.vmi.peak import RegisterPeak, Span
from layoutsolver_models.problems.capacity import CONVERSION, Capacity, Held, Pick, Together, demand
from layoutsolver_models.problems.selection import KnownChoice, SelectionSolution, faults
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection
from layoutsolver_models.targets.chip import RegisterLimits


class Within(NamedTuple):
    """A solution that keeps within the registers, with its peaks, and the problem with the points that decided it.

    `ended` says that no choice was found, though it is not proved that there is none.
    """

    posed: PosedVmi
    solution: SelectionSolution
    peaks: tuple[RegisterPeak, ...] | None
    ended: bool = False


ROUNDS = 8
"""So often only the points around a peak are added, where points are many."""


def bounded(posed: PosedVmi, limits: RegisterLimits, points: RegisterPoints | None = None) -> PosedVmi:
    """The problem with its points as capacities, and with its start only if that keeps within them."""
    points = points or RegisterPoints(posed, limits)
    problem = posed.problem._replace(capacities=points.between)
    if problem.start is not None and faults(problem, *problem.start):
        problem = problem._replace(start=None)
    return posed._replace(problem=problem, registers=limits, points=points)


def solve_within(posed: PosedVmi, limits: Limits, start: Callable[[], KnownChoice | None] | None = None) -> Within:
    """The best choice of a problem; of one with limits of registers, the best whose instructions keep within them.

    Instructions are written for the best choice without limits, and their live registers counted. Where those are too
    many, the points between operations become points of the problem, then those within operations whose instructions
    need too many in between, and then what is live at the peak, each register held by the choices that make and use it.
    Every point holds for all choices, so that what is the best within them, or that there is none, is proved. `start`
    gives a choice to start from where the problem has none and the best is not found without.
    """
    end = None if limits.seconds is None else time.monotonic() + limits.seconds
    solution = solve_selection(posed.problem, limits, posed.problem.start or start)
    while solution.status in ("optimal", "feasible"):
        found = load_register_peaks()(posed, solution)
        there = posed.registers
        over = [peak for peak in found or () if there is not None and peak.registers > _limit(peak, there)]
        if not over:
            return Within(posed, solution, found)
        more = _exceeded(posed, solution, over)
        if more is None:
            return Within(posed, SelectionSolution("unknown"), None, True)
        posed = more
        left = limits if end is None else limits._replace(seconds=end - time.monotonic())
        if left.seconds is not None and left.seconds <= 0:
            return Within(posed, SelectionSolution("unknown"), None)
        solution = solve_selection(posed.problem, left, posed.problem.start)
    return Within(posed, solution, None)


def _limit(peak: RegisterPeak, there: RegisterLimits) -> int:
    return there[KINDS.index(peak.kind)]


def _exceeded(posed: PosedVmi, solution: SelectionSolution, over: list[RegisterPeak]) -> PosedVmi | None:
    """The problem with more points, at which a solution has too many registers live; None if it is not known why."""
    there = posed.registers
    assert there is not None
    choice = (solution.variants, solution.conversions)
    points = posed.points or RegisterPoints(posed, there)
    if not points.told:
        near = _near(posed, points, solution, over) if points.are_many else ()
        if near:
            problem = posed.problem._replace(capacities=(*posed.problem.capacities, *near), start=None)
            return posed._replace(problem=problem, points=points)
        posed = bounded(posed, there, points)
        if faults(posed.problem, *choice):
            return posed
    assert posed.points is not None
    more = posed.points.exceeded(*choice)
    if not more:
        learned = (_learned(posed, solution, peak, _limit(peak, there)) for peak in over)
        more = tuple(point for point in learned if demand(point, *choice) > point.limit)
    if not more:
        return None
    capacities = (*posed.problem.capacities, *more)
    return posed._replace(problem=posed.problem._replace(capacities=capacities, start=None))


def _near(
    posed: PosedVmi, points: RegisterPoints, solution: SelectionSolution, over: list[RegisterPeak]
) -> tuple[Capacity, ...]:
    """The points around peaks at which a solution has too many registers live; none after some rounds of that."""
    known = set(posed.problem.capacities)
    found = dict.fromkeys(point for peak in over for point in points.around(peak.op))
    choice = (solution.variants, solution.conversions)
    more = [point for point in found if point not in known and demand(point, *choice) > point.limit]
    return tuple(more) if len(known) < ROUNDS * len(more) else ()


def _learned(posed: PosedVmi, solution: SelectionSolution, peak: RegisterPeak, limit: int) -> Capacity:
    """The point of a peak: each register is held by whoever makes it, together with one that uses it."""
    picks = _Picks(posed, solution)
    alike: dict[tuple[Together, ...], int] = {}
    for span in peak.spans:
        by = picks.of(span)
        if by:
            alike[by] = alike.get(by, 0) + 1
    held = tuple(Held(-1, count, by) for by, count in alike.items())
    node = posed.program.graph.ops[peak.op]
    line, _ = posed.program.graph.module.source.line_column(node.span.start)
    where = next((op.where for op in posed.problem.ops if op.where is not None and op.where.line == line), None)
    return Capacity(f"{peak.kind} registers in front of {node.name} at line {line}", peak.kind, limit, held, where)


class _Picks:
    """The picks of a solution that instructions carry out."""

    def __init__(self, posed: PosedVmi, solution: SelectionSolution) -> None:
        self.problem, self.variants = posed.problem, solution.variants
        self.number_of = {canonical: number for number, canonical in enumerate(posed.op_of) if canonical >= 0}
        self.flow = [number for number, canonical in enumerate(posed.op_of) if canonical < 0]

    def of(self, span: Span) -> tuple[Together, ...]:
        """Under which picks a register is live, one for each that uses it; none where it is not known whose it is."""
        maker = self.owner(span.maker, makes=True)
        if maker is None:
            return ()
        users = [self.owner(user, makes=False) for user in span.users] or [()]
        return tuple(sorted({tuple(sorted({*maker, *user})) for user in users if user is not None}))

    def owner(self, owner: str, makes: bool) -> Together | None:
        """The picks of an owner, None if there is none."""
        word, _, number = owner.partition(" ")
        if word == "conversion":
            return (Pick(int(number), CONVERSION),)
        if word == "value":
            ports = [(op, self.problem.ops[op].results if makes else self.problem.ops[op].operands) for op in self.flow]
            found = [Pick(op, self.variants[op][0]) for op, values in ports if int(number) in values]
            return tuple(found) or None
        canonical, dot, place = owner.partition(".")
        op = self.number_of.get(int(canonical)) if dot else None
        return None if op is None else (Pick(op, self.variants[op][int(place)]),)
