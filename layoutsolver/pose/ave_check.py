"""Whether the operands and results of an `ave.hir` operation are of the kinds that it takes."""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph, OpNode, Value
from layoutsolver.mlir.types import MemRefType, OtherType, ScalarType, VectorType
from layoutsolver.ops.spec import Kind

ELEMENT_WIDTHS = frozenset({1, 8, 16, 32, 64})
"""Element widths in bits that `ave.hir` operations take."""

VECTOR_BITS = 2048
"""Bits of a vector; 64-bit elements may take two registers."""


def check_op(graph: Graph, node: OpNode) -> list[Diagnostic]:
    """What is wrong with the types of an operation's values; empty if nothing is."""
    spec = node.spec
    assert spec is not None
    kinds = {role.name: role.kind for role in (*spec.operands, *spec.results)}
    found: list[Diagnostic] = []
    for role, value, token in zip(node.roles, node.operands, node.operand_tokens, strict=True):
        if value < 0:
            continue
        message = _mismatch(graph.values[value], kinds.get(role, Kind.ANY))
        if message is not None:
            span = node.op.token_span(token)
            found.append(_report(graph, node, graph.values[value], message, Label(graph.module.source, span)))
    for role_row, value in zip(spec.results, node.results, strict=False):
        kind = role_row.kind if role_row.name != "new_true_shape" else Kind.INDEX
        message = _mismatch(graph.values[value], kind)
        if message is not None:
            label = Label(graph.module.source, graph.values[value].span)
            found.append(_report(graph, node, graph.values[value], message, label))
    return found


def _report(graph: Graph, node: OpNode, value: Value, message: tuple[str, str], label: Label) -> Diagnostic:
    code, text = message
    secondary = (Label(graph.module.source, node.span, "in this operation"),) if label.span != node.span else ()
    return Diagnostic(code, "error", f"`{node.name}`: `{value.name or 'result'}` {text}", label, secondary)


def _mismatch(value: Value, kind: Kind) -> tuple[str, str] | None:
    """The code and the end of a sentence about the value, None if it is of the kind."""
    type_ = value.type
    if kind is Kind.ANY or (isinstance(type_, OtherType) and not type_.text):
        return None
    if kind in (Kind.VECTOR, Kind.MASK, Kind.INDEX_VECTOR):
        if not isinstance(type_, VectorType):
            return "LS0203", f"has type `{type_.text}`, expected a vector"
        return _vector_mismatch(type_, kind)
    if kind is Kind.MEMREF and not isinstance(type_, MemRefType):
        return "LS0203", f"has type `{type_.text}`, expected a memref"
    if kind is Kind.INDEX and type_.text != "index":
        return "LS0203", f"has type `{type_.text}`, expected `index`"
    if kind is Kind.SCALAR and not isinstance(type_, ScalarType):
        return "LS0203", f"has type `{type_.text}`, expected a scalar"
    return None


def _vector_mismatch(vector: VectorType, kind: Kind) -> tuple[str, str] | None:
    if len(vector.shape) > 1:
        return "LS0305", f"has type `{vector.text}`: an `ave.hir` vector has one dimension at most"
    if kind is Kind.INDEX_VECTOR and vector.element.text == "index":
        return None
    bits = vector.bits
    if bits is None or bits not in ELEMENT_WIDTHS or vector.element.text == "f64":
        return "LS0306", f"has elements of type `{vector.element.text}`; `ave.hir` takes 1, 8, 16, 32 and 64 bits"
    if kind is Kind.MASK and bits != 1:
        return "LS0203", f"has type `{vector.text}`, expected a vector of i1"
    if vector.lanes * bits > VECTOR_BITS * (2 if bits == 64 else 1):
        return "LS0304", f"has {vector.lanes} elements of {bits} bits, more than the 2048 bits of a register"
    return None

