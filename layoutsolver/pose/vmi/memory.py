"""What is known of addresses and strides: constants, and what an address is a multiple of."""

from __future__ import annotations

from math import gcd

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.pto_types import PointerType
from layoutsolver.mlir.types import MemRefType, ScalarType
from layoutsolver.vmi.masks import constant_of
from layoutsolver.vmi.program import Constant, Operand, Outside, VmiOp, VmiProgram

BLOCK = 32
"""Bytes of what accesses of whole registers are aligned to."""

_DEPTH = 64
"""So many operations are followed back from an address."""

STRIDES = ("row_stride", "source_group_stride", "block_stride")
BASES = ("source", "destination")


def stride_of(program: VmiProgram, op: VmiOp) -> int | None:
    """The stride between groups in elements, or that of blocks; None if there is none or it is no constant."""
    role = next((role for role in STRIDES if role in op.operands), None)
    return None if role is None else constant_of(program, op.operands[role])


def is_pointer(program: VmiProgram, op: VmiOp) -> bool:
    """Whether memory is given as a pointer and not as a memref."""
    base = base_of(op)
    return not isinstance(base, Outside) or not isinstance(program.graph.values[base.value].type, MemRefType)


def base_of(op: VmiOp) -> Operand | None:
    """The operand that is the base address."""
    found = next((op.operands[role] for role in BASES if role in op.operands), None)
    return found if isinstance(found, Outside) else None


def alignment_of(program: VmiProgram, op: VmiOp) -> int | None:
    """What the address of an access is a multiple of, in bytes; None if that is not known."""
    base = base_of(op)
    if base is None or not isinstance(base, Outside):
        return None
    known = multiple_of_pointer(program.graph, base.value)
    return None if known is None else _with_offset(program, op, base.value, known)


def reach_of(program: VmiProgram, op: VmiOp) -> int | None:
    """The same if pointers that come from elsewhere are multiples of a block, as those of the unified buffer are."""
    base = base_of(op)
    if base is None or not isinstance(base, Outside):
        return None
    known = multiple_of_pointer(program.graph, base.value, elsewhere=BLOCK)
    return None if known is None else _with_offset(program, op, base.value, known)


def _with_offset(program: VmiProgram, op: VmiOp, base: int, known: int) -> int | None:
    """What the address is a multiple of if its base is one of `known`."""
    type_ = program.graph.values[base].type
    element = type_.element if isinstance(type_, PointerType | MemRefType) else None
    size = (element.bits or 8) // 8 if isinstance(element, ScalarType) else 1
    offset = op.operands.get("offset")
    if isinstance(offset, Constant):
        return gcd(known, offset.value * size)
    if isinstance(offset, Outside):
        factor = multiple_of(program.graph, offset.value)
        return None if factor is None else gcd(known, factor * size)
    return known


def multiple_of_pointer(graph: Graph, value: int, depth: int = _DEPTH, elsewhere: int | None = None) -> int | None:
    """What a pointer's address is a multiple of in bytes (0 for address 0), `elsewhere` if it comes from a caller."""
    node = _definition(graph, value)
    if node is None or depth == 0:
        return elsewhere
    if node.name == "pto.castptr":
        inner = graph.values[node.operands[0]].type
        if isinstance(inner, PointerType):
            return multiple_of_pointer(graph, node.operands[0], depth - 1, elsewhere)
        return multiple_of(graph, node.operands[0], depth - 1)
    if node.name == "pto.addptr":
        base = multiple_of_pointer(graph, node.operands[0], depth - 1, elsewhere)
        factor = multiple_of(graph, node.operands[1], depth - 1)
        type_ = graph.values[node.operands[0]].type
        if base is None or factor is None or not isinstance(type_, PointerType):
            return None
        bits = type_.element.bits if isinstance(type_.element, ScalarType) else None
        return gcd(base, factor * (bits or 8) // 8)
    return None


def multiple_of(graph: Graph, value: int, depth: int = _DEPTH) -> int | None:
    """The number whose multiples an index or integer runs through (0 for the number 0), None if that is not known.

    A number that comes from elsewhere than constants, loops, sums and products may be anything: nothing is known of it.
    """
    if value in graph.constants:
        return abs(graph.constants[value])
    if depth == 0:
        return None
    for loop in graph.loops.values():
        if loop.induction == value:
            parts = [multiple_of(graph, bound, depth - 1) for bound in (loop.bounds[0], loop.bounds[2])]
            return None if None in parts else gcd(*(part for part in parts if part is not None))
    node = _definition(graph, value)
    if node is None:
        return None
    inner = [multiple_of(graph, operand, depth - 1) for operand in node.operands]
    if node.name in ("arith.index_cast", "arith.extui", "arith.extsi", "arith.index_castui"):
        return inner[0]
    known = [part for part in inner if part is not None]
    if len(known) < len(inner):
        return None
    if node.name == "arith.muli":
        return known[0] * known[1]
    if node.name in ("arith.addi", "arith.subi"):
        return gcd(*known)
    return None


def _definition(graph: Graph, value: int) -> OpNode | None:
    op = graph.values[value].op
    return graph.ops[op] if op >= 0 else None
