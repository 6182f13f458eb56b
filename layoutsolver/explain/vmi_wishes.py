"""What fixed and preferred layouts of a VMI program cost, as notes."""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.pose.vmi.wishes import Wished
from layoutsolver.source import Span
from layoutsolver_models.problems.selection import SelectionSolution, SelectionWish
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection
from layoutsolver_models.solve.selection_wishes import MOST, Kind, wish_of


def wish_notes(
    posed: PosedVmi, solution: SelectionSolution, wishes: tuple[Wished, ...], limits: Limits
) -> list[Diagnostic]:
    """A note for each wish of a user, of the first ones where there are many: what it costs, or would cost."""
    return [_note(posed, solution, wish, limits) for wish in wishes[:MOST]]


def _note(posed: PosedVmi, solution: SelectionSolution, wish: Wished, limits: Limits) -> Diagnostic:
    problem = posed.problem
    known = problem.values[wish.value]
    kind: Kind = "pin" if wish.fixed else "penalty"
    known_price = next((one for one in solution.wishes if (one.kind, one.value) == (kind, wish.value)), None)
    priced = known_price or wish_of(problem, solution, kind, wish.value, limits)
    what = f"{known.id} is fixed to {wish.layout}" if wish.fixed else f"{known.id} is preferred in {wish.layout}"
    if priced.met:
        message = f"{what}: {_costs(posed, priced, solution.busiest - priced.busiest)}"
    else:
        message = f"{what}, and is not: {_would_cost(posed, solution, wish, limits)}"
    span = Span(0, 0) if known.where is None else Span(known.where.start, known.where.end)
    return Diagnostic("LS0809", "note", message, Label(posed.program.graph.module.source, span))


def _would_cost(posed: PosedVmi, solution: SelectionSolution, wish: Wished, limits: Limits) -> str:
    """What meeting a preference would cost."""
    problem = posed.problem
    free = problem._replace(penalties=tuple(one for one in problem.penalties if one[0] != wish.value))
    least: tuple[int, int, str] | None = None
    for layout in wish.layouts:
        pinned = free._replace(pins=(*(pin for pin in free.pins if pin[0] != wish.value), (wish.value, layout)))
        found = solve_selection(pinned, limits)
        if found.status in ("optimal", "feasible"):
            priced = wish_of(pinned, found, "pin", wish.value, limits)
            words = _costs(posed, priced, found.busiest - priced.busiest)
            least = min(least or (found.busiest, found.total, words), (found.busiest, found.total, words))
        elif found.status == "unknown":
            return "a time limit was reached before it was known what that would cost"
    return f"that {least[2].replace('costs', 'would cost')}" if least is not None else "nothing makes it so here"


def _costs(posed: PosedVmi, priced: SelectionWish, before: int) -> str:
    """The price of a wish in words."""
    if not priced.proved and not priced.more:
        return "a time limit was reached before it was known what that costs"
    changes = [f"{pipe} {more:+d}" for pipe, more in zip(posed.problem.pipes, priced.more, strict=True) if more]
    changes += [f"registers {priced.registers:+d}"] if priced.registers else []
    listed = f" ({', '.join(changes)})" if changes else ""
    about = "" if priced.proved else "about "
    if priced.busiest:
        return f"costs {about}{priced.busiest:+d} on the busiest pipe, which takes {before + priced.busiest}{listed}"
    if priced.total:
        return f"costs {about}{priced.total:+d} instructions in all{listed}"
    return f"costs no instruction{listed}"
