"""Candidate spaces as pictures: a row for each value, a column for each layout, and what became of each pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from layoutsolver.view.legend import LINE, Entry, legend, of_layouts
from layoutsolver.view.svg import LAYOUTS, MARGIN, Picture, width_of

State = Literal["chosen", "converted", "possible", "excluded", "none"]
"""Taken, made by a conversion as well, still possible, excluded, or no layout of that value at all."""


class Candidate(NamedTuple):
    """What became of a layout of a value, and why; `by` names in few words what excludes it."""

    state: State
    reason: str = ""
    by: str = ""


class Row(NamedTuple):
    """A value: its name, its line, and its layouts."""

    name: str
    line: int
    cells: dict[str, Candidate]


class Space(NamedTuple):
    """All values of a program and the layouts that there are, in their order."""

    title: str
    layouts: tuple[str, ...]
    rows: tuple[Row, ...]


CELL, HIGH = 64, 22
MARKS = {"chosen": "●", "converted": "◆", "possible": "○", "excluded": "✕", "none": ""}
WORDS = {
    "chosen": "chosen", "converted": "by a conversion as well", "possible": "possible",
    "excluded": "excluded", "none": "no layout of this value",
}  # fmt: skip
MEANS = {
    "chosen": "the layout that was chosen", "converted": "where the vector is converted to as well",
    "possible": "not excluded, but not taken", "excluded": "excluded by the operation named on the right",
    "none": "empty: no layout for elements of this size",
}  # fmt: skip


def space_picture(space: Space) -> Picture:
    """The matrix, with its legend."""
    picture = Picture(space.title)
    picture.text(
        MARGIN, 42, "A row for each vector of the program, a column for each way to lay it into registers.", "key"
    )
    names = [f"{row.name}, line {row.line}" if row.line else row.name for row in space.rows]
    left = MARGIN + max((width_of(name) for name in names), default=60.0) + 12
    top = 82.0
    for column, layout in enumerate(space.layouts):
        picture.text(left + column * CELL + CELL / 2, top - 8, layout, "code", "middle")
    right = left + len(space.layouts) * CELL + 12
    for number, (name, row) in enumerate(zip(names, space.rows, strict=True)):
        y = top + number * HIGH
        picture.text(MARGIN, y + 15, name, "code")
        for column, layout in enumerate(space.layouts):
            _cell(picture, left + column * CELL, y, column, f"{row.name}: {layout}", row.cells.get(layout))
        by = list(dict.fromkeys(cell.by for cell in row.cells.values() if cell.state == "excluded" and cell.by))
        if by:
            picture.text(right, y + 15, "✕ " + _short(", ".join(by)), "small bad", hint="; ".join(by))
    _legend(picture, top + len(space.rows) * HIGH + 14, space, right + 60)
    return picture


def _short(text: str) -> str:
    """A text that has room beside the matrix."""
    return text if len(text) <= 60 else text[:59] + "…"


def used_states(rows: Sequence[Row]) -> list[State]:
    """The states that occur, in the order of the legend."""
    found = {cell.state for row in rows for cell in row.cells.values()}
    order: tuple[State, ...] = ("chosen", "converted", "possible", "excluded")
    return [state for state in order if state in found]


def _cell(picture: Picture, x: float, y: float, column: int, name: str, cell: Candidate | None) -> None:
    found = cell or Candidate("none")
    colour = f"l{column % LAYOUTS}"
    kind = {"chosen": colour, "converted": colour, "possible": "plain", "excluded": "empty", "none": "void"}[
        found.state
    ]
    hint = f"{name}: {WORDS[found.state]}" + (f" ({found.reason})" if found.reason else "")
    picture.rect(x + 1, y + 1, CELL - 2, HIGH - 2, kind if kind == "void" else f"box {kind}", hint)
    mark = {"excluded": "bad"}.get(found.state, "")
    picture.text(x + CELL / 2, y + 15, MARKS[found.state], mark, "middle", hint)


def _legend(picture: Picture, y: float, space: Space, width: float) -> None:
    marks = [Entry("none", "", f"{MARKS[state]}  {MEANS[state]}") for state in used_states(space.rows)]
    blank = any(layout not in row.cells for row in space.rows for layout in space.layouts)
    y = legend(picture, y, [*marks, *([Entry("none", "", MEANS["none"])] if blank else [])], width)
    chosen = {name for row in space.rows for name, cell in row.cells.items() if cell.state in ("chosen", "converted")}
    for entry in of_layouts(space.layouts, chosen, "box"):
        legend(picture, y, [entry], width)
        y += LINE
