"""The layout question as plain data: values with domains, relations with rows, ties, pins, an order of preference.

A problem knows nothing of any IR; a `Where` rides along as provenance. `layoutsolver_models.problems.json` turns
problems and solutions into JSON and back, with these very classes as the schema.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

Status = Literal["optimal", "feasible", "infeasible", "unknown"]
Objective = Literal["instructions", "registers", "preference"]


@dataclass(frozen=True, slots=True)
class Where:
    """A place in the source: code point offsets, and line and column from 1."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    start: int
    end: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class LayoutValue:
    """A vector: element width in bits, number of elements, and the layouts it may have, preferred ones first."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    id: str
    bits: int
    lanes: int
    domain: tuple[str, ...]
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One way to run an operation: a layout for each port, the rule that allows it, its cost, its attributes."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    rule: str
    layouts: tuple[str, ...]
    cost: int = 0
    attrs: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """The rows that relations of one kind choose from; `roles` names the ports, in the order of `Row.layouts`."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    roles: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """An operation's constraint: its values must take the layouts of one row of `tables[table]`.

    `values` index `LayoutProblem.values`, port by port; a row's cost counts `weight` times.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    op: str
    table: int
    values: tuple[int, ...]
    weight: int = 1
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Tie:
    """Values that must have one layout, and why."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    values: tuple[int, ...]
    reason: str
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Pin:
    """A value whose layout is fixed by its type or by the user."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    value: int
    layout: str
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A digit of the order of preference: the rank of a value's layout, or the number of a relation's row."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    kind: Literal["value", "relation"]
    index: int


@dataclass(frozen=True, slots=True)
class LayoutProblem:
    """The whole question. Costs are compared first, then `preference`, its first choice being the weightiest.

    `layouts` are all layouts that occur, preferred ones first.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    layouts: tuple[str, ...]
    values: tuple[LayoutValue, ...]
    tables: tuple[Table, ...]
    relations: tuple[Relation, ...]
    ties: tuple[Tie, ...] = ()
    pins: tuple[Pin, ...] = ()
    preference: tuple[Choice, ...] = ()
    objective: tuple[Objective, ...] = ("instructions", "preference")
    schema: Literal["layoutsolver/layout-problem/1"] = "layoutsolver/layout-problem/1"


@dataclass(frozen=True, slots=True)
class LayoutSolution:
    """The answer: a layout for each value, a row for each relation, the cost and how well it is known.

    `layouts` and `rows` are empty unless `status` is `optimal` or `feasible`; `bound` is a proved lower bound of
    the cost; `conflict` lists relations, ties and pins that cannot hold together (by kind and index) where
    `status` is `infeasible`, and `minimal` says that each of them is needed for that.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    status: Status
    layouts: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    cost: int = 0
    bound: int = 0
    conflict: tuple[tuple[Literal["relation", "tie", "pin", "domain"], int], ...] = ()
    minimal: bool = True
    schema: Literal["layoutsolver/layout-solution/1"] = "layoutsolver/layout-solution/1"
