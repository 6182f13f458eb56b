"""A VMI program in canonical form: what the layout question is put on, and what lowering starts from.

Operations stand in the order of the text. Several may stand for one of the text; what is no VMI operation stays in the
graph and is referred to.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.graph.model import Graph


class VmiValue(NamedTuple):
    """A logical vector or mask.

    `element` is the name of the element type and `bits` its width; of a mask, `bits` is the width of the elements that
    it governs where the text fixes that, else 0. `layout` is the short name of the layout that the type carries, empty
    if it carries none. `op` is the operation that makes it, -1 for what control flow or a caller brings; `weight` says
    how often its place runs. `graph_value` is -1 where the text has no such value.
    """

    number: int
    name: str
    is_mask: bool
    lanes: int
    element: str
    bits: int
    layout: str
    op: int
    weight: int
    graph_value: int


class Constant(NamedTuple):
    """A number that the text does not name."""

    value: int


class Outside(NamedTuple):
    """A value of the graph that is no vector: a pointer, an index, a scalar."""

    value: int


class StepScalar(NamedTuple):
    """A scalar that a canonical operation makes."""

    op: int
    result: str


Operand = VmiValue | Constant | Outside | StepScalar


class VmiOp(NamedTuple):
    """A canonical operation: its mnemonic, operands and results by role, attributes.

    `origin` is the operation of the graph that it comes from and `row` the canonical row by which, empty where it
    stands in the text as it is. It is put before the operation `before` of the graph, which is its origin or a loop
    around that; `weight` says how often that place runs.
    """

    number: int
    op: str
    operands: dict[str, Operand]
    results: dict[str, VmiValue]
    attrs: dict[str, int | str]
    origin: int
    weight: int
    row: str = ""
    before: int = -1

    def vectors(self) -> dict[str, VmiValue]:
        """The operands that are vectors or masks, by role."""
        return {role: operand for role, operand in self.operands.items() if isinstance(operand, VmiValue)}


class Join(NamedTuple):
    """Values that control flow makes one: `sources` flow into `targets`, all in one layout; `tie` is the rule's id."""

    sources: tuple[int, ...]
    targets: tuple[int, ...]
    tie: str
    origin: int


class VmiProgram(NamedTuple):
    """A program: its graph, canonical operations, values by number, joins, and the values of callers and returns.

    `arguments` are values that a function's caller brings, `returned` those that it gets back: what all returns of a
    function give at one place stands together.
    """

    graph: Graph
    ops: list[VmiOp]
    values: list[VmiValue]
    joins: list[Join]
    arguments: list[int]
    returned: list[tuple[int, ...]]
    by_graph_value: dict[int, int]

    def users(self) -> list[list[tuple[int, str]]]:
        """For each value, the operations and roles that use it."""
        out: list[list[tuple[int, str]]] = [[] for _ in self.values]
        for op in self.ops:
            for role, value in op.vectors().items():
                out[value.number].append((op.number, role))
        return out
