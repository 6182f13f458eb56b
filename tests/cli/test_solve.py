from __future__ import annotations

import io
import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver.api import SolveOptions, annotate, solve
from layoutsolver.report import SolveReport, report
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.json import (
    ProblemError,
    from_json,
    problem_from_json,
    solution_from_json,
    to_json,
)
from layoutsolver_models.solve.layout import Limits
from tests.cli.running import FREE, INFEASIBLE, PROGRAM, Run, entangled, write
from tests.support.ave_programs import random_program


def test_what_is_printed(tmp_path: Path, run: Run, golden: Callable[[str, str], None]) -> None:
    file = write(tmp_path / "in.mlir", PROGRAM)
    for name, flags in (("plain", ()), ("layouts", ("--layouts",)), ("table", ("--table",))):
        outcome = run("solve", file, *flags)
        assert (outcome.status, outcome.err) == (0, "")
        golden(f"cli/solve_{name}.txt", outcome.out)


def test_a_conflict_is_printed_on_standard_error_only(tmp_path: Path, run: Run) -> None:
    target = tmp_path / "out.mlir"
    outcome = run("solve", write(tmp_path / "in.mlir", INFEASIBLE), "-o", target)
    assert (outcome.status, outcome.out) == (1, "")
    assert re.match(r"error\[LS01\d\d\]: .*`%p`", outcome.err)
    assert {place for _, place in outcome.found} <= {"5:8", "6:8"}
    assert not target.exists()


def test_a_dash_reads_standard_input(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run("solve", write(tmp_path / "in.mlir", PROGRAM)).out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PROGRAM.encode())))
    assert run("solve", "-").out == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\n\n  \xff")))
    broken = run("solve", "-")
    assert (broken.status, broken.found) == (3, [("LS0001", "3:3")])
    assert "<stdin>:3:3" in broken.err


def test_standard_input_that_is_too_large(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b" " * 101)))
    outcome = run("solve", "-", "--max-bytes", 100)
    assert (outcome.status, outcome.found) == (3, [("LS0008", "")])


def test_closed_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert (outcome := run("solve", "-")).status == 3
    assert outcome.found == [("LS0001", "")]


def test_upstream_mode_gives_the_released_analyzers_verdict(tmp_path: Path, run: Run) -> None:
    solved = run("solve", write(tmp_path / "a.mlir", PROGRAM), "--compat", "upstream", "--format", "json")
    assert json.loads(solved.out)["verdict"] == "solved"
    failed = run("solve", write(tmp_path / "b.mlir", INFEASIBLE), "--compat", "upstream")
    assert (failed.status, failed.out) == (1, "")
    assert re.match(r"error\[LS01\d\d\]: No Solve at `ave.hir.vcmps`", failed.err)


