from __future__ import annotations

import json
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import pytest

from layoutsolver.cli.schema import documents
from tests.cli.running import Run

NAMES = (
    "layout-problem", "layout-solution", "solve-report", "selection-problem", "selection-solution", "vmi-report",
    "why-report", "vmi-why-report", "verify-report", "lower-report",
    "fusion-problem", "fusion-solution", "fusion-report", "planner-request", "planner-response",
    "placement-problem", "placement-solution",
    "bank-problem", "bank-solution", "bank-report",
)  # fmt: skip


def test_without_a_name_all_names_are_printed(run: Run) -> None:
    outcome = run("schema")
    assert (outcome.status, outcome.out, outcome.err) == (0, "\n".join(NAMES) + "\n", "")


def declared_fields(kind: Any) -> tuple[list[str], set[str]]:
    """The fields of a document's class, and those that have defaults."""
    if not is_dataclass(kind):
        return list(kind._fields), set(kind._field_defaults)
    found = fields(kind)
    free = {f.name for f in found if f.default is not MISSING or f.default_factory is not MISSING}
    return [f.name for f in found], free


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_describes_the_document_and_forbids_unknown_fields(name: str, run: Run) -> None:
    outcome = run("schema", name)
    assert (outcome.status, outcome.err) == (0, "")
    schema: dict[str, Any] = json.loads(outcome.out)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    declared, defaults = declared_fields(documents()[name])
    assert list(schema["properties"]) == sorted(declared)
    assert schema.get("required", []) == [name for name in declared if name not in defaults]
    stated = "layoutsolver.fusion/1" if name.startswith("planner-") else f"layoutsolver/{name}/1"
    assert schema["properties"]["schema"]["const"] == stated
    objects = [schema, *(item for item in schema.get("$defs", {}).values() if item["type"] == "object")]
    assert [item["title"] for item in objects if item.get("additionalProperties") is not False] == []
