"""Types of VMI inside attributes, where no pass that gives layouts or takes the types away reaches them."""

from __future__ import annotations

from collections.abc import Iterator

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.tree import Op
from layoutsolver.ops.assembly import attribute_entries, skip_bracket
from layoutsolver.source import Span

SIGNATURES = frozenset({"function_type"})
"""Attributes whose types are those of a function's arguments and results, and change with them."""

_TYPES = ("!pto.vmi.vreg", "!pto.vmi.mask")


def attribute_type_faults(graph: Graph) -> list[Diagnostic]:
    """A message for each attribute that speaks of a vector or mask of VMI, at its name."""
    out: list[Diagnostic] = []
    for node in graph.ops:
        stream = node.op.stream
        for name, first in _entries(node.op):
            message = f"VMI-PASS-INVARIANT: a type of VMI stands in the attribute `{name}` of `{node.name}`"
            note = "layouts are given to values: this type would keep none, and stay when the program is lowered"
            label = Label(graph.module.source, Span(stream.starts[first], stream.end(first)))
            out.append(Diagnostic("LS0801", "error", message, label, notes=(note,)))
    return out


def _entries(op: Op) -> Iterator[tuple[str, int]]:
    """The names of attributes with such types, each with its token."""
    texts = op.stream.texts
    inside = {region.first: region.last for region in op.regions}
    at = op.name_token + 1
    while at < op.last:
        if at in inside:
            at = inside[at]
        elif texts[at] == "{":
            behind = skip_bracket(texts, at, op.last)
            for name, (first, last) in attribute_entries(op, (at, behind)).items():
                if name not in SIGNATURES and any(text.startswith(_TYPES) for text in texts[first + 1 : last]):
                    yield name, first
            at = behind
        else:
            at += 1
