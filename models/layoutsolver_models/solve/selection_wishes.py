"""What fixed and preferred layouts cost: the best choice with each of them, and without it."""

from __future__ import annotations

from typing import Literal

from layoutsolver_models.problems.selection import SelectionProblem, SelectionSolution, SelectionWish, evaluate
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection

Kind = Literal["pin", "penalty"]

MOST = 16
"""Of problems with more wishes than that, none is priced: each takes a solve."""


def with_wishes(problem: SelectionProblem, solution: SelectionSolution, limits: Limits) -> SelectionSolution:
    """The solution with what each pin, and all penalties of each value, cost; as it is where there is none to price."""
    wishes: list[tuple[Kind, int]] = [("pin", value) for value, _ in problem.pins]
    wishes += [("penalty", value) for value in dict.fromkeys(value for value, _, _ in problem.penalties)]
    if solution.status not in ("optimal", "feasible") or not 0 < len(wishes) <= MOST:
        return solution
    priced = tuple(wish_of(problem, solution, kind, value, limits) for kind, value in wishes)
    return solution._replace(wishes=priced)


def wish_of(
    problem: SelectionProblem, solution: SelectionSolution, kind: Kind, value: int, limits: Limits
) -> SelectionWish:
    """What one pin, or all penalties of a value, cost: the difference to the best choice without."""
    avoided = {layout for other, layout, _ in problem.penalties if other == value}
    met = kind == "pin" or not avoided & made_in(problem, solution, value)
    without = (
        problem._replace(pins=tuple(pin for pin in problem.pins if pin[0] != value))
        if kind == "pin"
        else problem._replace(penalties=tuple(one for one in problem.penalties if one[0] != value))
    )
    free = solve_selection(without, limits)
    if free.status not in ("optimal", "feasible"):
        return SelectionWish(kind, value, met, proved=False)
    plain = problem._replace(penalties=())
    now = evaluate(plain, solution.variants, solution.conversions)
    then = evaluate(plain, free.variants, free.conversions)
    more = tuple(one - other for one, other in zip(now.load, then.load, strict=True))
    proved = solution.status == free.status == "optimal"
    return SelectionWish(
        kind,
        value,
        met,
        more,
        now.busiest - then.busiest,
        now.total - then.total,
        now.registers - then.registers,
        proved,
    )


def made_in(problem: SelectionProblem, solution: SelectionSolution, value: int) -> set[str]:
    """The layouts in which a value is made."""
    return {
        op.variants[number].layouts[place]
        for op, chosen in zip(problem.ops, solution.variants, strict=True)
        for number in chosen
        for place, made in enumerate(op.results, len(op.operands))
        if made == value
    }
