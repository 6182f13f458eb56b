"""What a program is run on: buffers of random and adversarial numbers, and arguments that keep accesses in bounds.

Every buffer lies on its own, with a stretch that holds nothing defined around it: a load that reads too far finds
poison there, and a store that writes too far is seen. Numbers are of several kinds, so that every lane is told from
every other and every special case occurs: ramps, any bit pattern, small numbers, extremes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from layoutsolver.graph.model import Function, Graph
from layoutsolver.mlir.types import MemRefType, ScalarType, Type, VectorType
from layoutsolver.verify.buffers import strides_of
from layoutsolver.verify.operation import CannotRunError
from layoutsolver.verify.values import Buffer, Elements, Scalar, format_of, integer
from layoutsolver_models.hardware.formats import Format, Lanes
from layoutsolver_models.hardware.rounding import encode
from layoutsolver_models.hardware.ub import Memory

Kind = Literal["ramp", "any", "small", "special"]
KINDS: tuple[Kind, ...] = ("ramp", "any", "small", "special")
"""The kinds of numbers."""

GUARD = 4096
"""Undefined bytes before and behind every buffer; the access of a whole register ends in them."""

DYNAMIC = 2048
"""The extent of a dynamic dimension; 64 where there are several dimensions."""

MOST_BYTES = 1 << 24
"""Bytes that all buffers of a program may take."""

STEP = 256
"""Index arguments that lead to memory are multiples of this: aligned for every element type."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a function is called with: its memory, the extents of the buffers in it, its arguments."""

    memory: Memory
    extents: tuple[tuple[int, int], ...]
    arguments: list[Scalar | Buffer | Elements | None]


