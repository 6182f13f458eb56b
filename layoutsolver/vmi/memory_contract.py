"""What operations of VMI ask of the memory that they reach: its space, its elements, how these lie.

Source: section 1.3, and what the verifier says of each operation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.pto_types import PointerType, VmiVectorType, space_of
from layoutsolver.mlir.types import MemRefType, ScalarType, Type
from layoutsolver.ops.attributes import attributes
from layoutsolver.vmi.canonical import PREFIX, kind_of
from layoutsolver_models.rules.vmi.memory import UNIFIED_BUFFER_BYTES

_BASES = ("source", "destination")
_STRIDES = ("stride", "row_stride", "source_group_stride")
_STORED = ("value", "low", "high")
_INDEXED = {"vgather": "offsets", "vscatter": "offsets", "gather": "indices", "scatter": "indices"}
_GROUPS = ("group", "num_groups")
_STRIDED = re.compile(r"strided<\s*\[([^\]]*)\]\s*(?:,\s*offset\s*:\s*([^>]*))?>")


def memory_faults(graph: Graph, node: OpNode, name: str, attrs: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with the memory of an operation, one sentence without a subject for each fault."""
    by_role = {role: graph.values[value].type for role, value in zip(node.roles, node.operands, strict=True)}
    bases = [by_role[role] for role in _BASES if role in by_role]
    for known in bases:
        space = space_of(known)
        if space not in ("", "ub"):
            what = "pointer into" if isinstance(known, PointerType) else "memref in"
            yield f"reaches memory of `ub` alone, and this is a {what} `{space}`"
        if isinstance(known, MemRefType):
            yield from _row(known)
    results = [graph.values[value].type for value in node.results]
    pointer = next((known for known in bases if isinstance(known, PointerType)), None)
    stored = [by_role[role] for role in _STORED if role in by_role]
    vectors = [known for known in (*stored, *results) if isinstance(known, VmiVectorType)]
    if pointer is None:
        return
    grouped = any(key in attrs for key in _GROUPS)
    for known in vectors:
        if known.element.text.lstrip("u") == pointer.element.text.lstrip("u"):
            continue
        if not (grouped and stored and _low_bytes(known, pointer)):
            yield f"has elements of type {known.element.text} in memory of {pointer.element.text}"
    if len({known.lanes for known in vectors}) > 1:
        yield f"has vectors of {' and '.join(str(known.lanes) for known in vectors)} elements"
    offsets = by_role.get(_INDEXED.get(name, ""))
    if isinstance(offsets, VmiVectorType) and (
        kind_of(offsets.element.text) not in ("i", "ui") or offsets.bits not in (16, 32)
    ):
        yield f"takes offsets of 16 or 32 bits without a sign, not {offsets.element.text}"


def _row(known: MemRefType) -> Iterator[str]:
    """A memref whose elements do not lie in a row, from its address on."""
    found = _STRIDED.search(known.rest)
    if found is None:
        return
    row = 1
    for size, text in zip(reversed(known.shape), reversed(found[1].split(",")), strict=False):
        if text.strip() != str(row) and size != 1:
            yield f"VMI-UNSUPPORTED: reaches elements that lie in a row, and those of `{known.text}` do not"
            return
        row *= size or 1
    if (found[2] or "0").strip() != "0":
        beside = f"and those of `{known.text}` begin somewhere behind it"
        yield f"VMI-UNSUPPORTED: reaches elements from an address on, {beside}"


def _low_bytes(known: VmiVectorType, pointer: PointerType) -> bool:
    """Whether a store of groups is of words into memory of bytes, which takes the lowest of each."""
    element = pointer.element
    whole = kind_of(known.element.text) != "float" and kind_of(element.text) != "float"
    return isinstance(element, ScalarType) and whole and (known.bits, element.bits) == (32, 8)


def extent_faults(graph: Graph) -> list[Diagnostic]:
    """A message for each access whose groups lie too far apart for the unified buffer, wherever it begins."""
    out: list[Diagnostic] = []
    for node in graph.ops:
        if not node.name.startswith(PREFIX) or node.spec is None:
            continue
        extent = _extent(graph, node)
        if extent > UNIFIED_BUFFER_BYTES:
            message = (
                f"VMI-UNSUPPORTED: `{node.name}` reaches over {extent} bytes from its first group to its last, "
                f"and the unified buffer has {UNIFIED_BUFFER_BYTES}"
            )
            out.append(Diagnostic("LS0801", "error", message, Label(graph.module.source, node.span)))
    return out


def _extent(graph: Graph, node: OpNode) -> int:
    """The bytes from the first element of the first group to that of the last; 0 where the stride is no constant."""
    by_role = dict(zip(node.roles, node.operands, strict=True))
    stride = next((by_role[role] for role in _STRIDES if role in by_role), None)
    base = next((graph.values[by_role[role]].type for role in _BASES if role in by_role), None)
    if stride is None or stride not in graph.constants or not isinstance(base, PointerType | MemRefType):
        return 0
    attrs = attributes(node)
    groups = next((int(attrs[key]) for key in _GROUPS if attrs.get(key, "").isdigit()), 1)
    return (groups - 1) * abs(graph.constants[stride]) * _bytes(base.element)


def _bytes(element: Type) -> int:
    return (element.bits or 8) // 8 if isinstance(element, ScalarType) else 1
