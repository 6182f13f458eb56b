"""Instructions as values, and the places of a program that they are put in.

An instruction stands before an operation of the program's text (its *place*), behind those that were put there
earlier. What stands before the first operation of a block is at the beginning of the block, so that every point of a
program is some place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from layoutsolver.ops.registry import pto_specs
from layoutsolver.ops.spec import Effect
from layoutsolver_models.rules.vmi.row import PIPES

PTO = "pto."


@dataclass(frozen=True, slots=True)
class Ssa:
    """A value of the lowered program: its type, and its name, or what its name is to begin with."""

    number: int
    type: str
    hint: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction: inline strings in order, attributes with their values as text, and whom it works for.

    `owner` is the choice of the solution that it carries out; what is `counted` is part of that choice's cost, as
    `occupies` instructions; masks that let everything through and scalars are not. A special register carries
    something from a `tied` one to the next: it stays where it is, and is nobody else's.
    """

    name: str
    operands: tuple[Ssa, ...]
    results: tuple[Ssa, ...]
    words: tuple[str, ...] = ()
    attrs: tuple[tuple[str, str], ...] = ()
    owner: str = ""
    counted: bool = True
    occupies: int = 1
    tied: bool = False

    @property
    def effect(self) -> Effect:
        """What it does to memory, and to what stands around it."""
        if self.tied:
            return Effect.ORDER
        spec = pto_specs().get(self.name)
        return Effect.PURE if spec is None else spec.effect

    @property
    def pipe(self) -> str:
        """The pipe that it goes to: load, execute, store, predicate, or free."""
        if not self.name.startswith(PTO):
            return "free"
        mnemonic = self.name.removeprefix(PTO)
        known = PIPES.get(mnemonic) or PIPES.get(mnemonic.rpartition("_b")[0])
        if known is not None:
            return known
        spec = pto_specs().get(self.name)
        return spec.rule if spec is not None and spec.rule in ("predicate", "free", "execute") else "free"

    def attr(self, name: str) -> str:
        """An attribute's value without quotes, empty if it is absent."""
        return dict(self.attrs).get(name, "").strip('"')

    def renamed(self, stands_for: dict[Ssa, Ssa]) -> Instruction:
        """The same with its operands replaced by what they stand for."""
        if stands_for.keys().isdisjoint(self.operands):
            return self
        return replace(self, operands=tuple(resolved(operand, stands_for) for operand in self.operands))


def resolved(value: Ssa, stands_for: dict[Ssa, Ssa]) -> Ssa:
    """What a value stands for in the end."""
    while value in stands_for:
        value = stands_for[value]
    return value


@dataclass(slots=True)
class Code:
    """The instructions of a program by place, and which registers its control flow takes.

    `taken` are the values that operations of the text use: for each, by the number of its operand.
    """

    places: dict[int, list[Instruction]] = field(default_factory=dict)
    taken: dict[tuple[int, int], tuple[Ssa, ...]] = field(default_factory=dict)

    def at(self, place: int) -> list[Instruction]:
        """The instructions of a place, to be added to."""
        return self.places.setdefault(place, [])

    def all(self) -> Iterator[tuple[int, Instruction]]:
        """All instructions with their places, in the order of the text."""
        for place in sorted(self.places):
            for instruction in self.places[place]:
                yield place, instruction

    def replaced(self, stands_for: dict[Ssa, Ssa]) -> None:
        """Let everybody use what values stand for."""
        if not stands_for:
            return
        for place, some in self.places.items():
            self.places[place] = [one.renamed(stands_for) for one in some]
        for use, values in self.taken.items():
            self.taken[use] = tuple(resolved(value, stands_for) for value in values)


def element_bits(type_: str) -> int:
    """The bits of an element of a register's type.

    >>> element_bits("!pto.vreg<128xf16>"), element_bits("!pto.vreg<64x!pto.bf16x2>")
    (16, 32)
    """
    return 2048 // int(type_.removeprefix("!pto.vreg<").partition("x")[0])


def element_of(type_: str) -> str:
    """The element type of a register's type.

    >>> element_of("!pto.vreg<64x!pto.bf16x2>")
    '!pto.bf16x2'
    """
    return type_.removeprefix("!pto.vreg<").removesuffix(">").partition("x")[2]


def register_type(element: str, bits: int) -> str:
    """The type of a register of such elements."""
    return f"!pto.vreg<{2048 // bits}x{element}>"


def mask_type(bits: int) -> str:
    """The type of a predicate register that governs lanes of so many bits."""
    return f"!pto.mask<b{bits}>"


def mask_bits(type_: str) -> int:
    """The width of the lanes that a predicate register of this type governs."""
    return int(type_.removeprefix("!pto.mask<b").removesuffix(">"))