def make_inputs(graph: Graph, function: Function, seed: int, number: int, far: bool = True) -> Inputs:
    """The inputs of a run: the same for the same seed and number.

    Index arguments are small; with `far` those that lead to memory may be larger than 0. Raises CannotRunError for an
    argument that cannot be made up.
    """
    rng = np.random.default_rng([seed, number, function.op])
    leading = _leading_to_memory(graph)
    arguments: list[Scalar | Buffer | Elements | None] = []
    contents: list[tuple[int, Lanes]] = []
    extents: list[tuple[int, int]] = []
    at = GUARD
    for value in function.arguments:
        type_ = graph.values[value].type
        if isinstance(type_, MemRefType):
            buffer, size = _buffer(graph, function, type_, at, far and bool(rng.integers(2)))
            contents.append((at, _content(rng, buffer.element, size, number)))
            extents.append((at, at + size))
            arguments.append(buffer)
            at += -(-size // GUARD) * GUARD + GUARD
            if at > MOST_BYTES:
                raise CannotRunError(
                    function.op, f"the buffers of `{function.symbol}` take more than {MOST_BYTES} bytes"
                )
        elif isinstance(type_, ScalarType) and type_.bits is None:
            arguments.append(integer(type_, _index(rng, value in leading, far)))
        elif isinstance(type_, ScalarType | VectorType):
            arguments.append(_made_up(rng, type_, number))
        else:
            arguments.append(None)
    data, poison = np.zeros(at, np.uint8), np.ones(at, np.bool_)
    for start, raw in contents:
        data[start : start + raw.size] = raw
        poison[start : start + raw.size] = False
    return Inputs(Memory.from_bytes(data, poison), tuple(extents), arguments)


def outside_results(type_: Type, seed: int, call: int, number: int) -> Scalar | Elements | None:
    """What a function that is not in the program returns: always the same for the same call; None if unknown."""
    rng = np.random.default_rng([seed, call, number])
    if isinstance(type_, ScalarType) and type_.bits is None:
        return integer(type_, 0)
    return _made_up(rng, type_, call) if isinstance(type_, ScalarType | VectorType) else None


def _index(rng: np.random.Generator, leads: bool, far: bool) -> int:
    if leads:
        return STEP * int(rng.integers(2)) if far else 0
    return int(rng.choice([0, 1, 3, 16, 17, 63, 64, 65, 100, 128, 200, 256, 300]))


def _leading_to_memory(graph: Graph) -> set[int]:
    """The values on which the address of some access depends."""
    wanted: list[int] = []
    for node in graph.ops:
        for role, value in zip(node.roles, node.operands, strict=True):
            if role == "indices" or node.name.startswith("memref."):
                wanted.append(value)
    for loop in graph.loops.values():
        if loop.induction in wanted:
            wanted.extend(loop.bounds[::2])
    found: set[int] = set()
    while wanted:
        value = wanted.pop()
        if value < 0 or value in found:
            continue
        found.add(value)
        known = graph.values[value]
        if known.op >= 0 and not isinstance(known.type, VectorType) and not graph.ops[known.op].op.regions:
            wanted.extend(graph.ops[known.op].operands)
    return found


def _buffer(graph: Graph, function: Function, type_: MemRefType, base: int, shifted: bool) -> tuple[Buffer, int]:
    """A buffer of the type at a byte address, and its size in bytes."""
    rank = len(type_.shape)
    sizes = tuple((DYNAMIC if rank == 1 else 64) if size is None else size for size in type_.shape)
    if not isinstance(type_.element, ScalarType):
        raise CannotRunError(function.op, f"no memory can be made up for `{type_.text}`")
    try:
        offset, strides = strides_of(type_, sizes, STEP if shifted else 0)
    except ValueError:
        raise CannotRunError(function.op, f"the layout of `{type_.text}` is not understood") from None
    buffer = Buffer(base, offset, sizes, strides, type_.element)
    last = offset + sum((size - 1) * abs(stride) for size, stride in zip(sizes, strides, strict=True))
    return buffer, max(1, -(-(last + 1) * buffer.element_bits // 8))


def _made_up(rng: np.random.Generator, type_: ScalarType | VectorType, number: int) -> Scalar | Elements:
    """A scalar or a vector of random numbers."""
    fmt = format_of(type_)
    count = type_.lanes if isinstance(type_, VectorType) else 1
    if fmt is None:
        bits: Lanes = rng.integers(2, size=count).astype(np.bool_)
    elif isinstance(type_, VectorType) and type_.element.text == "index":
        bits = rng.permutation(max(count, 128))[:count].astype(fmt.storage)
    else:
        bits = numbers(rng, fmt, count, KINDS[(number + 1) % len(KINDS)])
    if isinstance(type_, VectorType):
        return Elements(fmt, bits, np.ones(count, np.bool_))
    return Scalar(type_, int(bits[0]))


def _content(rng: np.random.Generator, element: ScalarType, size: int, number: int) -> Lanes:
    """The bytes of a buffer."""
    fmt = format_of(element)
    if fmt is None:
        return rng.integers(256, size=size, dtype=np.uint8)
    kind = KINDS[(number + int(rng.integers(2))) % len(KINDS)]
    count = -(-size // fmt.width)
    return numbers(rng, fmt, count, kind).view(np.uint8)[:size]


def numbers(rng: np.random.Generator, fmt: Format, count: int, kind: Kind) -> Lanes:
    """Bit patterns of a format: a ramp from a random start, any, small numbers, or mostly special ones."""
    if kind == "any":
        return rng.integers(1 << min(fmt.bits, 63), size=count, dtype=np.uint64).astype(fmt.storage)
    if kind == "ramp":
        steps = np.arange(count) + int(rng.integers(64))
        if fmt.is_float:
            return encode(fmt, (steps % 512 - 37.0) / (8 if fmt.bits > 8 else 16))
        return steps.astype(fmt.storage)
    small = rng.integers(-8, 120, size=count)
    usual = encode(fmt, small / 4.0) if fmt.is_float else small.astype(fmt.storage)
    if kind == "small":
        return usual
    special = special_patterns(fmt)
    picked = special[rng.integers(special.size, size=count)]
    return np.where(rng.integers(4, size=count) > 0, picked, usual)


def special_patterns(fmt: Format) -> Lanes:
    """The bit patterns at which arithmetic goes wrong: ends of the range, zeros, ones, denormals, NaN, infinities."""
    top = 1 << (fmt.bits - 1)
    if not fmt.is_float:
        found = [0, 1, 2, top - 1, top, top + 1, 2 * top - 2, 2 * top - 1]
    else:
        one = fmt.bias << fmt.mantissa_bits
        smallest_normal = 1 << fmt.mantissa_bits
        positive = [0, 1, smallest_normal - 1, smallest_normal, one, one + 1, fmt.largest, fmt.largest - 1]
        positive += [pattern for pattern in (fmt.infinity, fmt.nan) if pattern is not None]
        found = [*positive, *(pattern | top for pattern in positive)]
    return np.array(found, fmt.storage)
