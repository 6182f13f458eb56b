"""How many instructions in a row it takes at least to make a register, read off from where its bytes come from.

What a register must hold is a set of *demands*: at this position, the byte with that home, a home being a position of
the source registers, numbered through. `demand(position, home)` packs the two into a number.

Two demands of one register whose positions differ in a single bit are a pair. An instruction either copies a pair from
one register, where its positions then again differ in a single bit, or takes its halves from two registers. At the
sources a pair that was never split lies at its homes. So if the homes of a pair differ in another bit than the
positions do, instructions must move that bit, or split the pair; if they are in different registers, split it.

A register has eight such pairs around one of its positions, one for each bit of a position. An instruction moves all
eight at once: `vdintlv.b8`, say, splits the pair of the highest bit and lifts the others by one. What the pairs ask
for is a *word* of eight symbols:

    word       bit of the home in which the pair of bit 0, 1, ... 7 differs; APART: must be split; FREE: has been split
    satisfied  every symbol is FREE, or the number of its own place

The fewest instructions in a row that satisfy a word are found by trying all.

>>> from layoutsolver_models.lanes.instruction import vdintlv, vintlv
>>> chains = chains_of((vdintlv(8), vintlv(8)))
>>> chains.moves[0]
(1, 2, 3, 4, 5, 6, 7, None)
>>> evens = frozenset(demand(position, 2 * position) for position in range(256))
>>> set(words(evens)) == {(1, 2, 3, 4, 5, 6, 7, APART)}, chains.depth(evens)
(True, 1)

The bound holds whatever else the register must hold, because leaving demands out cannot make it dearer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from layoutsolver_models.lanes.instruction import Instruction
from layoutsolver_models.lanes.lanemap import POSITIONS, Register

Demands = frozenset[int]
"""What a register must hold."""

Word = tuple[int, ...]
"""For each bit of a position, the bit in which the homes of its pair differ, or `APART` or `FREE`."""

APART = 8
FREE = -1
BITS = 8
SHIFT = 16
HOME = (1 << SHIFT) - 1

DEEPEST = 8
"""Longer chains are not told apart."""

BitMove = tuple[int | None, ...]
"""For each bit of a position in a result, the bit that it is in the operand; nothing where a pair may be split."""


def demand(position: int, home: int) -> int:
    """The demand for the byte of that home at that position.

    >>> divmod(demand(3, 259), 1 << SHIFT)
    (3, 259)
    """
    return position << SHIFT | home


def words(demands: Demands) -> frozenset[Word]:
    """The words of a few positions of a register: its lowest, its highest, and two between.

    >>> words(frozenset(demand(position, 2 * position) for position in range(128)))
    frozenset({(1, 2, 3, 4, 5, 6, 7, -1)})
    """
    homes = {key >> SHIFT: key & HOME for key in demands}
    ordered = sorted(homes)
    bases = {ordered[0], ordered[-1], ordered[len(ordered) // 3], ordered[2 * len(ordered) // 3]} if ordered else ()
    return frozenset(tuple(_symbol(homes[base], homes.get(base ^ 1 << bit)) for bit in range(BITS)) for base in bases)


def _symbol(home: int, other: int | None) -> int:
    return FREE if other is None else _single_bit(home ^ other)


def _single_bit(difference: int) -> int:
    """The bit that a difference consists of; `APART` if it is none inside of a register."""
    if difference < POSITIONS and difference.bit_count() == 1:
        return difference.bit_length() - 1
    return APART


@dataclass(frozen=True, slots=True)
class Chains:
    """What the results of some instructions do to the bits of positions, and what is known of words therefore."""

    moves: tuple[BitMove, ...]
    known: dict[tuple[Word, int], bool] = field(default_factory=dict)

    def is_within(self, word: Word, steps: int) -> bool:
        """Whether so many instructions in a row, or fewer, satisfy the word."""
        known = self.known.get((word, steps))
        if known is None:
            known = all(symbol in (FREE, bit) for bit, symbol in enumerate(word)) or (
                steps > 0 and any(self.is_within(moved(word, move), steps - 1) for move in dict.fromkeys(self.moves))
            )
            self.known[word, steps] = known
        return known

    def depth(self, demands: Demands) -> int:
        """Making a register of these demands takes at least so many in a row; not counted past `DEEPEST`."""
        asked = words(demands)
        return next((steps for steps in range(DEEPEST) if all(self.is_within(w, steps) for w in asked)), DEEPEST)


def moved(word: Word, move: BitMove) -> Word:
    """What is left to ask for of an operand if the result was asked for the word.

    >>> moved((1, 2, 3, 4, 5, 6, 7, APART), (1, 2, 3, 4, 5, 6, 7, None))
    (-1, 1, 2, 3, 4, 5, 6, 7)
    """
    symbols = [FREE] * BITS
    for symbol, bit in zip(word, move, strict=True):
        if bit is not None:
            symbols[bit] = symbol
    return tuple(symbols)


@lru_cache(maxsize=16)
def chains_of(instructions: tuple[Instruction, ...]) -> Chains:
    """The chains of the results of these instructions, in their order."""
    rows = (row for instruction in instructions for row in instruction.results.registers)
    return Chains(tuple(tuple(_moved_bit(row, 1 << bit) for bit in range(BITS)) for row in rows))


def _moved_bit(row: Register, bit: int) -> int | None:
    """The bit in which the sources of positions differ that differ in `bit`; nothing if it is not always the same."""
    differences = set()
    for position in range(POSITIONS):
        here, there = row[position], row[position ^ bit]
        if here is not None and there is not None:
            differences.add(here ^ there)
    moved_to = _single_bit(differences.pop()) if len(differences) == 1 else APART
    return None if moved_to == APART else moved_to
