"""What programs are run on: memory and numbers of several kinds, the same for every form of a program."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from layoutsolver.buckyball.ir import Op, Shape, shape_of
from layoutsolver.verify.buckyball.memory import DTYPES, Array, Memory, MemRef
from layoutsolver.verify.buckyball.scalars import Unsupported

KINDS = ("spread", "scaled", "sparse", "ramp")
"""The kinds of floats, round by round: about one, of many magnitudes, mostly zeros, all different and in order."""

HEADROOM = 1 << 20
"""Bytes of DRAM beside the arguments and six times their size, for what a program allocates."""


def random_elements(random: np.random.Generator, dims: tuple[int, ...], element: str, kind: str) -> Array:
    """Elements of a type; floats of one of the `KINDS`."""
    dtype = np.dtype(DTYPES[element])
    if dtype == np.bool_:
        return random.integers(0, 2, dims).astype(np.bool_)
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, dims, dtype, endpoint=True)
    count = int(np.prod(dims, dtype=np.int64))
    values: npt.NDArray[np.float64]
    if kind == "ramp":
        values = (np.arange(count, dtype=np.float64) - count // 2).reshape(dims)
    else:
        values = random.uniform(-2.0, 2.0, dims)
        if kind == "scaled":
            values = values * 2.0 ** random.integers(-8, 9, dims)
        elif kind == "sparse":
            values = values * (random.random(dims) < 0.1)
    return values.astype(dtype)


def argument_bytes(function: Op) -> int:
    """The DRAM that the memrefs of a function's arguments take, with room beside."""
    total = 0
    for value in function.blocks[0].arguments:
        shape = shape_of(value.type)
        if shape is not None:
            total += _span(shape) * shape.element_bytes + 1024
    return HEADROOM + 7 * total


def _span(shape: Shape) -> int:
    dims, strides = shape.dims, shape.strides
    if None in dims or None in strides:
        raise Unsupported("arguments of sizes that are not known")
    return 1 + sum((int(dim or 0) - 1) * int(step or 0) for dim, step in zip(dims, strides, strict=True))


def make_arguments(function: Op, memory: Memory, seed: int, kind: str) -> list[Any]:
    """Values for the arguments: memory of random elements, numbers. An i64 is the bits of a scale.

    Raises `Unsupported` for other types.
    """
    random = np.random.default_rng(seed)
    out: list[Any] = []
    for value in function.blocks[0].arguments:
        shape = shape_of(value.type)
        if shape is not None:
            out.append(_memref(shape, memory, random, kind))
        elif value.type == "i64":
            out.append(np.int64(np.float32(random.uniform(0.5, 100.0)).view(np.uint32)))
        elif value.type in DTYPES:
            out.append(random_elements(random, (), value.type, "spread")[()] if value.type != "index" else np.int64(0))
        else:
            raise Unsupported(f"an argument of type `{value.type}`")
    return out


def _memref(shape: Shape, memory: Memory, random: np.random.Generator, kind: str) -> MemRef:
    """Fresh memory for a view: all that lies between its elements is written too."""
    if shape.element not in DTYPES:
        raise Unsupported(f"memory of `{shape.element}`")
    span = _span(shape)
    whole = memory.allocate((span,), shape.element)
    memory.write(whole, random_elements(random, (span,), shape.element, kind))
    dims, strides = (tuple(int(one or 0) for one in part) for part in (shape.dims, shape.strides))
    return MemRef(whole.base, 0, dims, strides, shape.element)
