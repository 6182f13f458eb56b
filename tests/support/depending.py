"""What depends on given operations: through values, loops, calls, control and memory."""

from __future__ import annotations

from layoutsolver.graph.model import Graph, OpNode

WRITING = frozenset({
    "ave.hir.masked_store", "ave.hir.store_with_stride", "ave.hir.unaligned.masked.store", "ave.hir.vscatter",
    "memref.store",
})  # fmt: skip
"""The operations that write memory."""

READING = frozenset({"ave.hir.vload", "ave.hir.vgather", "memref.load"})
"""The operations that read memory."""


def writes(node: OpNode) -> bool:
    """Whether an operation writes memory."""
    return node.name in WRITING


def depending(graph: Graph, named: set[int], values: set[int] | None = None) -> set[int]:
    """The operations that depend on operations or values, by graph indices; `named` itself is among them.

    What is read depends on what was written to the same buffer before, or around in a loop. In modules of several
    functions it may be any buffer, at any time.
    """
    return _Walk(graph, set(named), set() if values is None else set(values)).run()


class _Walk:
    def __init__(self, graph: Graph, named: set[int], values: set[int]) -> None:
        self.graph = graph
        self.tainted = values
        self.reached = named
        self.written: set[int] = set()
        self.several = len(graph.functions) > 1

    def run(self) -> set[int]:
        """Walk until nothing is added."""
        before = -1
        while before != (size := len(self.tainted) + len(self.reached) + len(self.written)):
            before = size
            for node in self.graph.ops:
                if node.index in self.reached or self.depends(node):
                    self.take(node)
            self.pass_on()
        return self.reached

    def depends(self, node: OpNode) -> bool:
        """Whether an operation depends on what was reached, by an operand, memory or the loop or branch around it."""
        if not self.tainted.isdisjoint(node.operands):
            return True
        if node.name in READING and any(self.reads(node, store) for store in self.written):
            return True
        parent = node.parent
        around = parent >= 0 and self.graph.ops[parent].name in ("scf.for", "scf.if")
        return around and parent in self.reached and not self.tainted.isdisjoint(self.graph.ops[parent].operands)

    def take(self, node: OpNode) -> None:
        """Note that an operation depends on what was named."""
        self.reached.add(node.index)
        if node.name == "func.func":
            return
        if node.index not in self.graph.loops and node.index not in self.graph.branches:
            self.tainted.update(node.results)
        if writes(node):
            self.written.add(node.index)

    def reads(self, node: OpNode, store: int) -> bool:
        """Whether an operation may read what a store wrote."""
        if self.several:
            return True
        if self.buffer(node) != self.buffer(self.graph.ops[store]):
            return False
        return store < node.index or not self.loops(node.index).isdisjoint(self.loops(store))

    def loops(self, index: int) -> set[int]:
        """The loops around an operation."""
        around: set[int] = set()
        at = self.graph.ops[index].parent
        while at >= 0:
            if at in self.graph.loops:
                around.add(at)
            at = self.graph.ops[at].parent
        return around

    def buffer(self, node: OpNode) -> int:
        """The value that the buffer of an access comes from."""
        role = node.role("base")
        value = role if role is not None else next((one for one in node.operands if self.is_buffer(one)), -1)
        while value >= 0 and self.graph.values[value].op >= 0:
            maker = self.graph.ops[self.graph.values[value].op]
            if not maker.operands or not self.is_buffer(maker.operands[0]):
                break
            value = maker.operands[0]
        return value

    def is_buffer(self, value: int) -> bool:
        """Whether a value is a memref."""
        return value >= 0 and self.graph.values[value].type.text.startswith("memref")

    def pass_on(self) -> None:
        """Carry values on through loops, branches, calls and returns."""
        graph, tainted = self.graph, self.tainted
        for loop in graph.loops.values():
            for init, argument, yielded, result in loop.carried:
                if not tainted.isdisjoint((init, argument, yielded)):
                    tainted.update((argument, result))
        for branch, yields in graph.branches.items():
            for number, result in enumerate(graph.ops[branch].results):
                ends = [graph.ops[end].operands for end in yields]
                if any(number < len(end) and end[number] in tainted for end in ends):
                    tainted.add(result)
        by_symbol = graph.function_by_symbol()
        for index, symbol in graph.calls.items():
            callee = by_symbol.get(symbol)
            pairs = zip(graph.ops[index].operands, callee.arguments, strict=False) if callee is not None else ()
            tainted.update(there for here, there in pairs if here in tainted)
        for function in graph.functions:
            if any(not tainted.isdisjoint(graph.ops[ending].operands) for ending in function.returns):
                self.reached.add(function.op)
                tainted.update(
                    value for index, symbol in graph.calls.items() if symbol == function.symbol
                    for value in graph.ops[index].results
                )  # fmt: skip
