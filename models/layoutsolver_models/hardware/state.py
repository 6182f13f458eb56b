"""The state of the vector unit: a vector register, a predicate register, and the unified buffer.

Registers are raw bytes and know no element type. Each byte carries a poison bit: the value that stands there is not
determined by anything documented. Values are immutable; instructions take states and return states.

Where a run is traced, each poisoned byte also carries its birth, the id of the operation that made it poison. Untraced
values have no births, and nothing is spent on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from layoutsolver_models.hardware.formats import Flags, Format, Lanes
from layoutsolver_models.hardware.html import register_html
from layoutsolver_models.vecmem import REGISTER_BYTES

_Element = TypeVar("_Element", bound=np.generic)

Bytes: TypeAlias = npt.NDArray[np.uint8]
Births: TypeAlias = npt.NDArray[np.int32]
"""One id per byte: of the operation at which the byte became poison, or -1."""

UNSIGNED: dict[int, np.dtype[np.unsignedinteger]] = {w: np.dtype(f"u{w}") for w in (1, 2, 4, 8)}
"""The unsigned dtype of a lane by its width in bytes."""


def _constant(value: bool) -> Flags:
    flags = np.full(REGISTER_BYTES, value)
    flags.setflags(write=False)
    return flags


CLEAN = _constant(False)
"""The poison of a register that has none. Tested by identity where that saves work."""

ALL = _constant(True)


def _clean() -> Flags:
    return CLEAN


def any_of_lane(flags: Flags, width: int) -> Flags:
    """For each lane of `width` bytes, whether any of its bytes is flagged.

    >>> any_of_lane(np.array([0, 0, 1, 0], np.bool_), 2).tolist()
    [False, True]
    """
    return flags if width == 1 else flags.view(UNSIGNED[width]) != 0


def of_bytes(lanes: npt.NDArray[_Element], width: int) -> npt.NDArray[_Element]:
    """For each byte, the element of its lane of `width` bytes."""
    return lanes if width == 1 else lanes.repeat(width)


def _runs(cells: Iterable[str]) -> str:
    runs = ((cell, sum(1 for _ in run)) for cell, run in groupby(cells))
    return " ".join(cell if count == 1 else f"{cell}*{count}" for cell, count in runs)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VReg:
    """A vector register: 256 bytes, which of them are poison, and (traced) where the poison was born.

    The arrays become read-only; the constructor takes them over without a copy. Two registers are equal when bytes
    and poison are.
    """

    data: Bytes
    poison: Flags = field(default_factory=_clean)
    birth: Births | None = None

    def _repr_html_(self) -> str:
        """What notebooks show: bytes in hexadecimal."""
        return register_html([f"{byte:02x}" for byte in self.data.tolist()], self.poison.tolist())

    def __post_init__(self) -> None:
        self.data.setflags(write=False)
        self.poison.setflags(write=False)

    @classmethod
    def zeros(cls) -> VReg:
        """A register of zero bytes."""
        return cls(np.zeros(REGISTER_BYTES, np.uint8))

    @classmethod
    def poisoned(cls) -> VReg:
        """A register of which nothing is known; its bytes are zero."""
        return cls(np.zeros(REGISTER_BYTES, np.uint8), ALL)

    @classmethod
    def from_lanes(cls, lanes: Lanes) -> VReg:
        """A register that holds the elements of an array from byte 0 on; the bytes after them are poison.

        The width of a lane is the item size of the array. Raises ValueError where they do not fit.

        >>> VReg.from_lanes(np.arange(3, dtype=np.uint16))
        VReg(00*2 01 00 02 00 ??*250)
        """
        raw = np.ascontiguousarray(lanes).view(np.uint8).ravel()
        if raw.size == REGISTER_BYTES:
            return cls(raw.copy())
        if raw.size > REGISTER_BYTES:
            raise ValueError(f"a vector register has {REGISTER_BYTES} bytes, not {raw.size}")
        data = np.zeros(REGISTER_BYTES, np.uint8)
        data[: raw.size] = raw
        return cls(data, np.arange(REGISTER_BYTES) >= raw.size)

    def lanes(self, width: int) -> Lanes:
        """The lanes of `width` bytes (1, 2, 4, 8) as unsigned integers, little-endian: shape (256 / width,)."""
        return self.data.view(UNSIGNED[width])

    def view(self, fmt: Format) -> Lanes:
        """The lanes as numbers of a format, or their bits where no dtype reads it: shape (fmt.lanes,)."""
        return self.data.view(fmt.dtype)

    def lane_poison(self, width: int) -> Flags:
        """For each lane of `width` bytes, whether any of its bytes is poison."""
        return any_of_lane(self.poison, width)

    def lane_birth(self, width: int) -> Births:
        """For each lane of `width` bytes, the latest birth among its bytes, or -1."""
        if self.birth is None:
            return np.full(REGISTER_BYTES // width, -1, np.int32)
        latest: Births = self.birth.reshape(-1, width).max(axis=1)
        return latest

    def traced(self, op: int) -> VReg:
        """The same register in which every poisoned byte without a birth was born at the operation `op`."""
        return VReg(self.data, self.poison, _stamped(self.poison, self.birth, op))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, VReg):
            return NotImplemented
        return self.data.tobytes() == other.data.tobytes() and self.poison.tobytes() == other.poison.tobytes()

    def __hash__(self) -> int:
        return hash((self.data.tobytes(), self.poison.tobytes()))

    def __repr__(self) -> str:
        cells = ("??" if p else f"{b:02x}" for b, p in zip(self.data.tolist(), self.poison.tolist(), strict=True))
        return f"VReg({_runs(cells)})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PReg:
    """A predicate register: 256 bits, one per byte of a vector register, each with poison and (traced) birth.

    Lane j of a `width`-byte instruction is governed by bit `j * width`; the other bits of its group are not read.
    """

    bits: Flags
    poison: Flags = field(default_factory=_clean)
    birth: Births | None = None
    governed: dict[int, tuple[Flags, bool]] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        """What notebooks show: bits."""
        return register_html([str(int(bit)) for bit in self.bits.tolist()], self.poison.tolist())

    def __post_init__(self) -> None:
        self.bits.setflags(write=False)
        self.poison.setflags(write=False)

    def governs(self, width: int) -> tuple[Flags, bool]:
        """For each lane of `width` bytes, whether it is active, and whether all are; remembered, as masks are shared.

        >>> PReg.full().governs(4)[1]
        True
        """
        known = self.governed.get(width)
        if known is None:
            lanes = self.bits[::width]
            known = self.governed[width] = (lanes, bool(np.logical_and.reduce(lanes)))
        return known

    @classmethod
    def zeros(cls) -> PReg:
        """A predicate with no bit set."""
        return cls(CLEAN)

    @classmethod
    def full(cls) -> PReg:
        """A predicate with every bit set, which enables every lane of every width."""
        return cls(ALL)

    @classmethod
    def poisoned(cls) -> PReg:
        """A predicate of which nothing is known; its bits are clear."""
        return cls(CLEAN, ALL)

    @classmethod
    def from_lanes(cls, active: npt.ArrayLike, width: int) -> PReg:
        """A predicate that enables the `width`-byte lanes of which the entry of `active` is true.

        Lanes after the last entry and the bits that no lane reads are clear.

        >>> PReg.from_lanes([True, False, True], 4)
        PReg(b32: 1 0 1 0*61)
        """
        bits = np.zeros(REGISTER_BYTES, np.bool_)
        flags = np.asarray(active, np.bool_)
        bits[: flags.size * width : width] = flags
        return cls(bits)

    def lanes(self, width: int) -> Flags:
        """For each lane of `width` bytes, the bit that governs it: shape (256 / width,), a view."""
        return self.bits[::width]

    def lane_poison(self, width: int) -> Flags:
        """For each lane of `width` bytes, whether the bit that governs it is poison."""
        return self.poison[::width]

    def lane_birth(self, width: int) -> Births:
        """For each lane of `width` bytes, the birth of the bit that governs it, or -1."""
        return np.full(REGISTER_BYTES // width, -1, np.int32) if self.birth is None else self.birth[::width]

    def traced(self, op: int) -> PReg:
        """The same predicate in which every poisoned bit without a birth was born at the operation `op`."""
        return PReg(self.bits, self.poison, _stamped(self.poison, self.birth, op))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PReg):
            return NotImplemented
        return self.bits.tobytes() == other.bits.tobytes() and self.poison.tobytes() == other.poison.tobytes()

    def __hash__(self) -> int:
        return hash((self.bits.tobytes(), self.poison.tobytes()))

    def __repr__(self) -> str:
        flags = self.bits | self.poison
        width = next(w for w in (4, 2, 1) if not flags.reshape(-1, w)[:, 1:].any())
        cells = ("?" if p else str(int(b)) for b, p in zip(self.lanes(width), self.lane_poison(width), strict=True))
        return f"PReg(b{8 * width}: {_runs(cells)})"


def _stamped(poison: Flags, birth: Births | None, op: int) -> Births:
    known = np.full(poison.shape, -1, np.int32) if birth is None else birth
    return np.where(poison & (known < 0), np.int32(op), known)
