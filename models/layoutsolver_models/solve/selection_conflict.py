"""The smallest sets of operations, pins and capacities of a selection problem that cannot hold together.

Suspects are left out, many at a time first and then one by one, each time asking whether the rest still contradicts
itself; what is left is needed in whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

from layoutsolver_models.problems.capacity import CONVERSION, Capacity, Together
from layoutsolver_models.problems.selection import SelectionOp, SelectionProblem, Variant
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import narrow, solve_selection


class Suspects(NamedTuple):
    """Operations of the problem (control flow and boundaries among them), pins and capacities, by number."""

    ops: frozenset[int]
    pins: frozenset[int]
    capacities: frozenset[int] = frozenset()


def smallest_conflict(problem: SelectionProblem, limits: Limits) -> tuple[Suspects, bool]:
    """Suspects of which each is needed for the contradiction; whether time sufficed to make sure of that.

    Capacities are left out first: where operations contradict each other anyway, none is blamed.
    """
    end = None if limits.seconds is None else time.monotonic() + limits.seconds
    if problem.capacities:
        problem = closed(problem)
    suspects = Suspects(
        frozenset(range(len(problem.ops))), frozenset(range(len(problem.pins))),
        frozenset(range(len(problem.capacities))),
    )  # fmt: skip
    near = _upstream_of_stuck(problem)
    if near is not None and contradicts(relaxed(problem, near), limits):
        suspects = near

    def fails(some: Suspects) -> bool:
        return contradicts(relaxed(problem, some), limits)

    minimal = True
    for field in ("capacities", "ops", "pins"):
        suspects, done = _shrunk(suspects, field, fails, end)
        minimal &= done
    return suspects, minimal


def independent_conflicts(problem: SelectionProblem, limits: Limits, most: int) -> list[tuple[Suspects, bool]]:
    """The first smallest conflicts that have no operation and no pin in common, and whether each is known to be
    smallest.
    """
    end = None if limits.seconds is None else time.monotonic() + limits.seconds
    found: list[tuple[Suspects, bool]] = []
    rest = problem
    pins = list(range(len(problem.pins)))
    while len(found) < most and (not found or contradicts(rest, limits)):
        left = limits if end is None else limits._replace(seconds=max(0.01, end - time.monotonic()))
        core, minimal = smallest_conflict(rest, left)
        core = core._replace(pins=frozenset(pins[number] for number in core.pins))
        pins = [number for number in pins if number not in core.pins]
        found.append((core, minimal))
        ops = tuple(_free(problem, op) if number in core.ops else op for number, op in enumerate(rest.ops))
        points = tuple(
            point._replace(held=()) if number in core.capacities else _without(point, core.ops.__contains__)
            for number, point in enumerate(rest.capacities)
        )
        left_pins = tuple(problem.pins[number] for number in pins)
        rest = rest._replace(ops=ops, capacities=points, pins=left_pins)
        if not minimal or not (core.ops or core.capacities):
            break
    return found


def _shrunk(
    suspects: Suspects, field: str, fails: Callable[[Suspects], bool], end: float | None
) -> tuple[Suspects, bool]:
    """Without as many suspects of one kind as may be missing."""
    left: list[int] = sorted(getattr(suspects, field))
    size = max(1, len(left) // 2)
    while left:
        for at in range(0, len(left), size):
            if end is not None and time.monotonic() > end:
                return suspects, False
            dropped = set(left[at : at + size])
            fewer = suspects._replace(**{field: getattr(suspects, field) - dropped})
            if fails(fewer):
                suspects = fewer
        left = sorted(getattr(suspects, field))
        if size == 1:
            break
        size //= 2
    return suspects, True


def relaxed(problem: SelectionProblem, kept: Suspects) -> SelectionProblem:
    """The problem with only some of its groups in force: other operations make what is asked of them, of nothing."""
    ops = tuple(op if number in kept.ops else _free(problem, op) for number, op in enumerate(problem.ops))
    pins = tuple(pin for number, pin in enumerate(problem.pins) if number in kept.pins)
    points = tuple(
        _without(point, lambda op: op not in kept.ops)
        for number, point in enumerate(problem.capacities)
        if number in kept.capacities
    )
    return problem._replace(ops=ops, pins=pins, capacities=points, penalties=(), savings=(), objective=("total",))


def _without(point: Capacity, is_free: Callable[[int], bool]) -> Capacity:
    """A point without what variants of free operations hold; nothing is left of one that is theirs."""

    def stays(together: Together) -> bool:
        return not any(pick.variant != CONVERSION and is_free(pick.number) for pick in together)

    held = [one._replace(by=tuple(filter(stays, one.by))) for one in point.held] if stays(point.when) else []
    return point._replace(held=tuple(one for one in held if one.by))


def closed(problem: SelectionProblem) -> SelectionProblem:
    """The problem without variants that narrowing leaves out, of which capacities do not say what they hold."""
    left = narrow(problem)
    if left.stuck >= 0:
        return problem
    ops = []
    for op, possible in zip(problem.ops, left.variants, strict=True):
        never = ("",) * (len(op.operands) + len(op.results))
        kept = set(possible) if op.operands else range(len(op.variants))
        variants = tuple(
            variant if number in kept else variant._replace(layouts=never) for number, variant in enumerate(op.variants)
        )
        ops.append(op._replace(variants=variants))
    return problem._replace(ops=tuple(ops))


def _free(problem: SelectionProblem, op: SelectionOp) -> SelectionOp:
    """An operation that needs nothing and makes its results in any layouts, in several at once if that is asked."""
    choices = product(*(problem.values[value].layouts for value in op.results))
    nothing = (0,) * len(problem.pipes)
    return op._replace(operands=(), variants=tuple(Variant("", layouts, nothing) for layouts in choices), copies=True)


def contradicts(problem: SelectionProblem, limits: Limits) -> bool:
    """Whether a problem is proved to have no solution; of one with capacities, no best solution is looked for."""
    left = narrow(problem)
    if left.stuck >= 0:
        return True
    if not problem.capacities:
        return solve_selection(problem, limits).status == "infeasible"
    from layoutsolver_models.cp.selection import SelectionModel

    model = SelectionModel(problem, left.variants, left.conversions, None).model
    return model.solve(limits.seconds, limits.workers, limits.seed).status == "infeasible"


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
