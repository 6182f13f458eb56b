"""Candidate spaces as pictures: a row for each value, a column for each layout, and what became of each pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from layoutsolver.view.svg import LAYOUTS, MARGIN, Picture, width_of

State = Literal["chosen", "converted", "possible", "excluded", "none"]
"""Taken, made by a conversion as well, still possible, excluded, or no layout of that value at all."""


class Candidate(NamedTuple):
    """What became of a layout of a value, and why."""

    state: State
    reason: str = ""


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


CELL, HIGH = 58, 20
MARKS = {"chosen": "●", "converted": "◆", "possible": "○", "excluded": "✕", "none": ""}
WORDS = {
    "chosen": "chosen", "converted": "by a conversion as well", "possible": "possible",
    "excluded": "excluded", "none": "no layout of this value",
}  # fmt: skip


def space_picture(space: Space) -> Picture:
    """The matrix, with its legend."""
    picture = Picture(space.title)
    names = [f"{row.name}  line {row.line}" if row.line else row.name for row in space.rows]
    left = MARGIN + max((width_of(name) for name in names), default=60.0) + 12
    top = 52.0
    for column, layout in enumerate(space.layouts):
        picture.text(left + column * CELL + CELL / 2, top - 6, layout, "code", "middle")
    for number, (name, row) in enumerate(zip(names, space.rows, strict=True)):
        y = top + number * HIGH
        picture.text(MARGIN, y + 14, name, "code")
        for column, layout in enumerate(space.layouts):
            _cell(picture, left + column * CELL, y, column, f"{row.name}: {layout}", row.cells.get(layout))
    _legend(picture, top + len(space.rows) * HIGH + 20, used_states(space.rows))
    return picture


def used_states(rows: Sequence[Row]) -> list[State]:
    """The states that occur, in the order of the legend."""
    found = {cell.state for row in rows for cell in row.cells.values()}
    order: tuple[State, ...] = ("chosen", "converted", "possible", "excluded")
    return [state for state in order if state in found]


def _cell(picture: Picture, x: float, y: float, column: int, name: str, cell: Candidate | None) -> None:
    found = cell or Candidate("none")
    colour = f"l{column % LAYOUTS}"
    kind = {"chosen": colour, "converted": colour, "possible": "plain", "excluded": "empty", "none": "pad"}[found.state]
    hint = f"{name}: {WORDS[found.state]}" + (f" ({found.reason})" if found.reason else "")
    picture.rect(x + 1, y + 1, CELL - 2, HIGH - 2, f"box {kind}", hint)
    mark = {"excluded": "bad"}.get(found.state, "")
    picture.text(x + CELL / 2, y + 14, MARKS[found.state], mark, "middle", hint)


def _legend(picture: Picture, y: float, states: Sequence[State]) -> None:
    x = float(MARGIN)
    for state in states:
        text = f"{MARKS[state]} {WORDS[state]}"
        picture.text(x, y, text, "bad" if state == "excluded" else "faint")
        x += width_of(text) + 18
