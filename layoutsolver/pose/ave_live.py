"""Which values anything that leaves a program depends on: memory, calls, returned values, control flow."""

from __future__ import annotations

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.ops.spec import Effect
from layoutsolver.pose.ave_values import takes_first

_SILENT = frozenset({Effect.PURE, Effect.READ})


def live_values(graph: Graph) -> set[int]:
    """The live values of a program; what a loop or a branch hands on is live where its result is."""
    carried: dict[int, tuple[int, ...]] = {}
    for loop in graph.loops.values():
        for init, argument, yielded, result in loop.carried:
            carried[argument] = carried[result] = (init, argument, yielded, result)
    for index, endings in graph.branches.items():
        for number, result in enumerate(graph.ops[index].results):
            held = [graph.ops[ending].operands for ending in endings]
            carried[result] = tuple(operands[number] for operands in held if number < len(operands))
    waiting: list[int] = []
    for node in graph.ops:
        if node.name == "scf.for":
            waiting += node.operands[:3]
        elif node.index in graph.calls or _acts(node):
            ignored = _ignored_mask(graph, node)
            waiting += [value for value, role in zip(node.operands, node.roles, strict=True) if role != ignored]
    live: set[int] = set()
    while waiting:
        value = waiting.pop()
        if value < 0 or value in live:
            continue
        live.add(value)
        known = carried.get(value)
        if known is not None:
            waiting.extend(known)
        elif (op := graph.values[value].op) >= 0:
            waiting.extend(graph.ops[op].operands)
    return live


def _ignored_mask(graph: Graph, node: OpNode) -> str:
    """The role of the mask of a store that does not look at it: of one element, or of predicates."""
    if node.name != "ave.hir.masked_store":
        return ""
    value = node.role("val")
    vector = graph.values[value].vector if value is not None and value >= 0 else None
    is_predicate = vector is not None and vector.bits == 1
    return "mask" if is_predicate or takes_first(node) else ""


def _acts(node: OpNode) -> bool:
    """Whether an operation does anything besides computing results."""
    if node.name == "scf.yield":
        return False
    if node.spec is None:
        return not node.results or bool(node.op.regions) or node.name.startswith("memref.")
    return node.spec.effect not in _SILENT
