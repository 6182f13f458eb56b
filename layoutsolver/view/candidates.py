"""Candidate spaces as pictures: a row for each value, a column for each layout, and what became of each pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from layoutsolver.explain.layout_words import bare
from layoutsolver.view.legend import Entry, legend, of_layouts
from layoutsolver.view.svg import LAYOUTS, MARGIN, Picture, width_of, wrapped

State = Literal["chosen", "converted", "possible", "excluded", "none"]
"""Taken, made by a conversion as well, still possible, excluded, or no layout of that value at all."""


class Candidate(NamedTuple):
    """What became of a layout of a value, and why; `by` says in few words what excludes it, `cost` is +N or =."""

    state: State
    reason: str = ""
    by: str = ""
    cost: str = ""


class Row(NamedTuple):
    """A value: its name, its line, and its layouts; `slots` tells the rows of one mask apart, by what it governs."""

    name: str
    line: int
    cells: dict[str, Candidate]
    mask: bool = False
    slots: str = ""


class Space(NamedTuple):
    """All values of a program and the layouts that there are, in their order; `costs` says what costs are."""

    title: str
    layouts: tuple[str, ...]
    rows: tuple[Row, ...]
    costs: str = ""


CELL, HIGH, NEXT = 64, 22, 16
WIDE = 650.0
MANY = 8
"""Where there are more layouts than so many, those that are excluded throughout have no column."""
MARKS = {"chosen": "●", "converted": "◆", "possible": "○", "excluded": "✕", "none": ""}
COLOURED = ("chosen", "converted")
WORDS = {
    "chosen": "chosen", "converted": "by a conversion as well", "possible": "possible",
    "excluded": "excluded", "none": "no layout of this value",
}  # fmt: skip
MEANS = {
    "chosen": "the layout that was chosen", "converted": "where the vector is converted to as well",
    "possible": "possible, but not chosen",
    "excluded": "excluded by the operation on the right",
    "none": "empty: no layout for elements of this size, or for masks",
}  # fmt: skip


def space_picture(space: Space) -> Picture:
    """The matrix, with what it shows in a sentence, and its legend; values with one layout only stand below it."""
    picture = Picture(space.title)
    end = picture.lines(MARGIN, 42, _point(space), "point", WIDE)
    rows = [part for row in space.rows if len(row.cells) != 1 for part in _by_slots(row)]
    if rows:
        how = "A row for each vector, a column for each layout: each way to lay elements into registers."
        picture.text(MARGIN, end, how, "key")
    y = end + 40
    layouts, never = _columns(space, rows)
    names = [_named(row) for row in rows]
    left = MARGIN + max((width_of(name, "code") for name in names), default=60.0) + 12
    for column, layout in enumerate(layouts):
        picture.text(left + column * CELL + CELL / 2, y - 8, layout, "code", "middle")
    right = left + len(layouts) * CELL + 12
    for name, row in zip(names, rows, strict=True):
        picture.text(MARGIN, y + 15, name, "code")
        for column, layout in enumerate(layouts):
            colour = space.layouts.index(layout) % LAYOUTS
            _cell(picture, left + column * CELL, y, colour, f"{row.name}: {layout}", row.cells.get(layout))
        y += HIGH + NEXT * max(0, _reasons(picture, right, y + 15, row, layouts) - 1)
    if never:
        y = picture.lines(MARGIN, y + 18, never, "small bad", WIDE)
    y = _folded(picture, y + 14 if rows else y - 24, [row for row in space.rows if len(row.cells) == 1], bool(rows))
    _legend(picture, y + 4, space, rows, layouts)
    return picture


def _by_slots(row: Row) -> list[Row]:
    """A row for each width of the slots that a mask governs, if its layouts tell them apart; else the row."""
    if not any(" " in layout for layout in row.cells):
        return [row]
    found: dict[str, dict[str, Candidate]] = {}
    for layout, cell in row.cells.items():
        found.setdefault(layout.rpartition(" ")[0], {})[bare(layout)] = cell
    return [row._replace(cells=cells, slots=slots) for slots, cells in found.items()]


def _columns(space: Space, rows: Sequence[Row]) -> tuple[list[str], str]:
    """The layouts that have a column, and what to say of those of many in which no data lie and no mask is."""
    found = [layout for layout in space.layouts if any(layout in row.cells for row in rows)]
    if len(found) <= MANY:
        return found, ""
    out = []
    for layout in found:
        cells = [(row.mask, row.cells[layout].state) for row in rows if layout in row.cells]
        if all(state == "excluded" or (mask and state not in COLOURED) for mask, state in cells):
            out.append(layout)
    free = any(row.cells[layout].state != "excluded" for row in rows for layout in out if layout in row.cells)
    why = "excluded for all data, and no mask is in them" if free else "excluded for all of them"
    return [layout for layout in found if layout not in out], f"✕ {', '.join(out)}: {why}" if out else ""


def _named(row: Row) -> str:
    mask = f" (mask {row.slots})" if row.slots else " (mask)" if row.mask else ""
    return row.name + mask + (f", line {row.line}" if row.line else "")


def _point(space: Space) -> str:
    """What the picture shows, in a sentence."""
    rows = space.rows
    left = [sum(cell.state not in ("excluded", "none") for cell in row.cells.values()) for row in rows]
    one = sum(len(row.cells) == 1 for row in rows)
    forced = sum(count == 1 and len(row.cells) > 1 for count, row in zip(left, rows, strict=True))
    said = []
    if one:
        said.append(f"{_have(one)} one layout only")
    if forced:
        said.append(f"operations exclude all but one for {forced}")
    free = sum(count > 1 for count in left)
    if free:
        chosen = any(cell.state == "chosen" for row in rows for cell in row.cells.values())
        said.append(f"{_have(free)} a choice" + (", decided by cost" if chosen else ""))
    none = [row.name for count, row in zip(left, rows, strict=True) if not count]
    if none:
        some = ", ".join(none[:3]) + (f" and {len(none) - 3} more" if len(none) > 3 else "")
        said.append(f"no layout is left for {some}")
    return f"Of {len(rows)} vector{'s' * (len(rows) != 1)}, " + "; ".join(said) + "." if rows else "No vectors."


def _have(count: int) -> str:
    return f"{count} ha{'s' if count == 1 else 've'}"


def _reasons(picture: Picture, x: float, y: float, row: Row, layouts: Sequence[str]) -> int:
    """What excludes layouts of a row, a line each beside it; how many lines."""
    found: dict[str, list[str]] = {}
    for layout in layouts:
        cell = row.cells.get(layout)
        if cell is not None and cell.by:
            found.setdefault(cell.by, []).append(layout)
    for by, names in found.items():
        text = f"✕ {', '.join(names)}: {by}"
        text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        picture.text(x, y, text, "small bad", hint=by)
        y += NEXT
    return len(found)


LONGEST = 60
"""So many characters of a reason stand beside a row."""


def _folded(picture: Picture, y: float, rows: Sequence[Row], more: bool) -> float:
    """The values with one layout only, as lines of their names; where the picture goes on."""
    if not rows:
        return y
    word = " more" if more else ""
    picture.text(
        MARGIN, y + 12, f"{len(rows)}{word} vector{'s have' if len(rows) > 1 else ' has'} one layout only:", "key"
    )
    y += 29
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(next(iter(row.cells)), []).append(row.name + (" (mask)" if row.mask else ""))
    for layout, names in found.items():
        y = picture.lines(MARGIN + 12, y, f"{layout}: {', '.join(names)}", "small code", WIDE)
    return y


def used_states(rows: Sequence[Row]) -> list[State]:
    """The states that occur, in the order of the legend."""
    found = {cell.state for row in rows for cell in row.cells.values()}
    order: tuple[State, ...] = ("chosen", "converted", "possible", "excluded")
    return [state for state in order if state in found]


def _cell(picture: Picture, x: float, y: float, number: int, name: str, cell: Candidate | None) -> None:
    found = cell or Candidate("none")
    colour = f"l{number}"
    kind = {"chosen": colour, "converted": colour, "possible": "paper", "excluded": "empty", "none": "void"}[
        found.state
    ]
    hint = f"{name}: {WORDS[found.state]}" + (f" ({found.reason})" if found.reason else "")
    picture.rect(x + 1, y + 1, CELL - 2, HIGH - 2, kind if kind == "void" else f"box {kind}", hint)
    mark = {"excluded": "bad"}.get(found.state, "")
    said = f"{MARKS[found.state]} {found.cost}".strip()
    picture.text(x + CELL / 2, y + 15, said, f"{mark} key".strip() if found.cost else mark, "middle", hint)


def _legend(picture: Picture, y: float, space: Space, rows: Sequence[Row], layouts: Sequence[str]) -> None:
    costs = any(cell.cost for row in rows for cell in row.cells.values())
    same = "; =: as good" if any(cell.cost == "=" for row in rows for cell in row.cells.values()) else ""
    means = MEANS
    if not any(cell.state == "chosen" for row in rows for cell in row.cells.values()):
        means = {**means, "possible": "not excluded by any operation alone"}
    marks = [Entry("none", "", f"{MARKS[state]}  {means[state]}") for state in used_states(rows)]
    if costs:
        marks += [Entry("none", "", line) for line in wrapped(f"{space.costs}{same}", "key", WIDE)]
    coloured = {bare(layout) for row in space.rows for layout, cell in row.cells.items() if cell.state in COLOURED}
    blank = any(layout not in row.cells for row in rows for layout in layouts)
    used = {*layouts, *(layout for row in space.rows if len(row.cells) == 1 for layout in row.cells)}
    used = {bare(layout) for layout in used}
    entries = [*marks, *([Entry("none", "", MEANS["none"])] if blank else []), *of_layouts(space.layouts, used, "box")]
    plain = [item if item.text.partition(":")[0] in coloured else item._replace(shape="none") for item in entries]
    for entry in plain:
        y = legend(picture, y, [entry], WIDE)
