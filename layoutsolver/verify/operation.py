"""What the interpreters need to know of an operation: its attributes by name, and the types of its values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar, cast

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.types import ScalarType, Type, VectorType
from layoutsolver.ops.attributes import attributes
from layoutsolver.verify.values import Value, format_of
from layoutsolver_models.hardware.formats import Format

PREFIX = "ave.hir."
Made = TypeVar("Made")
INTRINSIC = "hivm_regbaseintrins.intr.hivm."

Get: TypeAlias = Callable[[int], Value]
"""What gives the value that a graph value has."""

Run: TypeAlias = Callable[[Get], list[Value]]
"""What runs a decoded operation: its results, from the values of its operands."""


class CannotRunError(Exception):
    """An operation that the interpreters do not know, or not in this form; `node` is its graph index."""

    def __init__(self, node: int, message: str, *notes: str) -> None:
        super().__init__(message)
        self.node = node
        self.notes = notes


class NoLayoutError(CannotRunError):
    """A vector that has to be put into a register, or found there, and whose layout nothing says."""

    def __init__(self, value: int) -> None:
        super().__init__(-1, "its layout is not known")
        self.value = value


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """An operation as it is run: its plain name, its attributes, and the graph that it is part of."""

    graph: Graph
    node: OpNode
    name: str
    attrs: dict[str, str]
    roles: dict[str, list[int]]
    formats: dict[int, Format | None] = field(default_factory=dict)
    memo: dict[str, object] = field(default_factory=dict)

    def value(self, role: str) -> int:
        """The graph value in a role. Raises CannotRunError where there is none."""
        found = self.roles.get(role)
        if found is None or found[0] < 0:
            raise CannotRunError(self.node.index, f"`{self.node.name}` has no operand `{role}`")
        return found[0]

    def values(self, role: str) -> list[int]:
        """All graph values in a role, in order."""
        return self.roles.get(role, [])

    def once(self, key: str, make: Callable[[], Made]) -> Made:
        """What `make` gives for this operation, made once."""
        if key not in self.memo:
            self.memo[key] = make()
        return cast(Made, self.memo[key])

    def type(self, value: int) -> Type:
        """The type of a graph value."""
        return self.graph.values[value].type

    def vector(self, value: int) -> VectorType:
        """The type of a graph value that is a vector. Raises CannotRunError for another."""
        type_ = self.graph.values[value].type
        if not isinstance(type_, VectorType):
            raise CannotRunError(self.node.index, f"`{self.node.name}` takes a vector, not `{type_.text}`")
        return type_

    def scalar(self, value: int) -> ScalarType:
        """The type of a graph value that is a scalar. Raises CannotRunError for another."""
        type_ = self.graph.values[value].type
        if not isinstance(type_, ScalarType):
            raise CannotRunError(self.node.index, f"`{self.node.name}` takes a scalar, not `{type_.text}`")
        return type_

    def format(self, value: int) -> Format | None:
        """The number format of a value's elements, None for i1. Raises CannotRunError where the model has none."""
        known = self.formats.get(value, self)
        if known is not self:
            return cast("Format | None", known)
        type_ = self.graph.values[value].type
        try:
            found = self.formats[value] = format_of(type_)
            return found
        except (KeyError, AttributeError):
            message = f"the hardware model has no number format for `{type_.text}`"
            raise CannotRunError(self.node.index, message) from None

    def data_format(self, value: int) -> Format:
        """The number format of a value's elements, which are no predicate. Raises CannotRunError otherwise."""
        found = self.format(value)
        if found is None:
            raise CannotRunError(self.node.index, f"`{self.node.name}` is not known for masks")
        return found

    def fail(self, message: str, *notes: str) -> CannotRunError:
        """The error that says of this operation that it cannot be run."""
        return CannotRunError(self.node.index, f"`{self.node.name}` {message}", *notes)


def decode(graph: Graph, node: OpNode) -> Operation:
    """An operation of the graph with its attributes."""
    name = node.name.removeprefix(PREFIX)
    roles: dict[str, list[int]] = {}
    for role, value in zip(node.roles, node.operands, strict=True):
        roles.setdefault(role, []).append(value)
    return Operation(graph, node, name, attributes(node), roles)
