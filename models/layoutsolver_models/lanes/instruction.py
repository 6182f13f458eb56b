"""The instructions that rearrange registers, each as a lane map from its results to its operands.

The positions of the operands are numbered through: byte b of operand o is 256 o + b. Two registers of 16-bit lanes
a0 a1 ... and b0 b1 ..., each lane two bytes:

    vintlv    low  a0 b0 a1 b1 ... a63 b63    high  a64 b64 ... a127 b127
    vdintlv   low  a0 a2 ... a126 b0 b2 ...   high  a1 a3 ... a127 b1 b3 ...

>>> [vintlv(16).results.at(0, byte)[0] for byte in range(8)]
[0, 1, 256, 257, 2, 3, 258, 259]
>>> [vdintlv(16).results.at(1, byte)[0] for byte in (0, 1, 2, 3, 128, 129)]
[2, 3, 6, 7, 258, 259]

The two undo each other:

>>> vdintlv(16).results.then(vintlv(16).results) == vintlv(16).results.then(vdintlv(16).results)
True

What an instruction fills with zeros is padding here, since a layout never asks for zeros: vpack keeps the low halves
of wide lanes, vzunpack spreads lanes to twice their width.

>>> vpack(32, "LOWER").results.places(4), vpack(32, "LOWER").results.at(0, 128)
(((0, 2),), None)
>>> vzunpack(16, "HIGHER").results.places(130), vzunpack(16, "HIGHER").results.at(0, 6)
(((0, 4),), None)

Predicate registers have the same instructions on lanes of one, two or four bits; ppack and punpack work on the bits.

>>> ppack("LOWER").results.places(8), punpack("LOWER").results.places(4)
(((0, 4),), ((0, 8),))

A register can be read at any lane width (`vbitcast` and `pbitcast` cost nothing), so the width of an instruction need
not be that of the element. Not here: `vselr`, which needs a register of indices to be made first; `vsel`, `vor` and
`por`, which compute; `vslide`, of which the documents do not agree which source comes first nor how far it can go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from layoutsolver_models.lanes.lanemap import POSITIONS, LaneMap, Unit, split_registers

Half = Literal["LOWER", "HIGHER"]
HALVES: tuple[Half, Half] = ("LOWER", "HIGHER")

LANE_BITS = (8, 16, 32)
"""The lane widths that the interleaving instructions know."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """A rearrangement: `results` takes every position of the results to a position of the operands."""

    name: str
    results: LaneMap

    @property
    def unit(self) -> Unit:
        """Whether it works on vector registers (byte) or on predicate registers (bit)."""
        return self.results.unit

    @property
    def operands(self) -> int:
        """How many registers it reads."""
        return self.results.lanes // POSITIONS

    def apply(self, registers: LaneMap) -> LaneMap:
        """What its results hold if its operands hold `registers`."""
        return self.results.then(registers)

    def __str__(self) -> str:
        return self.name


def _instruction(name: str, unit: Unit, operands: int, sources: Iterator[int | None]) -> Instruction:
    return Instruction(name, LaneMap(unit, 1, operands * POSITIONS, split_registers(sources)))


def _interleaved(slot: int) -> Iterator[int]:
    """Slots of two registers by turns."""
    for lane in range(POSITIONS // slot):
        for operand in (0, 1):
            yield from range(operand * POSITIONS + lane * slot, operand * POSITIONS + (lane + 1) * slot)


def _deinterleaved(slot: int) -> Iterator[int]:
    """The even slots of two registers one after the other, then the odd ones."""
    for odd in (0, 1):
        for lane in range(odd, 2 * POSITIONS // slot, 2):
            yield from range(lane * slot, (lane + 1) * slot)


def _packed(slot: int, half: Half) -> Iterator[int | None]:
    """The low half of every slot, in one half of a register."""
    low = [lane * slot + inner for lane in range(POSITIONS // slot) for inner in range(slot // 2)]
    empty: list[int | None] = [None] * (POSITIONS // 2)
    yield from [*low, *empty] if half == "LOWER" else [*empty, *low]


def _unpacked(slot: int, half: Half) -> Iterator[int | None]:
    """The slots of one half of a register, each in front of an empty slot."""
    start = POSITIONS // 2 * HALVES.index(half)
    for lane in range(POSITIONS // 2 // slot):
        yield from range(start + lane * slot, start + (lane + 1) * slot)
        yield from [None] * slot


def vintlv(bits: int) -> Instruction:
    """Two results in which lanes of `bits` bits of two operands alternate."""
    return _instruction(f"vintlv.b{bits}", "byte", 2, _interleaved(bits // 8))


def vdintlv(bits: int) -> Instruction:
    """Two results: the even and the odd lanes of `bits` bits of two operands."""
    return _instruction(f"vdintlv.b{bits}", "byte", 2, _deinterleaved(bits // 8))


def vpack(bits: int, half: Half) -> Instruction:
    """The low halves of lanes of `bits` bits, in the lower or higher half of the result."""
    return _instruction(f"vpack.b{bits} {half}", "byte", 1, _packed(bits // 8, half))


def vzunpack(bits: int, half: Half) -> Instruction:
    """The lanes of `bits` bits of the lower or higher half of the operand, each widened to twice its width."""
    return _instruction(f"vzunpack.b{bits} {half}", "byte", 1, _unpacked(bits // 8, half))


def pintlv(bits: int) -> Instruction:
    """Two predicates in which the lanes of two operands alternate, seen at granularity `bits`."""
    return _instruction(f"pintlv.b{bits}", "bit", 2, _interleaved(bits // 8))


def pdintlv(bits: int) -> Instruction:
    """Two predicates: the even and the odd lanes of two operands, seen at granularity `bits`."""
    return _instruction(f"pdintlv.b{bits}", "bit", 2, _deinterleaved(bits // 8))


def ppack(half: Half) -> Instruction:
    """The even bits of a predicate, in the lower or higher half of the result."""
    return _instruction(f"ppack {half}", "bit", 1, _packed(2, half))


def punpack(half: Half) -> Instruction:
    """The bits of the lower or higher half of a predicate, at the even bits of the result."""
    return _instruction(f"punpack {half}", "bit", 1, _unpacked(1, half))


@lru_cache(maxsize=2)
def instructions(unit: Unit) -> tuple[Instruction, ...]:
    """All rearrangements of vector or predicate registers, those first that are preferred at the same cost.

    Of predicates the packing ones come first, since they read one register and write one. Of vectors the interleaving
    ones do: AVE widens and narrows a layout with these, and one of them can fill two registers.

    >>> [str(instruction) for instruction in instructions("bit")[:5]]
    ['ppack LOWER', 'ppack HIGHER', 'punpack LOWER', 'punpack HIGHER', 'pintlv.b8']
    """
    if unit == "bit":
        packing: tuple[Callable[[Half], Instruction], ...] = (ppack, punpack)
        pairs = (pintlv, pdintlv)
        return (
            *(make(half) for make in packing for half in HALVES),
            *(make(bits) for make in pairs for bits in LANE_BITS),
        )
    return (
        *(make(bits) for make in (vintlv, vdintlv) for bits in LANE_BITS),
        *(vpack(bits, half) for bits in (16, 32) for half in HALVES),
        *(vzunpack(bits, half) for bits in (8, 16) for half in HALVES),
    )
