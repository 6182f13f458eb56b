"""Pairs of values that control flow makes one, operation by operation, each in the released compiler's order."""

from __future__ import annotations

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.pose.vmi.upstream.net import Node, Use, Val
from layoutsolver.vmi.joins import successors


def ties_of(graph: Graph, read: OpNode, nodes: dict[int, Node], vals: list[Val], known: dict[int, int]) -> None:
    """Set the ties of an operation; `nodes` are those of the graph's operations and `known` numbers its values."""
    _Ties(graph, read, nodes, vals, known).find()


class _Ties:
    def __init__(
        self, graph: Graph, read: OpNode, nodes: dict[int, Node], vals: list[Val], known: dict[int, int]
    ) -> None:
        self.graph = graph
        self.read = read
        self.nodes = nodes
        self.vals = vals
        self.known = known

    def find(self) -> None:
        name = self.read.name
        if name == "scf.for":
            self.loop()
        elif name in ("scf.if", "scf.execute_region", "scf.index_switch"):
            for end in self.ends("scf.yield"):
                for place, result in enumerate(self.read.results):
                    self.pair(self.value(result), self.operand(end, place))
        elif name == "arith.select" and self.read.results:
            for place in (1, 2):  # it becomes an `scf.if`, each of whose branches yields one of these
                self.pair(self.value(self.read.results[0]), self.operand(self.read, place))
        elif name == "scf.while":
            self.around()
        elif name in ("cf.br", "cf.cond_br", "cf.switch"):
            self.branch()
        elif name == "func.return":
            self.returned()
        elif name in ("func.call", "call"):
            self.call()

    def pair(self, left: Use | Val | None, right: Use | Val | None) -> None:
        if left is not None and right is not None:
            self.nodes[self.read.index].ties.append((left, right))

    def value(self, value: int) -> Val | None:
        return self.vals[self.known[value]] if value in self.known else None

    def operand(self, end: OpNode, place: int) -> Use | None:
        """The use of an operand by its place among all operands."""
        if place >= len(end.operands) or end.operands[place] not in self.known:
            return None
        number = sum(value in self.known for value in end.operands[:place])
        return self.nodes[end.index].uses[number]

    def ends(self, name: str) -> list[OpNode]:
        return [node for node in self.graph.ops if node.parent == self.read.index and node.name == name]

    def loop(self) -> None:
        loop = self.graph.loops.get(self.read.index)
        if loop is None:
            return
        yields = self.ends("scf.yield")
        first = len(self.read.operands) - len(loop.carried)
        for place, (init, argument, _, result) in enumerate(loop.carried):
            anchor = self.operand(self.read, self.read.operands.index(init, first))
            self.pair(anchor, self.value(argument))
            if yields:
                self.pair(anchor, self.operand(yields[0], place))
            self.pair(anchor, self.value(result))

    def around(self) -> None:
        blocks = self.graph.arguments.get(self.read.index, [])
        before = next((arguments for region, _, arguments in blocks if region == 0), [])
        after = next((arguments for region, _, arguments in blocks if region == 1), [])
        conditions, yields = self.ends("scf.condition"), self.ends("scf.yield")
        if not conditions or not yields:
            return
        for place in range(len(self.read.operands)):
            init = self.operand(self.read, place)
            if place < len(before):
                self.pair(init, self.value(before[place]))
            self.pair(init, self.operand(yields[0], place))
        for place in range(len(conditions[0].operands) - 1):
            passed = self.operand(conditions[0], place + 1)
            if place < len(after):
                self.pair(passed, self.value(after[place]))
            if place < len(self.read.results):
                self.pair(passed, self.value(self.read.results[place]))

    def branch(self) -> None:
        labels = {label: values for _, label, values in self.graph.arguments.get(self.read.parent, []) if label}
        taken = 0
        for label, operands in successors(self.read):
            for argument, passed in zip(labels.get(label, []), operands, strict=False):
                place = self.read.operands.index(passed, taken)
                taken = place + 1
                self.pair(self.operand(self.read, place), self.value(argument))

    def returned(self) -> None:
        function = next((one for one in self.graph.functions if self.read.index in one.returns), None)
        if function is None or function.returns[0] == self.read.index:
            return
        first = self.graph.ops[function.returns[0]]
        for place in range(len(self.read.operands)):
            self.pair(self.operand(first, place), self.operand(self.read, place))

    def call(self) -> None:
        symbol = self.graph.calls.get(self.read.index, "")
        callee = self.graph.function_by_symbol().get(symbol)
        if callee is None or not callee.has_body:
            return
        for place, argument in enumerate(callee.arguments):
            self.pair(self.operand(self.read, place), self.value(argument))
        for index in callee.returns:
            for place, result in enumerate(self.read.results):
                self.pair(self.value(result), self.operand(self.graph.ops[index], place))
