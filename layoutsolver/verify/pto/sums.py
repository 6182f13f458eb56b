"""Sums of floats that may be made in any order.

`reassoc` lets a compiler add in whatever order it likes, and no document says in which order the hardware adds the
lanes of a register, so that the result is not one number. Where all partial sums are exact in the format, every order
gives the same: such sums are compared bit by bit. Where they are not, any order
stays within `n u S` of the exact sum, for n summands whose magnitudes add up to S and the unit roundoff u of the format
(N. Higham, Accuracy and Stability of Numerical Algorithms, 4.2). The run is repeated with sums moved by that bound, up,
down and in turns, and what the results of the program then differ by is what another program may differ by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from layoutsolver_models.hardware.elementwise import from_float64
from layoutsolver_models.hardware.formats import Format, Lanes, canonical
from layoutsolver_models.hardware.group_reduce import exact_sum

Shift = Literal["none", "up", "down", "in turns", "in other turns"]
SHIFTS: tuple[Shift, ...] = ("up", "down", "in turns", "in other turns")
"""How sums are moved in the runs that tell how much they matter."""

_TURNS: dict[Shift, tuple[int, int]] = {
    "none": (0, 0), "up": (1, 1), "down": (-1, -1), "in turns": (1, -1), "in other turns": (-1, 1),
}  # fmt: skip


def is_exact(fmt: Format, wide: Lanes) -> bool:
    """Whether every partial sum of finite float64 numbers is exact in the format, in any order.

    >>> from layoutsolver_models.hardware.formats import F32
    >>> is_exact(F32, np.array([0.5, 8.25, -3.0])), is_exact(F32, np.array([1.0, 1e-9]))
    (True, False)
    """
    used = wide[wide != 0]
    if not used.size:
        return True
    mantissa, exponent = np.frexp(used)
    whole = np.abs(mantissa * 2.0**53).astype(np.int64)
    lowest = float(np.ldexp((whole & -whole).astype(np.float64), exponent - 53).min())
    return math.fsum(np.abs(used)) <= lowest * 2.0 ** (fmt.mantissa_bits + 1) and not _overflows(fmt, used)


def _overflows(fmt: Format, wide: Lanes) -> bool:
    largest = float(np.array([fmt.largest], fmt.storage).view(fmt.dtype).astype(np.float64)[0])
    return math.fsum(np.abs(wide)) >= largest


@dataclass(slots=True)
class Sums:
    """How sums of floats are made in a run, whether of the program that says what is expected; was one not exact?"""

    shift: Shift = "none"
    is_expected: bool = False
    inexact: bool = False
    made: int = 0

    def of(self, fmt: Format, lanes: Lanes) -> tuple[Lanes, bool]:
        """The bit pattern of the sum of lanes (numbers of the format), and whether it is determined at all."""
        if not fmt.is_float:
            return exact_sum(fmt, lanes), True
        wide = lanes.astype(np.float64)
        if not np.isfinite(wide).all():
            finite = wide[np.isfinite(wide)]
            return exact_sum(fmt, lanes), not _overflows(fmt, finite) if finite.size else True
        if is_exact(fmt, wide):
            return exact_sum(fmt, lanes), True
        if _overflows(fmt, wide):
            return exact_sum(fmt, lanes), False
        self.inexact = True
        self.made += 1
        bound = wide.size * 2.0 ** -(fmt.mantissa_bits + 1) * math.fsum(np.abs(wide))
        moved = math.fsum(wide) + _TURNS[self.shift][self.made % 2] * bound
        return canonical(fmt, from_float64(fmt, np.array([moved]))), True
