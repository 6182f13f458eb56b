"""Memory by addresses, and what LLVM and assembly have in common when they run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from layoutsolver.verify.buckyball.memory import Memory, MemRef
from layoutsolver_models.hardware.buckyball.banks import Fault
from layoutsolver_models.hardware.buckyball.machine import Machine
from layoutsolver_models.targets.bank_chip import BankChip

MASK = (1 << 64) - 1
MOST_STEPS = 8_000_000_000
"""Instructions of the processor after which a run is given up."""


class Argument(NamedTuple):
    """An argument as it is passed: `kind` is a type of LLVM, `value` an integer, or the bits of a float."""

    kind: str
    value: int


def descriptor(memref: MemRef) -> list[Argument]:
    """A memref as it is passed: two pointers, the offset, sizes and strides."""
    numbers = (memref.offset, *memref.dims, *memref.strides)
    return [Argument("ptr", memref.base), Argument("ptr", memref.base), *(Argument("i64", one) for one in numbers)]


class Processor:
    """What runs instructions one by one: a memory, a machine with banks, a stack, and how far it came (`line`)."""

    def __init__(self, memory: Memory, chip: BankChip) -> None:
        self.memory = memory
        self.machine = Machine(chip, memory.dram)
        self.steps = 0
        self.line = 0
        self.trace: list[tuple[int, int, int]] | None = None
        self.opened: tuple[Any, ...] = ()
        self.seen: Any = None

    def windows(self) -> tuple[Any, ...]:
        """Memory, and what is known of it, as unsigned numbers of 1, 2, 4 and 8 bytes, and the bytes that they cover.

        What is written there is in memory. They are other ones when memory has grown.
        """
        dram = self.memory.dram
        if self.seen is not dram.data:
            self.seen = dram.data
            end = dram.data.size // 8 * 8
            pair = dram.data[:end].data, dram.known[:end].view(np.uint8).data
            wide = [one for part in ((v.cast("H"), v.cast("I"), v.cast("Q")) for v in pair) for one in part]
            self.opened = (*pair, wide[0], wide[3], wide[1], wide[4], wide[2], wide[5], end)
        return self.opened

    def issue(self, funct7: int, register1: int, register2: int) -> None:
        """Run an instruction of Buckyball."""
        if self.trace is not None:
            self.trace.append((funct7, register1 & MASK, register2 & MASK))
        self.machine.execute(funct7, register1 & MASK, register2 & MASK)

    def load(self, address: int, size: int) -> int:
        """An unsigned integer in memory."""
        dram = self.memory.dram
        dram.touch(address, address + size, writes=False)
        at = address - dram.base
        if not dram.known[at : at + size].all():
            raise Fault("undefined", f"the processor reads address {address:#x}, which nothing has written")
        return int.from_bytes(dram.data[at : at + size].tobytes(), "little")

    def store(self, address: int, size: int, value: int) -> None:
        """Put an integer in memory."""
        dram = self.memory.dram
        dram.touch(address, address + size, writes=True)
        at = address - dram.base
        dram.data[at : at + size] = list((value & ((1 << 8 * size) - 1)).to_bytes(size, "little"))
        dram.known[at : at + size] = True

    def allocate(self, size: int) -> int:
        """Memory for `malloc`; its address."""
        return self.memory.allocate((max(size, 1),), "i8").base

    def free(self, address: int) -> None:
        """Give memory back."""
        self.memory.release(MemRef(address, 0, (), (), "i8"))
