"""How the elements of groups of any size are selected: spread over a group, brought to blocks, taken apart.

>>> broadcast_plan(32, 96, 8).count("vselr"), broadcast_plan(32, 48, 12).count("vselr")
(2, 2)
>>> gathering(32, 96, 8)
Gathering(halvings=1, size=6)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import NamedTuple

from layoutsolver.vmi.permute import Plan, Planner, quotient
from layoutsolver_models.rules.vmi.layouts import register_lanes

SLOTS = 8
"""Elements, one of a group each, that a register holds in the layout `gs8`."""

# -- broadcasts ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def broadcast_plan(bits: int, lanes: int, groups: int) -> Plan:
    """The plan by which each group of a contiguous vector gets its element of a source of `SLOTS` to a register."""
    full, size = register_lanes(bits), lanes // groups
    planner = Planner(bits)
    results = []
    for start in range(0, lanes, full):
        known = [at // size for at in range(start, min(start + full, lanes))]
        inside = tuple(group % SLOTS for group in known)
        ways = [partial(planner.cheaper, inside)]
        if size < full:
            ways += [partial(_made, planner, one) for one in quotients(bits, start, len(known), size)]
        results.append(planner.merged(planner.shortest(*ways), [group // SLOTS for group in known]))
    return Plan(tuple(planner.moves), tuple(results))


class Quotient(NamedTuple):
    """Numbers ((lane + offset) * factor >> shift) + more, of which `wrap` is what they begin anew at, 0 if never."""

    bits: int
    offset: int
    factor: int
    shift: int
    more: int
    wrap: int


def quotients(bits: int, start: int, count: int, size: int) -> Iterator[Quotient]:
    """The ways to (start + lane) // size % SLOTS for so many lanes by a product that no lane is too narrow for.

    Lanes of eight bits are two and two in one of 16, which holds the product.
    """
    for offset, more in dict.fromkeys(((start % (size * SLOTS), 0), (start % size, start // size % SLOTS))):
        last = (offset + count - 1) // size + more
        found = quotient(1 << max(bits, 16), offset, offset + count, size)
        if found is not None and last < 1 << bits:
            yield Quotient(bits, offset, *found, more, SLOTS if last >= SLOTS else 0)


def _made(planner: Planner, one: Quotient) -> int:
    """The moves that make an index vector of quotients."""
    made = _pairs(planner, one) if one.bits == 8 else _product_of(planner, one, "", 1)
    if one.more:
        made = planner.put("vadds", made, number=one.more)
    if one.wrap:
        made = planner.put("vand", made, planner.put("vdup", number=one.wrap - 1))
    return made


def _product_of(planner: Planner, one: Quotient, wide: str, step: int) -> int:
    """Every `step`th quotient, in lanes of the width of elements or of a width that is told (`.16`)."""
    lanes = planner.put(f"vci{wide}")
    made = planner.put(f"vmuls{wide}", lanes, number=one.factor * step)
    if one.offset:
        made = planner.put(f"vadds{wide}", made, number=one.offset * one.factor)
    return planner.put(f"vshrs{wide}", made, number=one.shift) if one.shift else made


def _pairs(planner: Planner, one: Quotient) -> int:
    """Quotients of eight bits: those of even lanes, and those of odd ones in the upper half of 16 bits."""
    even, odd = (_product_of(planner, one._replace(offset=one.offset + more), ".16", 2) for more in (0, 1))
    return planner.put("vadd.16", even, planner.put("vshls.16", odd, number=8))


# -- reductions ---------------------------------------------------------------------------------------------------


class Gathering(NamedTuple):
    """Neighbours brought together two and two so often, which leaves groups of no more than a block."""

    halvings: int
    size: int


def gathering(bits: int, lanes: int, groups: int) -> Gathering | None:
    """How often groups are halved until a block holds one, None if they cannot be."""
    size, halvings = lanes // groups, 0
    while size > register_lanes(bits) // 8:
        if size % 2:
            return None
        size, halvings = size // 2, halvings + 1
    return Gathering(halvings, size)


class Halved(NamedTuple):
    """The instructions for halvings: those that take even and odd elements apart, and those that join them."""

    pairs: int
    sums: int


def halved(bits: int, lanes: int, halvings: int) -> Halved:
    """What it takes to bring neighbours together two and two so often, in contiguous registers.

    >>> halved(32, 256, 2)
    Halved(pairs=3, sums=3)
    """
    full, pairs, sums = register_lanes(bits), 0, 0
    for _ in range(halvings):
        registers = -(-lanes // full)
        pairs += -(-registers // 2)
        lanes //= 2
        sums += -(-lanes // full)
    return Halved(pairs, sums)


@lru_cache(maxsize=256)
def block_plan(bits: int, groups: int, size: int) -> Plan:
    """The plan that brings each group of a contiguous vector to a block of its own, eight of them to a register.

    What follows a group in its block is anything. A group is no longer than a block.
    """
    full = register_lanes(bits)
    block = full // 8
    planner = Planner(bits)
    index = planner.put("vci")
    if size < block:
        rows = planner.put("vshrs", index, number=block.bit_length() - 1)
        index = planner.put("vsub", index, _times(planner, rows, block - size))
    results = []
    for first in range(0, groups, 8):
        start = first * size
        taken = [(at, start + at // block * size + at % block) for at in range(8 * block) if at % block < size]
        taken = [(at, element) for at, element in taken if element < groups * size]
        sources = sorted({element // full for _, element in taken})
        picks = []
        for source in sources:
            more = (start - source * full) % (1 << bits)
            picks.append(planner.put("vselr", planner.put("vadds", index, number=more) if more else index,
                                     number=source))  # fmt: skip
        total = picks[-1]
        for source, one in reversed(list(zip(sources[:-1], picks[:-1], strict=True))):
            end = next(at for at, element in taken if element // full > source)
            total = planner.put("vsel", one, total, number=end)
        results.append(total)
    return Plan(tuple(planner.moves), tuple(results))


def _times(planner: Planner, rows: int, factor: int) -> int:
    """Numbers below eight times a factor below 32: two bytes in a lane of 16 bits do not touch each other."""
    if factor & (factor - 1) == 0:
        return planner.put("vshls", rows, number=factor.bit_length() - 1) if factor > 1 else rows
    return planner.put("vmuls.16" if planner.bits == 8 else "vmuls", rows, number=factor)


class Piece(NamedTuple):
    """Part of a group: the lanes of a register from `first` to before `end`."""

    group: int
    register: int
    first: int
    end: int


class Pieces(NamedTuple):
    """How groups of any size are reduced one by one: for each group the registers that are joined before one reduction
    of them all, and the pieces that are reduced by themselves.
    """

    whole: tuple[tuple[int, ...], ...]
    pieces: tuple[tuple[Piece, ...], ...]
    lanes: int

    @property
    def reduces(self) -> int:
        """The reductions of registers."""
        return sum(len(some) for some in self.pieces) + sum(len(some) > 0 for some in self.whole)

    @property
    def joins(self) -> int:
        """What brings registers of a group together, before or after they are reduced."""
        return sum(len(some) + len(more) - 1 for some, more in zip(self.pieces, self.whole, strict=True))

    @property
    def runs(self) -> list[tuple[int, int]]:
        """The lanes of pieces that are part of a register."""
        held = [(one.first, one.end) for some in self.pieces for one in some]
        return [run for run in held if run != (0, self.lanes)]

    @property
    def ranges(self) -> int:
        """The different runs of lanes that do not begin at the first one."""
        return len({(first, end) for first, end in self.runs if first})


@lru_cache(maxsize=256)
def pieces_of_groups(bits: int, lanes: int, groups: int, full: bool = True) -> Pieces:
    """The pieces of each group; where the mask is not `full`, registers of a group are not alike, and none is joined.

    >>> found = pieces_of_groups(32, 192, 2)
    >>> found.whole, found.pieces[0]
    (((0,), (2,)), (Piece(group=0, register=1, first=0, end=32),))
    """
    per, size = register_lanes(bits), lanes // groups
    whole, pieces = [], []
    for group in range(groups):
        first, end = group * size, (group + 1) * size
        held = [Piece(group, number, max(first - number * per, 0), min(end - number * per, per))
                for number in range(first // per, -(-end // per))]  # fmt: skip
        joined = [one.register for one in held if full and (one.first, one.end) == (0, per)]
        whole.append(tuple(joined))
        pieces.append(tuple(one for one in held if one.register not in joined))
    return Pieces(tuple(whole), tuple(pieces), per)
