"""Unaligned access as a stream: an alignment register holds the block in which one access ends and the next begins.

A load stream is primed with `vldas` and read with `vldus`; a store stream starts from `init_align`, is written with
`vstus` (or `pstu`), and its last partial block reaches memory only with `vstas`. So a missing prime gives poison, and
a missing flush leaves memory as it was. Source: the PTO ISA document, vector load/store.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from layoutsolver_models.hardware.formats import Flags
from layoutsolver_models.hardware.state import CLEAN, Births, Bytes, VReg
from layoutsolver_models.hardware.ub import BLOCK, HardwareFault, Memory
from layoutsolver_models.vecmem import REGISTER_BYTES


@dataclass(frozen=True, slots=True, eq=False)
class Align:
    """An alignment register: the bytes of the 32-byte block at `base` (None: of no block) that it holds.

    A load stream holds the block it read last; a store stream holds in `held` the bytes it has yet to write, which
    end at address `end`.
    """

    base: int | None
    data: Bytes
    poison: Flags
    held: Flags
    end: int = 0
    birth: Births | None = None


def init_align() -> Align:
    """The alignment register with which a store stream starts: it holds nothing."""
    nothing = np.zeros(BLOCK, np.bool_)
    return Align(None, np.zeros(BLOCK, np.uint8), nothing, nothing)


def _block(memory: Memory, base: int) -> Align:
    """The alignment register that holds the block at `base`, or what exists of it."""
    size = max(0, min(BLOCK, memory.size - base))
    data, poison = np.zeros(BLOCK, np.uint8), np.ones(BLOCK, np.bool_)
    births = None
    if size:
        data[:size], poison[:size], births = memory.read(base, size)
        if births is not None:
            births = np.append(births, np.full(BLOCK - size, -1, np.int32))
    return Align(base, data, poison, np.zeros(BLOCK, np.bool_), birth=births)


def vldas(memory: Memory, address: int) -> Align:
    """The alignment register primed with the block around `address`, which need not be aligned.

    Raises HardwareFault if the address is out of range.
    """
    memory.check(address, 1)
    return _block(memory, address - address % BLOCK)


def vldus(memory: Memory, address: int, align: Align, increment: int = 0) -> tuple[VReg, Align, int]:
    """The 256 bytes from `address`, the alignment register for what follows them, and `address + increment` (bytes).

    The bytes up to the first block boundary come from the alignment register; they are poison if it holds another
    block. Raises HardwareFault if a byte is out of range.
    """
    window, poison, birth = memory.read(address, REGISTER_BYTES)
    base = address - address % BLOCK
    head = base + BLOCK - address if address % BLOCK else 0
    data, flags = window.copy(), poison.copy()
    births = None if birth is None and align.birth is None else np.full(REGISTER_BYTES, -1, np.int32)
    if births is not None and birth is not None:
        births[:] = birth
    if head:
        data[:head] = align.data[BLOCK - head :]
        flags[:head] = align.poison[BLOCK - head :] | (align.base != base)
        if births is not None:
            births[:head] = -1 if align.birth is None or align.base != base else align.birth[BLOCK - head :]
    stop = address + REGISTER_BYTES
    value = VReg(data, flags if flags.any() else CLEAN, births)
    return value, _block(memory, stop - stop % BLOCK), address + increment


def append(
    memory: Memory, address: int, data: Bytes, poison: Flags, birth: Births | None, align: Align
) -> tuple[Memory, Align, int]:
    """The memory, alignment register and address after bytes were added to a store stream at `address`.

    Whole blocks are written; the bytes of the last, partial one stay in the alignment register. Raises HardwareFault
    `broken stream` if the register holds bytes that do not end at `address`, `out of range` for a byte outside.
    """
    if align.held.any() and align.end != address:
        raise HardwareFault("broken stream", address, data.size, f"the stream stands at {align.end}, not at {address}")
    start, end = address - address % BLOCK, address + data.size
    lead = address - start
    whole = np.concatenate([align.data[:lead], data])
    flags = np.concatenate([align.poison[:lead], poison])
    held = np.concatenate([align.held[:lead], np.ones(data.size, np.bool_)])
    births = None
    if birth is not None or align.birth is not None:
        none = np.full(max(BLOCK, data.size), -1, np.int32)
        head = none if align.birth is None else align.birth
        births = np.concatenate([head[:lead], none[: data.size] if birth is None else birth])
    done = (end - start) // BLOCK * BLOCK
    memory.check(address, data.size)
    if done:
        memory = memory.write(start, whole[:done], flags[:done], None if births is None else births[:done], held[:done])
    tail = np.zeros(BLOCK, np.uint8), np.zeros(BLOCK, np.bool_), np.zeros(BLOCK, np.bool_)
    rest = whole.size - done
    tail[0][:rest], tail[1][:rest], tail[2][:rest] = whole[done:], flags[done:], held[done:]
    tail_births = None
    if births is not None:
        tail_births = np.append(births[done:], np.full(BLOCK - rest, -1, np.int32))
    return memory, Align(start + done, *tail, end, tail_births), end


def vstus(memory: Memory, address: int, value: VReg, size: int, align: Align) -> tuple[Memory, Align, int]:
    """The memory, alignment register and address after the low `size` bytes of a register were added to a stream.

    Raises HardwareFault, and ValueError if a register has no `size` bytes.
    """
    if not 0 <= size <= REGISTER_BYTES:
        raise ValueError(f"a store of {size} bytes from a register of {REGISTER_BYTES}")
    birth = None if value.birth is None else value.birth[:size]
    return append(memory, address, value.data[:size], value.poison[:size], birth, align)


def vstas(memory: Memory, address: int, align: Align) -> Memory:
    """The memory after the bytes that a store stream still holds were written; the stream must stand at `address`.

    Raises HardwareFault `broken stream` if it stands elsewhere.
    """
    if not align.held.any() or align.base is None:
        return memory
    if align.end != address:
        raise HardwareFault("broken stream", address, BLOCK, f"the stream stands at {align.end}, not at {address}")
    return memory.write(align.base, align.data, align.poison, align.birth, align.held)
