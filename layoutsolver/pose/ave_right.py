"""The rows of an operation's table under which it does what it means.

Most operations do under every row. Those that may not are told here by a glance at the operation; only for them the
lane rules are loaded and asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver_models.problems.layout import Refusal
from layoutsolver_models.vecmem import DOMAINS

if TYPE_CHECKING:
    from layoutsolver.pose.ave import _Poser

KNOWN_PATTERNS = frozenset({1, 2, 3, 4, 8, 16, 32, 64, 128})
"""So many elements `pge` can set by themselves."""

PARTS = {"part_odd": 1, "pp1": 1, "pp2": 2, "pp3": 3}
"""The parts of a conversion that are not the first."""


def right_rows(poser: _Poser, node: OpNode, table: int, values: list[int]) -> int:
    """The number of the table without the rows under which the operation does not do what it means.

    Rows that the values' lengths exclude anyway stay as they are, and those for other widths go as well.
    """
    suspect = _SUSPECTS.get(node.name)
    check = poser.judge.check(node) if suspect is not None and suspect(poser.graph, node) else None
    reasons = poser.tables.refuted.get(node.spec.rule) if node.spec is not None else None
    if check is None and not reasons:
        return table
    refused, foreign = [], []
    known = [poser.values[poser.number[value]] for value in values]
    for place, row in enumerate(poser.tables.tables[table].rows):
        if not all(layout in value.domain for layout, value in zip(row.layouts, known, strict=True)):
            if not all(layout in DOMAINS[value.bits] for layout, value in zip(row.layouts, known, strict=True)):
                foreign.append(place)
            continue
        reason = reasons.get(row.rule) if reasons else None
        if reason and not (node.name == "ave.hir.vgather" and poser.judge.is_excused(node)):
            refused.append(Refusal(row.rule, row.layouts, row.rule, reason))
        elif check is not None and (found := check(dict(zip(values, row.layouts, strict=True)))) is not None:
            refused.append(Refusal(row.rule, row.layouts, found.rule, found.why, found.help))
    return poser.tables.restricted(table, tuple(refused), tuple(foreign)) if refused else table


def _masked(graph: Graph, node: OpNode) -> bool:
    """Whether the mask may have more set than the elements of what it governs; a plain `pge` has not."""
    mask = node.role("mask")
    value = node.role("vector") if node.name == "ave.hir.reduction" else node.role("val")
    if mask is None or value is None:
        return False
    known, data = graph.values[mask].vector, graph.values[value].vector
    op = graph.values[mask].op
    if known is None or data is None or op < 0 or graph.ops[op].enums.get("pattern") != "ALL":
        return True
    lanes = known.lanes
    return lanes > data.lanes or not (lanes in KNOWN_PATTERNS or lanes == 256)


def _store(graph: Graph, node: OpNode) -> bool:
    dist = node.enums.get("dist", "")
    return not dist.startswith("ONEPT") and (_masked(graph, node) or not dist.startswith("NORM"))


def _load(graph: Graph, node: OpNode) -> bool:
    vector = graph.values[node.results[0]].vector if node.results else None
    return vector is not None and (node.enums.get("dist") != "NORM" or (vector.bits == 1 and node.attrs is not None))


def _pattern(graph: Graph, node: OpNode) -> bool:
    return node.enums.get("pattern") in ("H", "Q", None)


def _count(graph: Graph, node: OpNode) -> bool:
    return len(node.results) > 1 and bool(graph.users[node.results[1]])


def part_of(node: OpNode) -> int:
    """The part that a conversion names, 0 where it names none."""
    if node.op.is_generic:
        from layoutsolver.ops.attributes import attributes

        given = attributes(node)
        return PARTS.get(given.get("pp", ""), 0) or PARTS.get(given.get("part", ""), 0)
    if node.enums.get("part") == "part_odd":
        return 1
    texts = node.op.stream.texts[node.attrs[0] : node.attrs[1]] if node.attrs is not None else ()
    return next((PARTS[text] for text in texts if text in PARTS), 0)


def _convert(graph: Graph, node: OpNode) -> bool:
    return part_of(node) != 0


def _last(graph: Graph, node: OpNode) -> bool:
    return node.op.is_generic or node.enums.get("bool") == "false"


def _always(graph: Graph, node: OpNode) -> bool:
    return True


_SUSPECTS: dict[str, Callable[[Graph, OpNode], bool]] = {
    "ave.hir.masked_store": _store, "ave.hir.unaligned.masked.store": _masked, "ave.hir.store_with_stride": _masked,
    "ave.hir.vscatter": _masked, "ave.hir.reduction": _masked, "ave.hir.pge": _pattern, "ave.hir.plt": _count,
    "ave.hir.vload": _load, "ave.hir.vextf": _convert, "ave.hir.vextsi": _convert, "ave.hir.vextui": _convert,
    "ave.hir.vtrunci": _convert, "ave.hir.vtruncf": _convert, "ave.hir.vfptosi": _convert, "ave.hir.vfptoui": _convert,
    "ave.hir.vsitofp": _convert, "ave.hir.vuitofp": _convert, "ave.hir.vintlv": _always, "ave.hir.vdintlv": _always,
    "ave.hir.vpack": _always, "ave.hir.vunpack": _always, "ave.hir.vslide": _always,
    "ave.hir.vector_broadcast": _last,
}  # fmt: skip
"""What tells, by operation, whether the lane rules must be asked; others do what they mean under every row."""
