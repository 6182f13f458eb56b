"""`// expected-error@+1 {{text}}` comments: what messages a file expects, and how that differs from what came.

The forms are those of `--verify-diagnostics` in mlir-opt: `expected-error`, `-warning`, `-note` (also `-remark`, which
is a note here), with `@+N`, `@-N`, `@above`, `@below` or nothing for the place, and `-re` for a text with
`{{regular expressions}}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.source import SourceFile

_COMMENT = re.compile(
    r"//[^\n]*?expected-(error|warning|note|remark)(-re)?[ \t]*"
    r"(?:@[ \t]*([+-]\d+|above|below|unknown))?[ \t]*\{\{(.*?)\}\}[ \t]*(?=\n|$|//|expected-)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Expected:
    """A message that a file expects: severity, line (None: anywhere), text, and the line of the comment."""

    severity: str
    line: int | None
    text: str
    is_regex: bool
    written: int


def expected_in(source: SourceFile) -> list[Expected]:
    r"""All expectations of a file, in order.

    >>> [item] = expected_in(SourceFile("a", "// expected-error@+1 {{no layout}}\nx"))
    >>> item.severity, item.line, item.text
    ('error', 2, 'no layout')
    """
    found = []
    for match in _COMMENT.finditer(source.text):
        severity, regex, place, text = match.groups()
        line, _ = source.line_column(match.start(1))
        target: int | None = line
        if place == "unknown":
            target = None
        elif place == "above":
            target = line - 1
        elif place == "below":
            target = line + 1
        elif place:
            target = line + int(place)
        kind = "note" if severity == "remark" else severity
        found.append(Expected(kind, target, text, regex is not None, line))
    return found


def unmet(source: SourceFile, diagnostics: Iterable[Diagnostic]) -> list[str]:
    """One line for each expected message that did not come, and each error or warning that was not expected.

    A message meets an expectation if it has its severity and line and holds its text; labels and notes of a message
    count as notes.
    """
    open_items = expected_in(source)
    problems: list[str] = []
    for item in diagnostics:
        for severity, line, text, must in _messages(item):
            match = next((e for e in open_items if _meets(e, severity, line, text)), None)
            if match is not None:
                open_items.remove(match)
            elif must:
                problems.append(f"{source.name}:{line or 1}: unexpected {severity}: {text}")
    problems += [
        f'{source.name}:{item.written}: expected {item.severity} "{item.text}" was not produced' for item in open_items
    ]
    return problems


def _messages(item: Diagnostic) -> list[tuple[str, int | None, str, bool]]:
    """Severity, line, text, and whether it must be expected."""
    line = None if item.primary is None else item.primary.source.line_column(item.primary.span.start)[0]
    own = f"{item.message} [{item.code}]"
    out: list[tuple[str, int | None, str, bool]] = [(item.severity, line, own, item.severity != "note")]
    for label in ([] if item.primary is None else [item.primary]) + list(item.secondary):
        out.append(("note", label.source.line_column(label.span.start)[0], label.text, False))
    out += [("note", line, note, False) for note in item.notes]
    return out


def _meets(expected: Expected, severity: str, line: int | None, text: str) -> bool:
    if expected.severity != severity or (expected.line is not None and expected.line != line):
        return False
    if not expected.is_regex:
        return expected.text in text
    pieces = re.split(r"\{\{(.*?)\}\}", expected.text)
    pattern = "".join(piece if number % 2 else re.escape(piece) for number, piece in enumerate(pieces))
    return re.search(pattern, text) is not None
