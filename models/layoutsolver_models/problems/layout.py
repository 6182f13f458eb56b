"""The layout question as plain data: values with domains, relations with rows, ties, pins, an order of preference.

A problem knows nothing of any IR; a `Where` rides along as provenance. `layoutsolver_models.problems.json` turns
problems and solutions into JSON and back, with these very classes as the schema.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from layoutsolver_models.problems.record import as_json_object

Status = Literal["optimal", "feasible", "infeasible", "unknown"]
Objective = Literal["instructions", "registers", "preference"]
Group = tuple[Literal["relation", "tie", "pin", "domain"], int]
"""A constraint of a problem by kind and number."""


@as_json_object
class Where(NamedTuple):
    """A place in the source: code point offsets, and line and column from 1."""

    start: int
    end: int
    line: int
    column: int


@as_json_object
class LayoutValue(NamedTuple):
    """A vector: element width in bits, number of elements, and the layouts it may have, preferred ones first."""

    id: str
    bits: int
    lanes: int
    domain: tuple[str, ...]
    where: Where | None = None


@as_json_object
class Row(NamedTuple):
    """One way to run an operation: a layout for each port, the rule that allows it, its cost, its attributes."""

    rule: str
    layouts: tuple[str, ...]
    cost: int = 0
    attrs: dict[str, str] = {}  # noqa: RUF012 (nobody changes it)


@as_json_object
class Refusal(NamedTuple):
    """A row that is no choice, the rule that speaks against it, why, and what would help (empty if nothing does)."""

    rule: str
    layouts: tuple[str, ...]
    by: str
    why: str
    help: str = ""


@as_json_object
class Table(NamedTuple):
    """The rows that relations of one kind choose from; `roles` names the ports, in the order of `Row.layouts`.

    `refused` are rows that were left out because the operation would not do what it means.
    """

    roles: tuple[str, ...]
    rows: tuple[Row, ...]
    refused: tuple[Refusal, ...] = ()


@as_json_object
class Relation(NamedTuple):
    """An operation's constraint: its values must take the layouts of one row of `tables[table]`.

    `values` index `LayoutProblem.values`, port by port; a row's cost counts `weight` times.
    """

    op: str
    table: int
    values: tuple[int, ...]
    weight: int = 1
    where: Where | None = None


@as_json_object
class Tie(NamedTuple):
    """Values that must have one layout, and why."""

    values: tuple[int, ...]
    reason: str
    where: Where | None = None


@as_json_object
class Pin(NamedTuple):
    """A value whose layout is fixed by its type or by the user."""

    value: int
    layout: str
    where: Where | None = None


@as_json_object
class Choice(NamedTuple):
    """A digit of the order of preference: the rank of a value's layout, or the number of a relation's row."""

    kind: Literal["value", "relation"]
    index: int  # type: ignore[assignment]  # hides the method of tuples


@as_json_object
class LayoutProblem(NamedTuple):
    """The whole question. Costs are compared first, then `preference`, its first choice being the weightiest.

    `layouts` are all layouts that occur, preferred ones first.
    """

    layouts: tuple[str, ...]
    values: tuple[LayoutValue, ...]
    tables: tuple[Table, ...]
    relations: tuple[Relation, ...]
    ties: tuple[Tie, ...] = ()
    pins: tuple[Pin, ...] = ()
    preference: tuple[Choice, ...] = ()
    objective: tuple[Objective, ...] = ("instructions", "preference")
    schema: Literal["layoutsolver/layout-problem/1"] = "layoutsolver/layout-problem/1"


@as_json_object
class LayoutSolution(NamedTuple):
    """The answer: a layout for each value, a row for each relation, the cost and how well it is known.

    `layouts` and `rows` are empty unless `status` is `optimal` or `feasible`; `bound` is a proved lower bound of
    the cost; `conflict` lists relations, ties and pins that cannot hold together (by kind and index) where
    `status` is `infeasible`, and `minimal` says that each of them is needed for that.
    """

    status: Status
    layouts: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    cost: int = 0
    bound: int = 0
    conflict: tuple[Group, ...] = ()
    minimal: bool = True
    schema: Literal["layoutsolver/layout-solution/1"] = "layoutsolver/layout-solution/1"
