"""Dataflow as a picture: operations as boxes from top to bottom, values as lines between them.

A box says what it makes, in the colour of the layout in which it makes it; a thick frame marks where a layout changes.
A value has a line to its users in the next row; an operation that takes it farther down says so beside its box, and so
it says which conversions come before it. What contradicts each other is red, with lines all the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from layoutsolver.explain.layout_words import bare
from layoutsolver.view.graph import Place, Rows, placed_in_rows, ranked
from layoutsolver.view.legend import Entry, legend, of_layouts
from layoutsolver.view.svg import LAYOUTS, MARGIN, Picture, width_of

if TYPE_CHECKING:
    from layoutsolver.diagnostics.diagnostic import Diagnostic


class Made(NamedTuple):
    """A vector that an operation makes, and its layout."""

    name: str
    layout: str = ""
    mask: bool = False


class Node(NamedTuple):
    """An operation: its name, its line, and what to say of it; `wrong` if it is part of a conflict.

    `wants` is what it demands there, in a few words; `makes` are the vectors that it makes.
    """

    name: str
    line: int
    hint: str = ""
    wrong: bool = False
    wants: str = ""
    makes: tuple[Made, ...] = ()


class Edge(NamedTuple):
    """A value from one operation to another, by their numbers: its name, its layout, the layout it is converted to."""

    source: int
    target: int
    value: str
    layout: str = ""
    converted: str = ""
    wrong: bool = False
    mask: bool = False


class Flow(NamedTuple):
    """A program's operations and what flows between them; `layouts` in the order of their colours."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    layouts: tuple[str, ...]


def titled(name: str, solved: bool) -> str:
    """What the picture of a program shows."""
    return f"{name}: {'the layouts of its vectors' if solved else 'why no layouts fit'}"


def wants_of(diagnostics: Iterable[Diagnostic]) -> dict[int, str]:
    """What errors say that operations demand, by where these begin in the text."""
    labels = [label for item in diagnostics if item.severity == "error" for label in (item.primary, *item.secondary)]
    found = [label for label in labels if label is not None and label.text]
    return {label.span.start: re.sub(r"^`[\w.]+` ", "", label.text).replace("`", "") for label in found}


def blamed(flow: Flow) -> Flow:
    """The flow with red only where a value is named by what is demanded of it, if any is."""

    def named(edge: Edge) -> bool:
        ends = (flow.nodes[edge.source].wants, flow.nodes[edge.target].wants)
        return edge.wrong and any(re.search(rf"{re.escape(edge.value)}(?![\w.$-])", text) for text in ends)

    if not any(named(edge) for edge in flow.edges):
        return flow
    return flow._replace(edges=tuple(edge._replace(wrong=named(edge)) for edge in flow.edges))


HIGH, STEP = 28.0, 14.0
"""How high a box is, and a line of what stands beside it."""
WIDE = 650.0
"""Texts are about so wide."""
BESIDE = 30
"""So many characters stand in a line beside a box."""


def flow_picture(flow: Flow) -> Picture:
    """The picture, with what it shows in a sentence, and a legend of the layouts and the marks that occur."""
    flow = blamed(flow)
    picture = Picture(flow.title)
    said = "A box is an operation, with the vectors that it makes; lines lead from there to what takes them."
    ways = [(edge.source, edge.target) for edge in flow.edges if edge.source < edge.target]
    row = ranked(ways, len(flow.nodes))
    shown = [_Box(flow, number, row) for number in range(len(flow.nodes))]
    end = picture.lines(MARGIN, 42, _point(flow, shown), "point", WIDE)
    picture.text(MARGIN, end, said, "key")
    rows = placed_in_rows(
        ways, [Place(box.width, box.beside, max(HIGH, STEP * len(box.lines) + 4)) for box in shown], (MARGIN, end + 18)
    )
    below, above = _ends(flow, rows, shown)
    for number, edge in sorted(enumerate(flow.edges), key=lambda item: item[1].wrong):
        if number in above:
            kind = "badedge" if edge.wrong else "edge dim" if edge.mask else "edge"
            x, y = below[edge.source]
            picture.curve(x, y, *above[number], kind, _said(edge))
            if y > rows.corner[edge.source][1] + HIGH:
                picture.line(x, rows.corner[edge.source][1] + HIGH, x, y, kind)
    _detours(picture, flow, rows, shown, below)
    for number, box in enumerate(shown):
        box.draw(picture, *rows.corner[number])
    _legend(picture, flow, (rows.low[-1] if rows.low else end) + 22, shown)
    return picture


