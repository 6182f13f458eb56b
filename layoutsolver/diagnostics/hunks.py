"""What edits change, line by line, as patches show it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from layoutsolver.diagnostics.diagnostic import Edit
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.source import SourceFile, Span

Sign = Literal["|", "-", "+", "..."]
"""A line that stays, one that goes, one that comes, and lines between that nothing changes."""


class ChangedLine(NamedTuple):
    """A line beside or in a change: its number before the change, or the one that it gets."""

    sign: Sign
    line: int
    text: str


class _Hunk(NamedTuple):
    """Lines that edits touch, from line `line` on, before and after."""

    line: int
    old: list[str]
    new: list[str]


def changed_lines(source: SourceFile, edits: tuple[Edit, ...]) -> list[ChangedLine]:
    r"""The lines that edits touch, removed and added ones after each other, with those that stay around them.

    >>> text = SourceFile("a", "one\ntwo\nthree\n")
    >>> [line[:2] for line in changed_lines(text, (Edit(Span(4, 7), "2"),))]
    [('-', 2), ('+', 2)]
    """
    out: list[ChangedLine] = []
    end = 0
    for hunk in _hunks(source, edits):
        if out and hunk.line > end:
            out.append(ChangedLine("...", 0, ""))
        out += _lines(hunk)
        end = hunk.line + len(hunk.old)
    return out


def _lines(hunk: _Hunk) -> list[ChangedLine]:
    """What a hunk removes and what it adds; its lines that stay, as they are."""
    old, new, line = hunk.old, hunk.new, hunk.line
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    tail = 0
    while tail < min(len(old), len(new)) - same and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return [
        *(ChangedLine("|", line + place, old[place]) for place in range(same)),
        *(ChangedLine("-", line + place, old[place]) for place in range(same, len(old) - tail)),
        *(ChangedLine("+", line + place, new[place]) for place in range(same, len(new) - tail)),
        *(ChangedLine("|", line + place, old[place]) for place in range(len(old) - tail, len(old))),
    ]


def _hunks(source: SourceFile, edits: tuple[Edit, ...]) -> list[_Hunk]:
    """The lines that edits touch, run by run."""
    runs: list[tuple[int, int, list[Edit]]] = []
    for edit in sorted(edits, key=lambda edit: edit.span):
        first = source.position(edit.span.start).line
        last = source.position(edit.span.end).line
        if runs and first <= runs[-1][1]:
            start, end, own = runs[-1]
            runs[-1] = (start, max(end, last), [*own, edit])
        else:
            runs.append((first, last, [edit]))
    return [_hunk(source, first, last, own) for first, last, own in runs]


def _hunk(source: SourceFile, first: int, last: int, edits: list[Edit]) -> _Hunk:
    start = source.line_starts()[first - source.first_line]
    old = "\n".join(source.line_text(line) for line in range(first, last + 1))
    end = source.line_starts()[last - source.first_line] + len(source.line_text(last))
    shifted = [Edit(Span(edit.span.start - start, edit.span.end - start), edit.new_text) for edit in edits]
    new = apply_edits(source.text[start:end], shifted)
    return _Hunk(first, old.split("\n"), [line.rstrip("\r") for line in new.split("\n")])
