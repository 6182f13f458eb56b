"""The memory of a run: one allocation for each pointer argument, and the unified buffer for addresses that are numbers.

Every allocation is a memory of its own, so an access that leaves it is a fault, as is one that is not aligned. What
nothing has written is poison. Who wrote a byte last is noted, for messages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from layoutsolver.verify.pto.values import Pointer
from layoutsolver_models.hardware.formats import Flags
from layoutsolver_models.hardware.state import Births, Bytes, VReg
from layoutsolver_models.hardware.ub import Memory

_ONES = VReg(np.full(256, 0xFF, np.uint8))


@dataclass(frozen=True, slots=True)
class Allocation:
    """A stretch of memory: its name for messages, whether it is in global memory, and what is in it at first.

    What the name stands for points to byte `start`.
    """

    name: str
    is_global: bool
    memory: Memory
    start: int = 0


@dataclass(frozen=True, slots=True)
class Access:
    """A read of a logical operation: who, where and how many bytes."""

    node: int
    allocation: int
    start: int
    size: int


@dataclass(slots=True)
class Ram:
    """The allocations as they are now; `writers[a]` says of each byte which operation wrote it last, -1 for none.

    `reads` are the reads of a run before layout, in order.
    """

    allocations: tuple[Allocation, ...]
    memories: list[Memory] = field(init=False)
    writers: list[Births] = field(init=False)
    reads: list[Access] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.memories = [allocation.memory for allocation in self.allocations]
        self.writers = [np.full(memory.size, -1, np.int32) for memory in self.memories]

    def of(self, pointer: Pointer) -> Memory:
        """The memory that a pointer points into."""
        return self.memories[pointer.allocation]

    def read(self, node: int, pointer: Pointer, size: int) -> tuple[Bytes, Flags, Births | None]:
        """Bytes, poison and births from a pointer on. Raises HardwareFault outside of the allocation."""
        self.reads.append(Access(node, pointer.allocation, pointer.offset, size))
        return self.of(pointer).read(pointer.offset, size)

    def write(
        self,
        node: int,
        pointer: Pointer,
        data: Bytes,
        poison: Flags,
        birth: Births | None = None,
        where: Flags | None = None,
    ) -> None:
        """Write bytes where flagged, all if nothing is said. Raises HardwareFault outside of the allocation."""
        at = pointer.allocation
        self.memories[at] = self.memories[at].write(pointer.offset, data, poison, birth, where)
        places = np.arange(data.size) + pointer.offset
        self.writers[at][places if where is None else places[where]] = node

    def inherit(self, target: Pointer, source: Pointer, start: int, size: int) -> None:
        """After a copy, let what was written by somebody count as written by it still."""
        known = self.writers[source.allocation][start : start + size]
        own = self.writers[target.allocation][target.offset : target.offset + size]
        self.writers[target.allocation][target.offset : target.offset + size] = np.where(known >= 0, known, own)

    def store(self, node: int, pointer: Pointer, instruction: Callable[[Memory, VReg], Memory], value: VReg) -> None:
        """Run a store instruction; it is run a second time on an empty memory to learn which bytes it writes."""
        at = pointer.allocation
        self.memories[at] = instruction(self.memories[at], value)
        blank = Memory.zeros(self.memories[at].size)
        for number, (before, after) in enumerate(zip(blank.pages, instruction(blank, _ONES).pages, strict=True)):
            if before is not after:
                size = after.data.size
                self.writers[at][4096 * number : 4096 * number + size][(after.data != 0) | after.poison] = node

    def replaced(self, node: int, pointer: Pointer, memory: Memory) -> None:
        """Take over a memory after an instruction; the bytes that differ now count as written by it."""
        at = pointer.allocation
        for number, (before, after) in enumerate(zip(self.memories[at].pages, memory.pages, strict=True)):
            if before is not after:
                changed = (before.data != after.data) | (before.poison != after.poison)
                self.writers[at][4096 * number : 4096 * number + after.data.size][changed] = node
        self.memories[at] = memory
