"""Layouts that do not hold the elements of their vector: the released analyzer does not look, so we do."""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.pose.ave_values import needed_lanes
from layoutsolver.pose.posed import Posed
from layoutsolver_models.problems.layout import LayoutSolution
from layoutsolver_models.vecmem import VECMEM_TYPES, holds


def overfull(posed: Posed, solution: LayoutSolution) -> list[Diagnostic]:
    """A warning for each vector whose chosen layout has fewer slots than the vector has elements in use."""
    graph = posed.graph
    found: list[Diagnostic] = []
    for value, lanes in needed_lanes(graph).items():
        layout = solution.layouts[posed.number[value]]
        if holds(layout, lanes):
            continue
        known = graph.values[value]
        room = VECMEM_TYPES[layout].lanes
        found.append(Diagnostic(
            "LS0104", "warning", f"`{known.name or 'result'}` has {lanes} elements, its layout {layout} holds {room}",
            Label(graph.module.source, known.span, f"holds {room} of {lanes}"),
            notes=("the released analyzer does not check this; elements beyond the register are lost",),
        ))  # fmt: skip
    return found
