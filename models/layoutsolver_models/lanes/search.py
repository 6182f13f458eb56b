"""The cheapest sequence of instructions that makes registers with given demands out of source registers.

The search goes backwards, from what must be there at the end. Its state is the set of demands that no source register
meets yet. A move picks the last instruction of the sequence and which of the demands its results meet; what these
demands ask of the operands takes their place in the state. Nothing is decided about bytes that nobody asks for.

    state     {T0, T1}            T0 = even bytes of x then of y, T1 = odd bytes of x then of y
    move      vdintlv.b8, low meets T0, high meets T1
    state     {x, y}, both of which are sources: {}

Every sequence can be read from its last instruction to its first, so no sequence is missed. Iterative deepening makes
the first sequence that is found a shortest one. Three things keep the search small. States that were left with as many
instructions to spare are not entered again. A demand that another one includes is dropped. And a state is given up if
it needs more instructions than are left: demands that clash cannot be met by one register, an instruction fills two
registers at most, and `effort` says how many each of them takes at least.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from layoutsolver_models.lanes.bound import HOME, SHIFT, Chains, Demands, Word, chains_of, demand, moved, words
from layoutsolver_models.lanes.instruction import Instruction
from layoutsolver_models.lanes.lanemap import POSITIONS, Register

State = frozenset[Demands]
"""The demands that are still to be met."""


@dataclass(frozen=True, slots=True)
class Use:
    """An instruction in a sequence: what is asked of each of its results, and what it asks of its operands."""

    instruction: Instruction
    results: tuple[Demands, ...]
    operands: tuple[Demands, ...]


class SearchTooLong(Exception):
    """The search was given up: whether there is a sequence is not known."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What can be used: so many source registers and these instructions.

    `makeable` tells of every demand which of the registers that a single instruction makes meet it, a bit for each.
    """

    sources: tuple[Demands, ...]
    instructions: tuple[Instruction, ...]
    chains: Chains
    makeable: dict[int, int]

    def is_met(self, demands: Demands) -> bool:
        """Whether a source register holds all of this."""
        return any(demands <= source for source in self.sources)

    def effort(self, demands: Demands) -> int:
        """At least so many instructions lead to a register that holds this: in a row, or to join what it is made of.

        Bringing k source registers together takes k - 1 instructions of two operands.
        """
        known = max(self.chains.depth(demands), len({(key & HOME) // POSITIONS for key in demands}) - 1)
        return known if known >= 3 else max(known, self._short_depth(demands))

    def _short_depth(self, demands: Demands) -> int:
        """0, 1 or 2, if so many suffice; else 3."""
        if self.is_met(demands):
            return 0
        makers = -1
        for key in demands:
            makers &= self.makeable.get(key, 0)
        if makers:
            return 1
        rows = [row for instruction in self.instructions for row in instruction.results.registers]
        return 2 if any(self._is_made_of_made(demands, row) for row in rows) else 3

    def _is_made_of_made(self, demands: Demands, row: Register) -> bool:
        makers: dict[int, int] = {}
        for key in demands:
            pulled = row[key >> SHIFT]
            if pulled is None:
                return False
            operand, position = divmod(pulled, POSITIONS)
            left = makers.get(operand, -1) & self.makeable.get(demand(position, key & HOME), 0)
            if not left:
                return False
            makers[operand] = left
        return True

    def may_meet(self, wanted: frozenset[Word], row: int, steps: int) -> bool:
        """Whether a result, by its place in the chains, may meet these words if `steps` instructions come before."""
        move = self.chains.moves[row]
        return all(self.chains.is_within(moved(word, move), steps) for word in wanted)


def _asked(demands: Demands, instruction: Instruction, result: int) -> tuple[Demands, ...] | None:
    """What is asked of each operand of an instruction whose result meets the demands; nothing if it cannot."""
    row = instruction.results.registers[result]
    operands: tuple[list[int], ...] = tuple([] for _ in range(instruction.operands))
    for key in demands:
        pulled = row[key >> SHIFT]
        if pulled is None:
            return None
        operands[pulled // POSITIONS].append(demand(pulled % POSITIONS, key & HOME))
    return tuple(map(frozenset, operands))


@lru_cache(maxsize=4)
def setting(sources: int, instructions: tuple[Instruction, ...]) -> Setting:
    """The setting with so many source registers, in which every position holds the byte of that home."""
    registers = [tuple(range(POSITIONS * number, POSITIONS * (number + 1))) for number in range(sources)]
    made: set[Register] = set(registers)
    for instruction in instructions:
        for first in registers:
            for second in registers if instruction.operands == 2 else [()]:
                operands = first + second
                made |= {
                    tuple(None if pulled is None else operands[pulled] for pulled in row)
                    for row in instruction.results.registers
                }
    makeable: dict[int, int] = {}
    for number, register in enumerate(made):
        for position, home in enumerate(register):
            if home is not None:
                key = demand(position, home)
                makeable[key] = makeable.get(key, 0) | 1 << number
    held = tuple(frozenset(demand(home % POSITIONS, home) for home in register) for register in registers)
    return Setting(held, instructions, chains_of(instructions), makeable)


@lru_cache(maxsize=1024)
def _positions(demands: Demands) -> int:
    """The positions that something is asked of, as the bits of a number."""
    return sum(1 << (key >> SHIFT) for key in demands)


def clash(one: Demands, other: Demands) -> bool:
    """Whether no register can meet both: they ask for different bytes at a position.

    >>> clash(frozenset({demand(0, 1)}), frozenset({demand(0, 2), demand(1, 3)}))
    True
    """
    return len(one & other) != (_positions(one) & _positions(other)).bit_count()


def instruction_bound(efforts: list[tuple[int, Demands]]) -> int:
    """At least so many instructions meet all demands, given how many each takes by itself.

    Of the demands that take at least n each, those that clash with each other are met by different registers, so by
    half as many instructions; and the first of these has n - 1 others before it.
    """
    bound = 0
    clashing: list[Demands] = []
    for effort, demands in sorted(efforts, key=lambda entry: -entry[0]):
        if all(clash(demands, other) for other in clashing):
            clashing.append(demands)
        bound = max(bound, effort - 1 + (len(clashing) + 1) // 2)
    return bound


def find_sequence(
    sources: int, targets: tuple[Demands, ...], instructions: tuple[Instruction, ...], limit: int, trials: int
) -> tuple[Use, ...] | None:
    """The shortest sequence, of at most `limit` instructions, after which every target is met by some register.

    Nothing if there is none. Raises `SearchTooLong` once `trials` moves have been tried.

    >>> from layoutsolver_models.lanes.instruction import vdintlv
    >>> evens = frozenset(demand(position, 2 * position) for position in range(256))
    >>> [str(use.instruction) for use in find_sequence(2, (evens,), (vdintlv(8),), 2, 100)]
    ['vdintlv.b8']
    """
    search = _Search(setting(sources, instructions), trials)
    start = search.open(targets)
    for length in range(search.bound(start), limit + 1):
        search.seen.clear()
        found = search.descend(start, length)
        if found is not None:
            return tuple(found)
    return None


@dataclass(slots=True)
class _Search:
    """One search: how many moves may still be tried, and what was found out.

    `seen` has with how many instructions to spare a state was left, `efforts` how many a demand takes at least, and
    `before` what a demand asks of the operands, for every result of every instruction.
    """

    given: Setting
    trials: int
    seen: dict[State, int] = field(default_factory=dict)
    efforts: dict[Demands, int] = field(default_factory=dict)
    before: dict[tuple[Demands, int, int], tuple[Demands, ...] | None] = field(default_factory=dict)

    def open(self, wanted: tuple[Demands, ...]) -> State:
        """What of this is still to be met; a demand that another one includes is met with that."""
        unmet = [demands for demands in dict.fromkeys(wanted) if demands and not self.given.is_met(demands)]
        return frozenset(demands for demands in unmet if not any(demands < other for other in unmet))

    def bound(self, state: Iterable[Demands]) -> int:
        """How many instructions the state takes at least."""
        efforts = []
        for demands in state:
            if demands not in self.efforts:
                self.efforts[demands] = self.given.effort(demands)
            efforts.append((self.efforts[demands], demands))
        return instruction_bound(efforts)

    def descend(self, state: State, left: int) -> list[Use] | None:
        """A sequence of at most `left` instructions that meets the state, from the first to the last."""
        if not state:
            return []
        if left <= 0 or self.seen.get(state, -1) >= left:
            return None
        self.seen[state] = left
        for _, following, use in sorted(self._moves(state, left - 1), key=lambda move: move[0]):
            found = self.descend(following, left - 1)
            if found is not None:
                return [*found, use]
        return None

    def _moves(self, state: State, left: int) -> Iterator[tuple[int, State, Use]]:
        """Every last instruction after which `left` others may do: their bound, and what is left to be met."""
        given = self.given
        pending = sorted(state, key=sorted)
        wanted = [words(demands) for demands in pending]
        clashing = [{other for other, demands in enumerate(pending) if clash(demands, one)} for one in pending]
        divided = [
            (met, rest) for met, rest in _divisions(range(len(pending))) if self.bound(pending[i] for i in rest) <= left
        ]
        first = 0
        for number, instruction in enumerate(given.instructions):
            results = range(instruction.results.arity)
            possible = [
                [result for result in results if given.may_meet(asked, first + result, left)] for asked in wanted
            ]
            first += len(results)
            for met, rest in divided:
                for groups in _groupings(met, possible, clashing, len(results)):
                    groups_met = tuple(tuple(pending[i] for i in group) for group in groups)
                    self.trials -= 1
                    if self.trials < 0:
                        raise SearchTooLong("no sequence of instructions was found, but not all were tried")
                    operands = self._operands(number, groups_met)
                    if operands is None:
                        continue
                    following = self.open((*operands, *(pending[i] for i in rest)))
                    if self.seen.get(following, -1) >= left:
                        continue
                    bound = self.bound(following)
                    if bound <= left:
                        merged = tuple(frozenset[int]().union(*group) for group in groups_met)
                        yield bound, following, Use(instruction, merged, operands)

    def _operands(self, number: int, groups: tuple[tuple[Demands, ...], ...]) -> tuple[Demands, ...] | None:
        """What an instruction asks of its operands if its results meet these demands; nothing if that is impossible."""
        operands: list[Demands] = [frozenset()] * self.given.instructions[number].operands
        for result, group in enumerate(groups):
            for demands in group:
                key = (demands, number, result)
                if key not in self.before:
                    self.before[key] = _asked(demands, self.given.instructions[number], result)
                asked = self.before[key]
                if asked is None or any(map(clash, operands, asked)):
                    return None
                operands = [known | more for known, more in zip(operands, asked, strict=True)]
        return tuple(operands)


def _divisions(numbers: range) -> Iterator[tuple[list[int], list[int]]]:
    """Every way to divide some numbers in two, the first part not empty, large first parts first."""
    for chosen in range((1 << len(numbers)) - 1, 0, -1):
        yield [i for i in numbers if chosen >> i & 1], [i for i in numbers if not chosen >> i & 1]


def _groupings(
    met: list[int], possible: list[list[int]], clashing: list[set[int]], results: int
) -> Iterator[list[list[int]]]:
    """Every way to have these demands met by the results of an instruction, each by one possible for it."""
    groups: list[list[int]] = [[] for _ in range(results)]

    def place(number: int) -> Iterator[list[list[int]]]:
        if number == len(met):
            yield groups
            return
        demands = met[number]
        for result in possible[demands]:
            if clashing[demands].isdisjoint(groups[result]):
                groups[result].append(demands)
                yield from place(number + 1)
                groups[result].pop()

    return place(0)
