"""How many vector and predicate registers are live in a lowered program, in the order in which it is written.

Counted are the values that are live between instructions, and behind each instruction its results as well, used or not;
a register read as another type is one register.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from layoutsolver.graph.flow import flow_of, live_sets
from layoutsolver.graph.model import Graph
from layoutsolver.vmi.peak import RegisterPeak
from layoutsolver_backends.vpto.code import Code, Instruction, Ssa
from layoutsolver_models.problems.capacity import RegisterKind

PREFIXES: dict[RegisterKind, str] = {"vector": "!pto.vreg<", "predicate": "!pto.mask<"}
"""How the types of registers begin."""

VIEWS = frozenset({"pto.vbitcast", "pto.pbitcast"})
"""Instructions whose result is the register of their operand."""


def peaks(code: Code, graph: Graph, made: dict[int, tuple[Ssa, ...]]) -> tuple[RegisterPeak, ...]:
    """The peak of each kind, at the first place where it is; `made` are the registers of what control flow brings."""
    return _Counter(code, graph, made).peaks()


class _Counter:
    def __init__(self, code: Code, graph: Graph, made: dict[int, tuple[Ssa, ...]]) -> None:
        self.code, self.graph, self.made = code, graph, made
        self.view_of = {one.results[0]: one.operands[0] for _, one in code.all() if one.name in VIEWS}
        self.numbers: dict[Ssa, int] = {}
        self.registers: list[Ssa] = []
        self.most: dict[RegisterKind, tuple[int, int, str, int]] = dict.fromkeys(PREFIXES, (0, -1, "", 0))
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
            at: list[tuple[int, str]] = [(alive.behind[node.index] | results[node.index], "")]
            for one in reversed(self.code.places.get(node.index, [])):
                made = self.results(one)
                at.append((later | made, one.owner))
                later = later & ~made | self.bits(one.operands)
            at.append((later | brought[node.index], ""))
            for live, owner in reversed(at):
                self.note(live, node.index, owner)
        return tuple(
            RegisterPeak(kind, count, place, owner, self.named(live))
            for kind, (count, place, owner, live) in self.most.items()
        )

    def note(self, live: int, place: int, owner: str) -> None:
        """Remember a point if more is live there than at any before."""
        for kind, members in self.kinds.items():
            count = (live & members).bit_count()
            if count > self.most[kind][0]:
                self.most[kind] = (count, place, owner, live & members)

    def named(self, live: int) -> tuple[tuple[str, int], ...]:
        """Registers by the names of the values that they were made for, most of them first."""
        names = [value.name or value.hint for number, value in enumerate(self.registers) if live >> number & 1]
        return tuple(Counter(names).most_common())
