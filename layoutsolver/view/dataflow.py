"""Dataflow as a picture: operations as boxes from top to bottom, values as lines between them.

A line has the colour of the layout in which its value is made; a diamond on it is a conversion. What contradicts each
other is red. Lines that go back, around a loop, are dashed. A value that comes from far above, such as a mask that many
operations use, stands beside its user instead of at the end of a line through half of the picture.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.view.svg import LAYOUTS, MARGIN, Picture, width_of


class Node(NamedTuple):
    """An operation: its name, its line, and what to say of it; `wrong` if it is part of a conflict."""

    name: str
    line: int
    hint: str = ""
    wrong: bool = False


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


HIGH, ROW_GAP, GAP = 30, 46, 22
FAR = 1
"""Lines go at most so many rows down."""


def flow_picture(flow: Flow) -> Picture:
    """The picture, with a legend of the layouts that occur."""
    picture = Picture(flow.title)
    labels = [f"{node.name} :{node.line}" for node in flow.nodes]
    widths = [max(60.0, width_of(label) + 16) for label in labels]
    places = _places(flow, widths)
    far: dict[int, list[Edge]] = {}
    for edge in flow.edges:
        if places[edge.target][1] - places[edge.source][1] > FAR * (HIGH + ROW_GAP):
            far.setdefault(edge.target, []).append(edge)
        else:
            _edge(picture, flow, edge, places, widths)
    for number, edges in far.items():
        _beside(picture, flow, edges, places[number][0] + widths[number] + 6, places[number][1])
    for node, label, width, (x, y) in zip(flow.nodes, labels, widths, places, strict=True):
        picture.rect(x, y, width, HIGH, "plain", node.hint or label, 5)
        if node.wrong:
            picture.rect(x - 2, y - 2, width + 4, HIGH + 4, "wrong", node.hint, 6)
        picture.text(x + width / 2, y + 19, label, "code", "middle")
    used = {edge.layout for edge in flow.edges} | {edge.converted for edge in flow.edges}
    bottom = max((y for _, y in places), default=30.0) + HIGH + 26
    x = float(MARGIN)
    for layout in flow.layouts:
        if layout in used:
            picture.rect(x, bottom, 14, 14, f"box l{_colour(flow, layout)}")
            picture.text(x + 19, bottom + 11, layout, "code")
            x += 19 + width_of(layout) + 18
    return picture


def _colour(flow: Flow, layout: str) -> int:
    return flow.layouts.index(layout) % LAYOUTS


def _places(flow: Flow, widths: list[float]) -> list[tuple[float, float]]:
    """The upper left corner of each box: rows by the longest way from above, boxes under what they come from."""
    import networkx

    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(len(flow.nodes)))
    graph.add_edges_from((edge.source, edge.target) for edge in flow.edges if edge.source < edge.target)
    places = [(0.0, 0.0)] * len(flow.nodes)
    room = _room(flow)
    for depth, row in enumerate(networkx.topological_generations(graph)):

        def wish(number: int) -> tuple[float, int]:
            above = [places[source][0] + widths[source] / 2 for source in graph.predecessors(number)]
            return (sum(above) / len(above) if above else 0.0, number)

        x = float(MARGIN)
        for number in sorted(row, key=wish):
            x = max(x, wish(number)[0] - widths[number] / 2)
            places[number] = (x, 40.0 + depth * (HIGH + ROW_GAP))
            x += widths[number] + max(GAP, room[number])
    return places


def _room(flow: Flow) -> list[float]:
    """What stands beside each operation needs so much room."""
    room = [0.0] * len(flow.nodes)
    for edge in flow.edges:
        room[edge.target] = max(room[edge.target], width_of(edge.value) * 0.75 + 20)
    return room


def _beside(picture: Picture, flow: Flow, edges: list[Edge], x: float, y: float) -> None:
    """The values from far above that an operation uses, on its right."""
    for place, edge in enumerate(edges):
        at = y + 8 + 12 * place - 6 * (len(edges) - 2)
        hint = _said(edge)
        layout = edge.converted or edge.layout
        if edge.converted:
            picture.diamond(x + 4, at - 3, 5, f"box l{_colour(flow, layout)}", hint)
        else:
            picture.rect(x, at - 7, 8, 8, f"box l{_colour(flow, layout)}" if layout else "plain", hint, 4)
        picture.text(x + 12, at, edge.value, "small bad" if edge.wrong else "small faint", hint=hint)


def _said(edge: Edge) -> str:
    return edge.value + (f": {edge.layout}" if edge.layout else "") + (f" → {edge.converted}" if edge.converted else "")


def _edge(picture: Picture, flow: Flow, edge: Edge, places: list[tuple[float, float]], widths: list[float]) -> None:
    x1, y1 = places[edge.source][0] + widths[edge.source] / 2, places[edge.source][1] + HIGH
    x2, y2 = places[edge.target][0] + widths[edge.target] / 2, places[edge.target][1]
    back = edge.target <= edge.source
    hint = _said(edge)
    kind = "badedge" if edge.wrong else "edge"
    picture.curve(x1, y1, x2, y2, f"{kind} back" if back else kind, hint)
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    if edge.converted:
        picture.diamond(x, y, 10, f"box l{_colour(flow, edge.converted)}", hint)
    elif edge.layout:
        picture.rect(x - 6, y - 6, 12, 12, f"box l{_colour(flow, edge.layout)}", hint, 6)
    picture.text(x + 12, y + 4, edge.value, "small faint")
