"""Numbers of operands that do not match: of arithmetic, of calls and their functions."""

from __future__ import annotations

from collections.abc import Iterator

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.ops.dialects import operand_count


def count_faults(graph: Graph) -> Iterator[Diagnostic]:
    """A message for each call that does not fit its function, and each operation of `arith` that lacks an operand."""
    functions = graph.function_by_symbol()
    for call, symbol in graph.calls.items():
        callee, node = functions.get(symbol), graph.ops[call]
        if callee is None or not callee.has_body:
            continue
        taken, passed, expected = len(callee.arguments), len(node.operands), len(node.results)
        if taken != passed:
            message = f"`{symbol}` takes {taken} arguments, {passed} are passed"
            yield _fault(graph, node, message, (graph.ops[callee.op], "the function is defined here"))
        for ending in (graph.ops[index] for index in callee.returns):
            given = len(ending.operands)
            if given != expected:
                message = f"`{symbol}` returns {given} value{'s' * (given != 1)}, {expected} expected here"
                yield _fault(graph, node, message, (ending, "the function returns here"))
    for node in graph.ops:
        needed = operand_count(node.name)
        if needed is not None and len(node.operands) != needed:
            given = len(node.operands)
            yield _fault(graph, node, f"`{node.name}` has {given} operand{'s' * (given != 1)}, not {needed}")


def _fault(graph: Graph, node: OpNode, message: str, *beside: tuple[OpNode, str]) -> Diagnostic:
    source = graph.module.source
    labels = tuple(Label(source, other.span, text) for other, text in beside)
    return Diagnostic("LS0205", "error", message, Label(source, node.span), labels)
