"""GitHub workflow commands: one line each, with nothing in it that would end it early."""

from __future__ import annotations

import re
from typing import Any

import pytest

from layoutsolver.diagnostics.diagnostic import Diagnostic, Fix, Label
from layoutsolver.diagnostics.github import to_github
from layoutsolver.source import SourceFile, Span, split_input

SOURCE = SourceFile("dir/a.mlir", "one\n  two\nthree\n")


def parts(text: str) -> tuple[str, dict[str, str], str]:
    """Level, properties and message of a command, as GitHub takes them apart."""
    match = re.fullmatch(r"::(\w+) ([^:]*)::([^\n]*)\n", text)
    assert match is not None, text

    def plain(escaped: str) -> str:
        for code, char in (("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            escaped = escaped.replace(code, char)
        return escaped

    properties = dict(item.split("=", 1) for item in match[2].split(","))
    return match[1], {name: plain(value) for name, value in properties.items()}, plain(match[3])


def test_a_message_says_where_and_what() -> None:
    item = Diagnostic("LS0101", "error", "no layout", Label(SOURCE, Span(6, 9), "here"))
    assert to_github([item]) == ("::error file=dir/a.mlir,line=2,col=3,endColumn=6,title=LS0101::no layout%0Ahere\n")


@pytest.mark.parametrize(("severity", "level"), [("error", "error"), ("warning", "warning"), ("note", "notice")])
def test_levels_are_those_of_github(severity: Any, level: str) -> None:
    assert parts(to_github([Diagnostic("LS0101", severity, "m")])) == (level, {"title": "LS0101"}, "m")


def test_labels_notes_and_fixes_are_lines_of_the_message() -> None:
    labels = (Label(SOURCE, Span(0, 3), "first"), Label(SOURCE, Span(4, 4)), Label(SOURCE, Span(10, 15), "third"))
    item = Diagnostic("LS0101", "error", "m", Label(SOURCE, Span(6, 9)), labels, ("note",), (Fix("do this", cost=1),))
    assert parts(to_github([item]))[2].split("\n") == ["m", "1:1 first", "3:1 third", "note", "help: do this"]


def test_what_has_a_meaning_in_commands_is_escaped() -> None:
    source = SourceFile("a,b:c%0A.mlir", "x")
    item = Diagnostic("LS0101", "error", "50% of\r\n`%x`: a, b :: c", Label(source, Span(0, 1)))
    text = to_github([item])
    assert text.count("\n") == 1
    level, properties, message = parts(text)
    assert (level, properties["file"], message) == ("error", "a,b:c%0A.mlir", item.message)


def test_a_label_over_several_lines_has_no_end_column() -> None:
    _, properties, _ = parts(to_github([Diagnostic("LS0101", "error", "m", Label(SOURCE, Span(6, 12)))]))
    assert "endColumn" not in properties
    assert (properties["line"], properties["col"]) == ("2", "3")


def test_parts_of_a_split_file_keep_their_lines() -> None:
    part = split_input(SourceFile("a", "x\n// -----\nyy\n"))[1]
    assert parts(to_github([Diagnostic("LS0101", "error", "m", Label(part, Span(0, 2)))]))[1]["line"] == "3"


def test_each_message_is_a_line_and_none_gives_nothing() -> None:
    assert to_github([]) == ""
    assert to_github([Diagnostic("LS0101", "error", "a"), Diagnostic("LS0102", "error", "b")]).count("\n") == 2
