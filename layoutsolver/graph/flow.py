"""Which operation may run behind which, through regions and branches, and which values are live there.

A point of the program is in front of an operation. Values are bits of integers, so that sets of thousands of them are
joined at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.tree import Block

LOOPS = frozenset({"scf.for", "scf.while", "scf.parallel", "scf.forall"})
"""Operations whose regions may run again."""

_BRANCHES = frozenset({"cf.br", "cf.cond_br", "cf.switch"})
_ONCE = frozenset({"scf.if", "scf.index_switch", "scf.execute_region", "pto.vecscope", "pto.strict_vecscope"})
_CLOSED = frozenset({"func.func", "builtin.module", "module"})


class Flow(NamedTuple):
    """Of each operation, those that may run next, and the values that are made on the way to it.

    `enters` are arguments of a block before its first operation, and results of an operation with regions before the
    one behind it.
    """

    successors: list[list[int]]
    enters: list[list[int]]


class Liveness(NamedTuple):
    """The sets that are live in front of and behind each operation."""

    before: list[int]
    behind: list[int]


def flow_of(graph: Graph) -> Flow:
    """The flow of control of a graph; an operation that is not known may run its regions in any order."""
    return _Finder(graph).find()


def live_sets(flow: Flow, uses: Sequence[int], makes: Sequence[int], enters: Sequence[int]) -> Liveness:
    """What is live where, given what each operation uses and makes, and what is made on the way to it."""
    count = len(uses)
    before, behind = [0] * count, [0] * count
    changes = True
    while changes:
        changes = False
        for op in range(count - 1, -1, -1):
            out = 0
            for other in flow.successors[op]:
                out |= before[other] & ~enters[other]
            now = uses[op] | (out & ~makes[op])
            changes = changes or now != before[op]
            before[op], behind[op] = now, out
    return Liveness(before, behind)


class _Finder:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.by_token = {node.op.first: node.index for node in graph.ops}
        self.block: list[tuple[Block, int, int] | None] = [None] * len(graph.ops)
        for node in graph.ops:
            for number, region in enumerate(node.op.regions):
                for block in region.blocks:
                    for place, op in enumerate(block.ops):
                        inside = self.by_token.get(op.first)
                        if inside is not None:
                            self.block[inside] = (block, place, number)

    def find(self) -> Flow:
        graph = self.graph
        successors = [list(dict.fromkeys(self.next(node))) for node in graph.ops]
        enters: list[list[int]] = [[] for _ in graph.ops]
        for index, known in graph.arguments.items():
            for number, label, values in known:
                first = self.first(graph.ops[index], number, label)
                if first >= 0:
                    enters[first] += values
        for loop in graph.loops.values():
            first = self.first(graph.ops[loop.op], 0, "")
            if first >= 0:
                enters[first] += [loop.induction, *(iter_arg for _, iter_arg, _, _ in loop.carried)]
        for function in graph.functions:
            first = self.first(graph.ops[function.op], 0, "")
            if first >= 0:
                enters[first] += [value for value in function.arguments if value not in enters[first]]
        for node in graph.ops:
            if node.op.regions and node.results:
                for following in self.behind(node):
                    place, parent = self.block[following], graph.ops[following].parent
                    if parent == node.parent and place is not None:
                        enters[following] += node.results
        return Flow(successors, enters)

    def first(self, node: OpNode, region: int, label: str) -> int:
        """The first operation of a region, or of its block of that label; -1 if it is empty."""
        if region >= len(node.op.regions):
            return -1
        blocks = node.op.regions[region].blocks
        block = next((one for one in blocks if one.label == label), None) if label else next(iter(blocks), None)
        return self.by_token[block.ops[0].first] if block is not None and block.ops else -1

    def next(self, node: OpNode) -> list[int]:
        """What may run behind the beginning of an operation."""
        if node.name in _BRANCHES and node.parent >= 0:
            texts = node.op.stream.texts
            labels = [texts[token] for token in node.op.body_tokens() if texts[token].startswith("^")]
            region = self._region(node)
            firsts = [self.first(self.graph.ops[node.parent], region, label) for label in labels]
            return [first for first in firsts if first >= 0]
        if not node.op.regions:
            return self.behind(node)
        firsts = [self.first(node, number, "") for number in range(len(node.op.regions))]
        inside = [first for first in firsts if first >= 0]
        if node.name in _CLOSED:
            return inside
        if node.name == "scf.while":
            return firsts[:1] if firsts[0] >= 0 else self.behind(node)
        runs = node.name in _ONCE and all(first >= 0 for first in firsts)
        skips = node.name == "scf.if" and len(firsts) < 2
        return inside if runs and not skips else [*inside, *self.behind(node)]

    def _region(self, node: OpNode) -> int:
        place = self.block[node.index]
        return 0 if place is None else place[2]

    def behind(self, node: OpNode) -> list[int]:
        """What may run behind the end of an operation."""
        place = self.block[node.index]
        if place is None:
            return []
        block, number, region = place
        for op in block.ops[number + 1 :]:
            following = self.by_token.get(op.first)
            if following is not None:
                return [following]
        if node.parent < 0:
            return []
        parent = self.graph.ops[node.parent]
        if parent.name in _CLOSED:
            return []
        if parent.name == "scf.while":
            if region == 1:
                return [self.first(parent, 0, "")]
            inside = self.first(parent, 1, "")
            return [*([inside] if inside >= 0 else []), *self.behind(parent)]
        again: list[int] = []
        if parent.name not in _ONCE:
            firsts = [self.first(parent, number, "") for number in range(len(parent.op.regions))]
            again = [first for first in firsts if first >= 0]
        return [*again, *self.behind(parent)]
