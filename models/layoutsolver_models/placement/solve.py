"""Solves a placement problem: scale, split, bound, place greedily, and search only what is left."""

from __future__ import annotations

import time

from layoutsolver_models.placement.compact import Part, compact
from layoutsolver_models.placement.greedy import greedy, height
from layoutsolver_models.placement.lowest import lowest_height
from layoutsolver_models.placement.race import fit
from layoutsolver_models.problems.layout import Status
from layoutsolver_models.problems.placement import PlacementProblem, PlacementSolution
from layoutsolver_models.solve.layout import Limits


def solve_placement(problem: PlacementProblem, limits: Limits | None = None) -> PlacementSolution:
    """A placement within the capacity or a proof that there is none; without a capacity, one of least height.

    Problems whose buffers have errors (`problem_errors`) are not accepted. With one worker, the same problem and seed
    give the same answer unless a time limit strikes.

    >>> from layoutsolver_models.problems.placement import Buffer
    >>> three = (Buffer("a", 0, 5, 64), Buffer("b", 2, 9, 32), Buffer("c", 6, 12, 64))
    >>> found = solve_placement(PlacementProblem(three))
    >>> found.status, found.offsets, found.height
    ('optimal', (0, 64, 0), 96)
    """
    limits = limits or Limits()
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    made = compact(problem)
    peak = made.peak
    load = 0 if peak is None else peak.load
    if problem.capacity is not None and load > problem.capacity:
        return PlacementSolution("infeasible", bound=load, method="load", peak=peak)
    status: Status = "optimal" if problem.capacity is None else "feasible"
    offsets = [0] * len(problem.buffers)
    methods: list[str] = []
    top, bound = 0, load
    for part in sorted(made.parts, key=lambda part: (-max(part.loads()), part.numbers)):
        found, own_bound, own_status, method = _solve_part(part, -(-max(bound, top) // made.unit), limits, deadline)
        bound = max(bound, own_bound * made.unit)
        if own_status in ("infeasible", "unknown"):
            return PlacementSolution(own_status, bound=bound, method=method, peak=peak)
        if own_status == "feasible":
            status = "feasible"
        if method not in methods:
            methods.append(method)
        for number, offset in zip(part.numbers, found, strict=True):
            offsets[number] = offset * made.unit
        top = max(top, height(part, found) * made.unit)
    if problem.capacity is None and top == bound:
        status = "optimal"
    return PlacementSolution(status, tuple(offsets), top, bound, ", ".join(methods), peak)


def _solve_part(part: Part, enough: int, limits: Limits, deadline: float | None) -> tuple[list[int], int, Status, str]:
    """Offsets, a lower bound of the height, the status, and the method.

    Without a capacity, a height of at most `enough` is as good as the least one: another part is as high.
    """
    bound = max(part.loads())
    enough = max(enough, bound) if part.capacity is None else part.capacity
    offsets, method = greedy(part, enough)
    if offsets and height(part, offsets) <= enough:
        return offsets, bound, "feasible" if part.capacity is not None else "optimal", method
    if part.capacity is None:
        return lowest_height(part, offsets, method, enough, limits, deadline)
    answer = fit(part, part.capacity, limits, deadline)
    if answer.verdict == "found":
        return answer.offsets, bound, "feasible", answer.method
    return [], bound, "infeasible" if answer.verdict == "none" else "unknown", answer.method or "search"
