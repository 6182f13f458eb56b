"""The architecture that a program of PTO is written for."""

from __future__ import annotations

from layoutsolver.graph.model import Graph
from layoutsolver_models.targets.chip import RegisterLimits, registers_of_arch

ATTRIBUTE = "pto.target_arch"


def arch_of(graph: Graph) -> str:
    """The architecture that a module names, empty if it names none."""
    texts = graph.module.stream.texts
    for at in range(len(texts) - 2):
        if texts[at] == ATTRIBUTE and texts[at + 1] == "=":
            return texts[at + 2].strip('"')
    return ""


def registers_of(graph: Graph) -> RegisterLimits | None:
    """How many registers that architecture has, None if it is not known."""
    return registers_of_arch(arch_of(graph))
