"""The processor's arithmetic on single numbers and on arrays of them, by the names of `arith` and `math`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from layoutsolver.verify.buckyball.memory import DTYPES

Number = Any
"""A numpy number or array of one of the types of `DTYPES`."""

_BINARY: dict[str, Callable[[Number, Number], Number]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.minsi": np.minimum,
    "arith.maxsi": np.maximum,
    "arith.addf": lambda a, b: a + b,
    "arith.subf": lambda a, b: a - b,
    "arith.mulf": lambda a, b: a * b,
    "arith.divf": lambda a, b: a / b,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
}

REDUCERS: dict[str, np.ufunc] = {
    "arith.addf": np.add, "arith.mulf": np.multiply, "arith.maximumf": np.maximum, "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax, "arith.minnumf": np.fmin, "arith.addi": np.add, "arith.muli": np.multiply,
    "arith.maxsi": np.maximum, "arith.minsi": np.minimum,
}  # fmt: skip
"""Operations by which many numbers become one."""

_COMPARE: dict[str, Callable[[Number, Number], Number]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b, "sge": lambda a, b: a >= b, "oeq": lambda a, b: a == b, "ogt": lambda a, b: a > b,
    "oge": lambda a, b: a >= b, "olt": lambda a, b: a < b, "ole": lambda a, b: a <= b,
}  # fmt: skip

_UNSIGNED = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


class Unsupported(Exception):
    """An operation that is not run here."""


def constant(text: str, kind: str) -> Number:
    """The number that a constant spells."""
    dtype = _dtype(kind)
    if kind.startswith("f"):
        if text.startswith("0x"):
            bits = int(text, 16)
            return np.array(bits, _UNSIGNED[8 * np.dtype(dtype).itemsize]).view(dtype)[()]
        return dtype(float(text))
    if not text.lstrip("-").isdecimal():
        raise Unsupported(f"the constant `{text}`")
    if kind == "i1":
        return np.bool_(int(text) != 0)
    return wrapped(int(text), kind)


def wrapped(value: int, kind: str) -> Number:
    """An integer cut to a type."""
    bits = 8 * np.dtype(_dtype(kind)).itemsize
    value &= (1 << bits) - 1
    return _dtype(kind)(value - (1 << bits) if value >> (bits - 1) else value)


def binary(name: str, left: Number, right: Number, kind: str) -> Number:
    """An operation of two numbers of one type."""
    with np.errstate(all="ignore"):
        if name in _BINARY:
            return _dtype(kind)(_BINARY[name](left, right)) if np.ndim(left) == 0 else _BINARY[name](left, right)
        return wrapped(_integer(name, int(left), int(right), kind), kind)


def _integer(name: str, left: int, right: int, kind: str) -> int:
    """Operations of whole numbers that numpy does otherwise."""
    bits = 8 * int(np.dtype(_dtype(kind)).itemsize)
    mask = (1 << bits) - 1
    if name == "arith.shli":
        return left << right if 0 <= right < bits else 0
    if name == "arith.shrui":
        return (left & mask) >> right if 0 <= right < bits else 0
    if right == 0:
        raise Unsupported("a division by 0")
    if name == "arith.divui":
        return (left & mask) // (right & mask)
    if name == "arith.remui":
        return (left & mask) % (right & mask)
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    if name == "arith.divsi":
        return quotient
    if name == "arith.remsi":
        return left - quotient * right
    if name == "arith.floordivsi":
        return left // right
    if name == "arith.ceildivsi":
        return -(-left // right)
    raise Unsupported(f"`{name}`")


def unary(name: str, value: Number) -> Number:
    """An operation of one number."""
    if name == "math.absf":
        return np.abs(value)
    if name == "arith.negf":
        return -value
    raise Unsupported(f"`{name}`")


def compare(predicate: str, left: Number, right: Number) -> Number:
    """A comparison."""
    if predicate in _COMPARE:
        return _COMPARE[predicate](left, right)
    if predicate in ("ult", "ule", "ugt", "uge") and np.issubdtype(np.asarray(left).dtype, np.integer):
        unsigned = _UNSIGNED[8 * np.asarray(left).dtype.itemsize]
        return _COMPARE["s" + predicate[1:]](unsigned(left), unsigned(right))
    raise Unsupported(f"the comparison `{predicate}`")


def cast(name: str, value: Number, source: str, target: str) -> Number:
    """A conversion between types."""
    dtype = _dtype(target)
    if name == "arith.bitcast":
        return np.asarray(value).view(dtype)[()]
    if name in ("arith.extui", "arith.index_castui", "arith.uitofp"):
        width = 8 * np.dtype(_dtype(source)).itemsize
        return dtype(int(value) & ((1 << width) - 1))
    if name in ("arith.extsi", "arith.trunci", "arith.index_cast"):
        return wrapped(int(value), target)
    with np.errstate(all="ignore"):
        return dtype(value)


def _dtype(kind: str) -> Any:
    found = DTYPES.get(kind)
    if found is None:
        raise Unsupported(f"numbers of type `{kind}`")
    return found
