"""Dataflow as a picture: operations as boxes from top to bottom, values as lines between them.

A value has its name and a dot in the colour of its layout under the operation that makes it; a diamond above a user is
a conversion. What contradicts each other is red. Lines that go back, around a loop, are dashed. A value that comes from
far above, such as a mask that many operations use, stands beside its user instead of at the end of a line through half
of the picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from layoutsolver.view.legend import Entry, legend, of_layouts
from layoutsolver.view.svg import LAYOUTS, MARGIN, SMALL, Picture, width_of

if TYPE_CHECKING:
    from layoutsolver.diagnostics.diagnostic import Diagnostic


class Node(NamedTuple):
    """An operation: its name, its line, and what to say of it; `wrong` if it is part of a conflict.

    `wants` is what it demands there, in a few words.
    """

    name: str
    line: int
    hint: str = ""
    wrong: bool = False
    wants: str = ""


class Edge(NamedTuple):
    """A value from one operation to another, by their numbers: its name, its layout, the layout it is converted to."""

    source: int
    target: int
    value: str
    layout: str = ""
    converted: str = ""
    wrong: bool = False


class Flow(NamedTuple):
    """A program's operations and what flows between them; `layouts` in the order of their colours."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    layouts: tuple[str, ...]


def titled(name: str, solved: bool) -> str:
    """What the picture of a program says in one line."""
    return f"{name}: {'vectors and their layouts' if solved else 'vectors, and why no layouts fit'}"


def wants_of(diagnostics: Iterable[Diagnostic]) -> dict[int, str]:
    """What errors say that operations demand, by where these begin in the text."""
    labels = [label for item in diagnostics if item.severity == "error" for label in (item.primary, *item.secondary)]
    found = [label for label in labels if label is not None and label.text]
    return {label.span.start: re.sub(r"^`[\w.]+` ", "", label.text).replace("`", "") for label in found}


HIGH, ROW_GAP, GAP = 30, 50, 26
TOP = 62.0
FAR = 1
"""Lines go at most so many rows down."""
BELOW, ABOVE = 13, 13
"""So far below its operation a value is named, and so far above its user a conversion of it."""
WIDE = 760.0
"""Legends are about so wide."""


def flow_picture(flow: Flow) -> Picture:
    """The picture, with a legend of the layouts and the marks that occur."""
    picture = Picture(flow.title)
    wrong = any(node.wrong for node in flow.nodes)
    said = "Boxes are operations, from top to bottom; lines are the vectors that they hand on."
    picture.text(MARGIN, 42, said + (" What is red contradicts each other." if wrong else ""), "key")
    labels = [f"{node.name}, line {node.line}" for node in flow.nodes]
    widths = [max(60.0, width_of(label) + 16) for label in labels]
    places = _places(flow, widths)
    far: dict[int, list[Edge]] = {}
    named: dict[tuple[int, str], Edge] = {}
    for edge in flow.edges:
        named.setdefault((edge.source, edge.value), edge)
        if places[edge.target][1] - places[edge.source][1] > FAR * (HIGH + ROW_GAP):
            far.setdefault(edge.target, []).append(edge)
        else:
            _edge(picture, flow, edge, places, widths)
    for (source, _), edge in named.items():
        at = [value for number, value in named if number == source].index(edge.value)
        _value(picture, flow, edge, places[source][0] + widths[source] / 2, places[source][1] + HIGH + BELOW + 13 * at)
    for number, edges in far.items():
        _beside(picture, flow, edges, places[number][0] + widths[number] + 8, places[number][1])
    for node, label, width, (x, y) in zip(flow.nodes, labels, widths, places, strict=True):
        picture.rect(x, y, width, HIGH, "plain", node.hint or label, 5)
        if node.wrong:
            picture.rect(x - 2, y - 2, width + 4, HIGH + 4, "wrong", node.hint, 6)
        picture.text(x + width / 2, y + 19, label, "code", "middle")
        if node.wants:
            picture.text(x, y - 8, node.wants, "small bad over")
    _legend(picture, flow, max((y for _, y in places), default=30.0) + HIGH + 34, bool(far))
    return picture


