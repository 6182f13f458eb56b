"""What posing a question gives: the problem, and how to get from it back to the program."""

from __future__ import annotations

from collections.abc import Sequence

from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver_models.problems.layout import LayoutProblem


class Posed:
    """A layout problem with its program.

    `value_of[i]` is the graph value behind problem value i and `number[v]` the way back; `op_of_relation[r]` and
    `op_of_tie[t]` are the operations (graph indices) that posted relation r and tie t; `operands_of_relation[r]` and
    `operands_of_tie[t]` say, port by port, which operand of that operation it is (-1: a result or argument).
    """

    __slots__ = (
        "assumptions",
        "chip",
        "compat",
        "diagnostics",
        "graph",
        "number",
        "op_of_relation",
        "op_of_tie",
        "operands_of_relation",
        "operands_of_tie",
        "problem",
        "value_of",
    )

    def __init__(
        self,
        graph: Graph,
        problem: LayoutProblem,
        value_of: list[int],
        number: dict[int, int],
        op_of_relation: list[int],
        op_of_tie: list[int],
        operands_of_relation: list[tuple[int, ...]],
        operands_of_tie: list[tuple[int, ...]],
        diagnostics: list[Diagnostic] | None = None,
        compat: bool = False,
        chip: str = "",
        assumptions: list[str] | None = None,
    ) -> None:
        self.graph = graph
        self.problem = problem
        self.value_of = value_of
        self.number = number
        self.op_of_relation = op_of_relation
        self.op_of_tie = op_of_tie
        self.operands_of_relation = operands_of_relation
        self.operands_of_tie = operands_of_tie
        self.diagnostics: list[Diagnostic] = [] if diagnostics is None else diagnostics
        self.compat = compat
        self.chip = chip
        self.assumptions: list[str] = [] if assumptions is None else assumptions


def operand_places(node: OpNode, values: list[int], roles: Sequence[str] = ()) -> tuple[int, ...]:
    """For each value, which operand of the operation it is; -1 for results and for what the operation does not use.

    Of several operands that are one value, each is taken once, in order; with `roles`, a mask or predicate is that
    operand and no other one is.
    """
    operands = node.operands
    apart = {at for at, role in enumerate(node.roles) if role in ("mask", "pred") and role in roles}
    taken: list[int] = []
    places = []
    for port, value in enumerate(values):
        place = -1
        if value in operands and value not in node.results:
            place = operands.index(value)
            own = roles[port] if roles else ""
            while place in taken or (apart and (place in apart) != (own == node.roles[place] and place in apart)):
                place = operands.index(value, place + 1) if value in operands[place + 1 :] else -1
        if place >= 0:
            taken.append(place)
        places.append(place)
    return tuple(places)
