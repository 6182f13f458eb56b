"""The attributes behind the region of a loop or a fusion region."""

from __future__ import annotations

from layoutsolver.graph.model import OpNode
from layoutsolver.ops.assembly import attribute_entries, skip_bracket

PROVENANCE = ("pto.tilelib.", "pto.vmi.fusion.", "pto.vmi.resource.")
"""How the names of attributes begin that say where a loop comes from. Source: fusion spec 1.3."""


def region_attributes(node: OpNode) -> dict[str, str]:
    """The attributes that are printed behind the last region of an operation, each with its text (`name = value`)."""
    op = node.op
    if not op.regions:
        return {}
    texts = op.stream.texts
    at = op.regions[-1].last
    while at < op.last and texts[at] in (")", "attributes"):
        at += 1
    if at >= op.last or texts[at] != "{":
        return {}
    entries = attribute_entries(op, (at, skip_bracket(texts, at, op.last)))
    return {name: op.stream.range_text(first, last) for name, (first, last) in entries.items()}


def semantic_attributes(node: OpNode) -> dict[str, str]:
    """Those that say what a loop is, without where it comes from."""
    return {name: text for name, text in region_attributes(node).items() if not name.strip('"').startswith(PROVENANCE)}


def common_attributes(nodes: tuple[OpNode, ...]) -> list[str]:
    """The texts of the attributes that all operations have alike, in the order of the first."""
    first, *rest = (region_attributes(node) for node in nodes)
    return [text for name, text in first.items() if all(other.get(name) == text for other in rest)]
