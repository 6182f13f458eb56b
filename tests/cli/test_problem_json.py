from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from layoutsolver.api import pose
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.json import solution_from_json, to_json
from layoutsolver_models.problems.layout import LayoutProblem
from tests.cli.running import FREE, INFEASIBLE, PROGRAM, Run, entangled, write
from tests.support.compare_peer import program
from tests.support.solving import solve_text


def problem_of(text: str) -> LayoutProblem:
    posed = pose(SourceFile("a.mlir", text)).posed
    assert posed is not None
    return posed.problem


def document(text: str) -> dict[str, Any]:
    return dict(json.loads(to_json(problem_of(text))))


def test_a_posed_problem_has_the_layouts_of_its_program(tmp_path: Path, run: Run) -> None:
    texts = [PROGRAM, FREE, *(text for seed in range(300, 330) if solve_text(text := program(seed)).ok)]
    assert len(texts) > 8
    for number, text in enumerate(texts):
        space = run("space", write(tmp_path / f"{number}.mlir", text), "--json")
        outcome = run("solve", write(tmp_path / f"{number}.json", space.out))
        assert (outcome.status, outcome.err) == (0, "")
        solution = solve_text(text).solution
        assert solution is not None
        assert solution_from_json(outcome.out) == solution


def test_a_contradiction_is_status_one_with_its_groups(tmp_path: Path, run: Run) -> None:
    outcome = run("solve", write(tmp_path / "in.json", to_json(problem_of(INFEASIBLE))))
    assert (outcome.status, outcome.err) == (1, "")
    solution = solution_from_json(outcome.out)
    assert solution.status == "infeasible"
    assert {kind for kind, _ in solution.conflict} == {"relation"}
    assert solution.minimal


def test_a_limit_is_status_four(tmp_path: Path, run: Run, no_time: None) -> None:
    outcome = run("solve", write(tmp_path / "in.json", to_json(problem_of(entangled()))))
    assert outcome.status == 4
    assert solution_from_json(outcome.out).status == "unknown"


def test_standard_input_and_output_file(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    text = to_json(problem_of(FREE), indent=2)
    expected = run("solve", write(tmp_path / "in.json", text)).out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"\n  {text}".encode())))
    target = tmp_path / "out.json"
    assert run("solve", "-", "-o", target).status == 0
    assert target.read_text() == expected


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", "1:2"),
        ('{\n  "layouts": [1\n}', "3:1"),
        ('{"layouts": ["é" }', "1:18"),
        ('{"a": "b', "1:7"),
        ("{}\n{}", "2:1"),
    ],
)
def test_what_is_no_json_is_said_with_its_place(text: str, place: str, tmp_path: Path, run: Run) -> None:
    outcome = run("solve", write(tmp_path / "in.json", text))
    assert (outcome.status, outcome.out) == (3, "")
    assert [code for code, _ in outcome.found] == ["LS0501"]
    assert outcome.found == [("LS0501", place)]


def changed(path: list[str | int], value: object) -> dict[str, Any]:
    """A good problem with one thing changed."""
    whole = document(FREE)
    at: Any = whole
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return whole


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["relations", 0, "table"], 99, "/relations/0/table: no such table"),
        (["relations", 0, "values", 0], 99, "/relations/0/values: no such value"),
        (["relations", 0, "values"], [], "/relations/0/values: one value for each role is needed"),
        (["relations", 0, "weight"], -1, "/relations/0/weight: must not be negative"),
        (["values", 1, "domain"], ["b7"], "/values/1/domain: unknown layout b7"),
        (["layouts"], ["b8", "b8"], "/layouts: a layout is listed twice"),
        (["ties"], [{"values": [9], "reason": "r"}], "/ties/0/values: no such value"),
        (["pins"], [{"value": 0, "layout": "b7"}], "/pins/0: no such value or layout"),
        (["preference", 0, "index"], 99, "/preference/0: no such "),
        (["extra"], 1, "/extra: "),
        (["values", 0, "bits"], "8", "/values/0/bits: "),
        (["schema"], "other", "/schema: "),
    ],
)
def test_what_departs_from_the_schema_is_said_with_its_place(
    path: list[str | int], value: object, said: str, tmp_path: Path, run: Run
) -> None:
    outcome = run("solve", write(tmp_path / "in.json", json.dumps(changed(path, value))))
    assert (outcome.status, outcome.out) == (3, "")
    assert f"error[LS0501]: {said}" in outcome.err


def test_every_fault_is_said(tmp_path: Path, run: Run) -> None:
    whole = changed(["relations", 0, "table"], 99)
    whole["relations"][1]["table"] = 99
    outcome = run("solve", write(tmp_path / "in.json", json.dumps(whole)))
    assert outcome.err.count("LS0501") == 2
