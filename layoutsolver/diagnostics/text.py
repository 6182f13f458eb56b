"""Diagnostics as text, in the form that rustc made familiar: headline, place, the lines with labels, notes, help."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from layoutsolver.diagnostics.diagnostic import Diagnostic, Fix, Label
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.source import SourceFile

WINDOW = 120
"""Source lines longer than this are shown in part, around their labels."""

TAB = "    "


@dataclass(frozen=True, slots=True)
class Style:
    """How to render: with ANSI colours or not, and with ASCII only or not."""

    color: bool = False
    ascii_only: bool = False


_COLORS = {"error": "1;31", "warning": "1;33", "note": "1;36", "help": "1;32", "gutter": "1;34", "bold": "1"}


def render(diagnostics: Iterable[Diagnostic], style: Style | None = None) -> str:
    """The diagnostics one after the other, each followed by an empty line."""
    chosen = style or Style()
    return "".join(render_one(diagnostic, chosen) + "\n" for diagnostic in diagnostics)


def render_one(diagnostic: Diagnostic, style: Style) -> str:
    """One diagnostic as text that ends in a line break."""
    head = _paint(f"{diagnostic.severity}[{diagnostic.code}]", diagnostic.severity, style)
    lines = [f"{head}{_paint(': ' + diagnostic.message, 'bold', style)}"]
    labels = [(label, False) for label in diagnostic.secondary]
    if diagnostic.primary is not None:
        labels.insert(0, (diagnostic.primary, True))
    width = _gutter_width(diagnostic, labels)
    pad = " " * width
    bar = _paint("|", "gutter", style)
    if diagnostic.primary is not None:
        lines.append(f"{pad}{_paint('-->', 'gutter', style)} {_location(diagnostic.primary)}")
        lines.extend(_snippets(diagnostic, labels, width, style))
    for note in diagnostic.notes:
        lines.append(f"{pad} {_paint('=', 'gutter', style)} {_paint('note', 'bold', style)}: {note}")
    if not diagnostic.minimal:
        lines.append(f"{pad} {_paint('=', 'gutter', style)} {_paint('note', 'bold', style)}: not minimised")
    for fix in diagnostic.fixes:
        lines.extend(_fix(diagnostic, fix, width, bar, style))
    return "\n".join(lines) + "\n"


def _paint(text: str, what: str, style: Style) -> str:
    return f"\x1b[{_COLORS[what]}m{text}\x1b[0m" if style.color else text


def _location(label: Label) -> str:
    position = label.source.position(label.span.start)
    return f"{label.source.name}:{position.line}:{position.column}"


def _gutter_width(diagnostic: Diagnostic, labels: list[tuple[Label, bool]]) -> int:
    numbers = [label.source.position(label.span.start).line for label, _ in labels]
    if diagnostic.primary is not None:
        for fix in diagnostic.fixes:
            numbers += [diagnostic.primary.source.position(edit.span.start).line for edit in fix.edits]
    return len(str(max(numbers, default=0)))


def _snippets(diagnostic: Diagnostic, labels: list[tuple[Label, bool]], width: int, style: Style) -> list[str]:
    """The labelled lines of the primary file in order, then those of other files."""
    primary = diagnostic.primary
    assert primary is not None
    pad, bar = " " * width, _paint("|", "gutter", style)
    lines = [f"{pad} {bar}"]
    by_source: dict[str, list[tuple[Label, bool]]] = {}
    for label, is_primary in labels:
        by_source.setdefault(label.source.name, []).append((label, is_primary))
    for name, group in by_source.items():
        if name != primary.source.name:
            lines.append(f"{pad}{_paint(':::', 'gutter', style)} {_location(group[0][0])}")
        by_line: dict[int, list[tuple[Label, bool]]] = {}
        for label, is_primary in group:
            by_line.setdefault(label.source.position(label.span.start).line, []).append((label, is_primary))
        previous = 0
        for line, on_line in sorted(by_line.items()):
            if previous and line > previous + 1:
                lines.append(f"{_paint('...', 'gutter', style)}")
            previous = line
            lines.extend(_labelled_line(group[0][0].source, line, on_line, width, diagnostic.severity, style))
    return lines


def _labelled_line(
    source: SourceFile, line: int, labels: list[tuple[Label, bool]], width: int, severity: str, style: Style
) -> list[str]:
    text = source.line_text(line)
    marks = []
    for label, is_primary in labels:
        start = source.position(label.span.start).column - 1
        end = start + max(1, label.span.end - label.span.start)
        marks.append((start, max(start + 1, min(end, max(len(text), start + 1))), label.text, is_primary))
    marks.sort()
    first, last = _window(text, marks)
    ellipsis = "..." if style.ascii_only else "…"
    lead = ellipsis if first else ""
    shown = lead + _show(text[first:last], style) + (ellipsis if last < len(text) else "")
    bar = _paint("|", "gutter", style)
    out = [f"{_paint(str(line).rjust(width), 'gutter', style)} {bar} {shown}".rstrip()]

    def column(at: int) -> int:
        return len(lead) + _width(_show(text[first:at], style))

    under: list[str] = []
    for start, end, _, is_primary in marks:
        left, right = column(start), max(column(end), column(start) + 1)
        under.extend(" " * (right - len(under)))
        for at in range(left, right):
            if under[at] == " " or is_primary:
                under[at] = "^" if is_primary else "-"
    tail = marks[-1][2]
    row = _color_marks("".join(under), severity, style)
    text_color = severity if marks[-1][3] else "gutter"
    out.append(f"{' ' * width} {bar} {row} {_paint(tail, text_color, style) if tail else ''}".rstrip())
    for start, _, message, is_primary in reversed(marks[:-1]):
        if message:
            what = severity if is_primary else "gutter"
            out.append(f"{' ' * width} {bar} {' ' * column(start)}{_paint(message, what, style)}")
    return out


def _window(text: str, marks: list[tuple[int, int, str, bool]]) -> tuple[int, int]:
    """The part of a line to show: all of a short line, else the surroundings of the first label."""
    if len(text) <= WINDOW:
        return 0, len(text)
    first = max(0, min(marks[0][0] - WINDOW // 4, len(text) - WINDOW))
    if marks[0][0] < WINDOW // 2:
        first = 0
    return first, min(len(text), max(first + WINDOW, marks[-1][1]))


def _show(text: str, style: Style) -> str:
    text = text.replace("\t", TAB)
    text = "".join(char if char.isprintable() or char == " " else "\N{REPLACEMENT CHARACTER}" for char in text)
    return text.encode("ascii", "replace").decode() if style.ascii_only else text


def _width(text: str) -> int:
    """Terminal columns: wide characters take two, combining ones none."""
    total = 0
    for char in text:
        if not unicodedata.combining(char):
            total += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return total


def _color_marks(row: str, severity: str, style: Style) -> str:
    if not style.color:
        return row
    return "".join(_paint(char, severity if char == "^" else "gutter", style) if char != " " else " " for char in row)


def _fix(diagnostic: Diagnostic, fix: Fix, width: int, bar: str, style: Style) -> list[str]:
    pad = " " * width
    cost = "" if fix.cost is None else f" (cost {fix.cost})"
    lines = [f"{_paint('help', 'help', style)}: {fix.title}{cost}"]
    if not fix.edits or diagnostic.primary is None:
        return lines
    source = diagnostic.primary.source
    touched = sorted({source.position(edit.span.start).line for edit in fix.edits})
    lines.append(f"{pad} {bar}")
    for line in touched:
        start = source.line_starts()[line - source.first_line]
        old = source.line_text(line)
        own = [edit for edit in fix.edits if source.position(edit.span.start).line == line]
        shifted = [type(edit)(type(edit.span)(edit.span.start - start, edit.span.end - start), edit.new_text)
                   for edit in own]  # fmt: skip
        number = _paint(str(line).rjust(width), "gutter", style)
        if any(edit.span.end > edit.span.start for edit in own) or old.strip():
            lines.append(f"{number} {_paint('-', 'error', style)} {_show(old, style)}")
        lines.extend(
            f"{number} {_paint('+', 'help', style)} {_show(new, style)}"
            for new in apply_edits(old, shifted).splitlines()
        )
    return lines
