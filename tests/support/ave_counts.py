"""What random AVE programs hold, counted: operations by element type, lengths, masks, memory, regions.

Run as `python -m tests.support.ave_counts --count 5000 [--wide]`. What the dialect's verifier takes and no program
holds is named at the end.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.reader import read
from layoutsolver.mlir.types import MemRefType, VectorType
from layoutsolver.ops.ave import AVE_OPS, ENUMERATORS
from layoutsolver.source import SourceFile
from tests.support.ave_programs import sampled, sampling

ELEMENTS = ("i8", "i16", "i32", "i64", "f8E4M3FN", "f8E5M2", "f16", "bf16", "f32")
_INTEGERS = ELEMENTS[:4]
_ARITHMETIC = {
    "vadd": ELEMENTS, "vmax": ELEMENTS, "vsel": ELEMENTS, "vcmp": ELEMENTS, "reduction": ELEMENTS, "vload": ELEMENTS,
    "masked_store": ELEMENTS, "broadcast": ELEMENTS, "scalar_broadcast": ELEMENTS, "vector_broadcast": ELEMENTS,
    "vintlv": ELEMENTS[:3], "vdintlv": ELEMENTS[:3], "vgather": ELEMENTS, "store_with_stride": ELEMENTS[:3],
    "vshl": _INTEGERS[:3], "vshr": _INTEGERS[:3], "vshls": _INTEGERS[:3], "vci": ("i8", "i16", "i32", "f16", "f32"),
    "vcmps": ("i8", "i16", "i32", "f16", "f32"), "vadds": ("i8", "i16", "i32", "f16", "f32"),
    "unaligned.masked.store": ELEMENTS[:3], "vscatter": ELEMENTS[:3],
}  # fmt: skip
_WITHOUT_MEANING = frozenset(
    {"BDINTLV", "UNPK_B32", "US", "DS", "PK", "PK_B64", "SPLT4CHN_B8", "SPLT2CHN_B8", "SPLT2CHN_B16", "INTLV_B8",
     "INTLV_B16", "INTLV_B32", "MRG4CHN_B8", "MRG2CHN_B8", "MRG2CHN_B16"}
)  # fmt: skip
"""Distributions of loads and stores that the documents leave open, or that are for 64-bit lanes or two registers."""

KINDS = (
    *(f"{role} {kind}" for role in ("load", "store") for kind in (
        "plain", "of two dimensions", "strided", "with an offset", "of a dynamic extent", "unaligned",
        "of predicates")),
    *(f"mask from {name}" for name in (
        "pge", "plt", "pltm", "vload", "scalar_broadcast", "preg.and", "preg.or", "preg.xor", "preg.not", "preg.cast",
        "vcmp", "vcmps", "vsel", "cast", "argument", "constant", "loop", "branch", "call", "layout_cast")),
    "mask longer than its data", "mask shorter than its data", "loop that carries predicates", "loop in a loop",
    "loop in a branch", "branch in a loop", "branch with results", "branch with predicates", "loop that does not run",
    "vector that is returned", "vector that is an argument", "call of a call", "several functions",
    "buffer loaded and stored", "buffer stored twice", "view of a buffer", "vectors of several lengths",
)  # fmt: skip
"""What is counted besides operations."""


def counted(text: str) -> set[str]:
    """What a program holds, each kind once."""
    graph, _ = build_graph(read(SourceFile("counted.mlir", text)))
    return set(_all(graph))


def wanted() -> list[str]:
    """What some program ought to hold."""
    names = [spec.name.removeprefix("ave.hir.") for spec in AVE_OPS]
    out = [f"op {name}" for name in names]
    out += [f"op {name} of {element}" for name, elements in _ARITHMETIC.items() for element in elements]
    out += [f"op {name} <{choice}>" for (name, _), choices in ENUMERATORS.items() for choice in choices
            if choice not in _WITHOUT_MEANING]  # fmt: skip
    return out + list(KINDS)


def _all(graph: Graph) -> Iterator[str]:
    lengths = {value.vector.lanes for value in graph.values if value.vector is not None and value.vector.bits != 1}
    if len(lengths) > 2:
        yield "vectors of several lengths"
    bodies = [function for function in graph.functions if function.has_body]
    if len(bodies) > 1:
        yield "several functions"
    for function in bodies:
        if graph.vectors(function.arguments):
            yield "vector that is an argument"
    accessed: dict[int, list[str]] = {}
    callers = {graph.ops[call].function for call in graph.calls}
    known = {function.symbol: number for number, function in enumerate(graph.functions)}
    for call, symbol in graph.calls.items():
        if known.get(symbol) in callers and graph.ops[call].function != known[symbol]:
            yield "call of a call"
    for node in graph.ops:
        if node.name.startswith("ave.hir."):
            yield from _operation(graph, node, accessed)
        yield from _around(graph, node)
    for uses in accessed.values():
        if {"load", "store"} <= set(uses):
            yield "buffer loaded and stored"
        if uses.count("store") > 1:
            yield "buffer stored twice"


def _operation(graph: Graph, node: OpNode, accessed: dict[int, list[str]]) -> Iterator[str]:
    name = node.name.removeprefix("ave.hir.")
    yield f"op {name}"
    yield from (f"op {name} <{choice}>" for choice in node.enums.values())
    data = [vector for value in (*node.operands, *node.results) if (vector := _vector(graph, value)) is not None]
    for vector in data:
        yield f"op {name} of {vector.element.text}"
    mask = node.role("mask")
    held = [vector.lanes for vector in data if vector.bits != 1]
    if mask is not None and held and (own := _vector(graph, mask)) is not None:
        yield f"mask from {_source(graph, mask)}"
        if own.lanes != max(held):
            yield f"mask {'longer' if own.lanes > max(held) else 'shorter'} than its data"
    base = node.role("base")
    if base is None:
        return
    side = "load" if node.results else "store"
    accessed.setdefault(base, []).append(side)
    if name not in ("vload", "masked_store"):
        return
    unaligned = node.attrs is not None and "ave.unaligned_ub_access" in node.op.stream.range_text(*node.attrs)
    yield from (f"{side} {kind}" for kind in _memory(graph, base, unaligned))


def _memory(graph: Graph, base: int, unaligned: bool) -> Iterator[str]:
    type_ = graph.values[base].type
    if not isinstance(type_, MemRefType):
        return
    strided = "strided<" in type_.rest
    yield "strided" if strided else "plain"
    if len(type_.shape) > 1:
        yield "of two dimensions"
    if strided and "offset: 0" not in type_.rest and "offset" in type_.rest:
        yield "with an offset"
    if None in type_.shape:
        yield "of a dynamic extent"
    if unaligned:
        yield "unaligned"
    if type_.element.text == "i1":
        yield "of predicates"


def _around(graph: Graph, node: OpNode) -> Iterator[str]:
    inside = graph.ops[node.parent].name if node.parent >= 0 else ""
    words = {"scf.for": "loop", "scf.if": "branch"}
    if node.name in words and inside in words:
        yield f"{words[node.name]} in a {words[inside]}"
    if node.name == "scf.if" and node.results:
        yield "branch with results"
        if any((vector := _vector(graph, value)) is not None and vector.bits == 1 for value in node.results):
            yield "branch with predicates"
    if node.name == "scf.for" and (loop := graph.loops.get(node.index)) is not None:
        if any((vector := _vector(graph, one[1])) is not None and vector.bits == 1 for one in loop.carried):
            yield "loop that carries predicates"
        low, high = (graph.constants.get(bound) for bound in loop.bounds[:2])
        if low is not None and high is not None and low >= high:
            yield "loop that does not run"
    if node.name in ("memref.subview", "memref.reinterpret_cast", "memref.cast"):
        yield "view of a buffer"
    if node.name in ("func.return", "return") and graph.vectors(node.operands):
        yield "vector that is returned"


def _source(graph: Graph, mask: int) -> str:
    op = graph.values[mask].op
    if op < 0:
        arguments = {value for function in graph.functions for value in function.arguments}
        return "argument" if mask in arguments else "loop"
    name = graph.ops[op].name.removeprefix("ave.hir.")
    return {
        "builtin.unrealized_conversion_cast": "cast", "vector.layout_cast": "layout_cast", "arith.constant": "constant",
        "scf.for": "loop", "scf.if": "branch", "func.call": "call", "call": "call",
    }.get(name, name)  # fmt: skip


def _vector(graph: Graph, value: int) -> VectorType | None:
    return graph.values[value].vector if value >= 0 else None


def main(argv: Sequence[str] | None = None) -> int:
    """Print the counts; 1 if something that is wanted never occurs in wide programs."""
    parser = sampling(__doc__, count=500, size=6, bias=0.8)
    parser.add_argument("--wide", action="store_true", help="programs beyond what the released analyzer takes")
    options = parser.parse_args(argv)
    found: Counter[str] = Counter()
    for _, text in sampled(options, options.wide):
        found.update(counted(text))
    for kind in wanted():
        print(f"{found[kind]:6} {kind}")
    missing = [kind for kind in wanted() if not found[kind]]
    print(f"never: {', '.join(missing) or 'nothing'}")
    return 1 if options.wide and missing else 0


if __name__ == "__main__":
    sys.exit(main())
