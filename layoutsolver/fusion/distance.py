"""Whether iterations of one loop meet iterations of another that come before them: the closed form.

Source: fusion spec 4.3. For unequal strides the spec enumerates pairs; here it is decided for any number of
iterations, also an unknown one: for one residue of the later loop's iteration modulo the period of the strides, the
iterations of the earlier loop that meet it move by a fixed step from one period to the next.
"""

from __future__ import annotations

from typing import NamedTuple

MOST_CANDIDATES = 1 << 16
"""So many pairs of a residue and a distance are looked at before accesses are taken to meet."""


class Window(NamedTuple):
    """Two rows of bytes: `[first_a + stride_a * t, + span_a)` and `[first_a + offset + stride_b * u, + span_b)`."""

    offset: int
    stride_a: int
    span_a: int
    stride_b: int
    span_b: int


def meeting(window: Window, count: int | None) -> tuple[int, int] | None:
    """The first found iterations t > u, both below `count` (None: no bound), where row a at t meets row b at u.

    Raises `Undecided` where too many candidates would have to be looked at.

    >>> meeting(Window(256, 256, 256, 256, 256), 8), meeting(Window(-256, 256, 256, 256, 256), 8)
    ((1, 0), None)
    >>> meeting(Window(0, 0, 256, 0, 256), 1), meeting(Window(0, 0, 256, 0, 256), None)
    (None, (1, 0))
    >>> meeting(Window(512, 256, 256, 512, 256), None)
    (2, 0)
    """
    # With t = u + d the distance of both starts is offset + (stride_b - stride_a) u - stride_a d; they meet while it
    # is above -span_b and below span_a.
    if count is not None and count < 2:
        return None
    drift = window.stride_b - window.stride_a
    if window.stride_a == 0:
        found = _first_in(window.offset, drift, window, None if count is None else count - 2)
        return None if found is None else (found + 1, found)
    if drift == 0:
        gap = _gaps(window, 0)
        least = max(gap[0], 1)
        most = gap[1] if count is None else min(gap[1], count - 1)
        return (least, 0) if least <= most else None
    return _drifting(window, drift, count)


class Undecided(Exception):  # it is an answer, not a fault
    """Too many candidates would have to be looked at."""


def _gaps(window: Window, later: int) -> tuple[int, int]:
    """The least and greatest distance d at which iteration `later + d` of a meets iteration `later` of b."""
    at = window.offset + (window.stride_b - window.stride_a) * later
    low, high = at - window.span_a + 1, at + window.span_b - 1  # low <= stride_a * d <= high
    stride = window.stride_a
    if stride < 0:
        low, high, stride = -high, -low, -stride
    return -(-low // stride), high // stride


def _first_in(offset: int, stride: int, window: Window, most: int | None) -> int | None:
    """The least u from 0 to `most` with `-span_b < offset + stride * u < span_a`."""
    low, high = -window.span_b + 1 - offset, window.span_a - 1 - offset
    if stride == 0:
        return 0 if low <= 0 <= high else None
    if stride < 0:
        low, high, stride = -high, -low, -stride
    least, greatest = max(0, -(-low // stride)), high // stride
    if most is not None:
        greatest = min(greatest, most)
    return least if least <= greatest else None


def _drifting(window: Window, drift: int, count: int | None) -> tuple[int, int] | None:
    from math import gcd

    period = abs(window.stride_a) // gcd(window.stride_a, drift)
    shift = drift * period // window.stride_a
    residues = period if count is None else min(period, count - 1)
    width = (window.span_a + window.span_b) // abs(window.stride_a) + 1
    if residues * width > MOST_CANDIDATES:
        raise Undecided
    for residue in range(residues):
        least, most = _gaps(window, residue)
        for gap in range(least, most + 1):
            turn = _turn(residue, gap, period, shift, count)
            if turn is not None:
                later = residue + turn * period
                return later + gap + turn * shift, later
    return None


def _turn(residue: int, gap: int, period: int, shift: int, count: int | None) -> int | None:
    """The least k >= 0 for which distance `gap + shift k` is at least 1 and iteration
    `residue + gap + (period + shift) k` is below `count`.
    """
    if shift >= 0:
        least = 0 if gap >= 1 else (-(-(1 - gap) // shift) if shift else -1)
        most = None
    else:
        least, most = 0, (gap - 1) // -shift
    if least < 0:
        return None
    step = period + shift
    if count is not None:
        room = count - 1 - residue - gap
        if step > 0:
            bound = room // step
            most = bound if most is None else min(most, bound)
        elif step == 0:
            if room < 0:
                return None
        else:
            least = max(least, -(room // -step) if room < 0 else 0)
        ends = (count - 1 - residue) // period
        most = ends if most is None else min(most, ends)
    return least if most is None or least <= most else None
