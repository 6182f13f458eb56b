from __future__ import annotations

import json
from dataclasses import MISSING, fields
from typing import Any

import pytest

from layoutsolver.cli.schema import documents
from tests.cli.running import Run

NAMES = ("layout-problem", "layout-solution", "solve-report")


def test_without_a_name_all_names_are_printed(run: Run) -> None:
    outcome = run("schema")
    assert (outcome.status, outcome.out, outcome.err) == (0, "\n".join(NAMES) + "\n", "")


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_describes_the_document_and_forbids_unknown_fields(name: str, run: Run) -> None:
    outcome = run("schema", name)
    assert (outcome.status, outcome.err) == (0, "")
    schema: dict[str, Any] = json.loads(outcome.out)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    declared = fields(documents()[name])
    assert list(schema["properties"]) == sorted(field.name for field in declared)
    plain = [f.name for f in declared if f.default is MISSING and f.default_factory is MISSING]
    assert schema.get("required", []) == plain
    assert schema["properties"]["schema"]["const"] == f"layoutsolver/{name}/1"
    objects = [schema, *(item for item in schema.get("$defs", {}).values() if item["type"] == "object")]
    assert [item["title"] for item in objects if item.get("additionalProperties") is not False] == []
