"""The dataflow graph of a program as index arrays: values, operations, loops, functions, calls.

Everything refers to everything else by index, so that propagation over many operations runs on plain lists;
`layoutsolver.graph.view` makes the networkx graph from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from layoutsolver.mlir.tree import Module, Op
from layoutsolver.mlir.types import Type, VectorType
from layoutsolver.source import Span

if TYPE_CHECKING:
    from layoutsolver.ops.assembly import TypeText
    from layoutsolver.ops.spec import OpSpec


class Value:
    """An SSA value: a result (`op` is its operation, `number` the result's) or a block argument (`op` is -1)."""

    __slots__ = ("index", "name", "number", "op", "span", "type")

    def __init__(self, index: int, name: str, type: Type, span: Span, op: int, number: int = 0) -> None:
        self.index = index
        self.name = name
        self.type = type
        self.span = span
        self.op = op
        self.number = number

    @property
    def vector(self) -> VectorType | None:
        """The type if it is a vector, else None."""
        return self.type if isinstance(self.type, VectorType) else None


class OpNode:
    """An operation: operand and result values, the roles of its operands, where it is and how often it runs.

    `operand_tokens` are the tokens of the operands in the text; `types` are the printed types by role; `attrs` the
    token range of its attribute dictionary or None; `attrs_at` the token before which a new one can be put.
    `weight` is the product of the trip counts of the loops around it.
    """

    __slots__ = (
        "attrs",
        "attrs_at",
        "enums",
        "function",
        "index",
        "name",
        "op",
        "operand_tokens",
        "operand_type_texts",
        "operands",
        "parent",
        "result_type_texts",
        "results",
        "roles",
        "spec",
        "types",
        "weight",
    )

    def __init__(
        self,
        index: int,
        op: Op,
        name: str,
        spec: OpSpec | None,
        parent: int,
        function: int,
        weight: int,
        operands: list[int] | None = None,
        operand_tokens: list[int] | None = None,
        roles: list[str] | None = None,
        results: list[int] | None = None,
        types: dict[str, TypeText] | None = None,
        result_type_texts: list[TypeText | None] | None = None,
        operand_type_texts: list[TypeText] | None = None,
        enums: dict[str, str] | None = None,
        attrs: tuple[int, int] | None = None,
        attrs_at: int = -1,
    ) -> None:
        self.index = index
        self.op = op
        self.name = name
        self.spec = spec
        self.parent = parent
        self.function = function
        self.weight = weight
        self.operands: list[int] = [] if operands is None else operands
        self.operand_tokens: list[int] = [] if operand_tokens is None else operand_tokens
        self.roles: list[str] = [] if roles is None else roles
        self.results: list[int] = [] if results is None else results
        self.types: dict[str, TypeText] = {} if types is None else types
        self.result_type_texts: list[TypeText | None] = [] if result_type_texts is None else result_type_texts
        self.operand_type_texts = operand_type_texts
        self.enums: dict[str, str] = {} if enums is None else enums
        self.attrs = attrs
        self.attrs_at = attrs_at

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


class Loop:
    """An `scf.for`: bounds, carried values and its trip count (None where the bounds are not constant).

    `carried[k]` is the tuple (initial value, iter_arg, yielded value, result) of carried value k; yielded is -1
    where the body does not end in a yield.
    """

    __slots__ = ("bounds", "carried", "induction", "op", "trip_count")

    def __init__(
        self,
        op: int,
        induction: int,
        bounds: tuple[int, ...],
        carried: list[tuple[int, int, int, int]],
        trip_count: int | None,
    ) -> None:
        self.op = op
        self.induction = induction
        self.bounds = bounds
        self.carried = carried
        self.trip_count = trip_count


class Function:
    """A `func.func`: its symbol, argument values, whether it has a body, and its `func.return` operations."""

    __slots__ = ("arguments", "has_body", "is_private", "op", "returns", "symbol")

    def __init__(
        self,
        op: int,
        symbol: str,
        arguments: list[int],
        has_body: bool,
        is_private: bool,
        returns: list[int] | None = None,
    ) -> None:
        self.op = op
        self.symbol = symbol
        self.arguments = arguments
        self.has_body = has_body
        self.is_private = is_private
        self.returns: list[int] = [] if returns is None else returns


class Graph:
    """The dataflow graph: `ops` in the order of the text, parents before what they contain.

    `arguments` are the block arguments of operations with regions, loops apart: number of the region, label, values.
    """

    __slots__ = (
        "arguments",
        "branches",
        "calls",
        "constants",
        "functions",
        "loops",
        "module",
        "ops",
        "users",
        "values",
    )

    def __init__(
        self,
        module: Module,
        values: list[Value] | None = None,
        ops: list[OpNode] | None = None,
        users: list[list[tuple[int, int]]] | None = None,
        loops: dict[int, Loop] | None = None,
        functions: list[Function] | None = None,
        calls: dict[int, str] | None = None,
        branches: dict[int, list[int]] | None = None,
        constants: dict[int, int] | None = None,
    ) -> None:
        self.module = module
        self.values: list[Value] = [] if values is None else values
        self.ops: list[OpNode] = [] if ops is None else ops
        self.users: list[list[tuple[int, int]]] = [] if users is None else users
        self.loops: dict[int, Loop] = {} if loops is None else loops
        self.functions: list[Function] = [] if functions is None else functions
        self.calls: dict[int, str] = {} if calls is None else calls
        self.branches: dict[int, list[int]] = {} if branches is None else branches
        self.constants: dict[int, int] = {} if constants is None else constants
        self.arguments: dict[int, list[tuple[int, str, list[int]]]] = {}

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
