"""Vector scopes: what computes with registers must stand in `pto.vecscope`, and no register may leave it.

Source: section 5.1. The operations of a block fall into runs, ended by what cannot be in a scope: copies, flags,
barriers, calls, terminators, scopes that there are. A scope goes from the first operation of a run that needs one to
the last. A loop or branch is such an operation if all in it can be in a scope; else its blocks have scopes of their
own. Scalars that are used behind a scope are computed in front of it, and what a later scope needs of an earlier one
is made anew there, if it can be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from layoutsolver.graph.model import OpNode
from layoutsolver_backends.vpto.code import Code, Instruction, Ssa
from layoutsolver_backends.vpto.places import VMI, Block, Places

SCALAR = ("arith.", "math.", "index.", "pto.castptr", "pto.addptr")
"""Operations of the text that may be in a scope or not, by the beginning of their names."""

STRUCTURED = frozenset({"scf.for", "scf.if", "scf.while", "scf.index_switch", "scf.execute_region"})
CARRIERS = frozenset({"pto.vecscope", "pto.strict_vecscope"})
TERMINATORS = frozenset({"scf.yield", "scf.condition", "func.return", "return"})
REGISTERS = ("!pto.vreg", "!pto.mask", "!pto.align")
MARKED = "aivector_scope"
"""What a loop that is a scope itself has among its attributes."""


Point = tuple[int, int]
"""An operation of the text: 1, or what stands before it: 0."""


@dataclass(slots=True)
class Scope:
    """A scope of a block, from the first point to the last one."""

    block: Block
    first: Point
    last: Point


def is_vector(instruction: Instruction) -> bool:
    """Whether an instruction takes or makes registers."""
    return any(value.type.startswith(REGISTERS) for value in (*instruction.operands, *instruction.results))


class Surroundings:
    """What can be in a scope."""

    def __init__(self, code: Code, places: Places, made: dict[int, tuple[Ssa, ...]]) -> None:
        self.code, self.places, self.graph = code, places, places.graph
        self.members = places.members()
        self.passing = {op for op, _ in code.taken} | {
            places.graph.values[value].op for value in made if places.graph.values[value].op >= 0
        }
        self.known: dict[int, str] = {}

    def kind(self, index: int) -> str:
        """What an operation of the text is to scopes: vector, scalar, or an end of them."""
        if index not in self.known:
            self.known[index] = self._kind(self.graph.ops[index])
        return self.known[index]

    def _kind(self, node: OpNode) -> str:
        name = node.name
        if name in TERMINATORS or name in CARRIERS or name.startswith("cf."):
            return "end"
        if name == "func.call":
            return "vector" if node.index in self.passing else "end"
        if name in STRUCTURED:
            if self.is_marked(node):
                return "end"
            return "vector" if self.has_vectors(node.index) and not self.has_ends(node.index) else "end"
        if name.startswith(SCALAR) and not node.op.regions:
            return "vector" if node.index in self.passing else "scalar"
        types = [self.graph.values[value].type.text for value in (*node.operands, *node.results) if value >= 0]
        if name == "pto.mem_bar" or any(type_.startswith(REGISTERS) for type_ in types):
            return "vector"
        return "end"

    def is_marked(self, node: OpNode) -> bool:
        """Whether a loop is a scope itself."""
        return any(MARKED in node.op.stream.texts[token] for token in node.op.body_tokens())

    def inner(self, index: int) -> Iterator[int]:
        """The operations directly inside of another."""
        for block, members in self.members.items():
            if block[0] == index:
                yield from members

    def has_vectors(self, index: int) -> bool:
        """Whether something inside of an operation needs a scope."""
        if index in self.passing:
            return True
        for other in self.inner(index):
            if any(is_vector(one) for one in self.code.places.get(other, [])):
                return True
            if not self.graph.ops[other].name.startswith(VMI) and self.kind(other) == "vector":
                return True
        return False

    def has_ends(self, index: int) -> bool:
        """Whether something inside of an operation cannot be in a scope."""
        for other in self.inner(index):
            node = self.graph.ops[other]
            if node.name.startswith(VMI) or node.name in TERMINATORS:
                continue
            if node.name in STRUCTURED and not self.is_marked(node):
                if self.has_ends(other):
                    return True
            elif self.kind(other) == "end":
                return True
        return False


def find_scopes(code: Code, places: Places, made: dict[int, tuple[Ssa, ...]]) -> list[Scope]:
    """The scopes of all functions, but those whose caller's scope is around them."""
    finder = _Finder(Surroundings(code, places, made))
    for function in places.graph.functions:
        if function.has_body and not _passes_vectors(finder.around, function.op, function.returns):
            for block in finder.blocks(function.op):
                finder.block(block)
    return finder.scopes


def _passes_vectors(around: Surroundings, op: int, returns: list[int]) -> bool:
    """Whether a function takes or gives registers: its caller's scope is around it."""
    graph = around.graph
    values = [value for _, _, some in graph.arguments.get(op, []) for value in some]
    values += [value for index in returns for value in graph.ops[index].operands]
    types = [graph.values[value].type.text for value in values]
    return any(type_.startswith("!pto.v") or "!pto.mask" in type_ for type_ in types)


def needs_scope(around: Surroundings, scope: Scope) -> bool:
    """Whether something is left in a scope that must stand in one."""
    for index in around.members[scope.block]:
        here = around.code.places.get(index, [])
        if scope.first <= (index, 0) <= scope.last and any(is_vector(one) for one in here):
            return True
        named = not around.graph.ops[index].name.startswith(VMI)
        if named and scope.first <= (index, 1) <= scope.last and around.kind(index) == "vector":
            return True
    return False


class _Finder:
    def __init__(self, around: Surroundings) -> None:
        self.around, self.graph = around, around.graph
        self.scopes: list[Scope] = []

    def blocks(self, op: int) -> list[Block]:
        return sorted(block for block in self.around.members if block[0] == op)

    def block(self, block: Block) -> None:
        """Find the scopes of a block."""
        run: list[tuple[Point, bool]] = []
        for index in self.around.members.get(block, []):
            some = self.around.code.places.get(index, [])
            if some:
                run.append(((index, 0), any(is_vector(one) for one in some)))
            node = self.graph.ops[index]
            if node.name.startswith(VMI):
                continue
            kind = self.around.kind(index)
            if kind == "end":
                self.end(block, run)
                run = []
                if node.name not in CARRIERS and node.op.regions and not self.around.is_marked(node):
                    for inner in self.blocks(index):
                        self.block(inner)
            else:
                run.append(((index, 1), kind == "vector"))
        self.end(block, run)

    def end(self, block: Block, run: list[tuple[Point, bool]]) -> None:
        """Put a scope around what of a run needs one."""
        needed = [place for place, vector in run if vector]
        if needed:
            self.scopes.append(Scope(block, needed[0], needed[-1]))
