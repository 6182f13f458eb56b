"""SARIF logs against the schema of the standard, and their replacements against the text that they promise."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest

from layoutsolver import __version__
from layoutsolver.api import SolveOptions, solve
from layoutsolver.diagnostics.codes import CODES
from layoutsolver.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from layoutsolver.diagnostics.sarif import to_sarif
from layoutsolver.source import SourceFile, Span, split_input
from tests.conftest import GOLDEN
from tests.support.compare_peer import program

SCHEMA = Path(__file__).parents[1] / "data" / "sarif-2.1.0.json"
INPUTS = sorted((GOLDEN / "explain" / "inputs").glob("*.mlir")) + sorted((GOLDEN / "diagnostics/inputs").glob("*.mlir"))


@cache
def validator() -> Any:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert "draft-04" in schema["$schema"]
    return jsonschema.Draft4Validator(schema)


def run_of(diagnostics: list[Diagnostic]) -> Any:
    """The one run of a valid log."""
    text = to_sarif(diagnostics)
    assert text.endswith("}\n")
    log = json.loads(text)
    assert [error.message for error in validator().iter_errors(log)] == []
    assert (log["version"], log["$schema"]) == ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json")
    [run] = log["runs"]
    return run


def offset(text: str, line: int, column: int) -> int:
    """The code point offset of a line and column, both from 1, lines ending in line feeds."""
    return sum(len(each) + 1 for each in text.split("\n")[: line - 1]) + column - 1


def applied(text: str, change: Any) -> str:
    """The text with the replacements of an artifact change, all of whose places are those of the old text."""
    pieces = []
    for order, item in enumerate(change["replacements"]):
        region = item["deletedRegion"]
        start = offset(text, region["startLine"], region["startColumn"])
        end = offset(text, region["endLine"], region["endColumn"])
        pieces.append((start, end, order, item["insertedContent"]["text"]))
    for start, end, _, new in sorted(pieces, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def test_the_schema_is_able_to_refuse() -> None:
    log = json.loads(to_sarif([Diagnostic("LS0101", "error", "x")]))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert list(validator().iter_errors(log))
    del log["version"]
    assert len(list(validator().iter_errors(log))) > 1


def test_no_message_gives_a_log_without_results() -> None:
    run = run_of([])
    assert run["results"] == run["tool"]["driver"]["rules"] == []
    assert run["tool"]["driver"]["version"] == __version__


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_real_messages_are_valid_and_their_fixes_give_the_repaired_text(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    result = solve(SourceFile(path.name, text), SolveOptions(repairs=3))
    run = run_of(result.diagnostics)
    assert [item["ruleId"] for item in run["results"]] == [item.code for item in result.diagnostics]
    fixes = [fix for item in run["results"] for fix in item.get("fixes", [])]
    assert len(fixes) == len(result.repairs)
    for fix, found in zip(fixes, result.repairs, strict=True):
        [change] = fix["artifactChanges"]
        assert unquote(change["artifactLocation"]["uri"]) == path.name
        assert applied(text, change) == found.text
        assert fix["description"]["text"] == "; ".join(found.sentences)


def test_fixes_of_random_programs_give_the_repaired_text() -> None:
    fixed = 0
    for seed in range(8000, 8040):
        text = program(seed)
        result = solve(SourceFile("a.mlir", text), SolveOptions(repairs=3))
        for item in run_of(result.diagnostics)["results"]:
            for fix, found in zip(item.get("fixes", []), result.repairs, strict=False):
                assert applied(text, fix["artifactChanges"][0]) == found.text
                fixed += 1
    assert fixed > 15


def test_rules_are_those_of_the_results_in_order_of_codes() -> None:
    codes = ["LS0303", "LS0101", "LS0303", "LS0402"]
    run = run_of([Diagnostic(code, "error", f"message {n}") for n, code in enumerate(codes)])
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["LS0101", "LS0303", "LS0402"]
    assert [rules[item["ruleIndex"]]["id"] for item in run["results"]] == codes
    assert rules[0]["shortDescription"]["text"] == CODES["LS0101"].title


@pytest.mark.parametrize("code", CODES)
def test_every_code_makes_a_valid_rule(code: str) -> None:
    [rule] = run_of([Diagnostic(code, "warning", "m")])["tool"]["driver"]["rules"]
    assert rule["name"].isalnum()
    assert rule["name"][0].isupper()


@pytest.mark.parametrize("severity", ["error", "warning", "note"])
def test_severity_is_the_level(severity: Any) -> None:
    [item] = run_of([Diagnostic("LS0101", severity, "m")])["results"]
    assert item["level"] == severity


def test_a_message_without_a_place_has_none() -> None:
    [item] = run_of([Diagnostic("LS0001", "error", "m", notes=("one", "two"), fixes=(Fix("do this"),))])["results"]
    assert item["message"]["text"] == "m\none\ntwo"
    assert not {"locations", "relatedLocations", "partialFingerprints", "fixes"} & set(item)


def test_labels_without_a_text_have_no_message() -> None:
    source = SourceFile("a.mlir", "first\nsecond\n")
    labels = (Label(source, Span(6, 12)), Label(source, Span(0, 5), "said"))
    [item] = run_of([Diagnostic("LS0101", "error", "m", labels[0], labels)])["results"]
    [place] = item["locations"]
    assert "message" not in place
    first, second = item["relatedLocations"]
    assert "message" not in first
    assert second["message"]["text"] == "said"
    assert [first["id"], second["id"]] == [1, 2]
    assert first["physicalLocation"]["region"] == {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 7}


def test_columns_count_code_points_and_the_log_says_so() -> None:
    source = SourceFile("a.mlir", '// \U0001f600\U0001f600 x\n  "日本" y')
    label = Label(source, Span(6, 7))
    run = run_of([Diagnostic("LS0101", "error", "m", label, (Label(source, Span(15, 16), "y"),))])
    assert run["columnKind"] == "unicodeCodePoints"
    [item] = run["results"]
    assert item["locations"][0]["physicalLocation"]["region"]["startColumn"] == 7
    assert source.slice(Span(15, 16)) == "y"
    assert item["relatedLocations"][0]["physicalLocation"]["region"]["startColumn"] == 8


@pytest.mark.parametrize(
    "name", ["Käse ü.mlir", "日本/a b.mlir", "\U0001f600.mlir", "100%.mlir", "a#b?c.mlir", "<stdin>", "a:b.mlir"]
)
def test_names_of_files_become_references_that_lead_back_to_them(name: str) -> None:
    label = Label(SourceFile(name, "x"), Span(0, 1))
    [item] = run_of([Diagnostic("LS0101", "error", "m", label)])["results"]
    uri = item["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.isascii()
    assert not set(uri) & set(' <>#?"{}|\\^`')
    assert unquote(uri) == name
    assert ":" not in uri.split("/")[0], "a colon there would make a scheme of what stands before it"


def test_a_part_of_a_split_file_keeps_the_lines_of_the_whole() -> None:
    first, second = split_input(SourceFile("a.mlir", "one\n// -----\ntwo\nthree\n"))
    assert first.text == "one\n"
    at = second.text.index("three")
    fix = Fix("t", (Edit(Span(at, at + 5), "four"),))
    [item] = run_of([Diagnostic("LS0101", "error", "m", Label(second, Span(at, at + 5)), fixes=(fix,))])["results"]
    assert item["locations"][0]["physicalLocation"]["region"]["startLine"] == 4
    [change] = item["fixes"][0]["artifactChanges"]
    assert applied("one\n// -----\ntwo\nthree\n", change) == "one\n// -----\ntwo\nfour\n"


def test_equal_lines_have_equal_fingerprints_wherever_they_stand() -> None:
    def fingerprint(text: str) -> Any:
        at = text.index("bad")
        label = Label(SourceFile("a", text), Span(at, at + 3))
        return run_of([Diagnostic("LS0101", "error", "m", label)])["results"][0]["partialFingerprints"]

    assert fingerprint("  bad line\n") == fingerprint("\n\nbad line")
    assert fingerprint("bad line\n") != fingerprint("bad lines\n")


def test_edits_at_one_place_keep_their_order() -> None:
    source = SourceFile("a", "ab")
    fix = Fix("t", (Edit(Span(1, 1), "1"), Edit(Span(1, 1), "2"), Edit(Span(0, 1), "x")))
    [item] = run_of([Diagnostic("LS0101", "error", "m", Label(source, Span(0, 1)), fixes=(fix,))])["results"]
    assert applied("ab", item["fixes"][0]["artifactChanges"][0]) == "x12b"
