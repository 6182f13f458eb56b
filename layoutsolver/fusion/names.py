"""Names of the values of a program that was put together anew: those of the text, made unique where two would meet."""

from __future__ import annotations

from itertools import count

from layoutsolver.fusion.code import Item, Loop, Scope, nodes_of, walk
from layoutsolver.graph.model import Graph, OpNode

_ISOLATED = ("func.func", "builtin.module")


def names_of(graph: Graph, items: tuple[Item, ...]) -> dict[int, str]:
    """The name of each value that the items define or use, as they are to be printed."""
    names: dict[int, str] = {value.index: value.name for value in graph.values}
    taken = {value.name.partition("#")[0] for value in graph.values}
    _Namer(graph, names, taken).block(items, {})
    return names


class _Namer:
    def __init__(self, graph: Graph, names: dict[int, str], taken: set[str]) -> None:
        self.graph = graph
        self.names = names
        self.taken = taken

    def block(self, items: tuple[Item, ...], seen: dict[str, int]) -> None:
        """Name what a list of items defines, where `seen` names mean values already; theirs are added."""
        for item in items:
            for node in nodes_of(item):
                self.results(node, seen)
            inner = {} if item.node.name in _ISOLATED else dict(seen)
            if isinstance(item, Loop):
                for value in (item.induction, *(one.argument for one in item.carried)):
                    self.define([value], inner)
                self.block(item.body, inner)
            elif isinstance(item, Scope):
                self.regions(item, inner)

    def regions(self, item: Scope, visible: dict[str, int]) -> None:
        """Name what the regions of an operation define, each apart from the others."""
        node = item.node
        loop = self.graph.loops.get(node.index)
        header = [] if loop is None else [loop.induction, *(one[1] for one in loop.carried)]
        at = 0
        for number, region in enumerate(node.op.regions):
            seen = dict(visible)
            known = [values for place, _, values in self.graph.arguments.get(node.index, []) if place == number]
            for value in [*header, *(value for values in known for value in values)]:
                if value >= 0:
                    self.define([value], seen)
            header = []
            for _ in region.blocks:
                self.block(item.blocks[at], seen)
                at += 1

    def results(self, node: OpNode, seen: dict[str, int]) -> None:
        """Name the results of an operation, those of one `%x:n` together."""
        at = 0
        for name in node.op.results:
            self.define(node.results[at : at + name.count], seen)
            at += name.count
        for value in node.results[at:]:
            self.define([value], seen)

    def define(self, values: list[int], seen: dict[str, int]) -> None:
        if not values:
            return
        base = self.names[values[0]].partition("#")[0]
        other = seen.get(base, values[0])
        if not base or other != values[0]:
            stem = base or "%unused"
            base = next(name for number in count(1) if (name := f"{stem}_{number}") not in self.taken)
            self.taken.add(base)
            for number, value in enumerate(values):
                self.names[value] = base if len(values) == 1 else f"{base}#{number}"
        seen[base] = values[0]


def present(items: tuple[Item, ...]) -> frozenset[int]:
    """The operations of the text whose place the items have, by index."""
    return frozenset(item.node.index for item in walk(items))
