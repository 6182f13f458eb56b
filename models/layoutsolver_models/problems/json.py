"""Problems and solutions as JSON: the dataclasses are the schema, unknown fields are errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from layoutsolver_models.problems.layout import LayoutProblem, LayoutSolution
from layoutsolver_models.problems.selection import SelectionProblem
from layoutsolver_models.problems.selection_check import check_selection

if TYPE_CHECKING:
    from pydantic import TypeAdapter


class ProblemError(Exception):
    """A JSON document that is not what it says it is: `errors` are `(place in the document, what is wrong)`."""

    def __init__(self, errors: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{place}: {text}" for place, text in errors))
        self.errors = errors


def adapter(kind: type[Any]) -> TypeAdapter[Any]:
    """The pydantic adapter of a dataclass."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def to_json(document: Any, indent: int | None = None) -> str:
    """The JSON text of a dataclass document."""
    text: str = adapter(type(document)).dump_json(document, indent=indent).decode()
    return text


def from_json(kind: type[Any], text: str | bytes) -> Any:
    """The document that a JSON text spells, numbers being numbers and not strings that look like some.

    Raises `ProblemError` with the place of every fault.
    """
    from pydantic import ValidationError

    try:
        return adapter(kind).validate_json(text, strict=True)
    except ValidationError as error:
        raise ProblemError(
            [("/" + "/".join(str(step) for step in item["loc"]), item["msg"]) for item in error.errors()]
        ) from None


def problem_from_json(text: str | bytes) -> LayoutProblem:
    """A layout problem from JSON, its references checked. Raises `ProblemError`."""
    problem: LayoutProblem = from_json(LayoutProblem, text)
    errors = check_problem(problem)
    if errors:
        raise ProblemError(errors)
    return problem


def selection_from_json(text: str | bytes) -> SelectionProblem:
    """A selection problem from JSON, its references checked. Raises `ProblemError`."""
    problem: SelectionProblem = from_json(SelectionProblem, text)
    errors = check_selection(problem)
    if errors:
        raise ProblemError(errors)
    return problem


def solution_from_json(text: str | bytes) -> LayoutSolution:
    """A layout solution from JSON. Raises `ProblemError`."""
    solution: LayoutSolution = from_json(LayoutSolution, text)
    return solution


def check_problem(problem: LayoutProblem) -> list[tuple[str, str]]:
    """What the schema cannot say: indices in range, layouts known, rows as long as their roles."""
    errors: list[tuple[str, str]] = []
    known = set(problem.layouts)
    if len(known) < len(problem.layouts):
        errors.append(("/layouts", "a layout is listed twice"))
    count = len(problem.values)
    for number, value in enumerate(problem.values):
        errors += [(f"/values/{number}/domain", f"unknown layout {name}") for name in sorted(set(value.domain) - known)]
    for number, table in enumerate(problem.tables):
        for place, row in enumerate(table.rows):
            if len(row.layouts) != len(table.roles):
                errors.append((f"/tables/{number}/rows/{place}", "one layout for each role is needed"))
            errors += [
                (f"/tables/{number}/rows/{place}", f"unknown layout {name}")
                for name in sorted(set(row.layouts) - known)
            ]
    for number, relation in enumerate(problem.relations):
        if relation.weight < 0:
            errors.append((f"/relations/{number}/weight", "must not be negative"))
        if not 0 <= relation.table < len(problem.tables):
            errors.append((f"/relations/{number}/table", "no such table"))
        elif len(relation.values) != len(problem.tables[relation.table].roles):
            errors.append((f"/relations/{number}/values", "one value for each role is needed"))
        if any(not 0 <= value < count for value in relation.values):
            errors.append((f"/relations/{number}/values", "no such value"))
    for number, tie in enumerate(problem.ties):
        if not tie.values or any(not 0 <= value < count for value in tie.values):
            errors.append((f"/ties/{number}/values", "no such value"))
    for number, pin in enumerate(problem.pins):
        if not 0 <= pin.value < count or pin.layout not in known:
            errors.append((f"/pins/{number}", "no such value or layout"))
    for number, choice in enumerate(problem.preference):
        limit = count if choice.kind == "value" else len(problem.relations)
        if not 0 <= choice.index < limit:
            errors.append((f"/preference/{number}", f"no such {choice.kind}"))
    return errors


def schema(kind: type[Any]) -> str:
    """The JSON schema (2020-12) of a document, as indented text."""
    document = adapter(kind).json_schema()
    document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(document, indent=2, sort_keys=True) + "\n"