def _legend(picture: Picture, flow: Flow, y: float, far: bool) -> None:
    marks = []
    if far:
        marks.append(Entry("none", "", "%name beside a box: the operation uses that value from farther up"))
    if any(edge.converted for edge in flow.edges):
        marks.append(Entry("diamond", "plain", "converted to another layout on the way"))
    if any(edge.target <= edge.source for edge in flow.edges):
        marks.append(Entry("line", "edge back", "handed on to the next turn of a loop"))
    if any(edge.layout for edge in flow.edges):
        marks.append(Entry("none", "", "Dots: how a vector lies in its register."))
    for entry in marks:
        y = legend(picture, y, [entry], WIDE)
    used = {edge.layout for edge in flow.edges} | {edge.converted for edge in flow.edges}
    for entry in of_layouts(flow.layouts, used, "dot"):
        y = legend(picture, y, [entry], WIDE)
    wanted = {word for node in flow.nodes for word in re.findall(r"\w+", node.wants)} - used
    for entry in of_layouts(flow.layouts, wanted, "none"):
        y = legend(picture, y, [entry], WIDE)


def _colour(flow: Flow, layout: str) -> int:
    return flow.layouts.index(layout) % LAYOUTS


def _places(flow: Flow, widths: list[float]) -> list[tuple[float, float]]:
    """The upper left corner of each box: rows by the longest way from above, boxes under what they come from."""
    import networkx

    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(len(flow.nodes)))
    graph.add_edges_from((edge.source, edge.target) for edge in flow.edges if edge.source < edge.target)
    places = [(0.0, 0.0)] * len(flow.nodes)
    room = _room(flow, widths)
    for depth, row in enumerate(networkx.topological_generations(graph)):

        def wish(number: int) -> tuple[float, int]:
            above = [places[source][0] + widths[source] / 2 for source in graph.predecessors(number)]
            return (sum(above) / len(above) if above else 0.0, number)

        x = float(MARGIN)
        for number in sorted(row, key=wish):
            x = max(x, wish(number)[0] - widths[number] / 2)
            places[number] = (x, TOP + depth * (HIGH + ROW_GAP))
            x += widths[number] + room[number] + GAP
    return places


def _room(flow: Flow, widths: list[float]) -> list[float]:
    """What stands on the right of each operation, beside it or under it, needs so much room."""
    room = [max(0.0, width_of(node.wants) * SMALL - width) for node, width in zip(flow.nodes, widths, strict=True)]
    for edge in flow.edges:
        name = width_of(edge.value) * SMALL
        room[edge.target] = max(room[edge.target], name + 22)
        room[edge.source] = max(room[edge.source], name + 12 - widths[edge.source] / 2)
    return room


def _beside(picture: Picture, flow: Flow, edges: list[Edge], x: float, y: float) -> None:
    """The values from far above that an operation uses, on its right."""
    for place, edge in enumerate(edges):
        at = y + 19 + 14 * place - 7 * (len(edges) - 1)
        picture.line(x - 8, at - 4, x + 5, at - 4, "badedge" if edge.wrong else "edge", _said(edge))
        _name(picture, flow, edge, edge.converted or edge.layout, x + 5, at, bool(edge.converted))


def _value(picture: Picture, flow: Flow, edge: Edge, x: float, y: float) -> None:
    """A value under the operation that makes it: its name and its layout."""
    _name(picture, flow, edge._replace(converted=""), edge.layout, x, y + 4, False)


def _name(picture: Picture, flow: Flow, edge: Edge, layout: str, x: float, y: float, diamond: bool) -> None:
    hint = _said(edge)
    kind = f"box l{_colour(flow, layout)}" if layout else "plain"
    if diamond:
        picture.diamond(x, y - 4, 6, kind, hint)
    elif layout:
        picture.rect(x - 5, y - 9, 10, 10, kind, hint, 5)
    picture.text(x + 9, y, edge.value, "small over bad" if edge.wrong else "small over", hint=hint)


def _said(edge: Edge) -> str:
    return edge.value + (f": {edge.layout}" if edge.layout else "") + (f" → {edge.converted}" if edge.converted else "")


def _edge(picture: Picture, flow: Flow, edge: Edge, places: list[tuple[float, float]], widths: list[float]) -> None:
    x1, y1 = places[edge.source][0] + widths[edge.source] / 2, places[edge.source][1] + HIGH
    x2, y2 = places[edge.target][0] + widths[edge.target] / 2, places[edge.target][1]
    back = edge.target <= edge.source
    hint = _said(edge)
    kind = "badedge" if edge.wrong else "edge"
    picture.curve(x1, y1, x2, y2, f"{kind} back" if back else kind, hint)
    if edge.converted:
        picture.diamond(x2, y2 - ABOVE, 8, f"box l{_colour(flow, edge.converted)}", hint)
