"""How many vector and predicate registers are live in a lowered program, in the order in which it is written.

Counted are the values that are live between instructions, and behind each instruction its results as well, used or not;
a register read as another type is one register.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from layoutsolver.graph.flow import flow_of, live_sets
from layoutsolver.vmi.peak import RegisterPeak, Span
from layoutsolver.vmi.program import VmiProgram
from layoutsolver_backends.vpto.code import Code, Instruction, Ssa
from layoutsolver_models.problems.capacity import RegisterKind

Point = tuple[int, int]
"""A place, and a position among its instructions."""

PREFIXES: dict[RegisterKind, str] = {"vector": "!pto.vreg<", "predicate": "!pto.mask<"}
"""How the types of registers begin."""

VIEWS = frozenset({"pto.vbitcast", "pto.pbitcast"})
"""Instructions whose result is the register of their operand."""


BEFORE, BEHIND = -1, 1 << 30
"""The positions in front of all instructions of a place, and behind its operation."""


def peaks(code: Code, program: VmiProgram, made: dict[int, tuple[Ssa, ...]]) -> tuple[RegisterPeak, ...]:
    """The peak of each kind, at the first place where it is; `made` are the registers of what control flow brings."""
    return _Counter(code, program, made).peaks()


class _Counter:
    def __init__(self, code: Code, program: VmiProgram, made: dict[int, tuple[Ssa, ...]]) -> None:
        self.code, self.program, self.graph, self.made = code, program, program.graph, made
        self.view_of = {one.results[0]: one.operands[0] for _, one in code.all() if one.name in VIEWS}
        self.numbers: dict[Ssa, int] = {}
        self.registers: list[Ssa] = []
        self.most: dict[RegisterKind, tuple[int, Point, int]] = dict.fromkeys(PREFIXES, (0, (-1, BEFORE), 0))
        self.kinds: dict[RegisterKind, int] = dict.fromkeys(PREFIXES, 0)

    def bits(self, values: Iterable[Ssa]) -> int:
        """Registers as a set."""
        found = 0
        for value in values:
            while value in self.view_of:
                value = self.view_of[value]
            number = self.numbers.get(value)
            if number is None:
                kind = next((kind for kind, prefix in PREFIXES.items() if value.type.startswith(prefix)), None)
                if kind is None:
                    continue
                number = self.numbers[value] = len(self.registers)
                self.registers.append(value)
                self.kinds[kind] |= 1 << number
            found |= 1 << number
        return found

    def results(self, one: Instruction) -> int:
        """What an instruction makes: a view makes nothing."""
        return 0 if one.name in VIEWS else self.bits(one.results)

    def peaks(self) -> tuple[RegisterPeak, ...]:
        flow = flow_of(self.graph)
        own = [0] * len(self.graph.ops)
        for (index, _), values in self.code.taken.items():
            own[index] |= self.bits(values)
        brought = [self.bits(one for value in values for one in self.made.get(value, ())) for values in flow.enters]
        results = [
            0 if node.op.regions else self.bits(one for value in node.results for one in self.made.get(value, ()))
            for node in self.graph.ops
        ]
        uses, makes = list(own), list(results)
        for place, some in self.code.places.items():
            for one in reversed(some):
                made = self.results(one)
                uses[place] = uses[place] & ~made | self.bits(one.operands)
                makes[place] |= made
        alive = live_sets(flow, uses, makes, brought)
        for node in self.graph.ops:
            later = own[node.index] | (alive.behind[node.index] & ~results[node.index])
            at: list[tuple[int, int]] = [(alive.behind[node.index] | results[node.index], BEHIND)]
            some = self.code.places.get(node.index, [])
            for position in reversed(range(len(some))):
                made = self.results(some[position])
                at.append((later | made, position))
                later = later & ~made | self.bits(some[position].operands)
            at.append((later | brought[node.index], BEFORE))
            for live, position in reversed(at):
                self.note(live, (node.index, position))
        return tuple(
            RegisterPeak(kind, count, point[0], self.named(live), self.spans(live, point))
            for kind, (count, point, live) in self.most.items()
        )

    def note(self, live: int, point: Point) -> None:
        """Remember a point if more is live there than at any before."""
        for kind, members in self.kinds.items():
            count = (live & members).bit_count()
            if count > self.most[kind][0]:
                self.most[kind] = (count, point, live & members)

    def named(self, live: int) -> tuple[tuple[str, int], ...]:
        """Registers by the names of the values that they were made for, most of them first."""
        shown = (self.registers[number] for number in numbers_in(live))
        return tuple(Counter(value.name or value.hint for value in shown).most_common())

    def spans(self, live: int, point: Point) -> tuple[Span, ...]:
        """Who makes registers, and who uses them behind a point; in front of it only where they come round again."""
        numbers = numbers_in(live)
        maker: dict[int, str] = {}
        users: dict[int, list[tuple[Point, str]]] = {number: [] for number in numbers}
        known = self.program.by_graph_value
        for value, registers in self.made.items():
            for number in self.members(registers, live):
                maker[number] = f"value {known[value]}"
        for place, some in self.code.places.items():
            for position, one in enumerate(some):
                if one.name not in VIEWS:
                    maker.update(dict.fromkeys(self.members(one.results, live), one.owner))
                    for number in self.members(one.operands, live):
                        users[number].append(((place, position), one.owner))
        for (index, operand), values in self.code.taken.items():
            logical = known.get(self.graph.ops[index].operands[operand])
            for number in self.members(values, live):
                users[number].append(((index, BEHIND), f"value {logical}"))
        out: list[Span] = []
        for number in numbers:
            later = [owner for at, owner in users[number] if at > point] or [owner for _, owner in users[number]]
            out.append(Span(maker.get(number, ""), tuple(dict.fromkeys(later))))
        return tuple(out)

    def members(self, values: Iterable[Ssa], wanted: int) -> list[int]:
        """The registers among some that are wanted, a bit each."""
        return numbers_in(self.bits(values) & wanted)


def numbers_in(members: int) -> list[int]:
    """The members of a set of bits, in order.

    >>> numbers_in(0b10110)
    [1, 2, 4]
    """
    found = []
    while members:
        low = members & -members
        found.append(low.bit_length() - 1)
        members ^= low
    return found
