"""Expected messages: the comments of mlir-opt's `--verify-diagnostics`, and what is said where they differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label, Severity
from layoutsolver.diagnostics.expected import Expected, expected_in, unmet
from layoutsolver.source import SourceFile, Span, split_input
from tests.cli.conftest import defects, run
from tests.cli.running import INFEASIBLE, PROGRAM, Run, write

__all__ = ["defects", "run"]


def only(text: str) -> Expected:
    [item] = expected_in(SourceFile("a", text))
    return item


@pytest.mark.parametrize(
    ("comment", "severity", "line", "is_regex"),
    [
        ("// expected-error {{t}}", "error", 3, False),
        ("x // expected-error {{t}}", "error", 3, False),
        ("//expected-warning@+1{{t}}", "warning", 4, False),
        ("// expected-warning @+12 {{t}}", "warning", 15, False),
        ("// expected-note@-2 {{t}}", "note", 1, False),
        ("// expected-remark@above {{t}}", "note", 2, False),
        ("// expected-error@below {{t}}", "error", 4, False),
        ("// expected-error@unknown {{t}}", "error", None, False),
        ("// expected-error-re {{t}}", "error", 3, True),
        ("// expected-error-re@+1 {{t}}  ", "error", 4, True),
        ("// expected-error {{t}}\r", "error", 3, False),
        ("// about this: expected-error {{t}}", "error", 3, False),
    ],
)
def test_forms(comment: str, severity: str, line: int | None, is_regex: bool) -> None:
    item = only(f"\n\n{comment}\n\n")
    assert (item.severity, item.line, item.text, item.is_regex, item.written) == (severity, line, "t", is_regex, 3)


@pytest.mark.parametrize(
    "text", ["expected-error {{t}}", "// expected-error t", "// expected-fatal {{t}}", "// expected-error {{t}", "//"]
)
def test_what_is_no_expectation(text: str) -> None:
    assert expected_in(SourceFile("a", text)) == []


def test_several_on_a_line() -> None:
    found = expected_in(
        SourceFile("a", "// expected-error {{a}} expected-note@+1 {{b}} // expected-warning-re {{c{{.}}}}")
    )
    assert [(item.severity, item.text) for item in found] == [("error", "a"), ("note", "b"), ("warning", "c{{.}}")]


def test_lines_are_those_of_the_whole_file() -> None:
    part = split_input(SourceFile("a", "x\n// -----\n// expected-error@+1 {{t}}\ny\n"))[1]
    [item] = expected_in(part)
    assert (item.line, item.written) == (4, 3)


def message(text: str, line: int = 1, severity: Severity = "error", code: str = "LS0101") -> Diagnostic:
    source = SourceFile("a", "\n" * 20)
    return Diagnostic(code, severity, text, Label(source, Span(line - 1, line - 1)))


def differences(text: str, *found: Diagnostic) -> list[str]:
    return unmet(SourceFile("a.mlir", text), found)


def test_a_message_that_is_expected_is_no_difference() -> None:
    assert differences("// expected-error {{no layout of}}", message("there is no layout of `%x`")) == []
    assert differences("// expected-error {{[LS0101]}}", message("m")) == []


@pytest.mark.parametrize(
    ("comment", "found"),
    [
        ("// expected-error {{other}}", message("text")),
        ("// expected-error@+1 {{text}}", message("text")),
        ("// expected-warning {{text}}", message("text")),
        ("// expected-error-re {{te.t}}", message("text")),
        ("// expected-error {{t.xt}}", message("text")),
    ],
)
def test_a_message_of_another_text_place_or_kind_is_both_unexpected_and_missing(
    comment: str, found: Diagnostic
) -> None:
    first, second = differences(comment, found)
    assert first == "a.mlir:1: unexpected error: text [LS0101]"
    assert second.startswith("a.mlir:1: expected ")
    assert second.endswith(" was not produced")


@pytest.mark.parametrize("pattern", ["te{{.}}t", "{{^text}}", "{{t|u}}ext {{\\[LS\\d+\\]$}}", "text"])
def test_regular_expressions(pattern: str) -> None:
    assert differences(f"// expected-error-re {{{{{pattern}}}}}", message("text")) == []


def test_what_is_no_regular_expression_is_said_and_not_a_crash() -> None:
    first, second = differences("// expected-error-re {{a{{(}}}}", message("a("))
    assert first.startswith('a.mlir:1: "a{{(}}" is no regular expression')
    assert "unexpected error" in second


def test_each_expectation_is_met_once() -> None:
    twice = message("text"), message("text")
    assert differences("// expected-error {{text}}", *twice) == ["a.mlir:1: unexpected error: text [LS0101]"]
    assert differences("// expected-error {{text}} expected-error {{text}}", *twice) == []
    assert differences("// expected-error {{text}} expected-error {{text}}", twice[0]) == [
        'a.mlir:1: expected error "text" was not produced'
    ]


def test_warnings_must_be_expected_and_notes_need_not() -> None:
    assert differences("", message("w", severity="warning")) == ["a.mlir:1: unexpected warning: w [LS0101]"]
    assert differences("", message("n", severity="note")) == []


def test_labels_and_notes_can_be_expected_as_notes() -> None:
    source = SourceFile("a", "\n" * 20)
    item = Diagnostic(
        "LS0101",
        "error",
        "m",
        Label(source, Span(0, 0), "primary"),
        (Label(source, Span(4, 4), "secondary"),),
        ("why",),
    )
    text = "// expected-error {{m}} expected-note {{primary}} expected-note@+4 {{secondary}} expected-note {{why}}"
    assert differences(text, item) == []
    assert len(differences(text.replace("+4", "+3"), item)) == 1


def test_a_message_without_a_place_meets_unknown_alone() -> None:
    item = Diagnostic("LS0001", "error", "m")
    assert differences("// expected-error@unknown {{m}}", item) == []
    assert len(differences("// expected-error {{m}}", item)) == 2


VERIFIED = INFEASIBLE.replace("  %z = ", "  // expected-error@+1 {{no layout of mask `%p`}}\n  %z = ")


@pytest.mark.parametrize("verb", ["solve", "explain"])
def test_exit_status_of_the_command_line(verb: str, tmp_path: Path, run: Run) -> None:
    met = run(verb, write(tmp_path / "met.mlir", VERIFIED), "--verify-diagnostics")
    assert (met.status, met.out, met.err) == (0, "", "")
    other = write(tmp_path / "other.mlir", VERIFIED.replace("mask `%p`", "mask `%q`"))
    wrong = run(verb, other, "--verify-diagnostics")
    assert (wrong.status, wrong.out) == (1, "")
    assert len(wrong.err.splitlines()) == 2
    assert f"{other}:7: unexpected error: no layout of mask `%p`" in wrong.err
    solved = run(verb, write(tmp_path / "good.mlir", PROGRAM), "--verify-diagnostics")
    assert (solved.status, solved.out, solved.err) == (0, "", "")
    missing = run(
        verb, write(tmp_path / "none.mlir", f"// expected-error@+1 {{{{x}}}}\n{PROGRAM}"), "--verify-diagnostics"
    )
    assert missing.status == 1
    assert 'expected error "x" was not produced' in missing.err


def test_each_part_of_a_split_file_has_its_own_expectations(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", f"{VERIFIED}// -----\n{PROGRAM}// -----\n{VERIFIED}")
    assert run("solve", file, "--split-input-file", "--verify-diagnostics").status == 0
    file = write(tmp_path / "in.mlir", f"{VERIFIED}// -----\n{INFEASIBLE}// -----\n{VERIFIED}")
    outcome = run("solve", file, "--split-input-file", "--verify-diagnostics")
    assert outcome.status == 1
    assert len(outcome.err.splitlines()) == 1
    assert ":16: unexpected error" in outcome.err
