"""Conversions: the cheapest instructions that turn registers in one layout into registers in another.

>>> from layoutsolver_models.lanes.layout import data_map, mask_map
>>> def show(source, target):
...     print(convert(source, target), end="")
>>> show(data_map("b8", 8, 64), data_map("b8_4vl", 8, 64))
v1, v2 = vintlv.b8 v0, v0
v3, v4 = vintlv.b8 v1, v1
-> v3

`v0` and so on are the registers of the source, then the results of the instructions; the last line names the register
for each part of the target. What lies in the padding of the target does not matter.

>>> show(data_map("contiguous", 32, 256), data_map("deinterleaved = 4", 32, 256))
v4, v5 = vdintlv.b32 v0, v1
v6, v7 = vdintlv.b32 v2, v3
v8, v9 = vdintlv.b32 v4, v6
v10, v11 = vdintlv.b32 v5, v7
-> v8, v10, v9, v11
>>> show(mask_map("b32", 64), mask_map("b8", 64))
p1 = ppack LOWER p0
p2 = ppack LOWER p1
-> p2

Source registers and target registers that share no element with the others are converted by themselves, and each such
group takes the fewest instructions possible. `bound` is what the whole takes at least, even if groups are mixed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from layoutsolver_models.lanes.bound import HOME, SHIFT, Demands, chains_of, demand
from layoutsolver_models.lanes.instruction import Instruction, instructions
from layoutsolver_models.lanes.lanemap import POSITIONS, LaneMap, Register
from layoutsolver_models.lanes.search import Use, find_sequence, instruction_bound

LIMIT = 6
"""Instructions that a conversion of one group of registers may take, unless another number is asked for."""

TRIALS = 60_000
"""Moves that the search for the conversion of one group may try, which is some seconds of work."""


@dataclass(frozen=True, slots=True)
class Step:
    """An instruction on numbered registers. All its results are numbered, also those that nothing reads."""

    instruction: Instruction
    operands: tuple[int, ...]
    results: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conversion:
    """The steps from one layout to another, and the register that holds each part of the target.

    Registers 0, 1, ... are those of the source. No sequence of fewer than `bound` instructions does it.
    """

    source: LaneMap
    target: LaneMap
    steps: tuple[Step, ...]
    registers: tuple[int, ...]
    bound: int

    @property
    def cost(self) -> int:
        """How many instructions it takes."""
        return len(self.steps)

    def run(self, source: LaneMap) -> LaneMap:
        """What the registers of the target hold if those of the source hold the given map."""
        held = list(source.registers)
        for step in self.steps:
            operands = LaneMap(source.unit, source.size, source.lanes, tuple(held[number] for number in step.operands))
            held += step.instruction.apply(operands).registers
        return LaneMap(source.unit, source.size, source.lanes, tuple(held[number] for number in self.registers))

    def __str__(self) -> str:
        letter = "v" if self.source.unit == "byte" else "p"

        def names(numbers: Iterable[int]) -> str:
            return ", ".join(f"{letter}{number}" for number in numbers)

        lines = [f"{names(step.results)} = {step.instruction} {names(step.operands)}" for step in self.steps]
        return "\n".join([*lines, f"-> {names(self.registers)}"]) + "\n"


def convert(
    source: LaneMap,
    target: LaneMap,
    limit: int = LIMIT,
    usable: tuple[Instruction, ...] | None = None,
) -> Conversion | None:
    """The cheapest conversion in which no group of registers takes more than `limit` instructions, if there is one.

    `usable` are the instructions to use, those first that are preferred; all that there are, by default. Raises
    `ValueError` if the two maps are not of the same kind of elements, if an element lies in several places of the
    source, or if the target holds something that the source does not; `SearchTooLong` if the search was given up.

    >>> from layoutsolver_models.lanes.layout import data_map
    >>> convert(data_map("contiguous", 16, 256), data_map("block_deinterleaved = 2", 16, 256)) is None
    True
    """
    if (source.unit, source.size) != (target.unit, target.size):
        raise ValueError(f"{source.size} {source.unit}s an element cannot become {target.size} {target.unit}s")
    if not set(source.held()).issuperset(target.held()):
        raise ValueError("the target holds elements that the source does not hold")
    return _convert(source, target, limit, instructions(source.unit) if usable is None else usable)


@lru_cache(maxsize=1024)
def _convert(source: LaneMap, target: LaneMap, limit: int, usable: tuple[Instruction, ...]) -> Conversion | None:
    move = target.then(source.inverse())
    wanted = [_demands(register) for register in move.registers]
    steps: list[Step] = []
    holders = [0] * len(wanted)
    groups = _groups(wanted)
    lengths: list[int] = []
    for sources, targets in groups:
        plan = _plan_group(len(sources), tuple(_renumber(wanted[part], sources) for part in targets), limit, usable)
        if plan is None:
            return None
        lengths.append(len(plan[0]))
        made = source.arity + sum(len(step.results) for step in steps)
        names = [*sources, *range(made, made + sum(len(step.results) for step in plan[0]))]
        for step in plan[0]:
            operands = tuple(names[number] for number in step.operands)
            steps.append(Step(step.instruction, operands, tuple(names[number] for number in step.results)))
        for part, holder in zip(targets, plan[1], strict=True):
            holders[part] = names[holder]
    bound = max(lengths) if sum(map(bool, lengths)) == 1 else _whole_bound(wanted, groups, usable)
    return Conversion(source, target, tuple(steps), tuple(holders), min(max(bound, *lengths, 0), len(steps)))


def _demands(register: Register) -> Demands:
    return frozenset(demand(position, home) for position, home in enumerate(register) if home is not None)


Group = tuple[list[int], list[int]]
"""Source registers and target registers that share elements."""


def _groups(wanted: list[Demands]) -> list[Group]:
    """The source and target registers, so divided that no two groups share an element."""
    groups: list[Group] = []
    for part, demands in enumerate(wanted):
        sources = {(key & HOME) // POSITIONS for key in demands}
        joined = [group for group in groups if sources & set(group[0])]
        groups = [group for group in groups if group not in joined]
        parts = [part, *(number for group in joined for number in group[1])]
        groups.append((sorted(sources.union(*(group[0] for group in joined))), sorted(parts)))
    return sorted(groups, key=lambda group: group[1])


def _renumber(demands: Demands, sources: list[int]) -> Demands:
    """The same demands if the source registers are numbered by their place in `sources`."""
    shift = {number: POSITIONS * (number - place) for place, number in enumerate(sources)}
    return frozenset(key - shift[(key & HOME) // POSITIONS] for key in demands)


Plan = tuple[tuple[Step, ...], tuple[int, ...]]
"""Steps on the registers of a group, and which register holds each of its targets."""


@lru_cache(maxsize=4096)
def _plan_group(sources: int, targets: tuple[Demands, ...], limit: int, usable: tuple[Instruction, ...]) -> Plan | None:
    if sources - 1 > limit:  # it takes so many to bring them together
        return None
    core = without_dominated(usable)
    uses = find_sequence(sources, targets, core, limit, TRIALS)
    if uses is None:
        return None
    held = [tuple(range(POSITIONS * number, POSITIONS * (number + 1))) for number in range(sources)]
    registers: list[Register] = list(held)
    steps = []
    for use in uses:
        readers = [_holder(registers, demands) if demands else None for demands in use.operands]
        some = next(reader for reader in readers if reader is not None)
        operands = tuple(some if reader is None else reader for reader in readers)
        instruction, read = _preferred(use, operands, usable)
        flat = [home for number in read for home in registers[number]]
        results = tuple(range(len(registers), len(registers) + instruction.results.arity))
        registers += [tuple(None if p is None else flat[p] for p in row) for row in instruction.results.registers]
        steps.append(Step(instruction, read, results))
    return tuple(steps), tuple(_holder(registers, demands) if demands else 0 for demands in targets)


def _holder(registers: list[Register], demands: Demands) -> int:
    """The first register that holds all of this."""
    for number, register in enumerate(registers):
        if all(register[key >> SHIFT] == key & HOME for key in demands):
            return number
    raise AssertionError("a sequence that was found does not meet what it was found for")


def _preferred(
    use: Use, operands: tuple[int, ...], usable: tuple[Instruction, ...]
) -> tuple[Instruction, tuple[int, ...]]:
    """The first usable instruction that does as well as the one found, and the registers it reads."""
    needed = [(number, demands) for number, demands in enumerate(use.results) if demands]
    read = [number for number, demands in enumerate(use.operands) if demands]
    if len(needed) == len(read) == 1:
        result, demands = needed[0]
        positions = [key >> SHIFT for key in demands]
        pulled = [use.instruction.results.registers[result][position] for position in positions]
        wanted = [None if source is None else source % POSITIONS for source in pulled]
        for other in usable[: usable.index(use.instruction)]:
            if other.operands == other.results.arity == 1:
                row = other.results.registers[0]
                if [row[position] for position in positions] == wanted:
                    return other, (operands[read[0]],)
    return use.instruction, operands


@lru_cache(maxsize=16)
def without_dominated(usable: tuple[Instruction, ...]) -> tuple[Instruction, ...]:
    """The instructions without those of one operand that one of two operands, given it twice, does as well.

    >>> [str(instruction) for instruction in without_dominated(instructions("bit"))]
    ['pintlv.b8', 'pintlv.b16', 'pintlv.b32', 'pdintlv.b8', 'pdintlv.b16', 'pdintlv.b32']
    """
    return tuple(
        one
        for one in usable
        if one.operands != 1 or not any(other.operands == 2 and _dominates(other, one) for other in usable)
    )


def _dominates(pair: Instruction, single: Instruction) -> bool:
    doubled = [
        tuple(None if source is None else source % POSITIONS for source in row) for row in pair.results.registers
    ]
    return all(
        any(
            all(source is None or source == there for source, there in zip(row, other, strict=True))
            for other in doubled
        )
        for row in single.results.registers
    )


def _whole_bound(wanted: list[Demands], groups: list[Group], usable: tuple[Instruction, ...]) -> int:
    """What the conversion takes at least, if groups may be mixed.

    Besides the bound of the search: to bring k source registers together, instructions of two operands must join them
    one by one, so k - 1 of them at least, summed over the groups.
    """
    chains = chains_of(without_dominated(usable))
    unmet = [demands for demands in dict.fromkeys(wanted) if not _is_register_of_source(demands)]
    depths = [(max(1, chains.depth(demands)), demands) for demands in unmet]
    return max(instruction_bound(depths), sum(len(sources) - 1 for sources, _ in groups if sources))


def _is_register_of_source(demands: Demands) -> bool:
    """Whether some source register, as it is, holds all of this."""
    return len({(key & HOME) - (key >> SHIFT) for key in demands}) <= 1 and all(
        (key & HOME) % POSITIONS == key >> SHIFT for key in demands
    )
