"""Loads and stores of predicate registers, which memory holds bit-packed, the lowest bit of a byte first.

Source: the PTO ISA document, predicate load/store. A poisoned byte makes its eight bits poison, and the reverse.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from layoutsolver_models.hardware.formats import Flags
from layoutsolver_models.hardware.state import CLEAN, Births, Bytes, PReg, any_of_lane
from layoutsolver_models.hardware.streams import Align, append
from layoutsolver_models.hardware.ub import BLOCK, Memory

_LOAD_SIZES = {"NORM": 32, "US": 16, "DS": 64}


LoadDist = Literal["NORM", "US", "DS"]
StoreDist = Literal["NORM", "PK"]
StreamWidth = Literal[2, 4]
"""Bytes of a lane of a predicate that goes into a stream."""


def plds(memory: Memory, address: int, dist: LoadDist = "NORM") -> PReg:
    """The predicate in memory: NORM 32 bytes, US 16 bytes with every bit doubled, DS every second bit of 64 bytes.

    The address is a multiple of the bytes read, at most 32. Raises HardwareFault.
    """
    size = _LOAD_SIZES[dist]
    window, poison, birth = memory.read(address, size, min(size, BLOCK))
    bits = np.unpackbits(window, bitorder="little").view(np.bool_)
    flags = np.repeat(poison, 8)
    births = None if birth is None else np.repeat(birth, 8)
    if dist == "US":
        bits, flags = np.repeat(bits, 2), np.repeat(flags, 2)
        births = None if births is None else np.repeat(births, 2)
    elif dist == "DS":
        bits, flags = bits[::2].copy(), flags[::2].copy()
        births = None if births is None else births[::2]
    return PReg(bits, flags if flags.any() else CLEAN, births)


def _packed(value: PReg, step: int) -> tuple[Bytes, Flags, Births | None]:
    """Every `step`-th bit, packed, with poison and births per byte."""
    data = np.packbits(value.bits[::step], bitorder="little")
    poison = any_of_lane(value.poison[::step].copy(), 8)
    birth: Births | None = None if value.birth is None else value.birth[::step].reshape(-1, 8).max(axis=1)
    return data, poison, birth


def psts(memory: Memory, address: int, value: PReg, dist: StoreDist = "NORM") -> Memory:
    """The memory after a predicate was stored: NORM its 256 bits in 32 bytes, PK every second bit in 16 bytes.

    The address is a multiple of the bytes written. Raises HardwareFault.
    """
    data, poison, birth = _packed(value, 1 if dist == "NORM" else 2)
    memory.check(address, data.size, data.size)
    return memory.write(address, data, poison, birth)


def pstu(memory: Memory, address: int, value: PReg, width: StreamWidth, align: Align) -> tuple[Memory, Align, int]:
    """The memory, alignment register and address after the bits of `width`-byte lanes were added to a store stream.

    Width 2 adds 128 bits, width 4 adds 64. Raises HardwareFault.
    """
    return append(memory, address, *_packed(value, width), align)
