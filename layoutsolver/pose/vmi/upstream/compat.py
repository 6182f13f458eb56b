"""A text as the released compiler takes it: its own checks of the input, its layouts, its verdict."""

from __future__ import annotations

from layoutsolver.graph.model import Graph
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.pose.vmi.upstream.assign import UpstreamVmi, assign_upstream
from layoutsolver.pose.vmi.upstream.net import Net
from layoutsolver.pose.vmi.upstream.verdict import ENSURES, INVARIANT, OK, Verdict
from layoutsolver.vmi.canonical import PREFIX, as_canonical
from layoutsolver.vmi.check import check_types
from layoutsolver.vmi.program import VmiProgram

STRIDED_MASKS = ("VMI.CANON.VLOAD.STRIDE", "VMI.CANON.VSTORE.STRIDE.ALL")
"""Canonical rows whose masks come with a granularity, which the check behind the replacement refuses."""


def upstream_of(graph: Graph, narrowing: bool = True) -> UpstreamVmi:
    """What the released compiler makes of a program."""
    refused = _input(graph)
    if not refused.ok:
        return UpstreamVmi(refused, None, None, Net())
    program, _ = as_canonical(graph)
    refused = _boundary(program)
    if not refused.ok:
        return UpstreamVmi(refused, None, None, Net())
    found = assign_upstream(program, narrowing)
    return found._replace(verdict=_scope(graph, found)) if found.verdict.ok else found


def _input(graph: Graph) -> Verdict:
    """What the reader and the verifier say."""
    for node in graph.ops:
        if node.name.startswith(PREFIX) and node.spec is None:
            return Verdict("PARSE", f"custom op '{node.name}' is unknown", node.index)
    at = {node.span: node.index for node in graph.ops}
    for item in check_types(graph):
        origin = at.get(item.primary.span, -1) if item.primary is not None else -1
        parse = graph.ops[origin].name == f"{PREFIX}create_mask" and "counts its active lanes" in item.message
        return Verdict("PARSE" if parse else "VERIFIER", item.message.replace("`", "'"), origin)
    return OK


def _boundary(program: VmiProgram) -> Verdict:
    """What is said of layouts and granularities that stand in the text."""
    message = "VMI producer boundary requires surface types, without layouts and with masks of open granularity"
    strided = {op.origin for op in program.ops if op.row in STRIDED_MASKS}
    for index in program.graph.post_order():
        node = program.graph.ops[index]
        types = [program.graph.values[value].type for value in (*node.operands, *node.results)]
        decided = any(
            isinstance(known, VmiVectorType | VmiMaskType)
            and (known.layout is not None or (isinstance(known, VmiMaskType) and known.bits is not None))
            for known in types
        )
        if decided or node.name.removeprefix(PREFIX) in ENSURES:
            return Verdict(INVARIANT, message, index)
        if index in strided:
            return Verdict(INVARIANT, message, index)
    return OK


def _scope(graph: Graph, found: UpstreamVmi) -> Verdict:
    """What is said of vectors that leave a function: they would cross the end of their scope."""
    for function in graph.functions:
        if not function.has_body or all(node.origin != function.op for node in found.net.walk()):
            continue
        outside = [*function.arguments]
        for index in function.returns:
            outside += graph.ops[index].operands
        if any(isinstance(graph.values[value].type, VmiVectorType | VmiMaskType) for value in outside):
            made = [graph.values[value].op for value in outside if graph.values[value].op >= 0]
            named = min(made, default=function.op)
            return Verdict("VECSCOPE", "cannot infer resultless pto.vecscope: vectors leave the function", named)
    return OK
