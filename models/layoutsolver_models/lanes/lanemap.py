"""Lane maps: for every position of some registers, the piece of a logical vector that lies there, or nothing.

A vector of `lanes` elements lies in one or more registers of 256 bytes. A *lane map* says how: it takes a hardware
position (part, byte) to a logical position (element, byte of the element). The part is the number of the register
among those that hold the vector. A position may hold nothing that counts, which is *padding*. Eight 16-bit elements
in every second 16-bit slot of a register, drawn to 32 bytes of it (`.` is padding):

    byte      0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 ... 28 29 30 31
    element   0  0  .  .  1  1  .  .  2  2  .  .  3  3  .  .  4  4 ...  7  7  .  .
    offset    0  1        0  1        0  1        0  1        0  1 ...  0  1

>>> spread = strided("byte", size=2, lanes=8, stride=4)
>>> [spread.at(0, byte) for byte in (0, 1, 2, 4, 29)]
[(0, 0), (0, 1), None, (1, 0), (7, 1)]

The map goes from hardware to logic because that direction is always a function: a position holds one thing, while
an element may lie in several places (after a broadcast) or in none. The other direction is asked by `places`.

>>> spread.places(7), spread.places(7, 1)
(((0, 28),), ((0, 29),))

A predicate register is 256 bits, and the same kind of map takes (part, bit) to the number of a logical bit. A mask
over 32-bit lanes has its bits at every fourth position, the low bit of the four that govern the bytes of a lane:

>>> mask = strided("bit", size=1, lanes=64, stride=4)
>>> mask.at(0, 252), mask.at(0, 253), mask.arity
((63, 0), None, 1)

**Composition.** Number the positions of some registers through: position = 256 * part + byte. A map whose elements
are such numbers moves bytes between registers, so an instruction that rearranges is a lane map as well: for every
byte of its results, the byte of its operands that it copies. Following one map by another gives the layout of the
result. Here every second 16-bit slot is dropped:

>>> halves = LaneMap("byte", 1, 256, (tuple(4 * (i // 2) + i % 2 if i < 128 else None for i in range(256)),))
>>> halves.then(spread) == strided("byte", size=2, lanes=8, stride=2)
True

**Inverse.** If no element lies in two places, the map can be turned round: the inverse takes logical positions,
numbered through, to hardware positions. An inverse followed by its map is the vector in a row:

>>> spread.inverse().then(spread) == strided("byte", size=2, lanes=8, stride=2)
True

Hence `target.then(source.inverse())` says for every byte of the target from which byte of the source it must come.

**Comparison.** `==` compares everything, also which positions are padding. What a consumer of a layout needs is
weaker: it does not look at padding. `a.covers(b)` says that registers that hold `a` will do where `b` is asked for,
and `a.agrees(b)` that no position holds something different in the two.

>>> whole = strided("byte", size=2, lanes=16, stride=2)
>>> first = whole.restrict(8)
>>> whole.covers(first), first.covers(whole), first.agrees(whole), first == whole
(True, False, True, False)

The maps are tables rather than formulas over powers of two, since padding and odd lane counts have no such formula.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from layoutsolver_models.vecmem import REGISTER_BYTES

POSITIONS = REGISTER_BYTES
"""Positions of one register: bytes of a vector register, bits of a predicate register."""

Unit = Literal["byte", "bit"]
"""What one position holds: a byte of a vector register, or a bit of a predicate register."""

Register = tuple[int | None, ...]
"""One register of a map: at each position the number of a logical unit, or nothing."""


@dataclass(frozen=True, slots=True)
class LaneMap:
    """A map from the positions of registers to the units of a vector of `lanes` elements, each `size` units long.

    Unit `offset` of element `i` has the number `size * i + offset`; `registers` holds these numbers.
    """

    unit: Unit
    size: int
    lanes: int
    registers: tuple[Register, ...]

    def __post_init__(self) -> None:
        units = self.size * self.lanes
        for part, register in enumerate(self.registers):
            if len(register) != POSITIONS:
                raise ValueError(f"register {part} has {len(register)} positions, not {POSITIONS}")
            held = [number for number in register if number is not None]
            if held and (min(held) < 0 or max(held) >= units):
                raise ValueError(f"register {part} holds a unit outside of the {units} units of the vector")

    @property
    def arity(self) -> int:
        """How many registers there are."""
        return len(self.registers)

    @property
    def units(self) -> int:
        """How many bytes (or bits) the logical vector has."""
        return self.size * self.lanes

    def at(self, part: int, position: int) -> tuple[int, int] | None:
        """The element at a position and the offset inside it; nothing if the position is padding."""
        number = self.registers[part][position]
        return None if number is None else divmod(number, self.size)

    def places(self, element: int, offset: int = 0) -> tuple[tuple[int, int], ...]:
        """All positions (part, position) that hold this unit of the element."""
        wanted = self.size * element + offset
        return tuple(
            (part, position)
            for part, register in enumerate(self.registers)
            for position, number in enumerate(register)
            if number == wanted
        )

    def holds(self, lanes: int | None = None) -> bool:
        """Whether every unit of the first `lanes` elements (of all, by default) lies somewhere.

        >>> few = strided("byte", size=2, lanes=4, stride=2)
        >>> few.holds(), few.holds(4), few.holds(5)
        (True, True, False)
        """
        found = {number for register in self.registers for number in register if number is not None}
        return found.issuperset(range(self.size * (self.lanes if lanes is None else lanes)))

    @property
    def is_injective(self) -> bool:
        """Whether no unit lies in two places."""
        held = self.held()
        return len(set(held)) == len(held)

    def held(self) -> list[int]:
        """The numbers of the units at all positions that are not padding, in the order of the positions."""
        return [number for register in self.registers for number in register if number is not None]

    def then(self, other: LaneMap) -> LaneMap:
        """What lies where, if `other` tells what lies at the positions that this map names.

        Raises `ValueError` if this map may name a position that the other does not have.
        """
        if self.unit != other.unit:
            raise ValueError(f"a map of {self.unit}s cannot be followed by a map of {other.unit}s")
        flat = [number for register in other.registers for number in register]
        if self.units > len(flat):
            raise ValueError(f"a map onto {self.units} units cannot be followed by one of {len(flat)} positions")
        registers = tuple(
            tuple(None if number is None else flat[number] for number in register) for register in self.registers
        )
        return LaneMap(self.unit, other.size, other.lanes, registers)

    def inverse(self) -> LaneMap:
        """The map from units, numbered through, to positions, numbered through.

        Raises `ValueError` if a unit lies in two places. A unit that lies nowhere becomes padding.
        """
        flat: list[int | None] = [None] * (-(-self.units // POSITIONS) * POSITIONS)
        for part, register in enumerate(self.registers):
            for position, number in enumerate(register):
                if number is None:
                    continue
                if flat[number] is not None:
                    raise ValueError(f"element {number // self.size} lies in several places: there is no inverse")
                flat[number] = POSITIONS * part + position
        return LaneMap(self.unit, 1, POSITIONS * self.arity, split_registers(flat))

    def restrict(self, lanes: int) -> LaneMap:
        """The map of the first `lanes` elements in the same registers; the places of the others become padding."""
        units = self.size * min(lanes, self.lanes)
        registers = tuple(
            tuple(number if number is not None and number < units else None for number in register)
            for register in self.registers
        )
        return LaneMap(self.unit, self.size, min(lanes, self.lanes), registers)

    def compact(self) -> LaneMap:
        """The same map without the registers that hold only padding."""
        kept = tuple(register for register in self.registers if any(number is not None for number in register))
        return LaneMap(self.unit, self.size, self.lanes, kept)

    def covers(self, other: LaneMap) -> bool:
        """Whether registers that hold this map hold the other one too, whatever lies in the other's padding."""
        return self._comparable(other) and all(
            theirs is None or ours == theirs
            for register, others in zip(self.registers, other.registers, strict=True)
            for ours, theirs in zip(register, others, strict=True)
        )

    def agrees(self, other: LaneMap) -> bool:
        """Whether no position holds something different in the two maps: they are equal up to padding."""
        return self._comparable(other) and all(
            ours is None or theirs is None or ours == theirs
            for register, others in zip(self.registers, other.registers, strict=True)
            for ours, theirs in zip(register, others, strict=True)
        )

    def _comparable(self, other: LaneMap) -> bool:
        return (self.unit, self.size, self.arity) == (other.unit, other.size, other.arity)

    def __str__(self) -> str:
        """The register view of the map, as `view.register_view` draws it."""
        from layoutsolver_models.lanes.view import register_view

        return register_view(self)


