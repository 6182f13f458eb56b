"""The dataflow graph as a networkx graph, for tools that look at it; the solver itself runs on the index arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from layoutsolver.graph.model import Graph, OpNode

if TYPE_CHECKING:
    import networkx

    Node = tuple[str, int]


def to_networkx(graph: Graph) -> networkx.MultiDiGraph[Node]:
    """Values and operations as nodes `("value", index)` and `("op", index)`, dataflow as edges.

    An edge's `kind` is `operand` (value to operation, with `index` and `role`), `result` (operation to value, with
    `index`), or a tie between values: `carried` around a loop, `branch` from a yield to the result of its operation,
    `call` from what is passed or returned to the argument or result that it becomes. Ties have an `index` and the
    `op` that makes them. Operands that are not defined have no edge.
    """
    import networkx

    view: networkx.MultiDiGraph[Node] = networkx.MultiDiGraph()
    view.graph["functions"] = [function.symbol for function in graph.functions]
    source = graph.module.source
    for value in graph.values:
        line, column = source.line_column(value.span.start)
        view.add_node(("value", value.index), name=value.name, type=value.type.text, line=line, column=column)
    for node in graph.ops:
        line, column = source.line_column(node.span.start)
        view.add_node(
            ("op", node.index),
            name=node.name,
            line=line,
            column=column,
            effect=node.spec.effect.value if node.spec is not None else "unknown",
            weight=node.weight,
            function=graph.functions[node.function].symbol if node.function >= 0 else "",
        )
    for node in graph.ops:
        _add_operation(view, node)
    _add_loops(view, graph)
    _add_branches(view, graph)
    _add_calls(view, graph)
    return view


def _add_operation(view: networkx.MultiDiGraph[Node], node: OpNode) -> None:
    for index, (value, role) in enumerate(zip(node.operands, node.roles, strict=True)):
        if value >= 0:
            view.add_edge(("value", value), ("op", node.index), kind="operand", index=index, role=role)
    for index, value in enumerate(node.results):
        view.add_edge(("op", node.index), ("value", value), kind="result", index=index)


def _tie(view: networkx.MultiDiGraph[Node], source: int, target: int, kind: str, index: int, op: int) -> None:
    if source >= 0 and target >= 0:
        view.add_edge(("value", source), ("value", target), kind=kind, index=index, op=op)


def _add_loops(view: networkx.MultiDiGraph[Node], graph: Graph) -> None:
    for loop in graph.loops.values():
        for index, (init, iter_arg, yielded, result) in enumerate(loop.carried):
            _tie(view, init, iter_arg, "carried", index, loop.op)
            _tie(view, yielded, iter_arg, "carried", index, loop.op)
            _tie(view, yielded, result, "carried", index, loop.op)


def _add_branches(view: networkx.MultiDiGraph[Node], graph: Graph) -> None:
    for op, endings in graph.branches.items():
        for ending in endings:
            for index, (value, result) in enumerate(
                zip(graph.ops[ending].operands, graph.ops[op].results, strict=False)
            ):
                _tie(view, value, result, "branch", index, op)


def _add_calls(view: networkx.MultiDiGraph[Node], graph: Graph) -> None:
    functions = graph.function_by_symbol()
    for op, symbol in graph.calls.items():
        callee = functions.get(symbol)
        if callee is None or not callee.has_body:
            continue
        node = graph.ops[op]
        for index, (passed, argument) in enumerate(zip(node.operands, callee.arguments, strict=False)):
            _tie(view, passed, argument, "call", index, op)
        for ending in callee.returns:
            for index, (value, result) in enumerate(zip(graph.ops[ending].operands, node.results, strict=False)):
                _tie(view, value, result, "call", index, op)
