"""A program as it is run: its graph, at which level it stands, and what its layouts are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from layoutsolver.graph.model import Graph
from layoutsolver.pose.posed import Posed
from layoutsolver.verify.intrin.unit import Intrinsics
from layoutsolver.verify.logical import Logical
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.machine import Unit
from layoutsolver.verify.operation import Operation
from layoutsolver.verify.physical import Physical
from layoutsolver_models.problems.layout import LayoutSolution

Level = Literal["plain", "layouts", "intrinsics"]
LEVELS: tuple[Level, ...] = ("plain", "layouts", "intrinsics")
"""The levels, the most abstract one first."""


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A program at a level: vectors as their elements, as registers with layouts, or as whatever intrinsics leave.

    `layouts` is the layout of each graph value (of intrinsics: of those that pass to and from the outside), `dists` the
    functionType of each operation, by graph indices; `operations` are those that were decoded in some run.
    """

    graph: Graph
    level: Level
    layouts: Mapping[int, str] = field(default_factory=dict)
    dists: Mapping[int, str] = field(default_factory=dict)
    is_950: bool = False
    operations: dict[int, Operation] = field(default_factory=dict)

    def unit(self, ram: LogicalMemory, lenient: bool = False, exact_masks: bool = False, traced: bool = False) -> Unit:
        """What runs its vector operations on a memory."""
        if self.level == "plain":
            return Logical(ram, lenient)
        if self.level == "layouts":
            return Physical(ram, self.layouts, self.dists, self.is_950, lenient, exact_masks, traced)
        return Intrinsics(ram, self.layouts, self.dists, self.is_950, lenient, traced)

    @property
    def name(self) -> str:
        """The name of the file that it stands in."""
        return self.graph.module.source.name

    def dist(self, node: int) -> str:
        """The functionType of an operation, empty where it has none or does not use it."""
        return self.dists.get(node, "") if self.level != "plain" else ""


def plain_program(graph: Graph) -> Program:
    """A program before layout, whatever layouts it carries."""
    return Program(graph, "plain")


def solved_program(posed: Posed, solution: LayoutSolution) -> Program:
    """A program with the layouts of a solution."""
    layouts = {value: solution.layouts[number] for value, number in posed.number.items()}
    return Program(posed.graph, "layouts", layouts, functiontypes(posed, solution), posed.chip == "ascend950")


def functiontypes(posed: Posed, solution: LayoutSolution) -> dict[int, str]:
    """The functionType of each operation that has one, by graph index."""
    return dict(_functiontypes(posed, solution))


def _functiontypes(posed: Posed, solution: LayoutSolution) -> Iterator[tuple[int, str]]:
    for number, row in enumerate(solution.rows):
        attrs = posed.problem.tables[posed.problem.relations[number].table].rows[row].attrs
        if "functionType" in attrs:
            yield posed.op_of_relation[number], attrs["functionType"]
