"""Where the places of a program are: in which block, inside of which operations, and where values are made."""

from __future__ import annotations

from layoutsolver.graph.model import Graph
from layoutsolver_backends.vpto.code import Code, Ssa

Block = tuple[int, int, int]
"""The operation around, its region, and the block of that."""

HARMLESS = ("arith.", "math.", "index.", "scf.", "pto.castptr", "pto.addptr", "pto.vecscope", "func.func", "builtin.",
            "func.return", "return", "cf.")  # fmt: skip
"""Operations of the text, by the beginning of their names, that do not write memory."""

VMI = "pto.vmi."


class Places:
    """The blocks of a graph's operations."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.block: list[Block] = [(-1, 0, 0)] * len(graph.ops)
        by_token: dict[int, tuple[int, int]] = {}
        for node in graph.ops:
            for number, region in enumerate(node.op.regions):
                for place, block in enumerate(region.blocks):
                    for op in block.ops:
                        by_token[op.first] = (number, place)
        for node in graph.ops:
            if node.parent >= 0:
                self.block[node.index] = (node.parent, *by_token[node.op.first])

    def around(self, place: int) -> list[Block]:
        """The blocks that a place is in, the innermost first."""
        out = [self.block[place]]
        while out[-1][0] >= 0:
            out.append(self.block[out[-1][0]])
        return out

    def inside(self, place: int, op: int) -> bool:
        """Whether a place is in a region of an operation."""
        while (place := self.graph.ops[place].parent) >= 0:
            if place == op:
                return True
        return False

    def members(self) -> dict[Block, list[int]]:
        """The operations of every block, in order."""
        out: dict[Block, list[int]] = {}
        for index, block in enumerate(self.block):
            out.setdefault(block, []).append(index)
        return out

    def homes(self, code: Code, made: dict[int, tuple[Ssa, ...]], outside: dict[int, Ssa]) -> dict[Ssa, int]:
        """For every value, the operation in whose region it is made (-1: none)."""
        graph = self.graph
        owner: dict[int, int] = {}
        for index, blocks in graph.arguments.items():
            for _, _, values in blocks:
                owner.update(dict.fromkeys(values, index))
        for loop in graph.loops.values():
            owner[loop.induction] = loop.op
            owner.update((iter_arg, loop.op) for _, iter_arg, _, _ in loop.carried)
        homes: dict[Ssa, int] = {}
        for value, one in outside.items():
            homes[one] = self._home(value, owner)
        for value, registers in made.items():
            homes.update(dict.fromkeys(registers, self._home(value, owner)))
        for place, instruction in code.all():
            homes.update(dict.fromkeys(instruction.results, graph.ops[place].parent))
        return homes

    def _home(self, value: int, owner: dict[int, int]) -> int:
        if value in owner:
            return owner[value]
        op = self.graph.values[value].op
        return self.graph.ops[op].parent if op >= 0 else -1
