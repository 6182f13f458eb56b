"""Nothing leaves a vector scope: instructions without effects are made anew where their results are used.

Scalars of the text that are used behind a scope move in front of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.ops.spec import Effect
from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Code, Instruction, Ssa
from layoutsolver_backends.vpto.places import VMI, Places
from layoutsolver_backends.vpto.scopes import CARRIERS, REGISTERS, Point, Scope


@dataclass(slots=True)
class Repair:
    """The text's operations to move, each with the scope in front of which it goes, and what cannot be repaired."""

    moved: dict[int, int] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def repair(
    scopes: list[Scope], code: Code, places: Places, build: Builder, made: dict[int, tuple[Ssa, ...]]
) -> Repair:  # fmt: skip
    """Change the instructions so that nothing leaves a scope."""
    fixer = _Fixer(scopes, code, places, build, made)
    fixer.instructions()
    fixer.text()
    return fixer.found


class _Fixer:
    def __init__(
        self, scopes: list[Scope], code: Code, places: Places, build: Builder, made: dict[int, tuple[Ssa, ...]]
    ) -> None:  # fmt: skip
        self.scopes, self.code, self.places, self.build = scopes, code, places, build
        self.graph = places.graph
        self.found = Repair()
        self.maker: dict[Ssa, Instruction] = {}
        self.home: dict[Ssa, Point] = {}
        for place, instruction in code.all():
            for value in instruction.results:
                self.home[value], self.maker[value] = (place, 0), instruction
        for number, registers in made.items():
            op = self.graph.values[number].op
            if op >= 0:
                self.home.update(dict.fromkeys(registers, (op, 1)))
        self.copies: dict[tuple[Ssa, Point], Ssa] = {}
        self.fresh: dict[Point, list[Instruction]] = {}

    def scope_of(self, point: Point) -> int:
        """The number of the scope that a point is in, -1 if it is in none."""
        around = [point]
        index = point[0]
        while (index := self.graph.ops[index].parent) >= 0:
            around.append((index, 1))
        for number, scope in enumerate(self.scopes):
            for one in around:
                if self.places.block[one[0]] == scope.block and scope.first <= one <= scope.last:
                    return number
        return -1

    # -- instructions -----------------------------------------------------------------------------------------

    def instructions(self) -> None:
        """Give every instruction and every use of the text what it can reach."""
        for place in sorted(self.code.places):
            here = [one.renamed(self.reached(one.operands, (place, 0))) for one in self.code.places[place]]
            self.code.places[place] = here
        for use, values in list(self.code.taken.items()):
            stands_for = self.reached(values, (use[0], 1))
            self.code.taken[use] = tuple(stands_for.get(value, value) for value in values)
        for point, some in self.fresh.items():
            self.code.at(point[0])[:0] = some
        for scope in self.scopes:
            if self.code.places.get(scope.first[0]) and scope.first in self.fresh:
                scope.first = (scope.first[0], 0)

    def reached(self, values: tuple[Ssa, ...], point: Point) -> dict[Ssa, Ssa]:
        """What values of other scopes are replaced by at a point."""
        user = self.scope_of(point)
        out: dict[Ssa, Ssa] = {}
        for value in values:
            at = self.home.get(value)
            if at is None or self.scope_of(at) in (-1, user):
                continue
            made = self.maker.get(value)
            if made is None or made.effect is not Effect.PURE or any(one.name for one in made.results):
                self.refuse(point[0])
            elif user >= 0:
                out[value] = self.copy(value, self.scopes[user].first)
            elif not value.type.startswith(REGISTERS):
                out[value] = self.copy(value, point)
            elif (start := self.start_of_given(point)) is not None:
                out[value] = self.copy(value, start)
            else:
                self.refuse(point[0])
        return out

    def start_of_given(self, point: Point) -> Point | None:
        """The beginning of the scope of the text that a point is in, None if it is in none."""
        index = point[0]
        while (index := self.graph.ops[index].parent) >= 0:
            if self.graph.ops[index].name in CARRIERS:
                return next(node.index for node in self.graph.ops[index:] if node.parent == index), 0
        return None

    def copy(self, value: Ssa, at: Point) -> Ssa:
        """A result made anew at a point."""
        known = self.copies.get((value, at))
        if known is not None:
            return known
        made = self.maker[value]
        operands = self.reached(made.operands, at)
        results = tuple(self.build.value(one.type, one.hint) for one in made.results)
        for one, other in zip(made.results, results, strict=True):
            self.copies[one, at] = other
            self.home[other] = at
        self.fresh.setdefault(at, []).append(replace(made.renamed(operands), results=results))
        return self.copies[value, at]

    # -- text -------------------------------------------------------------------------------------------------

    def text(self) -> None:
        """Move scalars of the text in front of the scopes that they would not be seen behind."""
        for node in self.graph.ops:
            if not node.name.startswith(VMI):
                for value in node.operands:
                    self.use(value, (node.index, 1))
        outside = {one: value for value, one in self.build.outside.items()}
        for place, instruction in self.code.all():
            for operand in instruction.operands:
                self.use(outside.get(operand, -1), (place, 0))

    def use(self, value: int, point: Point) -> None:
        """See to it that a value of the text can be used at a point."""
        if value < 0 or self.graph.values[value].op < 0:
            return
        op = self.graph.values[value].op
        node = self.graph.ops[op]
        at = (op, 0 if node.name.startswith(VMI) else 1)
        scope = self.scope_of(at)
        if scope in (-1, self.scope_of(point)) or op in self.found.moved:
            return
        if node.name.startswith(VMI) or node.op.regions:
            if value not in self.graph_vectors():
                self.refuse(point[0])
            return
        self.found.moved[op] = scope
        before = self.scopes[scope].first
        for operand in node.operands:
            made = self.graph.values[operand].op if operand >= 0 else -1
            if made >= 0 and self.scope_of((made, 1)) == scope:
                self.use_before(operand, before)

    def use_before(self, value: int, point: Point) -> None:
        """Move what a moved scalar needs as well."""
        op = self.graph.values[value].op
        node = self.graph.ops[op]
        if node.name.startswith(VMI) or node.op.regions:
            self.refuse(point[0])
        elif op not in self.found.moved:
            scope = self.scope_of((op, 1))
            self.found.moved[op] = scope
            for operand in node.operands:
                made = self.graph.values[operand].op if operand >= 0 else -1
                if made >= 0 and self.scope_of((made, 1)) == scope:
                    self.use_before(operand, point)

    def graph_vectors(self) -> set[int]:
        """The values of the text that are vectors, which the instructions see to."""
        return set(self.build.program.by_graph_value)

    def refuse(self, index: int) -> None:
        node = self.graph.ops[index]
        label = Label(self.graph.module.source, node.span)
        message = "a vector is used after an operation that ends its vector scope"
        found = Diagnostic("LS0608", "error", message, label)
        if found not in self.found.diagnostics:
            self.found.diagnostics.append(found)
