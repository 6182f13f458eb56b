"""Views of memory in `pto` programs, global and unified: a memref is the address of its first element here."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from layoutsolver.mlir.pto_types import PointerType
from layoutsolver.mlir.types import MemRefType, ScalarType
from layoutsolver.verify.buffers import static_and_dynamic, strides_of
from layoutsolver.verify.operation import Operation
from layoutsolver.verify.pto.values import Get, Pointer, PtoValue
from layoutsolver.verify.values import Value

_SAME = frozenset({"memref.cast", "memref.memory_space_cast", "pto.tensor_view_addr", "pto.tile_buf_addr"})
"""Views of the same elements from the same address on."""

_PARTS = frozenset({"memref.reinterpret_cast", "memref.subview"})
"""Views that may begin behind what they are of."""


def run_view(op: Operation, get: Get) -> list[PtoValue] | None:
    """The address that a view begins at, None for another operation. Raises CannotRunError.

    Source: the document of the dialect `memref`; PTO ISA document, addresses of tiles and of tensor views.
    """
    name = op.node.name
    if name not in _SAME | _PARTS or not op.node.operands or not op.node.results:
        return None
    base = get(op.node.operands[0])
    if not isinstance(base, Pointer):
        raise op.fail("is of no memory that is known")
    known = op.type(op.node.results[0])
    element = known.element if isinstance(known, MemRefType | PointerType) else None
    if not isinstance(element, ScalarType):
        raise op.fail("makes no address of known elements")
    behind = _behind(op, get) if name in _PARTS else 0
    return [Pointer(base.allocation, base.offset + behind * (base.element.bits or 8) // 8, element)]


def _behind(op: Operation, get: Get) -> int:
    """How many elements of its source a view begins behind the first of them."""
    source = op.type(op.node.operands[0])
    offsets, _, _ = static_and_dynamic(op, cast(Callable[[int], Value], get))
    if not isinstance(source, MemRefType):
        raise op.fail("is of no memref")
    sizes = tuple(size or 0 for size in source.shape)
    try:
        first, strides = strides_of(source, sizes)
    except ValueError:
        raise op.fail("is of a memref whose layout is not understood") from None
    if op.node.name == "memref.reinterpret_cast":
        if first or "offset: ?" in source.rest.replace("offset:?", "offset: ?"):
            raise op.fail("counts from the beginning of a memref that begins somewhere else")
        return sum(offsets)
    if "?" in source.rest.partition("]")[0] or any(size is None for size in source.shape[1:]):
        raise op.fail("is of a memref whose rows are as long as nobody says")
    if len(offsets) != len(strides):
        raise op.fail("has offsets that do not fit its source")
    return sum(offset * stride for offset, stride in zip(offsets, strides, strict=True))
