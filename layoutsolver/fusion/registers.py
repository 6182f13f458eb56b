"""The registers that values take."""

from __future__ import annotations

from layoutsolver.graph.model import Graph
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver_models.vecmem import REGISTER_BYTES

_BITS = 8 * REGISTER_BYTES


def registers_of(graph: Graph, value: int) -> tuple[int, int]:
    """The vector registers and the predicate registers that a value takes.

    A predicate is counted once for each register of the vectors that it governs; its type does not tell their width,
    so lanes of 32 bits are assumed where it says `pred`.
    """
    type_ = graph.values[value].type
    if isinstance(type_, VmiVectorType):
        return -(-type_.lanes * type_.bits // _BITS), 0
    if isinstance(type_, VmiMaskType):
        return 0, -(-type_.lanes * (type_.bits or 32) // _BITS)
    return 0, 0