def split_registers(flat: Iterable[int | None]) -> tuple[Register, ...]:
    """Cut a row of positions, numbered through, into registers; the last one is filled up with padding.

    >>> [len(register) for register in split_registers(range(300))]
    [256, 256]
    """
    row = list(flat)
    row += [None] * (-len(row) % POSITIONS)
    return tuple(tuple(row[start : start + POSITIONS]) for start in range(0, len(row), POSITIONS))


def from_places(unit: Unit, size: int, lanes: int, arity: int, places: Iterable[tuple[int, int, int, int]]) -> LaneMap:
    """The map in which element `i`, from its offset `o` on, lies at position `p` of part `r`, for all (i, o, r, p).

    A place holds the units from `o` up to the next place given for the same element, or to the element's end. Here
    an element of 8 bytes is split over two registers:

    >>> planes = from_places("byte", 8, 1, 2, [(0, 0, 0, 0), (0, 4, 1, 0)])
    >>> planes.at(0, 3), planes.at(1, 0), planes.at(0, 4)
    ((0, 3), (0, 4), None)
    """
    registers: list[list[int | None]] = [[None] * POSITIONS for _ in range(arity)]
    listed = sorted(places)
    for number, (element, offset, part, position) in enumerate(listed):
        follows = listed[number + 1] if number + 1 < len(listed) else None
        end = follows[1] if follows is not None and follows[0] == element and follows[1] > offset else size
        first = size * element + offset
        registers[part][position : position + end - offset] = range(first, first + end - offset)
    return LaneMap(unit, size, lanes, tuple(map(tuple, registers)))


def strided(unit: Unit, size: int, lanes: int, stride: int) -> LaneMap:
    """The map in which element `i` starts at position `stride * i`, over as many registers as that takes.

    >>> strided("byte", size=1, lanes=200, stride=2).arity
    2
    """
    per_register = POSITIONS // stride
    arity = -(-lanes // per_register)
    places = ((i, 0, i // per_register, i % per_register * stride) for i in range(lanes))
    return from_places(unit, size, lanes, arity, places)
