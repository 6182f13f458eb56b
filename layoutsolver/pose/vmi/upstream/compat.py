"""A text as the released compiler takes it: its own checks of the input, its layouts, its verdict."""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.mlir.types import Type
from layoutsolver.pose.vmi.upstream.assign import UpstreamVmi, assign_upstream
from layoutsolver.pose.vmi.upstream.net import Net
from layoutsolver.pose.vmi.upstream.verdict import ENSURES, OK, VERIFIER, Verdict
from layoutsolver.source import Span
from layoutsolver.vmi.agreement import layout_faults
from layoutsolver.vmi.attribute_types import attribute_type_faults
from layoutsolver.vmi.canonical import PREFIX, as_canonical
from layoutsolver.vmi.check import CONTRACT, INVARIANT, UNSUPPORTED, check_types, kind_of_message, replaced_faults
from layoutsolver.vmi.program import VmiProgram

STRIDED_MASKS = ("VMI.CANON.VLOAD.STRIDE", "VMI.CANON.VSTORE.STRIDE.ALL")
"""Canonical rows whose masks come with a granularity, which the check behind the replacement refuses."""

FOREIGN = "VMI typed value is used by an operation that is none of VMI"


def upstream_of(graph: Graph, narrowing: bool = True) -> UpstreamVmi:
    """What the released compiler makes of a program."""
    refused = input_verdict(graph)
    if not refused.ok:
        return UpstreamVmi(refused, None, None, Net())
    program, _ = as_canonical(graph)
    for check in (replaced_verdict, boundary_verdict, assignable_verdict):
        refused = check(program)
        if not refused.ok:
            return UpstreamVmi(refused, None, None, Net())
    found = assign_upstream(program, narrowing)
    return found._replace(verdict=_scope(graph, found)) if found.verdict.ok else found


def refusal(graph: Graph, verdict: Verdict) -> Diagnostic:
    """The message for a program that the released compiler refuses."""
    span = Span(0, 0) if verdict.origin < 0 else graph.ops[verdict.origin].span
    prefix = "" if verdict.message.startswith("VMI-") or verdict.kind[:4] != "VMI-" else f"{verdict.kind}: "
    message = f"the released compiler refuses the program: {prefix}{verdict.message}"
    return Diagnostic("LS0803", "error", message, Label(graph.module.source, span))


def input_verdict(graph: Graph) -> Verdict:
    """What the reader and the verifier say."""
    for node in graph.ops:
        if node.name.startswith(PREFIX) and node.spec is None:
            return Verdict("PARSE", f"custom op '{node.name}' is unknown", node.index)
    refused = first_of(graph, check_types(graph), VERIFIER)
    if not refused.ok:
        parse = (
            graph.ops[refused.origin].name == f"{PREFIX}create_mask" and "counts its active lanes" in refused.message
        )
        return refused._replace(kind="PARSE") if parse else refused
    for node in graph.ops:
        reason = next(layout_faults(graph, node), "") if node.name.startswith(PREFIX) else ""
        if reason:
            return Verdict(VERIFIER, f"'{node.name}' {reason}", node.index)
    return OK


def replaced_verdict(program: VmiProgram) -> Verdict:
    """What the verifier says of the operations that stand for those of the surface."""
    return first_of(program.graph, replaced_faults(program), VERIFIER)


def first_of(graph: Graph, said: list[Diagnostic], kind: str) -> Verdict:
    """The first message of a kind as a verdict."""
    at = {node.span: node.index for node in graph.ops}
    for item in said:
        if kind_of_message(item.message) == kind:
            origin = at.get(item.primary.span, -1) if item.primary is not None else -1
            return Verdict(kind, item.message.removeprefix(f"{kind}: ").replace("`", "'"), origin)
    return OK


def hidden_type(graph: Graph) -> int:
    """The first operation with a type of VMI in an attribute, -1 if there is none."""
    found = attribute_type_faults(graph)
    if not found or found[0].primary is None:
        return -1
    at = found[0].primary.span.start
    return max(node.index for node in graph.ops if node.op.stream.starts[node.op.first] <= at)


def boundary_verdict(program: VmiProgram) -> Verdict:
    """What is said of layouts and granularities that stand in the text."""
    graph = program.graph
    message = "VMI producer boundary requires surface types, without layouts and with masks of open granularity"
    strided = {op.origin for op in program.ops if op.row in STRIDED_MASKS}
    arguments = {function.op: function.arguments for function in graph.functions}
    hidden = hidden_type(graph)
    for index in graph.post_order():
        node = graph.ops[index]
        inner = [value for _, _, values in graph.arguments.get(index, []) for value in values]
        values = (*node.operands, *node.results, *inner, *arguments.get(index, []))
        if any(_is_decided(graph.values[value].type) for value in values):
            return Verdict(INVARIANT, message, index)
        if node.name.removeprefix(PREFIX) in ENSURES or index in strided:
            return Verdict(INVARIANT, message, index)
        if is_foreign(graph, node):
            return Verdict(INVARIANT, FOREIGN, index)
        if index == hidden:
            return Verdict(INVARIANT, "VMI type appears in a non-signature attribute", index)
    return OK


def assignable_verdict(program: VmiProgram) -> Verdict:
    """What the assignment of layouts refuses before it begins: callees that nobody sees, and numbers of channels."""
    graph = program.graph
    said = check_types(graph)
    channels = [graph.ops[op.origin].span for op in program.ops if op.op in ("channel_split", "channel_merge")]
    counted = [item for item in said if item.primary is not None and item.primary.span in channels]
    refused = first_of(graph, said, CONTRACT)
    return first_of(graph, counted, UNSUPPORTED) if refused.ok else refused


def is_foreign(graph: Graph, node: OpNode) -> bool:
    """Whether an operation has vectors and is neither one of VMI nor one of the structure of a program."""
    known = node.name.startswith((PREFIX, "func.", "scf.", "cf.")) or node.name in ("builtin.module", "arith.select")
    values = (*node.operands, *node.results)
    return not known and any(isinstance(graph.values[one].type, VmiVectorType | VmiMaskType) for one in values)


def _is_decided(known: Type) -> bool:
    """Whether a type states a layout, or what width a mask governs."""
    if isinstance(known, VmiMaskType) and known.bits is not None:
        return True
    return isinstance(known, VmiVectorType | VmiMaskType) and known.layout is not None


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
