"""Solving within a number of registers: by the layouts first, then by what is written for them."""

from __future__ import annotations

import time
from typing import NamedTuple

from layoutsolver.backends import load_register_peaks
from layoutsolver.pose.vmi.capacity import KINDS, capacities_of, points_within
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.vmi.peak import RegisterPeak
from layoutsolver_models.problems.capacity import Capacity, RegisterKind, Sequence, demand
from layoutsolver_models.problems.selection import SelectionSolution, faults
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection
from layoutsolver_models.targets.chip import RegisterLimits

ROUNDS = 24
"""How often it is learned what instruction sequences need where that is more than layouts show."""


class Within(NamedTuple):
    """A solution that keeps within the registers, with its peaks.

    `learned` are the points at which instructions need registers in between that layouts do not show; `ended` says that
    no choice was found in which there is room for these.
    """

    solution: SelectionSolution
    peaks: tuple[RegisterPeak, ...] | None
    learned: tuple[Capacity, ...] = ()
    ended: bool = False


def bounded(posed: PosedVmi, limits: RegisterLimits) -> PosedVmi:
    """The problem with its points as capacities, and with its start only if that keeps within them."""
    problem = posed.problem._replace(capacities=capacities_of(posed, limits))
    if problem.start is not None and faults(problem, *problem.start):
        problem = problem._replace(start=None)
    return posed._replace(problem=problem, registers=limits)


def solve_within(posed: PosedVmi, limits: Limits) -> Within:
    """The best choice of a problem; of a bounded one, the best whose instructions keep within the registers.

    Instructions are written for it, and their live registers counted. Where those are too many, what the instructions
    at the peak need in between is held against their choice, and the problem solved again: then the answer is proved
    the best only if it is as good as the first. Where that ends without a choice, it is not known whether there is one.
    """
    end = None if limits.seconds is None else time.monotonic() + limits.seconds
    first = solution = solve_selection(posed.problem, limits, posed.problem.start)
    learned: dict[tuple[RegisterKind, int], Capacity] = {}
    for _ in range(ROUNDS):
        if solution.status not in ("optimal", "feasible"):
            break
        found = load_register_peaks()(posed, solution)
        there = posed.registers
        over = [] if there is None else [
            peak for peak in found or () if peak.registers > there[KINDS.index(peak.kind)]
        ]  # fmt: skip
        if not over or there is None:
            return Within(solution, found, tuple(learned.values()))
        if end is not None and time.monotonic() > end:
            break
        for peak in over:
            point = _learned(posed, solution, peak, there, learned)
            if point is None:
                return Within(SelectionSolution("unknown"), None, tuple(learned.values()), True)
            learned[peak.kind, point.sequences[0].number] = point
        whole = posed.problem._replace(capacities=(*posed.problem.capacities, *learned.values()), start=None)
        left = limits if end is None else limits._replace(seconds=max(0.01, end - time.monotonic()))
        solution = _compared(solve_selection(whole, left), first)
    if first.status in ("optimal", "feasible"):
        return Within(SelectionSolution("unknown"), None, tuple(learned.values()), True)
    return Within(solution, None)


def _learned(
    posed: PosedVmi,
    solution: SelectionSolution,
    peak: RegisterPeak,
    there: RegisterLimits,
    learned: dict[tuple[RegisterKind, int], Capacity],
) -> Capacity | None:
    """The point of a peak with what its instructions need besides values that live across it.

    None where control flow makes the peak, or instructions that have left their operation for a place in front of a
    loop: nothing is learned from these.
    """
    problem = posed.problem
    number, sequence = _choice_of(posed, solution, peak.owner)
    if number < 0 or posed.program.ops[posed.op_of[number]].before != peak.op:
        return None
    point = points_within(posed)[number]
    masks = peak.kind == "predicate"
    live = tuple(one for one in point.live if posed.program.values[one.value].is_mask == masks)
    name = f"{peak.kind} registers {point.place}"
    plain = Capacity(name, peak.kind, there[KINDS.index(peak.kind)], live, point.where)
    needed = peak.registers - demand(plain, problem.values, problem.ops, solution.variants)
    key = (peak.kind, sequence.number)
    known = {(one.number, one.variant): one for one in learned[key].sequences} if key in learned else {}
    known[sequence.number, sequence.variant] = sequence._replace(registers=needed)
    return None if needed <= 0 else plain._replace(sequences=tuple(known.values()))


def _choice_of(posed: PosedVmi, solution: SelectionSolution, owner: str) -> tuple[int, Sequence]:
    """The operation of the problem at which an instruction's owner runs, -1 if it is none, and the owner's choice."""
    word, _, number = owner.partition(" ")
    if word == "conversion":
        value = posed.problem.conversions[int(number)].value
        makers = [place for place, op in enumerate(posed.problem.ops) if value in op.results]
        maker = makers[0] if makers and posed.op_of[makers[0]] >= 0 else -1
        return maker, Sequence(int(number), -1, 0)
    canonical, dot, place = owner.partition(".")
    if not dot or int(canonical) not in posed.op_of:
        return -1, Sequence(-1, -1, 0)
    op = posed.op_of.index(int(canonical))
    return op, Sequence(op, solution.variants[op][int(place)], 0)


def _compared(solution: SelectionSolution, first: SelectionSolution) -> SelectionSolution:
    """A solution under what was learned: proved as far as the first one is, whose values are bounds of its own."""
    if solution.status not in ("optimal", "feasible") or solution[3:8] == first[3:8]:
        return solution
    proved = []
    for name in solution.proved:
        attribute = "busiest" if name == "pipes" else name
        if getattr(solution, attribute) != getattr(first, attribute):
            break
        proved.append(name)
    return solution._replace(status="feasible", bound=first.bound, proved=tuple(proved))
