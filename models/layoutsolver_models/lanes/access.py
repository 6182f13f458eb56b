"""Loads and stores as lane maps: which byte of memory every position of a register comes from, or goes to.

A load fills one register, or two at once (`DINTLV`); byte m of memory counts from the address of the access. With
16-bit lanes, `UNPK_B16` leaves every second lane empty:

>>> unpacked = loaded("UNPK_B16")
>>> [unpacked.at(0, byte) for byte in (0, 1, 2, 4, 5)], unpacked.lanes
([(0, 0), (1, 0), None, (2, 0), (3, 0)], 128)

A store is told the other way: for every byte of memory that it writes, the position of the operands, numbered
through as in `layoutsolver_models.lanes.instruction`.

>>> stored("PK_B32")[:6], len(stored("PK_B32")), stored("INTLV_B32")[4:8]
((0, 1, 4, 5, 8, 9), 128, (256, 257, 258, 259))
"""

from __future__ import annotations

import re
from functools import lru_cache

from layoutsolver_models.lanes.lanemap import POSITIONS, LaneMap, Register

_MODE = re.compile(r"([A-Z0-9]+?)(?:_B(8|16|32|64))?")


def _mode(name: str) -> tuple[str, int]:
    """The kind of a distribution mode and the size of its lanes in bytes, 1 where the name has none."""
    match = _MODE.fullmatch(name)
    if match is None:
        raise ValueError(f"`{name}` is no distribution mode")
    return match[1], int(match[2] or 8) // 8


@lru_cache(maxsize=64)
def loaded(name: str) -> LaneMap:
    """The map from registers to memory of a load. Raises `ValueError` for a mode that is not told here.

    `E2B` is for an eighth of a register from each of eight elements, `vsldb` for blocks one behind the other.
    """
    kind, size = _mode(name)
    registers: list[list[int | None]]
    if kind in ("NORM", "VSLDB"):
        registers = [list(range(POSITIONS))]
    elif kind in ("UNPK", "UNPK4"):
        wide = 4 if kind == "UNPK4" else 2 * size
        registers = [[byte // wide * size + byte % wide if byte % wide < size else None for byte in range(POSITIONS)]]
    elif kind == "BRC":
        registers = [[byte % size for byte in range(POSITIONS)]]
    elif kind == "E2B":
        registers = [[byte // (POSITIONS // 8) * size + byte % size for byte in range(POSITIONS)]]
    elif kind == "US":
        registers = [[byte // (2 * size) * size + byte % size for byte in range(POSITIONS)]]
    elif kind == "DINTLV":
        registers = [[(2 * (byte // size) + odd) * size + byte % size for byte in range(POSITIONS)] for odd in (0, 1)]
    else:
        raise ValueError(f"`{name}` is no distribution mode of a load")
    read = 1 + max(byte for row in registers for byte in row if byte is not None)
    rows: tuple[Register, ...] = tuple(map(tuple, registers))
    return LaneMap("byte", 1, read, rows)


@lru_cache(maxsize=64)
def stored(name: str) -> tuple[int, ...]:
    """The position behind every byte that a store writes. Raises `ValueError` for a mode that is not told here."""
    kind, size = _mode(name)
    if kind == "NORM":
        return tuple(range(POSITIONS))
    if kind == "PK":
        return tuple(byte for byte in range(POSITIONS) if byte % size < size // 2)
    if kind == "PK4":
        return tuple(range(0, POSITIONS, size))
    if kind == "1PT":
        return tuple(range(size))
    if kind == "INTLV":
        pairs = ((operand * POSITIONS + lane * size) for lane in range(POSITIONS // size) for operand in (0, 1))
        return tuple(start + byte for start in pairs for byte in range(size))
    raise ValueError(f"`{name}` is no distribution mode of a store")
