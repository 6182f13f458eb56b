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

_EXPECTED = re.compile(
    r"expected-(error|warning|note|remark)(-re)?[ \t]*"
    r"(?:@[ \t]*([+-]\d+|above|below|unknown))?[ \t]*\{\{(.*?)\}\}[ \t]*(?=$|//|expected-)"
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
    for number, text in enumerate(source.text.split("\n"), source.first_line):
        _, slashes, comment = text.rstrip("\r").partition("//")
        if slashes:
            found += [_expected(match, number) for match in _EXPECTED.finditer(comment)]
    return found


def _expected(match: re.Match[str], line: int) -> Expected:
    severity, regex, place, text = match.groups()
    target: int | None = line
    if place == "unknown":
        target = None
    elif place in ("above", "below"):
        target = line - 1 if place == "above" else line + 1
    elif place:
        target = line + int(place)
    return Expected("note" if severity == "remark" else severity, target, text, regex is not None, line)


def unmet(source: SourceFile, diagnostics: Iterable[Diagnostic]) -> list[str]:
    """One line for each expected message that did not come, and each error or warning that was not expected.

    A message meets an expectation if it has its severity and line and holds its text; labels and notes of a message
    count as notes.
    """
    problems: list[str] = []
    open_items: list[Expected] = []
    for expected in expected_in(source):
        try:
            _pattern(expected)
        except re.error as error:
            problems.append(f'{source.name}:{expected.written}: "{expected.text}" is no regular expression: {error}')
        else:
            open_items.append(expected)
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
    return _pattern(expected).search(text) is not None


def _pattern(expected: Expected) -> re.Pattern[str]:
    """What a text must match: the words as they are, and what stands between `{{` and `}}` in a regular one."""
    if not expected.is_regex:
        return re.compile(re.escape(expected.text))
    pieces = re.split(r"\{\{(.*?)\}\}", expected.text)
    return re.compile("".join(piece if number % 2 else re.escape(piece) for number, piece in enumerate(pieces)))
