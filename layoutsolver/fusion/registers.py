"""The registers that values take."""

from __future__ import annotations

from layoutsolver.graph.model import Graph
from layoutsolver.mlir.pto_types import VmiVectorType
from layoutsolver_models.vecmem import REGISTER_BYTES

_BITS = 8 * REGISTER_BYTES


def registers_of(graph: Graph, value: int) -> int:
    """The vector registers that a value takes; none for what is no vector."""
    type_ = graph.values[value].type
    return -(-type_.lanes * type_.bits // _BITS) if isinstance(type_, VmiVectorType) else 0
