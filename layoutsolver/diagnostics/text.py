"""Diagnostics as text, in the form that rustc made familiar: headline, place, the lines with labels, notes, help."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby

from layoutsolver.diagnostics.diagnostic import Diagnostic, Fix, Label
from layoutsolver.diagnostics.hunks import changed_lines
from layoutsolver.source import SourceFile, Span

WINDOW = 120
"""Source lines longer than this are shown in part, around their labels."""

TAB = "    "

NOT_MINIMAL = "the search for a smaller conflict was cut short: some of these places may have no part in it"


@dataclass(frozen=True, slots=True)
class Style:
    """How to render: with ANSI colours or not, and with ASCII only or not."""

    color: bool = False
    ascii_only: bool = False


_COLORS = {"error": "1;31", "warning": "1;33", "note": "1;36", "help": "1;32", "gutter": "1;34", "bold": "1"}
_SIGN_COLORS = {"|": "gutter", "-": "error", "+": "help"}


def render(diagnostics: Iterable[Diagnostic], style: Style | None = None) -> str:
    """The diagnostics one after the other, each followed by an empty line."""
    chosen = style or Style()
    return "".join(render_one(diagnostic, chosen) + "\n" for diagnostic in diagnostics)


def render_one(diagnostic: Diagnostic, style: Style) -> str:
    """One diagnostic as text that ends in a line break."""
    return _Writer(diagnostic, style).write()


@dataclass(frozen=True, slots=True)
class _Mark:
    """A label on its line: code points `[start, end)`, never empty, perhaps one behind the last of the line."""

    start: int
    end: int
    text: str
    primary: bool


class _Writer:
    def __init__(self, diagnostic: Diagnostic, style: Style) -> None:
        self.diagnostic = diagnostic
        self.style = style
        self.ellipsis = "..." if style.ascii_only else "…"
        self.lines: list[str] = []
        labels = [(label, False) for label in diagnostic.secondary]
        if diagnostic.primary is not None:
            labels.insert(0, (diagnostic.primary, True))
        self.labels = labels
        self.changed = {fix: changed_lines(labels[0][0].source, fix.edits) for fix in diagnostic.fixes if labels}
        numbers = [_line(label) for label, _ in labels if not _is_whole_file(label)]
        for changed in self.changed.values():
            numbers += [line for _, line, _ in changed]
        self.width = len(str(max(numbers, default=0)))

    def write(self) -> str:
        diagnostic = self.diagnostic
        head = self.paint(f"{diagnostic.severity}[{diagnostic.code}]", diagnostic.severity)
        self.lines.append(head + self.paint(": " + self.clean(diagnostic.message), "bold"))
        if self.labels:
            self.snippets()
        notes = [*diagnostic.notes, *([] if diagnostic.minimal else [NOT_MINIMAL])]
        if notes and not all(_is_whole_file(label) for label, _ in self.labels):
            self.row("|")
        for note in notes:
            self.row("=", f"{self.paint('note', 'bold')}: {self.clean(note)}")
        for fix in diagnostic.fixes:
            self.fix(fix)
        return "\n".join(self.lines) + "\n"

    # -- pieces -----------------------------------------------------------------------------------------------

    def paint(self, text: str, what: str) -> str:
        return f"\x1b[{_COLORS[what]}m{text}\x1b[0m" if self.style.color and text else text

    def row(self, sign: str, text: str = "", number: int | None = None, color: str = "gutter") -> None:
        gutter = " " * self.width if number is None else self.paint(str(number).rjust(self.width), "gutter")
        self.lines.append(f"{gutter} {self.paint(sign, color)} {text}".rstrip())

    def show(self, text: str) -> str:
        """Text of a source line as a terminal can show it."""
        text = text.replace("\t", TAB)
        text = "".join(char if char.isprintable() or char == " " else "\N{REPLACEMENT CHARACTER}" for char in text)
        return text.encode("ascii", "replace").decode() if self.style.ascii_only else text

    def clean(self, text: str) -> str:
        """Text of a message, which may quote the source, on one line."""
        return self.show(re.sub(r"\s*\n\s*", " ", text))

    def place(self, label: Label) -> str:
        name = self.clean(label.source.name)
        if _is_whole_file(label) and label.source.first_line == 1:
            return name
        position = label.source.position(label.span.start)
        return f"{name}:{position.line}:{position.column}"

    # -- lines with labels ------------------------------------------------------------------------------------

    def snippets(self) -> None:
        """The labelled lines of the primary file in order, then those of other files."""
        by_source: dict[str, list[tuple[Label, bool]]] = {}
        for label, is_primary in self.labels:
            by_source.setdefault(label.source.name, []).append((label, is_primary))
        for number, group in enumerate(by_source.values()):
            arrow = self.paint(":::" if number else "-->", "gutter")
            self.lines.append(f"{' ' * self.width}{arrow} {self.place(group[0][0])}")
            by_line: dict[int, list[tuple[Label, bool]]] = {}
            for label, is_primary in group:
                if not _is_whole_file(label):
                    by_line.setdefault(_line(label), []).append((label, is_primary))
            if by_line:
                self.row("|")
            previous = 0
            for line, on_line in sorted(by_line.items()):
                source = on_line[0][0].source
                if previous and line == previous + 2:
                    self.plain_line(source.line_text(line - 1), line - 1)
                elif previous and line > previous + 1:
                    self.lines.append(self.paint("...", "gutter"))
                previous = line
                self.labelled_line(source, line, on_line)

    def plain_line(self, text: str, line: int) -> None:
        """A line without labels, which takes no more room than the dots that would stand for it."""
        self.row("|", self.show(text[:WINDOW]) + (self.ellipsis if len(text) > WINDOW else ""), line)

    def labelled_line(self, source: SourceFile, line: int, labels: list[tuple[Label, bool]]) -> None:
        text = source.line_text(line)
        marks = [_mark(label, is_primary, line, text) for label, is_primary in labels]
        marks.sort(key=lambda mark: (mark.start, mark.end, bool(mark.text), mark.primary))
        for first, last, group in _windows(text, marks):
            self.marked_line(line, text, first, last, group)

    def marked_line(self, line: int, text: str, first: int, last: int, marks: list[_Mark]) -> None:
        """The part `[first, last)` of a line, the marks under it, and the texts of the marks."""
        lead = self.ellipsis if first else ""
        self.row("|", lead + self.show(text[first:last]) + (self.ellipsis if last < len(text) else ""), line)

        def column(at: int) -> int:
            return len(lead) + _width(self.show(text[first : min(at, last)]))

        under: list[str] = []
        rights: list[int] = []
        for mark in marks:
            left = column(mark.start)
            right = max(column(mark.end), left + 1)
            rights.append(right)
            under.extend(" " * (right - len(under)))
            for at in range(left, right):
                if under[at] == " " or mark.primary:
                    under[at] = "^" if mark.primary else "-"
        shown = "".join(self.paint("".join(run), self.color_of(char == "^")) if char != " " else "".join(run)
                        for char, run in groupby(under))  # fmt: skip
        below = marks
        if rights[-1] == max(rights):
            below = marks[:-1]
            shown += f" {self.text_of(marks[-1])}"
        self.row("|", shown)
        below = [mark for mark in below if mark.text]
        if below:
            self.row("|", self.stems(below, column))
        while below:
            mark = below.pop()
            left = column(mark.start)
            earlier = [other for other in below if column(other.start) < left]
            gap = left - max((column(other.start) + 1 for other in earlier), default=0)
            self.row("|", self.stems(earlier, column) + " " * gap + self.text_of(mark))

    def stems(self, marks: list[_Mark], column: Callable[[int], int]) -> str:
        """Lines that lead from marks down to their texts."""
        out, at = "", 0
        by_column = {column(mark.start): mark for mark in marks}
        for left, mark in sorted(by_column.items()):
            out += " " * (left - at) + self.paint("|", self.color_of(mark.primary))
            at = left + 1
        return out

    def color_of(self, is_primary: bool) -> str:
        return self.diagnostic.severity if is_primary else "gutter"

    def text_of(self, mark: _Mark) -> str:
        return self.paint(self.clean(mark.text), self.color_of(mark.primary))

    # -- fixes ------------------------------------------------------------------------------------------------

    def fix(self, fix: Fix) -> None:
        cost = "" if fix.cost is None else f" (cost {fix.cost})"
        self.lines.append(f"{self.paint('help', 'help')}: {self.clean(fix.title)}{cost}")
        changed = self.changed.get(fix, [])
        if changed:
            self.row("|")
        for sign, line, text in changed:
            if sign == "...":
                self.lines.append(self.paint(sign, "gutter"))
            else:
                self.row(sign, self.show(text), line, _SIGN_COLORS[sign])


def _line(label: Label) -> int:
    return label.source.position(label.span.start).line


def _is_whole_file(label: Label) -> bool:
    """Whether the label points at the file as such: at nothing, at the very start, with nothing to say."""
    return label.span == Span(0, 0) and not label.text


def _mark(label: Label, is_primary: bool, line: int, text: str) -> _Mark:
    """A label on its first line; one that goes on says so."""
    source, span = label.source, label.span
    start = source.position(span.start).column - 1
    end = max(start + 1, min(start + span.end - span.start, len(text)))
    last = source.position(max(span.start, span.end - 1)).line
    message = label.text
    if last > line:
        message = f"{message} (up to line {last})".lstrip()
    return _Mark(start, end, message, is_primary)


def _windows(text: str, marks: list[_Mark]) -> list[tuple[int, int, list[_Mark]]]:
    """The parts of a line to show, with their marks: all of a short line, else what surrounds the marks."""
    if len(text) <= WINDOW:
        return [(0, len(text), marks)]
    groups: list[list[_Mark]] = []
    for mark in marks:
        if groups and mark.end - groups[-1][0].start <= WINDOW:
            groups[-1].append(mark)
        else:
            groups.append([mark])
    windows = []
    for group in groups:
        start, end = group[0].start, max(mark.end for mark in group)
        first = start - min(WINDOW // 4, max(0, WINDOW - (end - start)) // 2)
        first = 0 if end <= WINDOW else max(0, min(first, len(text) - WINDOW))
        windows.append((first, min(len(text), first + WINDOW), group))
    return windows


def _width(text: str) -> int:
    """Terminal columns: wide characters take two, combining ones none."""
    total = 0
    for char in text:
        if unicodedata.category(char) not in ("Mn", "Me"):
            total += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return total
