"""DRAM, and the order in which a processor and moving instructions may touch it.

The hardware orders instructions by the banks that they name, and by nothing else: that a `mvout` has written what is
read next, by the processor or by a `mvin`, is certain behind a fence, or where a chain of banks leads from one
instruction to the other. Code that relies on anything else is a fault here. Source: buckyball 7.9, 8.1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from layoutsolver_models.hardware.buckyball.banks import Bytes, Fault, Known

BASE = 0x80000000
"""Where DRAM begins."""

Places = npt.NDArray[np.int64]


class Access(NamedTuple):
    """Bytes that an instruction in flight reads or writes: the instruction's number, their range, and which."""

    number: int
    writes: bool
    first: int
    last: int
    places: Places


class Dram:
    """Bytes from an address on; `pending` are the accesses since the last fence.

    Without `tracked` no access is noted, and none is a fault. `known` says of each byte whether anything determined it.
    """

    def __init__(self, size: int, base: int = BASE, tracked: bool = True) -> None:
        self.base = base
        self.data: Bytes = np.zeros(size, np.uint8)
        self.known: Known = np.ones(size, np.bool_)
        self.tracked = tracked
        self.pending: list[Access] = []

    def check(self, first: int, last: int) -> None:
        """Refuse bytes `[first, last)` that are not in DRAM."""
        if first < self.base or last > self.base + self.data.size:
            raise Fault("dram_out_of_range", f"addresses {first:#x} to {last:#x} are not in DRAM")

    def move(self, places: Places, writes: bool, number: int, before: int) -> None:
        """Note the access of instruction `number`; `before` has a bit for each instruction that it surely follows."""
        first, last = int(places.min()), int(places.max()) + 1
        self.check(first, last)
        if not self.tracked:
            return
        access = Access(number, writes, first, last, places)
        self._meet(access, before, "an instruction")
        self.pending.append(access)

    def touch(self, first: int, last: int, writes: bool, places: Places | None = None) -> None:
        """An access of the processor to bytes of `[first, last)`: those of `places`, or all."""
        self.check(first, last)
        if self.pending:
            exact = np.arange(first, last, dtype=np.int64) if places is None else places
            self._meet(Access(-1, writes, first, last, exact), 0, "the processor")

    def fence(self) -> None:
        """Everything that was in flight has happened."""
        self.pending.clear()

    def _meet(self, access: Access, before: int, who: str) -> None:
        for other in self.pending:
            if not (access.writes or other.writes) or before >> other.number & 1:
                continue
            if access.first >= other.last or other.first >= access.last:
                continue
            common = np.intersect1d(access.places, other.places)
            if common.size:
                done = "mvout" if other.writes else "mvin"
                what = "writes" if access.writes else "reads"
                raise Fault(
                    "no_fence",
                    f"{who} {what} address {int(common[0]):#x}, which a {done} in flight "
                    f"{'writes' if other.writes else 'reads'}: there is no fence between them",
                )
