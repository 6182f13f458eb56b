"""How many rows of a bank an instruction reads or writes. Source: buckyball 7.1 to 7.8."""

from __future__ import annotations

from layoutsolver_models.buckyball.tiles import LANE


def rows_touched(mnemonic: str, role: str, count: int, columns: tuple[int, int], revision: str) -> int | None:
    """The first rows of the bank of that role that an instruction touches in `count` iterations, None for all of them.

    `columns` are those of the first bank that it reads and of the one that it writes. A conversion that does not change
    the columns of narrow banks takes four rows an iteration in the older revision, which also puts wide results into
    the first column alone; `relu` goes through the first column of four in steps of 64 bytes.

    >>> rows_touched("mvin", "bank", 64, (4, 4), "ERA"), rows_touched("mul_warp16", "wr", 64, (1, 4), "ERA")
    (64, 16)
    >>> rows_touched("fp2int", "in", 16, (1, 1), "ERA"), rows_touched("fp2int", "in", 16, (1, 1), "NEW")
    (64, 16)
    """
    if mnemonic in ("im2col", "matrix"):
        return None
    if mnemonic == "mul_warp16" and role == "wr":
        return LANE
    older = revision == "ERA"
    if mnemonic in ("fp2int", "int2fp") and older:
        wide = mnemonic == "int2fp" and columns == (1, 4) and role == "out"
        return 4 * count if columns == (1, 1) or wide else count
    if (mnemonic == "relu" or (mnemonic == "transpose" and older)) and columns == (4, 4):
        return 4 * count
    return count


def fills_rows(mnemonic: str, columns: tuple[int, int], revision: str) -> bool:
    """Whether an instruction overwrites the rows that it touches in every column of the bank that it writes.

    >>> fills_rows("mvin", (4, 4), "ERA"), fills_rows("relu", (4, 4), "ERA"), fills_rows("im2col", (1, 1), "ERA")
    (True, False, False)
    """
    if mnemonic in ("im2col", "matrix", "mul_warp16"):
        return False
    narrow = mnemonic == "int2fp" and columns == (1, 4) and revision == "ERA"
    first = mnemonic == "relu" or (mnemonic == "transpose" and revision == "ERA")
    return not narrow and not (first and columns[1] > 1)
