"""In which layouts the functions of a solved program take their vectors and give them."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.graph.model import Function
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver_models.problems.selection import SelectionSolution


class Border(NamedTuple):
    """The layouts of a function's vectors and masks by the number of the argument, and of the returned value."""

    arguments: dict[int, str]
    results: dict[int, str]


def borders_of(posed: PosedVmi, solution: SelectionSolution) -> dict[str, Border]:
    """The border of every function by its symbol."""
    made: dict[int, str] = {}
    taken: dict[int, str] = {}
    for number, (op, chosen) in enumerate(zip(posed.problem.ops, solution.variants, strict=True)):
        if posed.op_of[number] >= 0 or not chosen:
            continue
        layout = op.variants[chosen[0]].layouts[0]
        made.update(dict.fromkeys(op.results, layout))
        if posed.join_of[number] < 0:
            taken.update(dict.fromkeys(op.operands, layout))
    return {
        function.symbol: Border(_arguments(posed, function, made), _results(posed, function, made, taken))
        for function in posed.program.graph.functions
    }


def _arguments(posed: PosedVmi, function: Function, made: dict[int, str]) -> dict[int, str]:
    known = posed.program.by_graph_value
    numbers = {place: known[value] for place, value in enumerate(function.arguments) if value in known}
    return {place: made[number] for place, number in numbers.items() if number in made}


def _results(posed: PosedVmi, function: Function, made: dict[int, str], taken: dict[int, str]) -> dict[int, str]:
    """Where a function is called, its calls say in which layouts it gives its results."""
    graph, known = posed.program.graph, posed.program.by_graph_value
    if not function.returns:
        return {}
    calls = [index for index, symbol in graph.calls.items() if symbol == function.symbol]
    values = graph.ops[calls[0]].results if calls else graph.ops[function.returns[0]].operands
    layouts = made if calls else taken
    numbers = {place: known[value] for place, value in enumerate(values) if value in known}
    return {place: layouts[number] for place, number in numbers.items() if number in layouts}
