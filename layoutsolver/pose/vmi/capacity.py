"""The points of a VMI program at which registers are live, as capacities of its problem.

A point lies behind each operation, in the order of the text, and one where control flow or a caller brings vectors:
what has just been made is live in the layouts in which it was made. Where it can be converted, another point lies
behind the conversions. All else is live in every layout in which it is taken later. Not counted are what is made again
where it is needed (masks of known numbers), and what an instruction sequence needs in between. A splat is one register,
however many its layout has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from layoutsolver.graph.flow import flow_of, live_sets
from layoutsolver.graph.model import OpNode
from layoutsolver.pose.vmi.ports import MASKS_OF_NUMBERS
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.vmi.canonical import PREFIX
from layoutsolver.vmi.masks import known_bits
from layoutsolver.vmi.program import VmiOp
from layoutsolver_models.problems.capacity import Capacity, Live, RegisterKind
from layoutsolver_models.problems.layout import Where
from layoutsolver_models.targets.chip import RegisterLimits

SPLATS = frozenset({"constant", "broadcast"})
"""Operations whose registers are all alike."""

BRANCH_TIES = frozenset({"VMI.TIE.BR", "VMI.TIE.COND_BR", "VMI.TIE.CF_SWITCH"})

KINDS: tuple[RegisterKind, ...] = ("vector", "predicate")


def capacities_of(posed: PosedVmi, limits: RegisterLimits) -> tuple[Capacity, ...]:
    """The points at which more registers may be live than there are, in the order of the text."""
    limit: dict[RegisterKind, int] = {"vector": limits.vector, "predicate": limits.predicate}
    found: list[Capacity] = []
    seen: set[tuple[RegisterKind, tuple[Live, ...]]] = set()
    for point in points_of(posed):
        for kind in KINDS:
            live = tuple(one for one in point.live if posed.program.values[one.value].is_mask == (kind == "predicate"))
            if _most(live) > limit[kind] and (kind, live) not in seen:
                seen.add((kind, live))
                found.append(Capacity(f"{kind} registers {point.place}", kind, limit[kind], live, point.where))
    return tuple(found)


def points_of(posed: PosedVmi) -> list[Point]:
    """All points between operations of a program, in the order of the text."""
    return [point for point in _Lives(posed).points() if point.within < 0]


def points_within(posed: PosedVmi) -> dict[int, Point]:
    """The point of each operation of the problem that lasts while its instructions run."""
    return {point.within: point for point in _Lives(posed).points() if point.within >= 0}


def _most(live: tuple[Live, ...]) -> int:
    """At least as many registers as can be live."""
    return sum(max(one.registers) * min(len(one.registers), len(one.users) + len(one.makers)) for one in live)


class Point(NamedTuple):
    """A point in words, what may be live there, and where it is.

    `within` is an operation of the problem while whose instructions run the point lasts, -1 for points between
    operations: live is then what it neither makes nor takes for the last time.
    """

    place: str
    live: tuple[Live, ...]
    where: Where | None
    within: int = -1


class _Lives:
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
        self.makers = {value.number: op for op in self.program.ops for value in op.results.values()}
        self.registers = [self._registers(number) for number in range(len(self.program.values))]

    def points(self) -> list[Point]:
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
                makers = {value.number: number for value in op.results.values()}
                behind += reversed(self._points(self.posed.problem.ops[number].id, later, makers, where, number))
                later = later & ~self._all(makers) | taken[op.number]
            if brought[node.index]:
                line, column = self.graph.module.source.line_column(node.span.start)
                makers = {value: self.bringer[value] for value in brought[node.index] if value in self.bringer}
                where = Where(node.span.start, node.span.end, line, column)
                found += self._points(f"what comes before {node.name} at line {line}", later, makers, where)
            found += reversed(behind)
        return found

    def _points(self, place: str, later: int, makers: dict[int, int], where: Where | None, op: int = -1) -> list[Point]:
        """The points of what makes values: while it does, if it is an operation, behind it, and behind conversions."""
        users: dict[int, list[int]] = {}
        while later:
            lowest = later & -later
            value, user = self.uses[lowest.bit_length() - 1]
            users.setdefault(value, []).append(user)
            later ^= lowest
        made = {value: ((), (op,)) for value, op in makers.items()}
        taken = {value: (tuple(sorted(ops)), ()) for value, ops in users.items()}
        across = {value: ops for value, ops in taken.items() if value not in made}
        points = [Point(f"within {place}", self._live(across), where, op)] if op >= 0 else []
        points.append(Point(f"after {place}", self._live({**taken, **made}), where))
        if not self.converted.isdisjoint(makers):
            points.append(Point(f"after the conversions of {place}", self._live(taken), where))
        return points

    def _live(self, ops: Mapping[int, tuple[tuple[int, ...], tuple[int, ...]]]) -> tuple[Live, ...]:
        return tuple(
            Live(value, *ops[value], self.registers[value]) for value in sorted(ops) if any(self.registers[value])
        )

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

    def _registers(self, number: int) -> tuple[int, ...]:
        """What a value takes in each layout."""
        known = self.posed.problem.values[number].registers
        made = self.makers.get(number)
        if made is not None and made.op in SPLATS:
            return tuple(min(1, count) for count in known)
        if made is not None and made.op in MASKS_OF_NUMBERS and known_bits(self.program, made) is not None:
            return (0,) * len(known)
        return known
