"""Tile sizes of a matrix product, as the production compiler chooses them. Source: buckyball 4.2."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

LANE = 16
"""What rows, columns and depth of a tile are counted in."""

MVIN_LINES = 1024
"""The most lines of an operand that a tile may have."""

ACCUMULATOR_LINES = 256
"""The most lines of results that a tile may have: from an older packing of accumulators, kept for its choices."""


class Tile(NamedTuple):
    """A tile's rows, columns and depth, in elements."""

    m: int
    n: int
    k: int


def padded(size: int) -> int:
    """The next multiple of 16.

    >>> padded(1), padded(16), padded(17)
    (16, 16, 32)
    """
    return -(-size // LANE) * LANE


def tile_sizes(
    m: int,
    n: int,
    k: int,
    depth: int = 1024,
    lines: int = MVIN_LINES,
    accumulator_lines: int = ACCUMULATOR_LINES,
    narrow: bool = False,
) -> Tile:
    """The tile for a product of `m` by `k` and `k` by `n`: K grows first, then N, then M.

    A size is taken where it divides the padded one; growing ends with the first that breaks a limit. `narrow` leaves M
    and N at 16, as newer revisions do for floats.

    >>> tile_sizes(127, 127, 17), tile_sizes(16, 16, 2048), tile_sizes(127, 127, 17, narrow=True)
    (Tile(m=32, n=128, k=32), Tile(m=16, n=16, k=1024), Tile(m=16, n=16, k=32))
    """

    def grow(size: int, breaks_at: Callable[[int], bool]) -> int:
        best = 1
        for count in range(2, size // LANE + 1):
            if breaks_at(count):
                break
            if size % (count * LANE) == 0:
                best = count
        return best

    def operands(rows: int, columns: int, steps: int) -> int:
        return rows * steps + steps * columns

    ks = grow(padded(k), lambda c: operands(1, 1, c) > depth or c * LANE > lines)
    ns = 1
    ms = 1
    if not narrow:
        ns = grow(
            padded(n),
            lambda c: operands(1, c, ks) > depth or c * LANE > accumulator_lines or ks * LANE * c > lines,
        )
        ms = grow(
            padded(m),
            lambda c: operands(c, ns, ks) > depth or c * LANE * ns > accumulator_lines or c * LANE * ks > lines,
        )
    return Tile(ms * LANE, ns * LANE, ks * LANE)
