"""`why`, `lower` and `verify` as documents: what they hold is what the text says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from layoutsolver.cli.schema import documents
from layoutsolver_models.problems.json import from_json
from tests.buckyball.support import product
from tests.cli.running import FREE, INFEASIBLE, PROGRAM, Outcome, Run, entangled, write

ROOT = Path(__file__).parents[2]
SOFTMAX, FP4 = ROOT / "examples" / "quantised_softmax.mlir", ROOT / "examples" / "fp4_dequant.pto"
WRONG = ROOT / "examples" / "wrong_layout.mlir"
REFUSED = ROOT / "tests" / "data" / "vmi" / "123-bad-wrong-group-count.pto"
TO = ("--to", "ave-intrin")

ASKED: list[tuple[str, str | Path, tuple[str, ...], str]] = [
    ("why", SOFTMAX, ("gmask",), "why-report"),
    ("why", INFEASIBLE, ("p",), "why-report"),
    ("why", FP4, ("q",), "vmi-why-report"),
    ("why", REFUSED, ("x",), "vmi-why-report"),
    ("lower", PROGRAM, TO, "lower-report"),
    ("lower", PROGRAM, (*TO, "--compat", "upstream"), "lower-report"),
    ("lower", INFEASIBLE, TO, "lower-report"),
    ("lower", "test.op (\n", TO, "lower-report"),
    ("lower", FP4, ("--to", "vpto"), "lower-report"),
    ("lower", REFUSED, ("--to", "vpto"), "lower-report"),
    ("lower", product(16, 16, 16), ("--to", "intr"), "lower-report"),
    ("lower", product(16, 16, 16, op="tile"), ("--to", "tile", "--from", "buckyball"), "lower-report"),
    ("lower", "func.func @f(\n", ("--to", "intr"), "lower-report"),
    ("verify", PROGRAM, ("--rounds", "2"), "verify-report"),
    ("verify", WRONG, ("--rounds", "1"), "verify-report"),
    ("verify", INFEASIBLE, (), "verify-report"),
    ("verify", FP4, ("--rounds", "1"), "verify-report"),
    ("verify", "test.op (\n", (), "verify-report"),
    ("verify", product(16, 16, 16, op="tile"), ("--rounds", "1"), "verify-report"),
]
OUTCOMES = {0: "done", 1: "refused", 3: "unreadable", 4: "limit"}


def file_of(given: str | Path, tmp_path: Path) -> Path:
    return given if isinstance(given, Path) else write(tmp_path / "in.mlir", given)


def found_in(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Code and place of each error and warning, as `Outcome.found` has them: none where a file is meant as such."""
    found = []
    for item in document["diagnostics"]:
        at = item["primary"]
        empty = (at["line"], at["column"]) == (at["end_line"], at["end_column"]) == (1, 1)
        found.append((item["code"], "" if empty else f"{at['line']}:{at['column']}"))
    return found


@pytest.mark.parametrize(("verb", "given", "arguments", "name"), ASKED)
def test_a_document_holds_the_text_the_messages_and_the_outcome(
    verb: str, given: str | Path, arguments: tuple[str, ...], name: str, tmp_path: Path, run: Run
) -> None:
    file = file_of(given, tmp_path)
    text = run(verb, file, *arguments)
    outcome = run(verb, file, *arguments, "--format", "json")
    assert (outcome.status, outcome.err) == (text.status, "")
    document = json.loads(outcome.out)
    assert document["schema"] == f"layoutsolver/{name}/1"
    assert from_json(documents()[name], outcome.out).file == document["file"] == str(file)
    assert document["outcome"] == OUTCOMES[text.status]
    assert (document["text"] or "") == text.out
    assert found_in(document) == text.found
    assert bool(document["diagnostics"]) == bool(text.err)


@pytest.mark.parametrize(("verb", "given", "arguments", "name"), ASKED)
def test_messages_are_documents_of_their_own(
    verb: str, given: str | Path, arguments: tuple[str, ...], name: str, tmp_path: Path, run: Run
) -> None:
    file = file_of(given, tmp_path)
    text = run(verb, file, *arguments)
    sarif = run(verb, file, *arguments, "--format", "sarif")
    assert (sarif.status, sarif.err) == (text.status, "")
    [log] = json.loads(sarif.out)["runs"]
    assert [item["ruleId"] for item in log["results"]] == [code for code, _ in text.found]
    github = run(verb, file, *arguments, "--format", "github")
    assert (github.status, github.err) == (text.status, "")
    assert [line.split("title=")[1][:6] for line in github.out.splitlines()] == [code for code, _ in text.found]


def parts(tmp_path: Path, *texts: str) -> Path:
    return write(tmp_path / "in.mlir", "// -----\n".join(texts))


