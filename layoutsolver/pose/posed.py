"""What posing a question gives: the problem, and how to get from it back to the program."""

from __future__ import annotations

from dataclasses import dataclass, field

from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.graph.model import Graph
from layoutsolver_models.problems.layout import LayoutProblem


@dataclass(slots=True)
class Posed:
    """A layout problem with its program.

    `value_of[i]` is the graph value behind problem value i and `number[v]` the way back; `op_of_relation[r]` and
    `op_of_tie[t]` are the operations (graph indices) that posted relation r and tie t; `operands_of_relation[r]` and
    `operands_of_tie[t]` say, port by port, which operand of that operation it is (-1: a result or argument).
    """

    graph: Graph
    problem: LayoutProblem
    value_of: list[int]
    number: dict[int, int]
    op_of_relation: list[int]
    op_of_tie: list[int]
    operands_of_relation: list[tuple[int, ...]]
    operands_of_tie: list[tuple[int, ...]]
    diagnostics: list[Diagnostic] = field(default_factory=list)
    compat: bool = False
    chip: str = ""
    assumptions: list[str] = field(default_factory=list)
