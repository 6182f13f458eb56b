"""Function boundaries in the default mode: what callers and callees must agree on, and what the outside expects.

Where a call and its callee are both in sight, they get one layout. Towards the outside a dense layout is free; a
spread one costs the interleaves that the other side must spend, and predicates go at the granularity of the data
beside them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from layoutsolver.graph.model import Function, OpNode
from layoutsolver_models.problems.layout import Choice

if TYPE_CHECKING:
    from layoutsolver.pose.ave import _Poser


def pose_boundaries(poser: _Poser) -> None:
    """Post ties between calls and callees, and the price of layouts at boundaries to the outside."""
    graph = poser.graph
    functions = graph.function_by_symbol()
    called: set[str] = set()
    for call, symbol in graph.calls.items():
        node = graph.ops[call]
        if not graph.vectors(node.operands) and not graph.vectors(node.results):
            continue
        callee = functions.get(symbol)
        if callee is not None and callee.has_body and len(callee.arguments) == len(node.operands):
            called.add(symbol)
            _tie_call(poser, node, callee)
        else:
            _price_call(poser, node)
    for function in graph.functions:
        node = graph.ops[function.op]
        if function.symbol not in called:
            for value in graph.vectors(function.arguments):
                _price(poser, node, value)
            for ending in function.returns:
                for value in graph.vectors(graph.ops[ending].operands):
                    _price(poser, graph.ops[ending], value)
        _tie_returns(poser, function)


def _tie_call(poser: _Poser, node: OpNode, callee: Function) -> None:
    graph = poser.graph
    for passed, argument in zip(node.operands, callee.arguments, strict=True):
        if passed in poser.number and argument in poser.number:
            poser.tie(node, [passed, argument], f"passed to {callee.symbol}")
    for ending in callee.returns[:1]:
        for result, value in zip(node.results, graph.ops[ending].operands, strict=False):
            if result in poser.number and value in poser.number:
                poser.tie(node, [result, value], f"returned from {callee.symbol}")


def _tie_returns(poser: _Poser, function: Function) -> None:
    graph = poser.graph
    if len(function.returns) < 2:
        return
    first = graph.ops[function.returns[0]]
    for other in function.returns[1:]:
        for left, right in zip(first.operands, graph.ops[other].operands, strict=False):
            if left in poser.number and right in poser.number:
                poser.tie(graph.ops[other], [left, right], f"returned from {function.symbol}")


def _price_call(poser: _Poser, node: OpNode) -> None:
    vectors = poser.graph.vectors([*node.operands, *node.results])
    data = next((value for value in vectors if poser.width(value) != 1), None)
    for value in vectors:
        if poser.width(value) == 1 and data is not None:
            poser.relate(node, poser.tables.table("call_mask"), [value, data])
            poser.late.append(Choice("value", poser.number[value]))
        else:
            _price(poser, node, value)


def _price(poser: _Poser, node: OpNode, value: int) -> None:
    poser.relate(node, poser.tables.table("boundary", poser.width(value)), [value])
    poser.late.append(Choice("value", poser.number[value]))
