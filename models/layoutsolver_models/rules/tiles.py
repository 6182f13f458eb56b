"""The tile operations whose loops a planner may fuse: how they go through their tiles, and what a row takes.

Source: fusion spec 5.1 (cycles of f32), 9.1 (P1, templates), 9.2 (what can be planned).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Walk = Literal["rows", "row_reduce", "col_reduce", "row_expand", "col_expand"]
"""`rows`: each row of the result from that row of the operands; `row_reduce`: a number of each row; `col_reduce`: one
row of all, there at the end only; `row_expand`, `col_expand`: the last operand has a number for each row, or one row.
"""


class TileOp(NamedTuple):
    """A tile operation: how it goes through its tiles, the instructions for a register, and their cycles in a chain."""

    name: str
    walk: Walk
    instructions: int
    cycles: int


_ADD, _MUL, _DIV, _EXP, _LN, _SQRT, _ABS, _CVT, _REDUCE = 7, 8, 17, 16, 18, 17, 5, 7, 14

TILE_OPS: dict[str, TileOp] = {
    op.name: op
    for op in (
        *(TileOp(name, "rows", 1, _ADD) for name in ("tadd", "tsub", "tmax", "tmin", "tadds", "tmaxs", "tmins")),
        *(TileOp(name, "rows", 1, _MUL) for name in ("tmul", "tmuls", "tneg")),
        TileOp("tsubs", "rows", 2, _ADD + _ADD),
        TileOp("tdiv", "rows", 1, _DIV),
        TileOp("tdivs", "rows", 2, _ADD + _DIV),
        TileOp("trecip", "rows", 2, _ADD + _DIV),
        TileOp("tabs", "rows", 1, _ABS),
        TileOp("texp", "rows", 1, _EXP),
        TileOp("tln", "rows", 1, _LN),
        TileOp("tsqrt", "rows", 1, _SQRT),
        TileOp("trsqrt", "rows", 3, _SQRT + _ADD + _DIV),
        TileOp("tmov", "rows", 0, 0),
        TileOp("texpands", "rows", 1, _ADD),
        TileOp("tcvt", "rows", 1, _CVT),
        *(TileOp(name, "row_reduce", 1, _REDUCE) for name in ("trowsum", "trowmax", "trowmin")),
        *(TileOp(name, "col_reduce", 1, _ADD) for name in ("tcolsum", "tcolmax", "tcolmin")),
        *(TileOp(name, "row_expand", 1, cycles) for name, cycles in (
            ("trowexpandsub", _ADD), ("trowexpandmul", _MUL), ("trowexpanddiv", _DIV), ("trowexpandadd", _ADD))),
        *(TileOp(name, "col_expand", 1, cycles) for name, cycles in (
            ("tcolexpandsub", _ADD), ("tcolexpandadd", _ADD), ("tcolexpandmul", _MUL), ("tcolexpanddiv", _DIV))),
    )
}  # fmt: skip
"""The operations by name."""

LOAD_CYCLES = STORE_CYCLES = 9
"""Cycles from a load to what uses its value, and of a store."""

LOOP_CYCLES = 10
"""Cycles that a loop takes besides its turns; half of the weight of a loop in half cycles."""