def test_the_target_names_a_chip_whose_costs_count(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", PROGRAM)
    chips = {}
    for target in ("auto", "ave", "ave:ascend310b4", "ave:ascend950"):
        document = json.loads(run("solve", file, "--format", "json", "--target", target).out)
        chips[target] = (document["chip"], document["cost"])
    older, newer = ("ascend310b4", 4), ("ascend950", 0)
    assert chips == {"auto": older, "ave": older, "ave:ascend310b4": older, "ave:ascend950": newer}


def test_the_assumed_trip_count_weighs_what_a_loop_costs(tmp_path: Path, run: Run) -> None:
    lines = PROGRAM.splitlines()
    looped = [
        *lines[:1], lines[1].replace("(%a", "(%n: index, %a"), *lines[2:4],
        "  scf.for %k = %c0 to %n step %n {", *lines[4:7], "  }", *lines[7:], "",
    ]  # fmt: skip
    file = write(tmp_path / "in.mlir", "\n".join(looped))
    costs = [
        json.loads(run("solve", file, "--format", "json", *flags).out)["cost"]
        for flags in ((), ("--assume-trip-count", 1), ("--assume-trip-count", 100))
    ]
    assert costs == [64, 4, 400]


@pytest.mark.parametrize("flags", [("--seed", "7"), ("--workers", "2"), ("--time-limit", "60")])
def test_solver_flags_do_not_change_an_optimal_answer(flags: tuple[str, str], tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", entangled(8))
    assert run("solve", file, *flags).out == run("solve", file).out != ""


@pytest.mark.parametrize("compat", [(), ("--compat", "upstream")])
def test_a_tiny_time_limit_is_never_taken_for_a_conflict(compat: tuple[str, ...], tmp_path: Path, run: Run) -> None:
    outcome = run("solve", write(tmp_path / "in.mlir", entangled(600)), "--time-limit", "1e-9", *compat)
    assert outcome.status == 4
    assert outcome.found in ([("LS0401", "")], [("LS0402", "")])


@pytest.mark.usefixtures("no_time")
def test_without_an_answer_in_time_nothing_is_written(tmp_path: Path, run: Run) -> None:
    file, target = write(tmp_path / "in.mlir", entangled()), tmp_path / "out.mlir"
    outcome = run("solve", file, "--time-limit", "1", "-o", target)
    assert (outcome.status, outcome.found, outcome.out) == (4, [("LS0401", "")], "")
    assert not target.exists()
    document = json.loads(run("solve", file, "--time-limit", "1", "--format", "json").out)
    assert (document["status"], document["values"], document["text"]) == ("unknown", [], None)


def test_an_answer_that_is_not_proved_the_best_is_written_with_status_4(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from layoutsolver_models.cp import layout

    real = layout.best_by_cp_sat

    def cut_short(*arguments: Any, **named: Any) -> layout.ComponentAnswer:
        answer = real(*arguments, **named)
        return layout.ComponentAnswer("feasible", answer.masks, answer.cost, answer.cost - 1)

    monkeypatch.setattr(layout, "best_by_cp_sat", cut_short)
    target = tmp_path / "out.mlir"
    outcome = run("solve", write(tmp_path / "in.mlir", entangled(8)), "-o", target)
    assert (outcome.status, outcome.found) == (4, [("LS0402", "")])
    assert outcome.err.startswith("warning[LS0402]")
    assert target.read_text().count("functionType") == 18


@pytest.mark.parametrize(("flag", "colored"), [("always", True), ("never", False), ("auto", False)])
def test_messages_are_coloured_as_asked(flag: str, colored: bool, tmp_path: Path, run: Run) -> None:
    outcome = run("solve", write(tmp_path / "in.mlir", INFEASIBLE), "--color", flag)
    assert ("\x1b[" in outcome.err) == colored


def test_no_color_counts_on_a_terminal_only_with_automatic_colour(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "in.mlir", INFEASIBLE)
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in run("solve", file).err
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("solve", file).err
    assert "\x1b[" in run("solve", file, "--color", "always").err


# -- several programs in one file -------------------------------------------------------------------------------


SPLIT = f"// RUN: solve\n// -----\n{PROGRAM}// -----  \n\n// -----\n{FREE}"


def test_a_split_file_keeps_its_separators_and_its_parts_without_operations(tmp_path: Path, run: Run) -> None:
    first = run("solve", write(tmp_path / "a.mlir", PROGRAM)).out
    second = run("solve", write(tmp_path / "b.mlir", FREE)).out
    outcome = run("solve", write(tmp_path / "in.mlir", SPLIT), "--split-input-file")
    assert outcome.status == 0
    assert outcome.out == f"// RUN: solve\n// -----\n{first}// -----  \n\n// -----\n{second}"


def test_a_split_file_keeps_separators_with_crlf_and_a_missing_last_line_break(tmp_path: Path, run: Run) -> None:
    text = f"{PROGRAM}// -----\n{FREE}".replace("\n", "\r\n").removesuffix("\r\n")
    outcome = run("solve", write(tmp_path / "in.mlir", text), "--split-input-file", "-o", tmp_path / "out.mlir")
    assert outcome.status == 0
    written = (tmp_path / "out.mlir").read_bytes().decode()
    assert written.count("\r\n// -----\r\n") == 1
    assert written.endswith("\r\n}")
    assert written.count("\n") == text.count("\n")


def test_names_of_one_part_are_unknown_in_another_and_lines_are_those_of_the_file(tmp_path: Path, run: Run) -> None:
    text = f"{FREE}// -----\ntest.use %m\n"
    outcome = run("solve", write(tmp_path / "in.mlir", text), "--split-input-file")
    assert (outcome.status, outcome.found) == (1, [("LS0201", f"{text.count(chr(10))}:10")])


@pytest.mark.usefixtures("no_time")
def test_the_worst_part_gives_the_status_and_nothing_is_written(tmp_path: Path, run: Run) -> None:
    target = tmp_path / "out.mlir"
    parts = {0: FREE, 1: INFEASIBLE, 3: "test.op (\n", 4: entangled()}
    for chosen, status in (
        ((0, 1), 1),
        ((1, 0), 1),
        ((3, 0, 1), 3),
        ((1, 3), 3),
        ((0, 4), 4),
        ((4, 1), 1),
        ((4, 3), 3),
    ):
        file = write(tmp_path / "in.mlir", "// -----\n".join(parts[number] for number in chosen))
        for flags in ((), ("--table",)):
            outcome = run("solve", file, "--split-input-file", "-o", target, *flags)
            assert (outcome.status, outcome.out) == (status, "")
            assert not target.exists()


def test_json_is_one_line_for_each_program(tmp_path: Path, run: Run) -> None:
    text = f"{PROGRAM}// -----\n{INFEASIBLE}// -----\ntest.op (\n"
    outcome = run("solve", write(tmp_path / "in.mlir", text), "--split-input-file", "--format", "json")
    documents = [json.loads(line) for line in outcome.out.splitlines()]
    assert [document["status"] for document in documents] == ["optimal", "infeasible", "invalid"]
    assert [document["text"] is None for document in documents] == [False, True, True]
    assert documents[1]["diagnostics"][0]["primary"]["line"] > PROGRAM.count("\n")
    assert (outcome.status, outcome.err) == (3, "")


# -- JSON ---------------------------------------------------------------------------------------------------------


def check_against(schema: object, value: object, root: dict[str, object]) -> None:
    """Check a value against the part of JSON Schema that our schemas use."""
    assert isinstance(schema, dict)
    known = {
        "$ref", "$defs", "$schema", "title", "description", "default", "type", "properties", "required", "items",
        "enum", "const", "anyOf", "additionalProperties", "prefixItems", "minItems", "maxItems",
    }  # fmt: skip
    assert set(schema) <= known
    if "$ref" in schema:
        definitions = root["$defs"]
        assert isinstance(definitions, dict)
        check_against(definitions[schema["$ref"].removeprefix("#/$defs/")], value, root)
        return
    if "anyOf" in schema:
        kinds = [option for option in schema["anyOf"] if (option.get("type") == "null") == (value is None)]
        check_against(kinds[0], value, root)
        return
    if "const" in schema:
        assert value == schema["const"]
    if "enum" in schema:
        assert value in schema["enum"]
    kind = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
    assert type(value) is kind[schema["type"]]
    if isinstance(value, dict) and "properties" in schema:
        assert set(schema.get("required", ())) <= set(value) <= set(schema["properties"])
        for name, inner in value.items():
            check_against(schema["properties"][name], inner, root)
    if isinstance(value, list) and "items" in schema:
        for inner in value:
            check_against(schema["items"], inner, root)


@pytest.mark.parametrize("text", [PROGRAM, INFEASIBLE, "test.op (\n", "test.use %m\n", entangled()])
@pytest.mark.parametrize("flags", [(), ("--compat", "upstream"), ("--layouts",)])
def test_the_json_report_follows_its_schema(text: str, flags: tuple[str, ...], tmp_path: Path, run: Run) -> None:
    schema = json.loads(run("schema", "solve-report").out)
    file = write(tmp_path / "in.mlir", text)
    outcome = run("solve", file, "--format", "json", "--time-limit", "0.01", *flags)
    document = json.loads(outcome.out)
    check_against(schema, document, schema)
    assert from_json(SolveReport, outcome.out).file == str(file)


def test_the_json_report_says_what_was_decided(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", PROGRAM)
    document = json.loads(run("solve", file, "--format", "json").out)
    assert (document["status"], document["cost"], document["bound"]) == ("optimal", 4, 4)
    assert [(value["value"], value["layout"], value["line"], value["column"]) for value in document["values"]] == [
        ("%m", "b32", 4, 3), ("%x", "b8_4vl", 5, 3), ("%e", "b32", 6, 3),
    ]  # fmt: skip
    assert [(op["op"], op["functionType"], op["instructions"]) for op in document["ops"]] == [
        ("ave.hir.pge", "pb32", 0), ("ave.hir.vload", "pk4", 2), ("ave.hir.vextsi", "even", 0),
        ("ave.hir.masked_store", "pk4", 2),
    ]  # fmt: skip
    assert document["text"] == run("solve", file).out


@settings(max_examples=25)
@given(st.integers(0, 10**9), st.sampled_from(["", "upstream"]))
def test_problems_solutions_and_reports_survive_json(seed: int, compat: str) -> None:
    text = random_program(random.Random(seed), 8)
    result = solve(SourceFile("a.mlir", text), SolveOptions(compat, limits=Limits(5.0)))
    if result.posed is not None:
        assert problem_from_json(to_json(result.posed.problem)) == result.posed.problem
    if result.solution is not None:
        assert solution_from_json(to_json(result.solution)) == result.solution
    document = report(result, annotate(result) if result.ok else None)
    assert from_json(SolveReport, to_json(document)) == document


TINY = (
    '{"layouts": ["b8", "b16"], "values": [{"id": "%a", "bits": 8, "lanes": 64, "domain": ["b8"]}], '
    '"tables": [{"roles": ["x"], "rows": [{"rule": "R", "layouts": ["b8"]}]}], '
    '"relations": [{"op": "test.op", "table": 0, "values": [0]}], "ties": [{"values": [0], "reason": "r"}], '
    '"pins": [{"value": 0, "layout": "b8"}], "preference": [{"kind": "relation", "index": 0}]}'
)


def test_a_problem_without_optional_fields_is_read() -> None:
    problem = problem_from_json(TINY)
    assert (problem.relations[0].weight, problem.values[0].where) == (1, None)
    assert problem_from_json(to_json(problem)) == problem


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('"lanes": 64', '"lanes": 64, "lane": 1', "/values/0/lane"),
        ('"lanes": 64, ', "", "/values/0/lanes"),
        ('"lanes": 64', '"lanes": "64"', "/values/0/lanes"),
        ('"lanes": 64', '"lanes": true', "/values/0/lanes"),
        ('"lanes": 64', '"lanes": 64.0', "/values/0/lanes"),
        ('"kind": "relation"', '"kind": "operation"', "/preference/0/kind"),
        ('"domain": ["b8"]', '"domain": ["b9"]', "/values/0/domain"),
        ('"rule": "R", "layouts": ["b8"]', '"rule": "R", "layouts": ["b9"]', "/tables/0/rows/0"),
        ('"rule": "R", "layouts": ["b8"]', '"rule": "R", "layouts": []', "/tables/0/rows/0"),
        ('"layouts": ["b8", "b16"]', '"layouts": ["b8", "b8"]', "/layouts"),
        ('"table": 0', '"table": 1', "/relations/0/table"),
        ('"table": 0', '"table": -1', "/relations/0/table"),
        ('"table": 0', '"table": 0, "weight": -1', "/relations/0/weight"),
        ('"table": 0, "values": [0]', '"table": 0, "values": [1]', "/relations/0/values"),
        ('"table": 0, "values": [0]', '"table": 0, "values": [-1]', "/relations/0/values"),
        ('"table": 0, "values": [0]', '"table": 0, "values": [0, 0]', "/relations/0/values"),
        ('"ties": [{"values": [0]', '"ties": [{"values": [1]', "/ties/0/values"),
        ('"ties": [{"values": [0]', '"ties": [{"values": []', "/ties/0/values"),
        ('"value": 0', '"value": 1', "/pins/0"),
        ('"value": 0, "layout": "b8"', '"value": 0, "layout": "b9"', "/pins/0"),
        ('"index": 0', '"index": 1', "/preference/0"),
        ('"kind": "relation", "index": 0', '"kind": "value", "index": -1', "/preference/0"),
        ('"layouts": ["b8", "b16"]', '"layouts": ["b8", "b16"', "/"),
        ('{"layouts"', '{"schema": "layoutsolver/layout-problem/2", "layouts"', "/schema"),
    ],
)
def test_a_document_that_is_no_problem_is_rejected_with_the_place(old: str, new: str, place: str) -> None:
    assert TINY.count(old) == 1
    with pytest.raises(ProblemError) as caught:
        problem_from_json(TINY.replace(old, new))
    assert place in [where for where, _ in caught.value.errors]
    assert f"{place}: " in str(caught.value)


def test_every_fault_of_a_document_is_named() -> None:
    broken = TINY.replace('"index": 0', '"index": 9').replace('"value": 0', '"value": 9')
    with pytest.raises(ProblemError) as caught:
        problem_from_json(broken)
    assert [where for where, _ in caught.value.errors] == ["/pins/0", "/preference/0"]
