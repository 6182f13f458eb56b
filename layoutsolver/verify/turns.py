"""The turns of a loop."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver.graph.model import Graph, Loop, OpNode
from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.operation import CannotRunError


def turns_of(graph: Graph, node: OpNode, number: Callable[[int], int]) -> tuple[Loop, ScalarType, range]:
    """An `scf.for`, the type of its induction variable and the numbers that it takes; `number` gives a value's.

    Raises CannotRunError for a loop without bounds, or with a step that is not above zero.
    """
    loop = graph.loops.get(node.index)
    if loop is None or len(loop.bounds) != 3:
        raise CannotRunError(node.index, "this loop has no bounds")
    low, high, step = (number(bound) for bound in loop.bounds)
    if step <= 0:
        raise CannotRunError(node.index, f"this loop has the step {step}")
    kind = graph.values[loop.induction].type
    return loop, kind if isinstance(kind, ScalarType) else ScalarType("index", None), range(low, high, step)
