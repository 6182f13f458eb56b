"""The points of a VMI program between its operations, and which uses of vectors are still to come there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from layoutsolver.graph.flow import flow_of, live_sets
from layoutsolver.graph.model import OpNode
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.vmi.canonical import PREFIX
from layoutsolver.vmi.program import VmiOp
from layoutsolver_models.problems.layout import Where

BRANCH_TIES = frozenset({"VMI.TIE.BR", "VMI.TIE.COND_BR", "VMI.TIE.CF_SWITCH"})

Stage = Literal["within", "made", "converted"]
"""While an operation runs, right behind it, and behind the conversions of what it has made."""


class Point(NamedTuple):
    """A point in words, which operations of the problem take which values later, and where it is.

    `op` is the operation of the problem that makes something there, -1 for control flow; `makes` is what it makes. The
    uses of a point within an operation are those of what it neither makes nor takes for the last time. `at` is the
    operation of the text in front of which the point is.
    """

    place: str
    stage: Stage
    op: int
    makes: tuple[int, ...]
    users: dict[int, tuple[int, ...]]
    at: int
    where: Where | None


class Lives:
    """Uses of values as bits, each an operation of the problem that takes a value; what is live is a set of them."""

    def __init__(self, posed: PosedVmi) -> None:
        self.posed = posed
        self.program = posed.program
        self.graph = posed.program.graph
        self.number_of = {op: number for number, op in enumerate(posed.op_of) if op >= 0}
        self.uses: list[tuple[int, int]] = []
        self.uses_of = [0] * len(self.program.values)
        self.bits: dict[tuple[int, int], int] = {}
        self.flows: dict[int, list[int]] = {}
        self.bringer: dict[int, int] = {}
        for number, op in enumerate(posed.problem.ops):
            if posed.op_of[number] < 0:
                for value in op.operands:
                    self.flows.setdefault(value, []).append(number)
                self.bringer.update(dict.fromkeys(op.results, number))
        self.converted = {way.value for way in posed.problem.conversions}
        self.placed: dict[int, list[VmiOp]] = {}
        for canonical in self.program.ops:
            if canonical.number in self.number_of:
                self.placed.setdefault(canonical.before, []).append(canonical)

    def points(self) -> list[Point]:
        """All points, in the order of the text."""
        flow = flow_of(self.graph)
        count = len(self.graph.ops)
        own = [self._own(node) for node in self.graph.ops]
        taken = {
            op.number: self._together((value.number, self.number_of[op.number]) for value in op.vectors().values())
            for some in self.placed.values()
            for op in some
        }
        known = self.program.by_graph_value
        brought = [[known[value] for value in values if value in known] for values in flow.enters]
        enters = [self._all(values) for values in brought]
        results = [self._all(self._results(node)) for node in self.graph.ops]
        uses, makes = list(own), list(results)
        for index in range(count):
            for op in reversed(self.placed.get(index, [])):
                made = self._all(value.number for value in op.results.values())
                uses[index] = uses[index] & ~made | taken[op.number]
                makes[index] |= made
        alive = live_sets(flow, uses, makes, enters)
        found: list[Point] = []
        for node in self.graph.ops:
            later = own[node.index] | (alive.behind[node.index] & ~results[node.index])
            behind: list[Point] = []
            for op in reversed(self.placed.get(node.index, [])):
                number = self.number_of[op.number]
                where = self.posed.problem.ops[number].where
                here = tuple(value.number for value in op.results.values())
                name = self.posed.problem.ops[number].id
                behind += reversed(self._points(name, later, here, number, node.index, where))
                later = later & ~self._all(here) | taken[op.number]
            if brought[node.index]:
                line, column = self.graph.module.source.line_column(node.span.start)
                here = tuple(value for value in brought[node.index] if value in self.bringer)
                where = Where(node.span.start, node.span.end, line, column)
                name = f"what comes before {node.name} at line {line}"
                found += self._points(name, later, here, -1, node.index, where)
            found += reversed(behind)
        return found

    def _points(
        self, place: str, later: int, makes: tuple[int, ...], op: int, at: int, where: Where | None
    ) -> list[Point]:
        """The points of what makes values: while it does, if it is an operation, behind it, and behind conversions."""
        users: dict[int, list[int]] = {}
        while later:
            lowest = later & -later
            value, user = self.uses[lowest.bit_length() - 1]
            users.setdefault(value, []).append(user)
            later ^= lowest
        taken = {value: tuple(sorted(users[value])) for value in sorted(users)}
        across = {value: ops for value, ops in taken.items() if value not in makes}
        points = [Point(f"within {place}", "within", op, makes, across, at, where)] if op >= 0 else []
        points.append(Point(f"after {place}", "made", op, makes, taken, at, where))
        if not self.converted.isdisjoint(makes):
            points.append(Point(f"after the conversions of {place}", "converted", op, makes, taken, at, where))
        return points

    def _use(self, value: int, op: int) -> int:
        """The bit of a use."""
        bit = self.bits.get((value, op))
        if bit is None:
            bit = self.bits[value, op] = 1 << len(self.uses)
            self.uses.append((value, op))
            self.uses_of[value] |= bit
        return bit

    def _together(self, uses: Iterable[tuple[int, int]]) -> int:
        found = 0
        for value, op in uses:
            found |= self._use(value, op)
        return found

    def _all(self, values: Iterable[int]) -> int:
        """All uses of some values."""
        found = 0
        for value in values:
            found |= self.uses_of[value]
        return found

    def _own(self, node: OpNode) -> int:
        """The uses of an operation that passes vectors on."""
        if node.name.startswith(PREFIX):
            return 0
        known = self.program.by_graph_value
        values = dict.fromkeys(known[operand] for operand in node.operands if operand in known)
        return self._together((value, op) for value in values for op in self._flows(value, node))

    def _flows(self, value: int, node: OpNode) -> list[int]:
        """The operations of the problem by which an operation of the text passes a value on."""
        every = self.flows.get(value, [])
        here = [op for op in every if self._is_of(op, node)]
        return here or every

    def _is_of(self, op: int, node: OpNode) -> bool:
        join = self.posed.join_of[op]
        if join < 0:
            return node.name in ("func.return", "return")
        known = self.program.joins[join]
        if node.name.startswith("cf."):
            return known.tie in BRANCH_TIES
        if node.name == "func.call":
            callee = self.graph.function_by_symbol().get(self.graph.calls.get(node.index, ""))
            return callee is not None and known.origin == callee.op
        if node.name in ("func.return", "return"):
            return node.function >= 0 and known.origin == self.graph.functions[node.function].op
        return known.origin in (node.index, node.parent)

    def _results(self, node: OpNode) -> list[int]:
        """What an operation of the text makes; what one with regions makes comes on the way to the next one."""
        if node.name.startswith(PREFIX) or node.op.regions:
            return []
        known = self.program.by_graph_value
        return [known[value] for value in node.results if value in known]