class _Box:
    """What a box says, and what stands beside it."""

    def __init__(self, flow: Flow, number: int, row: Sequence[int]) -> None:
        self.flow, self.node = flow, flow.nodes[number]
        into = [edge for edge in flow.edges if edge.target == number]
        self.label = _cut(", ".join(made.name for made in self.node.makes), " = ") + self.node.name
        if self.node.line:
            self.label += f", line {self.node.line}"
        after = {made.layout: None for made in self.node.makes if made.layout}
        mask = "mask " if any(made.mask for made in self.node.makes) else ""
        data = {made.layout for made in self.node.makes if made.layout and not made.mask}
        before = {edge.converted or edge.layout: None for edge in into if edge.layout and not edge.mask}
        self.turns = bool(data and before and data != set(before))
        self.layout = next(iter(after), "")
        self.layouts = f"{', '.join(before)} → {', '.join(after)}" if self.turns else f"{mask}{', '.join(after)}"
        self.width = max(60.0, width_of(self.label, "code") + 16)
        if self.layouts:
            self.width += width_of(self.layouts, "small") + 12
        self.conversions = [edge for edge in into if edge.converted]
        self.lines: list[tuple[str, str, Edge | None]] = []
        if self.node.wants:
            self.lines.append((self.node.wants, "small bad", None))
        self.lines += [(_said(edge), "small", edge) for edge in self.conversions]
        far = [edge for edge in into if not edge.converted and row[edge.target] != row[edge.source] + 1]
        for word, found in (
            ("with", [edge for edge in far if edge.source < number and not edge.mask and not edge.wrong]),
            ("mask", [edge for edge in far if edge.source < number and edge.mask and not edge.wrong]),
            ("last turn's", [edge for edge in far if edge.source >= number]),
        ):
            names = ", ".join(dict.fromkeys(edge.value for edge in found))
            if names:
                self.lines.append((f"{word} {_cut(names)}", "small faint", None))

    @property
    def beside(self) -> float:
        """How much room what stands beside the box takes."""
        room = max((width_of(text, kind) for text, kind, _ in self.lines), default=0.0)
        return room + (26 if self.conversions else 8) if room else 0.0

    def draw(self, picture: Picture, x: float, y: float) -> None:
        """Draw the box and what stands beside it."""
        flow, node = self.flow, self.node
        hint = node.hint or self.label
        kind = f"op l{_colour(flow, self.layout)}" if self.layout else "plain"
        picture.rect(x, y, self.width, HIGH, kind, hint, 5)
        if node.wrong or self.turns:
            picture.rect(x, y, self.width, HIGH, "wrong" if node.wrong else "turn", hint, 5)
        picture.text(x + 8, y + 18, self.label, "code")
        if self.layouts:
            picture.text(x + self.width - 8, y + 18, self.layouts, "small", "end")
        at = y + max(12.0, 18 - STEP * (len(self.lines) - 1) / 2)
        left = x + self.width + (24 if self.conversions else 8)
        for text, style, edge in self.lines:
            if edge is not None:
                picture.diamond(left - 10, at - 4, 6, f"box l{_colour(flow, edge.converted)}", _said(edge))
            picture.text(left, at, text, style)
            at += STEP


def _ends(
    flow: Flow, rows: Rows, shown: Sequence[_Box]
) -> tuple[list[tuple[float, float]], dict[int, tuple[float, float]]]:
    """Where lines leave each box, and where each line that goes to the next row comes to its target."""
    below = [(x + box.width / 2, rows.low[row]) for box, (x, _), row in zip(shown, rows.corner, rows.row, strict=True)]
    into: dict[int, list[int]] = {}
    for number, edge in enumerate(flow.edges):
        if edge.source < edge.target and rows.row[edge.target] == rows.row[edge.source] + 1:
            into.setdefault(edge.target, []).append(number)
    above = {}
    for target, numbers in into.items():
        x, y = rows.corner[target]
        ordered = sorted(numbers, key=lambda number: below[flow.edges[number].source])
        for place, number in enumerate(ordered):
            above[number] = (x + shown[target].width * (place + 1) / (len(ordered) + 1), y)
    return below, above


