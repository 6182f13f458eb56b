"""Solving within a number of registers: by the layouts first, then by what is written for them."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.backends import load_register_peaks
from layoutsolver.pose.vmi.capacity import KINDS, capacities_of
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.vmi.peak import RegisterPeak
from layoutsolver_models.problems.selection import SelectionSolution, faults
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection
from layoutsolver_models.targets.chip import RegisterLimits

ROUNDS = 8
"""How often the limits are lowered where instruction sequences need more registers than layouts show."""


class Within(NamedTuple):
    """A solution that keeps within the registers, with its peaks.

    `lowered` are the limits that layouts were held to in the end, where those are lower than the registers there are.
    """

    solution: SelectionSolution
    peaks: tuple[RegisterPeak, ...] | None
    lowered: RegisterLimits | None = None


def bounded(posed: PosedVmi, limits: RegisterLimits) -> PosedVmi:
    """The problem with its points as capacities, and with its start only if that keeps within them."""
    problem = posed.problem._replace(capacities=capacities_of(posed, limits))
    if problem.start is not None and faults(problem, *problem.start):
        problem = problem._replace(start=None)
    return posed._replace(problem=problem, registers=limits)


def solve_within(posed: PosedVmi, limits: Limits) -> Within:
    """The best choice of a problem; of a bounded one, the best whose instructions keep within the registers.

    Instructions are written for it, and their live registers counted. If those are too many, layouts are held to fewer:
    then the answer is proved the best only if it is as good as the first. Where that ends without a choice, it is not
    known whether there is one.
    """
    first = solution = solve_selection(posed.problem, limits, posed.problem.start)
    there = posed.registers
    held = there
    for _ in range(ROUNDS):
        if solution.status not in ("optimal", "feasible"):
            break
        found = load_register_peaks()(posed, solution)
        if there is None or held is None or found is None:
            return Within(solution, found)
        taken = {peak.kind: peak.registers for peak in found}
        more = [max(0, taken[kind] - number) for kind, number in zip(KINDS, there, strict=True)]
        if not any(more):
            return Within(solution, found, held if held != there else None)
        held = RegisterLimits(held.vector - more[0], held.predicate - more[1])
        if min(held) < 0:
            break
        tighter = bounded(posed, held)._replace(registers=there)
        solution = _compared(solve_selection(tighter.problem, limits, tighter.problem.start), first)
    if first.status in ("optimal", "feasible"):
        return Within(SelectionSolution("unknown"), None, held)
    return Within(solution, None)


def _compared(solution: SelectionSolution, first: SelectionSolution) -> SelectionSolution:
    """A solution under lower limits: proved as far as the first one is, whose values are bounds of its own."""
    if solution.status not in ("optimal", "feasible") or solution[3:8] == first[3:8]:
        return solution
    proved = []
    for name in solution.proved:
        attribute = "busiest" if name == "pipes" else name
        if getattr(solution, attribute) != getattr(first, attribute):
            break
        proved.append(name)
    return solution._replace(status="feasible", bound=first.bound, proved=tuple(proved))