def documents_of(outcome: Outcome) -> list[dict[str, Any]]:
    return [json.loads(line) for line in outcome.out.splitlines()]


def test_each_part_of_a_file_has_a_document_whatever_comes_of_it(tmp_path: Path, run: Run) -> None:
    file = parts(tmp_path, PROGRAM, INFEASIBLE, "test.op (\n")
    split = ("--split-input-file", "--format", "json")
    for verb, arguments in (("lower", TO), ("verify", ()), ("why", ("x",))):
        outcome = run(verb, file, *arguments, *split)
        assert (outcome.status, outcome.err) == (3, "")
        assert [one["outcome"] for one in documents_of(outcome)] == ["done", "refused", "unreadable"]
        sarif = run(verb, file, *arguments, "--split-input-file", "--format", "sarif")
        [log] = json.loads(sarif.out)["runs"]
        assert {item["ruleId"] for item in log["results"]} == {"LS0101", "LS0003"}


def test_why_says_what_other_layouts_would_cost_and_what_excludes_them(tmp_path: Path, run: Run) -> None:
    [free] = documents_of(run("why", write(tmp_path / "in.mlir", FREE), "x", "--format", "json"))
    [value] = free["values"]
    assert (value["value"], value["line"], value["column"], value["layout"]) == ("%x", 4, 3, "b8")
    assert [(one["layout"], one["extra"], one["preferred"]) for one in value["others"]] == [
        ("b8_2vl", 0, True), ("b8_4vl", 4, False),
    ]  # fmt: skip
    [softmax] = documents_of(run("why", SOFTMAX, "gmask", "--format", "json"))
    excluded, dearer = softmax["values"][0]["others"]
    assert (excluded["layout"], excluded["extra"], len(excluded["reasons"])) == ("b8", None, 2)
    assert (dearer["layout"], dearer["extra"], dearer["reasons"]) == ("b16", 255, [])
    [fp4] = documents_of(run("why", FP4, "q", "--format", "json"))
    others = {one["layout"]: one for one in fp4["values"][0]["others"]}
    assert (fp4["values"][0]["made"], fp4["values"][0]["line"], fp4["values"][0]["busiest"]) == (["ls2"], 12, 16)
    assert others["d2"]["pipes"] == {"load": 0, "execute": 24, "store": 0, "predicate": 0}
    assert (others["d2"]["busiest"], others["d2"]["total"], others["d2"]["registers"]) == (24, 24, 2)
    assert others["bd2"]["reason"] == "`load` has no rule that makes it"


def test_a_layout_whose_cost_a_limit_hides_is_unknown(tmp_path: Path, run: Run, no_time: None) -> None:
    outcome = run("why", write(tmp_path / "in.mlir", entangled()), "i", "--format", "json")
    [document] = documents_of(outcome)
    assert (outcome.status, document["outcome"], document["values"]) == (4, "limit", [])


def test_a_name_that_no_part_has_is_no_document(tmp_path: Path, run: Run) -> None:
    outcome = run("why", write(tmp_path / "in.mlir", FREE), "nothing", "--format", "json")
    assert (outcome.status, outcome.out) == (2, "")
    assert "no vector `nothing`" in outcome.err


def test_verify_counts_what_was_compared(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", PROGRAM)
    [alone] = documents_of(run("verify", file, "--rounds", "2", "--format", "json"))
    assert (alone["other"], alone["agrees"], alone["how"]) == (None, True, "with the layouts solved here")
    assert (alone["runs"], alone["bytes_compared"], alone["vectors_compared"]) == (2, 128, 0)
    second = tmp_path / "lowered.mlir"
    assert run("lower", file, *TO, "-o", second).status == 0
    [two] = documents_of(run("verify", file, second, "--rounds", "1", "--format", "json"))
    assert (two["other"], two["agrees"], two["how"], two["runs"]) == (str(second), True, "", 1)
    [wrong] = documents_of(run("verify", WRONG, "--rounds", "1", "--format", "json"))
    assert (wrong["agrees"], wrong["runs"], wrong["text"]) == (False, 1, None)
    [nothing] = documents_of(run("verify", write(tmp_path / "in.mlir", INFEASIBLE), "--format", "json"))
    assert (nothing["agrees"], nothing["runs"]) == (None, 0)


def test_a_document_goes_to_the_file_that_is_named(tmp_path: Path, run: Run) -> None:
    file, out = write(tmp_path / "in.mlir", PROGRAM), tmp_path / "out.json"
    assert run("lower", file, *TO, "--format", "json", "-o", out).status == 0
    document = json.loads(out.read_text())
    assert (document["to"], document["text"]) == ("ave-intrin", run("lower", file, *TO).out)