def _detours(
    picture: Picture, flow: Flow, rows: Rows, shown: Sequence[_Box], below: Sequence[tuple[float, float]]
) -> None:
    """The red lines that go farther than to the next row, on the right of all that lies between."""
    far = [edge for edge in flow.edges if edge.wrong and rows.row[edge.target] > rows.row[edge.source] + 1]
    for number, edge in enumerate(far):
        between = range(rows.row[edge.source], rows.row[edge.target] + 1)
        x = max(rows.right[row] for row in between) + 16 + 8 * number
        (x1, y1), (x2, y2) = below[edge.source], rows.corner[edge.target]
        x1 += shown[edge.source].width / 4
        x2 += shown[edge.target].width * 0.75
        ways = (x1, rows.corner[edge.source][1] + HIGH), (x1, y1 + 8), (x, y1 + 8), (x, y2 - 8), (x2, y2 - 8), (x2, y2)
        for (ax, ay), (bx, by) in pairwise(ways):
            picture.line(ax, ay, bx, by, "badedge", _said(edge))


def _point(flow: Flow, shown: Sequence[_Box]) -> str:
    """What the picture shows, in a sentence."""
    wrong = [node for node in flow.nodes if node.wrong]
    wants = [f"{node.name} (line {node.line}) {node.wants}" for node in wrong if node.wants]
    if wants:
        return f"No layouts fit: {_listed(wants, 3, ', but ')}."
    if wrong:
        return f"No layouts fit: the operations of lines {_listed([str(node.line) for node in wrong], 6)} contradict."
    turns = [str(box.node.line) for box in shown if box.turns]
    converted = [f"{_said(edge)} for line {flow.nodes[edge.target].line}" for edge in flow.edges if edge.converted]
    if not any(edge.layout for edge in flow.edges):
        return "No layouts are decided."
    line = f"line{'s' * (len(turns) > 1)} {_listed(turns, 8)}"
    said = f"The layout changes at {line} (thick frames)" if turns else "No operation changes the layout"
    if not converted:
        return f"{said}; no conversions are needed between operations."
    return (
        f"{said}; {len(converted)} conversion{'s' * (len(converted) > 1)} between operations: {_listed(converted, 3)}."
    )


def _listed(names: Sequence[str], most: int, last: str = " and ") -> str:
    """Names in a row, the rest of many only counted."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return last.join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _legend(picture: Picture, flow: Flow, y: float, shown: Sequence[_Box]) -> None:
    marks = []
    if any(box.turns for box in shown):
        marks.append(Entry("frame", "turn", "makes another layout than it takes"))
    if any(edge.converted for edge in flow.edges):
        marks.append(Entry("diamond", "plain", "converted to another layout before the operation"))
    words = {text.partition(" ")[0] for box in shown for text, _, _ in box.lines}
    if any(edge.mask and not edge.wrong and edge.source < edge.target for edge in flow.edges):
        marks.append(Entry("line", "edge dim", "a light line: a mask, which says which elements take part"))
    if any(edge.wrong for edge in flow.edges):
        marks.append(Entry("line", "badedge", "red: demands on one vector that contradict each other"))
    if "last" in words:
        marks.append(Entry("none", "", "“last turn's”: handed on by the turn of the loop before"))
    if {"with", "mask"} & words:
        marks.append(Entry("none", "", "“with”, “mask” beside a box: what else it takes, made farther up"))
    for entry in marks:
        y = legend(picture, y, [entry], WIDE)
    used = {made.layout for node in flow.nodes for made in node.makes}
    used |= {layout for edge in flow.edges for layout in (edge.layout, edge.converted)}
    used = {bare(layout) for layout in used}
    for entry in of_layouts(flow.layouts, used, "box"):
        y = legend(picture, y, [entry], WIDE)
    wanted = {word for node in flow.nodes for word in re.findall(r"\w+", node.wants)} - used
    for entry in of_layouts(flow.layouts, wanted, "none"):
        y = legend(picture, y, [entry], WIDE)


def _cut(names: str, end: str = "") -> str:
    """Names as far as they have room, and what comes behind them, if there are any."""
    return (names if len(names) <= BESIDE else names[: BESIDE - 1] + "…") + end if names else ""


def _colour(flow: Flow, layout: str) -> int:
    return flow.layouts.index(bare(layout)) % LAYOUTS


def _said(edge: Edge) -> str:
    way = f"{edge.layout} → {edge.converted}" if edge.converted else edge.layout
    return f"{edge.value}: {way}" if way else edge.value
