"""The unified buffer as a value: a byte array with poison, read and written within bounds.

A write returns a new memory. It is kept in pages that both share except where they differ, so that a store costs the
same in a small buffer and in a full-size one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from layoutsolver_models.hardware.formats import Flags
from layoutsolver_models.hardware.state import Births, Bytes

_PAGE = 4096

BLOCK = 32
"""Bytes of a block, the unit of alignment of the aligned instructions."""

FaultKind: TypeAlias = Literal["out of range", "misaligned", "broken stream"]


class HardwareFault(Exception):
    """An access that the hardware answers with an exception: `kind`, byte `address`, and the `size` in bytes."""

    def __init__(self, kind: FaultKind, address: int, size: int, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind: FaultKind = kind
        self.address = address
        self.size = size


@dataclass(frozen=True, slots=True)
class _Page:
    """4096 bytes of memory; never written once it is part of a memory."""

    data: Bytes
    poison: Flags
    birth: Births | None


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """The unified buffer: `size` bytes from address 0, each with poison and (traced) birth."""

    size: int
    pages: tuple[_Page, ...]

    @classmethod
    def from_bytes(cls, content: bytes | Bytes, poison: Flags | None = None) -> Memory:
        """A memory of that content, without poison unless `poison` (a flag per byte) says so; the data is copied.

        >>> Memory.from_bytes(bytes(range(64))).read(2, 3)[0].tolist()
        [2, 3, 4]
        """
        raw = np.frombuffer(content, np.uint8) if isinstance(content, bytes) else content
        flags = np.zeros(raw.size, np.bool_) if poison is None else poison
        starts = range(0, raw.size, _PAGE)
        return cls(raw.size, tuple(_Page(raw[i : i + _PAGE].copy(), flags[i : i + _PAGE].copy(), None) for i in starts))

    @classmethod
    def zeros(cls, size: int) -> Memory:
        """A memory of `size` zero bytes."""
        return cls.from_bytes(np.zeros(size, np.uint8))

    @classmethod
    def poisoned(cls, size: int) -> Memory:
        """A memory of `size` bytes that nothing has written yet; they read as zero."""
        return cls.from_bytes(np.zeros(size, np.uint8), np.ones(size, np.bool_))

    def data(self) -> Bytes:
        """All bytes: shape (size,), a copy."""
        return np.concatenate([page.data for page in self.pages]) if self.pages else np.zeros(0, np.uint8)

    def poison(self) -> Flags:
        """For all bytes, whether they are poison: shape (size,), a copy."""
        return np.concatenate([page.poison for page in self.pages]) if self.pages else np.zeros(0, np.bool_)

    def birth(self) -> Births:
        """For all bytes, the operation at which they became poison, or -1: shape (size,), a copy."""
        none = np.full(_PAGE, -1, np.int32)
        births = [none[: p.data.size] if p.birth is None else p.birth for p in self.pages]
        return np.concatenate(births) if births else np.zeros(0, np.int32)

    def check(self, address: int, size: int, align: int = 1) -> None:
        """Return if `size` bytes from `address` are inside and `address` is a multiple of `align`.

        Raises HardwareFault otherwise.
        """
        if address % align:
            raise HardwareFault("misaligned", address, size, f"address {address} is not a multiple of {align}")
        if address < 0 or address + size > self.size:
            raise HardwareFault(
                "out of range", address, size, f"{size} bytes at address {address} of a buffer of {self.size} bytes"
            )

    def read(self, address: int, size: int, align: int = 1) -> tuple[Bytes, Flags, Births | None]:
        """The bytes from `address` on, their poison, and their births if any were traced: shape (size,) each.

        Raises HardwareFault as `check` does. The arrays may be views and are not to be written to.
        """
        self.check(address, size, align)
        page, start = divmod(address, _PAGE)
        if start + size <= _PAGE and page < len(self.pages):
            p, cut = self.pages[page], slice(start, start + size)
            return p.data[cut], p.poison[cut], None if p.birth is None else p.birth[cut]
        last = (address + size - 1) // _PAGE
        part = Memory(0, self.pages[page : last + 1])
        cut = slice(start, start + size)
        traced = any(p.birth is not None for p in part.pages)
        return part.data()[cut], part.poison()[cut], part.birth()[cut] if traced else None

    def write(
        self,
        address: int,
        data: Bytes,
        poison: Flags,
        birth: Births | None = None,
        where: Flags | None = None,
    ) -> Memory:
        """The memory after `data`, with its poison and births, was written from `address` on.

        `where` flags the bytes that are written, all if it is None; the others need not exist. Raises HardwareFault
        if a byte that is written lies outside.
        """
        if where is not None:
            written = np.flatnonzero(where)
            if not written.size:
                return self
            low, high = int(written[0]), int(written[-1]) + 1
            address, data, poison, where = address + low, data[low:high], poison[low:high], where[low:high]
            birth = None if birth is None else birth[low:high]
        self.check(address, data.size)
        pages = list(self.pages)
        done = 0
        while done < data.size:
            number, start = divmod(address + done, _PAGE)
            count = min(data.size - done, _PAGE - start)
            cut = slice(done, done + count)
            pages[number] = _overwritten(
                pages[number],
                start,
                data[cut],
                poison[cut],
                None if birth is None else birth[cut],
                None if where is None else where[cut],
            )
            done += count
        return Memory(self.size, tuple(pages))

    def traced(self, op: int) -> Memory:
        """The same memory in which every poisoned byte without a birth was born at the operation `op`."""
        pages = []
        for page in self.pages:
            birth = np.full(page.data.size, -1, np.int32) if page.birth is None else page.birth
            new = page.poison & (birth < 0)
            changed = page.birth is None or new.any()
            pages.append(_Page(page.data, page.poison, np.where(new, np.int32(op), birth)) if changed else page)
        return Memory(self.size, tuple(pages))

    def __repr__(self) -> str:
        return f"Memory({self.size} bytes, {int(self.poison().sum())} poison)"


def _overwritten(
    page: _Page, start: int, data: Bytes, poison: Flags, birth: Births | None, where: Flags | None
) -> _Page:
    out, flags = page.data.copy(), page.poison.copy()
    cut = slice(start, start + data.size)
    births = page.birth
    if births is not None or birth is not None:
        births = np.full(out.size, -1, np.int32) if births is None else births.copy()
        given = np.full(data.size, -1, np.int32) if birth is None else birth
        births[cut] = given if where is None else np.where(where, given, births[cut])
    if where is None:
        out[cut], flags[cut] = data, poison
    else:
        np.copyto(out[cut], data, where=where)
        np.copyto(flags[cut], poison, where=where)
    return _Page(out, flags, births)
