"""The one record behind every message: text, JSON, SARIF and editor forms are made from it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from layoutsolver.source import SourceFile, Span

Severity = Literal["error", "warning", "note"]


class Label(NamedTuple):
    """A place in a source file and the one fact to be said about it."""

    source: SourceFile
    span: Span
    text: str = ""


class Edit(NamedTuple):
    """A replacement of the text in `span` (an insertion where the span is empty)."""

    span: Span
    new_text: str


class Fix(NamedTuple):
    """A change that helps; `verified` says that it was run on the hardware model with it applied."""

    title: str
    edits: tuple[Edit, ...] = ()
    cost: int | None = None
    verified: bool = False


class Diagnostic(NamedTuple):
    """A message with a stable code (its page: `layoutsolver explain CODE`) and the places it speaks of."""

    code: str
    severity: Severity
    message: str
    primary: Label | None = None
    secondary: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    minimal: bool = True
