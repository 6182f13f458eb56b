"""Memory as the elements that stores wrote: which of them differ, and whether an order of summation explains it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from layoutsolver.mlir.pto_types import PointerType, RegisterType, VmiVectorType
from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.pto.program import Program, Run
from layoutsolver.verify.pto.values import PAIRS, format_named
from layoutsolver_models.hardware.formats import Flags, Format, Lanes, decode, unpack_nibbles
from layoutsolver_models.hardware.state import Bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """The type of what an operation writes."""

    element: ScalarType

    @property
    def width(self) -> int:
        """Bytes of an element."""
        return max(1, (self.element.bits or 8) // 8)

    @property
    def noun(self) -> str:
        """What an element is called."""
        return "pair" if self.element.text in PAIRS else "element"


def stored_by(program: Program, node: int, default: ScalarType) -> Stored:
    """The type of what an operation writes: that of its value, else that of its pointer, else the default."""
    if node >= 0:
        op = program.graph.ops[node]
        for value in op.operands:
            type_ = program.graph.values[value].type
            if isinstance(type_, VmiVectorType | RegisterType) and isinstance(type_.element, ScalarType):
                return Stored(type_.element)
        for value in op.operands:
            type_ = program.graph.values[value].type
            if isinstance(type_, PointerType) and isinstance(type_.element, ScalarType):
                return Stored(type_.element)
    return Stored(default)


def wrong_bytes(expected: Run, found: Run, allocation: int) -> Flags:
    """Which bytes of an allocation differ: those that are determined, and other or not determined in the other run."""
    mine, theirs = expected.ram.memories[allocation], found.ram.memories[allocation]
    wrong = np.zeros(mine.size, np.bool_)
    at = 0
    for one, other in zip(mine.pages, theirs.pages, strict=True):
        if one is not other:
            differs = (one.data != other.data) | other.poison
            wrong[at : at + one.data.size] = differs & ~one.poison
        at += one.data.size
    return wrong


def numbers_of(stored: Stored, data: Bytes) -> Lanes | None:
    """The numbers in the bytes of one element: one, or the two of a pair; None where no format is known."""
    fmt: Format | None = format_named(stored.element, True)
    if fmt is None or data.size % fmt.width:
        return None
    bits = unpack_nibbles(data) if fmt.bits == 4 else np.ascontiguousarray(data).view(fmt.storage)
    numbers: Lanes = np.asarray(decode(fmt, bits)).astype(np.float64)
    return numbers


def is_within(stored: Stored, expected: Bytes, found: Bytes, moved: list[Bytes]) -> bool:
    """Whether an element is what another order of summation may give, told by what moved sums give.

    It may be as far from the expected number as twice the farthest of those, or be one of them bit by bit.
    """
    if any(np.array_equal(found, other) for other in moved):
        return True
    wanted, given = numbers_of(stored, expected), numbers_of(stored, found)
    others = [numbers_of(stored, other) for other in moved]
    if wanted is None or given is None:
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        spread = np.max([np.abs(other - wanted) for other in others if other is not None], axis=0, initial=0.0)
        same = (given == wanted) | (np.isnan(given) & np.isnan(wanted))
        return bool((same | (np.abs(given - wanted) <= 2 * spread)).all())
