"""Diagnostics as GitHub workflow commands, which put them beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterable

from layoutsolver.diagnostics.diagnostic import Diagnostic

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def to_github(diagnostics: Iterable[Diagnostic]) -> str:
    """One command a line for each diagnostic; notes and fixes go into its text."""
    return "".join(_command(item) for item in diagnostics)


def _command(item: Diagnostic) -> str:
    properties: dict[str, str] = {}
    if item.primary is not None:
        line, column = item.primary.source.line_column(item.primary.span.start)
        end_line, end_column = item.primary.source.line_column(item.primary.span.end)
        properties = {"file": item.primary.source.name, "line": str(line), "col": str(column)}
        if end_line == line:
            properties["endColumn"] = str(end_column)
    properties["title"] = item.code
    lines = [item.message]
    if item.primary is not None and item.primary.text:
        lines.append(item.primary.text)
    for label in item.secondary:
        if label.text:
            line, column = label.source.line_column(label.span.start)
            lines.append(f"{line}:{column} {label.text}")
    lines += item.notes
    lines += [f"help: {fix.title}" for fix in item.fixes]
    head = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
    return f"::{_LEVELS[item.severity]} {head}::{_escape(chr(10).join(lines))}\n"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
