"""Which operations of a solved program may do something else than they mean, by the warnings about its layouts."""

from __future__ import annotations

from layoutsolver.api import SolveResult
from layoutsolver.pose.capacity import overfull
from layoutsolver.pose.refuted import refuted
from tests.support.depending import depending, writes


def reached_by_warnings(result: SolveResult) -> set[int]:
    """Where the operations begin that depend on one that a warning names.

    A store that another one should have written over shows where that one is wrong.
    """
    posed, solution = result.posed, result.solution
    assert posed is not None
    assert solution is not None
    warnings = [*refuted(posed, solution), *overfull(posed, solution)]
    places = {item.primary.span.start for item in warnings if item.primary is not None}
    graph = posed.graph
    named = {node.index for node in graph.ops if node.span.start in places}
    dependent = depending(graph, named, {value.index for value in graph.values if value.span.start in places})
    reached = {graph.ops[index].span.start for index in dependent}
    buffers = {graph.ops[index].role("base") for index in dependent if writes(graph.ops[index])}
    return reached | {node.span.start for node in graph.ops if writes(node) and node.role("base") in buffers}
