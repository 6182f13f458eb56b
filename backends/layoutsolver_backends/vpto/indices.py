"""Registers whose lanes are moved by indices: ramps, registers turned round, rows of registers shifted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Ssa, element_bits, register_type
from layoutsolver_models.rules.vmi.layouts import register_lanes


def ramp(build: Builder, first: int, bits: int) -> Ssa:
    """The numbers of lanes from a number on, modulo what so many bits hold."""
    number = build.constant(signed_number(first % (1 << bits), bits), f"i{bits}")
    return build.one("vci", (number,), register_type(f"ui{bits}", bits))


def signed_number(number: int, bits: int) -> int:
    """A number of so many bits as a constant spells it.

    >>> signed_number(255, 8), signed_number(7, 8)
    (-1, 7)
    """
    return number - (1 << bits) if number >= 1 << (bits - 1) else number


def selected(build: Builder, value: Ssa, index: Ssa) -> Ssa:
    """The lanes of a register that indices name."""
    return build.one("vselr", (value, index), value.type)


def turned(build: Builder, by: int, bits: int, round_: bool = True) -> Ssa:
    """The indices of the lanes `by` further on, behind the last lane the first ones again.

    Without `round_` they are right only where there is such a lane.
    """
    full = register_lanes(bits)
    if not round_ or full == 1 << bits:
        return ramp(build, by, bits)
    by %= full
    ahead, behind = ramp(build, by, bits), ramp(build, by - full, bits)
    return build.one("vsel", (ahead, behind, build.prefix(bits, full - by)), ahead.type)


def joined(build: Builder, row: Sequence[Ssa], lanes: int) -> list[Ssa]:
    """The first lanes of each register with the lanes of the next one behind them; the last one as it is."""
    bits = element_bits(row[0].type)
    made = [build.one("vsel", (one, after, build.prefix(bits, lanes)), one.type) for one, after in pairwise(row)]
    return [*made, row[-1]]
