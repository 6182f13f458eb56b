"""Why two regions, or two loops, were not put together: the rule, what shows it, and where."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph, OpNode


class Apart(NamedTuple):
    """Two operations that stay apart: the rule, a sentence, and the operations that show it, each with its text."""

    first: OpNode
    second: OpNode
    rule: str
    text: str
    shown: tuple[tuple[OpNode, str], ...] = ()
    notes: tuple[str, ...] = ()


def message(graph: Graph, one: Apart, code: str) -> Diagnostic:
    """What is said of it: the later operation is marked, then the earlier one, then what shows the rule."""
    source = graph.module.source
    labels: list[Label] = [Label(source, one.first.span, "the other one")]
    for node, text in one.shown:
        if node.index not in (one.first.index, one.second.index):
            labels.append(Label(source, node.span, text))
    label = next((text for node, text in one.shown if node.index == one.second.index), "")
    first = next((text for node, text in one.shown if node.index == one.first.index), "")
    if first:
        labels[0] = Label(source, one.first.span, first)
    return Diagnostic(
        code, "note", f"{one.rule}: {one.text}", Label(source, one.second.span, label), tuple(labels), one.notes
    )
