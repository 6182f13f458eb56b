"""Casts whose meaning only the passes know that made them: some function of what they take, the same in two programs.

Two programs that cast the same number must go on with the same number, whatever that is. So the result is told by the
operand and the two types, and looks like any other number.
"""

from __future__ import annotations

from hashlib import blake2b

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.operation import Operation
from layoutsolver.verify.pto.values import Get, PtoValue
from layoutsolver.verify.values import Scalar

CAST = "builtin.unrealized_conversion_cast"


def is_unknown_cast(graph: Graph, node: OpNode) -> bool:
    """Whether an operation is such a cast from scalars to scalars of known width."""
    types = [graph.values[value].type for value in (*node.operands, *node.results)]
    known = all(isinstance(one, ScalarType) and one.bits is not None for one in types)
    return node.name == CAST and bool(node.operands) and known


def run_unknown_cast(op: Operation, get: Get) -> list[PtoValue] | None:
    """The numbers that a cast of unknown meaning makes, None for another operation."""
    if not is_unknown_cast(op.graph, op.node):
        return None
    taken = [value for value in map(get, op.node.operands) if isinstance(value, Scalar)]
    if len(taken) != len(op.node.operands):
        raise op.fail("takes what is no number")
    given = ";".join(f"{value.type.text}:{value.bits}" for value in taken)
    out: list[PtoValue] = []
    for place, value in enumerate(op.node.results):
        type_ = op.type(value)
        assert isinstance(type_, ScalarType)
        said = blake2b(f"{given}->{place}:{type_.text}".encode(), digest_size=8).digest()
        bits = int.from_bytes(said, "little") % (1 << (type_.bits or 64))
        out.append(Scalar(type_, bits, all(one.defined for one in taken)))
    return out
