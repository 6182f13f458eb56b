"""The dataflow graph of a program as index arrays: values, operations, loops, functions, calls.

Everything refers to everything else by index, so that propagation over many operations runs on plain lists;
`layoutsolver.graph.view` makes the networkx graph from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from layoutsolver.mlir.tree import Module, Op
from layoutsolver.mlir.types import Type, VectorType
from layoutsolver.source import Span

if TYPE_CHECKING:
    from layoutsolver.ops.assembly import TypeText
    from layoutsolver.ops.spec import OpSpec


@dataclass(slots=True, eq=False)
class Value:
    """An SSA value: a result (`op` is its operation, `number` the result's) or a block argument (`op` is -1)."""

    index: int
    name: str
    type: Type
    span: Span
    op: int
    number: int = 0

    @property
    def vector(self) -> VectorType | None:
        """The type if it is a vector, else None."""
        return self.type if isinstance(self.type, VectorType) else None


@dataclass(slots=True, eq=False)
class OpNode:
    """An operation: operand and result values, the roles of its operands, where it is and how often it runs.

    `operand_tokens` are the tokens of the operands in the text; `types` are the printed types by role; `attrs` the
    token range of its attribute dictionary or None; `attrs_at` the token before which a new one can be put.
    `weight` is the product of the trip counts of the loops around it.
    """

    index: int
    op: Op
    name: str
    spec: OpSpec | None
    parent: int
    function: int
    weight: int
    operands: list[int] = field(default_factory=list)
    operand_tokens: list[int] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    results: list[int] = field(default_factory=list)
    types: dict[str, TypeText] = field(default_factory=dict)
    result_type_texts: list[TypeText | None] = field(default_factory=list)
    operand_type_texts: list[TypeText] | None = None
    enums: dict[str, str] = field(default_factory=dict)
    attrs: tuple[int, int] | None = None
    attrs_at: int = -1

    @property
    def span(self) -> Span:
        """Where messages about the operation point: its name."""
        return self.op.name_span

    def role(self, name: str) -> int | None:
        """The value in the first operand of that role, None if there is none."""
        for role, value in zip(self.roles, self.operands, strict=True):
            if role == name:
                return value
        return None


@dataclass(slots=True, eq=False)
class Loop:
    """An `scf.for`: bounds, carried values and its trip count (None where the bounds are not constant).

    `carried[k]` is the tuple (initial value, iter_arg, yielded value, result) of carried value k; yielded is -1
    where the body does not end in a yield.
    """

    op: int
    induction: int
    bounds: tuple[int, ...]
    carried: list[tuple[int, int, int, int]]
    trip_count: int | None


@dataclass(slots=True, eq=False)
class Function:
    """A `func.func`: its symbol, argument values, whether it has a body, and its `func.return` operations."""

    op: int
    symbol: str
    arguments: list[int]
    has_body: bool
    is_private: bool
    returns: list[int] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Graph:
    """The dataflow graph: `ops` in the order of the text, parents before what they contain."""

    module: Module
    values: list[Value] = field(default_factory=list)
    ops: list[OpNode] = field(default_factory=list)
    users: list[list[tuple[int, int]]] = field(default_factory=list)
    loops: dict[int, Loop] = field(default_factory=dict)
    functions: list[Function] = field(default_factory=list)
    calls: dict[int, str] = field(default_factory=dict)
    branches: dict[int, list[int]] = field(default_factory=dict)
    constants: dict[int, int] = field(default_factory=dict)

    def function_by_symbol(self) -> dict[str, Function]:
        """The functions by their symbols (`@f`)."""
        return {function.symbol: function for function in self.functions}

    def vectors(self, values: list[int]) -> list[int]:
        """Those of the values that are vectors."""
        known = self.values
        return [value for value in values if value >= 0 and isinstance(known[value].type, VectorType)]

    def post_order(self) -> list[int]:
        """All operations, each behind those nested in it, otherwise in the order of the text."""
        out: list[int] = []
        stack: list[int] = []
        for node in self.ops:
            while stack and stack[-1] != node.parent:
                out.append(stack.pop())
            stack.append(node.index)
        out.extend(reversed(stack))
        return out
