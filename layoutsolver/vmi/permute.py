"""How elements are moved anywhere: by selections from each register of the source, and indices made of ramps.

An index vector is a ramp times powers of two, cut into pieces that are selected between, or a sum of fields of the
number of the lane (`l >> a & mask`, scaled), where all indices of a register are such a sum. Both are exact; whichever
takes fewer instructions is taken. Where a register of the source comes up again and again, it is selected from once,
under a predicate of all lanes that it is for: of prefixes, of a run that repeats, or of what the whole index is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

from layoutsolver_models.rules.vmi.patterns import Pattern, made, pattern_of


class Move(NamedTuple):
    """An instruction: its mnemonic, the moves whose results it takes, and a number.

    The number is the first lane of `vci` and `vcid` (which counts down), the scalar of `vdup`, `vadds`, `vmuls` and of
    shifts, the register of the source that `vselr` selects from, and how many lanes of `vsel` are from the first,
    unless a predicate is taken that says so. `plt` is a prefix of so many lanes; `vcmps lt` and `vcmps ge` compare with
    the number. A mnemonic that ends in `.16` is made in lanes of 16 bits, whatever the width of elements.
    """

    name: str
    taken: tuple[int, ...]
    number: int = 0


COMPARISONS = ("vcmps lt", "vcmps ge")
"""Moves that make predicates of indices."""


class Plan(NamedTuple):
    """The moves in order, and those whose results are the registers of the result."""

    moves: tuple[Move, ...]
    results: tuple[int, ...]

    def count(self, *names: str) -> int:
        """How many moves are of these names."""
        return sum(move.name in names for move in self.moves)

    @property
    def merges(self) -> int:
        """How many instructions put elements of several registers together."""
        return len(self.data) - self.count("vselr")

    @property
    def indexing(self) -> int:
        """How many instructions make indices."""
        return len(self.moves) - len(self.data) - self.count("plt", "pxor", *COMPARISONS)

    def indices(self, name: str) -> int:
        """How many instructions of a name, in lanes of any width, make indices."""
        return sum(
            move.name.partition(".")[0] == name for number, move in enumerate(self.moves) if number not in self.data
        )

    @property
    def data(self) -> frozenset[int]:
        """The moves whose results are elements, not indices."""
        found: set[int] = set()
        for number, move in enumerate(self.moves):
            if move.name == "vselr" or (move.name == "vsel" and move.taken[0] in found):
                found.add(number)
        return frozenset(found)


class Piece(NamedTuple):
    """Lanes from `first` to before `end` whose indices begin at `start` and grow by `step`."""

    first: int
    end: int
    start: int
    step: int


@lru_cache(maxsize=256)
def plan_of(indices: tuple[int, ...], bits: int) -> Plan:
    """The plan by which each element of the result is that of the source which its index names.

    >>> plan = plan_of((3, 2, 1, 0), 32)
    >>> [move.name for move in plan.moves]
    ['vcid', 'vselr']
    """
    lanes = 2048 // bits
    planner = Planner(bits)
    results = []
    for start in range(0, len(indices), lanes):
        results.append(planner.register(indices[start : start + lanes], lanes))
    return Plan(tuple(planner.moves), tuple(results))


class Planner:
    """Makes the moves of a plan, each once: those with equal operands are one."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.moves: list[Move] = []
        self.known: dict[Move, int] = {}

    def put(self, name: str, *taken: int, number: int = 0) -> int:
        """The number of a move, which is made once."""
        move = Move(name, taken, number)
        if move not in self.known:
            self.known[move] = len(self.moves)
            self.moves.append(move)
        return self.known[move]

    def register(self, indices: tuple[int, ...], lanes: int) -> int:
        """The move that makes a register of the elements of the source that these indices name."""
        sources = [number // lanes for number in indices]
        ways = [lambda: self.merged(self.cheaper(tuple(number % lanes for number in indices)), sources)]
        if 1 < len(set(sources)) < _turns(sources) and self.bits > 8:
            ways.append(lambda: self.by_numbers(self.cheaper(indices), sorted(set(sources)), lanes))
        return self.shortest(*ways)

    def merged(self, index: int, sources: Sequence[int]) -> int:
        """The move that makes a register, of lanes that are selected from these registers of the source."""
        runs = [at for at in range(len(sources)) if at == 0 or sources[at] != sources[at - 1]]
        if len(runs) > len(set(sources)):
            return self.by_patterns(index, sources)
        total = self.put("vselr", index, number=sources[runs[-1]])
        for at in range(len(runs) - 2, -1, -1):
            one = self.put("vselr", index, number=sources[runs[at]])
            total = self.put("vsel", one, total, number=runs[at + 1])
        return total

    def by_patterns(self, index: int, sources: Sequence[int]) -> int:
        """The move that makes a register of several, each selected from under a predicate."""
        first = list(dict.fromkeys(sources))
        ways = [_nested(sources, one) for one in (first, first[::-1])]
        order, patterns = min(ways, key=lambda found: _price(found[1]))
        total = self.put("vselr", index, number=order[-1])
        for source, lanes in zip(order[-2::-1], patterns[::-1], strict=True):
            total = self.put("vsel", self.put("vselr", index, number=source), total, self.pattern(lanes))
        return total

    def pattern(self, lanes: Pattern) -> int:
        """A predicate of a pattern."""
        if lanes.period:
            inside = self.put("vand", self.put("vci"), self.put("vdup", number=lanes.period - 1))
            return self.put("vcmps lt", inside, number=lanes.turns[0])
        total = self.put("plt", number=lanes.turns[0] if lanes.turns else 0)
        for turn in lanes.turns[1:]:
            total = self.put("pxor", total, self.put("plt", number=turn))
        return total

    def by_numbers(self, whole: int, sources: Sequence[int], lanes: int) -> int:
        """The move that makes a register by indices that go through all of the source, whose registers rise."""
        index = self.put("vand", whole, self.put("vdup", number=lanes - 1))
        total = self.put("vselr", index, number=sources[0])
        for source in sources[1:]:
            behind = self.put("vcmps ge", whole, number=source * lanes)
            total = self.put("vsel", self.put("vselr", index, number=source), total, behind)
        return total

    def cheaper(self, inside: tuple[int, ...]) -> int:
        """The index vector by whichever way takes fewer instructions."""
        fields = fields_of(inside)
        ways = [partial(self.pieces, inside)]
        if fields is not None and self.fits(fields[1]):
            ways.insert(0, partial(self.fields, *fields, len(inside)))
        rounds = rounds_of(inside)
        if rounds is not None and self.bits > 8:
            found = quotient(1 << self.bits, rounds.offset, rounds.offset + len(inside), rounds.size)
            if found is not None:
                ways.append(partial(self.rounds, inside[0], rounds, *found))
        return self.shortest(*ways)

    def shortest(self, *ways: Callable[[], int]) -> int:
        """What the way makes that takes the fewest moves, the first of those that take as many."""
        begun = dict(self.known), list(self.moves)
        best: tuple[int, dict[Move, int], list[Move]] | None = None
        for way in ways:
            self.known, self.moves = dict(begun[0]), list(begun[1])
            made = way()
            if best is None or len(self.moves) < len(best[2]):
                best = made, self.known, self.moves
        assert best is not None
        made, self.known, self.moves = best
        return made

    def fits(self, fields: tuple[tuple[int, int, int], ...]) -> bool:
        """Whether the scales can be multiplied by: elements of 8 bits are only shifted."""
        return self.bits > 8 or all(abs(scale) & (abs(scale) - 1) == 0 for _, _, scale in fields)

    # -- pieces -----------------------------------------------------------------------------------------------

    def pieces(self, inside: tuple[int, ...]) -> int:
        """An index vector of ramps, one of which is taken in each piece."""
        found = pieces_of(inside, self.bits > 8)
        total = self.piece(found[-1])
        for one in reversed(found[:-1]):
            total = self.put("vsel", self.piece(one), total, number=one.end)
        return total

    def piece(self, one: Piece) -> int:
        """A ramp that has the indices of a piece in its lanes."""
        origin = one.start - one.first * one.step
        if one.step == 0:
            return self.put("vdup", number=self.wrapped(one.start))
        if abs(one.step) == 1:
            return self.put("vci" if one.step > 0 else "vcid", number=self.wrapped(origin))
        ramp = self.scaled(self.put("vci" if one.step > 0 else "vcid"), abs(one.step))
        return self.put("vadds", ramp, number=self.wrapped(origin)) if self.wrapped(origin) else ramp

    def scaled(self, ramp: int, scale: int) -> int:
        """A ramp times a number."""
        if scale == 1:
            return ramp
        if scale & (scale - 1) == 0:
            return self.put("vshls", ramp, number=scale.bit_length() - 1)
        return self.put("vmuls", ramp, number=scale)

    def wrapped(self, number: int) -> int:
        """A number as lanes hold it."""
        return number % (1 << self.bits)

    # -- rounds -----------------------------------------------------------------------------------------------

    def rounds(self, first: int, rounds: Rounds, factor: int, shift: int) -> int:
        """An index vector that grows evenly besides what it grows by with each round, of which there is a quotient."""
        lane = self.put("vci")
        number = self.put("vadds", lane, number=rounds.offset) if rounds.offset else lane
        number = self.put("vshrs", self.put("vmuls", number, number=factor), number=shift)
        total = self.put("vmuls", number, number=self.wrapped(rounds.more))
        if rounds.step:
            total = self.put("vadd", self.put("vmuls", lane, number=self.wrapped(rounds.step)), total)
        return self.put("vadds", total, number=first) if first else total

    # -- fields -----------------------------------------------------------------------------------------------

    def fields(self, base: int, fields: tuple[tuple[int, int, int], ...], lanes: int) -> int:
        """An index vector that is a sum of scaled fields of the lane's number."""
        total = -1
        for low, count, scale in fields:
            lane = self.put("vci")
            one = self.put("vshrs", lane, number=low) if low else lane
            if low + count < (lanes - 1).bit_length():
                one = self.put("vand", one, self.put("vdup", number=(1 << count) - 1))
            one = self.scaled(one, abs(scale))
            if total < 0 and scale < 0:
                total = self.put("vdup", number=self.wrapped(base))
                base = 0
            total = one if total < 0 else self.put("vadd" if scale > 0 else "vsub", total, one)
        if total < 0:
            return self.put("vdup", number=self.wrapped(base))
        return self.put("vadds", total, number=self.wrapped(base)) if self.wrapped(base) else total


def _turns(sources: Sequence[int]) -> int:
    """How many runs of lanes are from one register each."""
    return 1 + sum(one != after for one, after in pairwise(sources))


def _nested(sources: Sequence[int], order: list[int]) -> tuple[list[int], list[Pattern]]:
    """The lanes in which each source but the last comes over those behind it: its own, or those before it as well.

    Sources before it come over it again.
    """
    patterns = []
    for number, source in enumerate(order[:-1], 1):
        own, all_before = ([one in some for one in sources] for some in ({source}, set(order[:number])))
        patterns.append(min(pattern_of(own), pattern_of(all_before), key=lambda one: _price([one])))
    return order, patterns


def _price(patterns: list[Pattern]) -> int:
    """What predicates of these patterns take."""
    found = made(tuple(dict.fromkeys(patterns)))
    return found.prefixes + found.joins + 3 * found.ramps


class Rounds(NamedTuple):
    """Indices that grow by `step` from lane to lane, and by `more` besides wherever a round of `size` lanes begins.

    The first lane is as many behind the beginning of a round as `offset` says.
    """

    step: int
    more: int
    size: int
    offset: int


def rounds_of(inside: tuple[int, ...]) -> Rounds | None:
    """Indices as rounds of at least two lanes, of which three begin; None if they are none.

    >>> rounds_of((0, 20, 40, 1, 21, 41, 2, 22, 42))
    Rounds(step=20, more=-59, size=3, offset=0)
    >>> rounds_of((0, 1, 2, 3)) is None
    True
    """
    steps = [after - one for one, after in pairwise(inside)]
    for step in sorted(set(steps), key=steps.index) if len(set(steps)) == 2 else []:
        begins = [lane for lane, one in enumerate(steps, 1) if one != step]
        sizes = {after - one for one, after in pairwise(begins)}
        size = sizes.pop() if len(sizes) == 1 else 0
        if size >= 2 and begins[0] <= size and len(inside) - begins[-1] <= size:
            return Rounds(step, steps[begins[0] - 1] - step, size, size - begins[0])
    return None


def quotient(modulus: int, first: int, end: int, size: int) -> tuple[int, int] | None:
    """A factor and a shift that divide the numbers of a range by a size, None if no product stays below a modulus.

    >>> factor, shift = quotient(1 << 16, 0, 128, 3)
    >>> [number * factor >> shift for number in (2, 3, 127)]
    [0, 1, 42]
    """
    for shift in range(modulus.bit_length()):
        factor = -(-(1 << shift) // size)
        if factor * end >= modulus:
            return None
        if all(number * factor >> shift == number // size for number in range(first, end + 1)):
            return factor, shift
    return None


def pieces_of(inside: tuple[int, ...], scales: bool) -> list[Piece]:
    """Indices as few ramps; without `scales`, steps are powers of two.

    >>> pieces_of((0, 1, 2, 7, 7, 7), False)
    [Piece(first=0, end=3, start=0, step=1), Piece(first=3, end=6, start=7, step=0)]
    """
    found: list[Piece] = []
    at = 0
    while at < len(inside):
        step = inside[at + 1] - inside[at] if at + 1 < len(inside) else 0
        end = at + 1
        if scales or abs(step) & (abs(step) - 1) == 0:
            while end < len(inside) and inside[end] - inside[end - 1] == step:
                end += 1
        if end - at == 1:
            step = 0
        found.append(Piece(at, end, inside[at], step))
        at = end
    return found


def fields_of(inside: tuple[int, ...]) -> tuple[int, tuple[tuple[int, int, int], ...]] | None:
    """Indices as a number and a sum of fields of the lane's number: lowest bit, bits and scale of each; None if not.

    >>> fields_of((0, 4, 1, 5, 2, 6, 3, 7))
    (0, ((0, 1, 4), (1, 2, 1)))
    >>> fields_of((0, 1, 3, 3)) is None
    True
    """
    width = (len(inside) - 1).bit_length()
    weights = [inside[1 << bit] - inside[0] for bit in range(width)]
    for lane, index in enumerate(inside):
        if index != inside[0] + sum(weight for bit, weight in enumerate(weights) if lane >> bit & 1):
            return None
    fields: list[tuple[int, int, int]] = []
    for bit, weight in enumerate(weights):
        if fields and weight == fields[-1][2] << fields[-1][1] and fields[-1][0] + fields[-1][1] == bit:
            low, count, scale = fields.pop()
            fields.append((low, count + 1, scale))
        elif weight:
            fields.append((bit, 1, weight))
    return inside[0], tuple(fields)
