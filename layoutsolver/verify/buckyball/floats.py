"""Floats as the bits that registers and memory hold: f32 in 4 bytes, f64 in 8."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from layoutsolver.verify.buckyball.scalars import Unsupported

INFINITY = {4: 0x7F800000, 8: 0x7FF0000000000000}
"""The bits of infinity: up to these, numbers that are not negative compare as their bits do."""

SIGN = {4: 1 << 31, 8: 1 << 63}

_DTYPES: dict[int, Any] = {4: np.float32, 8: np.float64}

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "fadd": lambda a, b: a + b, "fsub": lambda a, b: a - b, "fmul": lambda a, b: a * b, "fdiv": lambda a, b: a / b,
    "fmax": np.fmax, "fmin": np.fmin, "maximum": np.maximum, "minimum": np.minimum,
}  # fmt: skip
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}  # fmt: skip


def number(bits: int, size: int) -> Any:
    """The number that bits spell.

    >>> float(number(0x42FE0000, 4))
    127.0
    """
    return np.frombuffer((bits & ((1 << 8 * size) - 1)).to_bytes(size, "little"), _DTYPES[size])[0]


def bits_of(value: Any, size: int) -> int:
    """The bits of a number, rounded to a size.

    >>> hex(bits_of(127.0, 4))
    '0x42fe0000'
    """
    return int.from_bytes(_DTYPES[size](value).tobytes(), "little")


def binary(name: str, left: int, right: int, size: int) -> int:
    """An operation of two floats of a size; `maximum` and `minimum` give NaN for NaN, `fmax` and `fmin` the other."""
    with np.errstate(all="ignore"):
        return bits_of(_BINARY[name](number(left, size), number(right, size)), size)


def compare(relation: str, left: int, right: int, size: int) -> int:
    """1 if a relation holds, 0 if not or if an operand is NaN.

    >>> compare("lt", 0xBF800000, 0x3F800000, 4), compare("eq", 0x7FC00000, 0x7FC00000, 4)
    (1, 0)
    """
    return int(_COMPARE[relation](number(left, size), number(right, size)))


def whole(bits: int, size: int) -> int:
    """A float cut to a whole number. Raises `Unsupported` for what is none."""
    value = number(bits, size)
    if not np.isfinite(value):
        raise Unsupported(f"{value} as an integer")
    return int(value)
