"""Where rows and scalars of groups lie in registers and in memory, as pieces of rows or as indices of elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from layoutsolver_backends.vpto.build import Builder, UnsupportedError
from layoutsolver_backends.vpto.code import Ssa
from layoutsolver_backends.vpto.indices import ramp


class Piece(NamedTuple):
    """What a register holds of a row: the elements in the lanes from `start` to `end`, which do not include it."""

    register: int
    group: int
    start: int
    end: int


def pieces(lanes: int, size: int, full: int) -> list[Piece]:
    """The pieces of rows of so many elements, of which `full` fill a register.

    >>> [tuple(piece) for piece in pieces(12, 6, 8)]
    [(0, 0, 0, 6), (0, 1, 6, 8), (1, 1, 0, 4)]
    """
    out: list[Piece] = []
    at = 0
    while at < lanes:
        end = min((at // size + 1) * size, (at // full + 1) * full)
        start = at % full
        out.append(Piece(at // full, at // size, start, start + end - at))
        at = end
    return out


def reciprocal(size: int, top: int, bits: int) -> tuple[int, int] | None:
    """A factor and a shift that divide every number up to `top` by `size`, in integers of so many bits.

    >>> reciprocal(8, 127, 16), reciprocal(3, 130, 16), reciprocal(126, 252, 16)
    ((1, 3), (171, 9), None)
    """
    for shift in range(bits):
        factor = -(-(1 << shift) // size)
        if top * factor >= 1 << bits:
            return None
        if all(number * factor >> shift == number // size for number in range(top + 1)):
            return factor, shift
    return None


def numbers(build: Builder, first: int, size: int, lanes: int, bits: int) -> tuple[Ssa, Ssa]:
    """Numbers from `first` on, one a lane, and of which group of `size` each is."""
    found = reciprocal(size, first + lanes - 1, bits)
    if found is None:
        raise UnsupportedError(f"no product of {bits} bits divides by {size}")
    lane = group = ramp(build, first, bits)
    if found[0] > 1:
        group = build.with_scalar("vmuls", group, found[0])
    return lane, build.with_scalar("vshrs", group, found[1])


Index = Callable[[Ssa, Ssa], Ssa]
"""What is made of the number of each lane and the number of its group, both counted from one row on."""


def indices(build: Builder, count: int, size: int, per: int, bits: int, index: Index) -> list[tuple[int, Ssa]]:
    """For each of so many registers of `per` elements: the first row in it, and indices counted from that on."""
    known: dict[int, Ssa] = {}
    out: list[tuple[int, Ssa]] = []
    for number in range(count):
        group, first = divmod(number * per, size)
        if first not in known:
            known[first] = index(*numbers(build, first, size, per, bits))
        out.append((group, known[first]))
    return out
