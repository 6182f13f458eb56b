"""Tile sizes of a matrix product, as the production compiler chooses them. Source: buckyball 4.2."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import NamedTuple

LANE = 16
"""What rows, columns and depth of a tile are counted in."""

MVIN_LINES = 1024
"""The most lines of an operand that a tile may have."""

ACCUMULATOR_LINES = 256
"""The most lines of results that a tile may have: from an older packing of accumulators, kept for its choices."""


PLANE_SIDE, PLANE_KERNEL, PLANE_PADDING = 34, 7, 3
"""The largest square plane, kernel and padding that the newer `im2col` takes."""


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


def rows_of(height: int, width: int) -> int:
    """The rows of memory for so many rows of elements, so that all of them are whole rows of a bank.

    >>> rows_of(16, 16), rows_of(10, 10), rows_of(5, 7), rows_of(3, 20)
    (16, 16, 16, 4)
    """
    step = LANE // gcd(width, LANE)
    return -(-height // step) * step


def plane_lines(windows: int, kernel: int) -> int:
    """The rows of a bank that windows of a square kernel take, in blocks of 16 windows by 16 elements.

    >>> plane_lines(196, 3), plane_lines(256, 5)
    (208, 512)
    """
    return -(-windows // LANE) * -(-kernel * kernel // LANE) * LANE


def plane_tile(height: int, width: int, kernel_height: int, kernel_width: int, lines: int = MVIN_LINES) -> int:
    """The side of the square tile of results that is convolved at once; 0 where `im2col` has no such kernel.

    It is the largest that divides the results of both directions and whose windows fit into a bank. Source: buckyball
    4.6, for planes of which both sides are equal.

    >>> plane_tile(30, 30, 3, 3), plane_tile(32, 32, 5, 5), plane_tile(28, 28, 3, 3), plane_tile(28, 28, 3, 1)
    (30, 16, 28, 0)
    >>> plane_tile(16, 16, 7, 7), plane_tile(32, 32, 4, 4), plane_tile(32, 32, 3, 3)
    (16, 16, 32)
    """
    if kernel_height != kernel_width or not 0 < kernel_height <= PLANE_KERNEL or min(height, width) < 1:
        return 0
    most = gcd(height, width)
    sides = (side for side in range(min(most, PLANE_SIDE - kernel_height + 1), 0, -1) if most % side == 0)
    return next((side for side in sides if plane_lines(side * side, kernel_height) <= lines), 0)
