"""Operations on memrefs: views of a buffer, their sizes and strides, and loads and stores of single elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from layoutsolver.mlir.types import MemRefType, ScalarType
from layoutsolver.ops.assembly import skip_bracket
from layoutsolver.verify.affine import evaluate_map, parse_map
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.operation import Operation
from layoutsolver.verify.values import Buffer, Scalar, Value, integer

Get = Callable[[int], Value]

_STRIDED = re.compile(r"strided<\s*\[([^\]]*)\]\s*(?:,\s*offset\s*:\s*(\?|-?\d+))?\s*>")
_AFFINE = re.compile(r"affine_map<(.*?\)\s*)>", re.DOTALL)
_INDEX = ScalarType("index", None)


def strides_of(type_: MemRefType, sizes: tuple[int, ...], unknown_offset: int = 0) -> tuple[int, tuple[int, ...]]:
    """The offset and the strides, in elements, that a memref type prints; row-major where it prints none.

    What is dynamic is `unknown_offset` and row-major. Raises ValueError for a layout that is not understood.
    """
    plain: list[int] = []
    step = 1
    for size in reversed(sizes):
        plain.insert(0, step)
        step *= size
    match = _STRIDED.search(type_.rest)
    if match:
        given = [part.strip() for part in match.group(1).split(",") if part.strip()]
        strides = tuple(plain[at] if text == "?" else int(text) for at, text in enumerate(given))
        return (unknown_offset if match.group(2) == "?" else int(match.group(2) or 0)), strides
    affine = _AFFINE.search(type_.rest)
    if affine:
        parsed = parse_map(affine.group(1))
        rank = len(sizes)
        if parsed is None:
            raise ValueError(type_.rest)
        symbols = [unknown_offset] + [0] * (len(parsed.names) - rank)
        at_zero = evaluate_map(parsed, [0] * rank + symbols[: len(parsed.names) - rank])
        if at_zero is None or len(at_zero) != 1:
            raise ValueError(type_.rest)
        steps: list[int] = []
        for dim in range(rank):
            one = [int(k == dim) for k in range(rank)] + symbols[: len(parsed.names) - rank]
            there = evaluate_map(parsed, one)
            assert there is not None
            steps.append(there[0] - at_zero[0])
        return at_zero[0], tuple(steps)
    return 0, tuple(plain)


def run_buffer(op: Operation, get: Get, ram: LogicalMemory) -> list[Value] | None:
    """The results of a memref operation, None if it is not known."""
    name = op.node.name.removeprefix("memref.")
    if not op.node.operands or name == op.node.name:
        return None
    base = get(op.node.operands[0])
    if name == "store":
        _store(op, get, ram)
        return []
    if not isinstance(base, Buffer):
        return None
    if name == "load":
        return [_load(op, get, ram, base)]
    if name in ("cast", "memory_space_cast"):
        return [base]
    if name == "dim":
        at = get(op.node.operands[1])
        assert isinstance(at, Scalar)
        return [integer(_INDEX, base.sizes[at.signed])]
    if name == "extract_strided_metadata":
        numbers = [base.offset, *base.sizes, *base.strides]
        whole = Buffer(base.base, 0, (), (), base.element)
        return [whole, *(integer(_INDEX, number) for number in numbers)]
    if name == "reinterpret_cast":
        offsets, sizes, strides = static_and_dynamic(op, get)
        return [Buffer(base.base, offsets[0] if offsets else 0, tuple(sizes), tuple(strides), base.element)]
    if name == "subview":
        return [_subview(op, get, base)]
    return None


def _subview(op: Operation, get: Get, base: Buffer) -> Buffer:
    offsets, sizes, strides = static_and_dynamic(op, get)
    if not len(offsets) == len(sizes) == len(strides) == len(base.strides):
        raise op.fail("has offsets, sizes and strides that do not fit its source")
    offset = base.offset + sum(o * s for o, s in zip(offsets, base.strides, strict=True))
    steps = [s * t for s, t in zip(strides, base.strides, strict=True)]
    kept = list(range(len(sizes)))
    type_ = op.type(op.node.results[0])
    if isinstance(type_, MemRefType) and len(type_.shape) < len(sizes):
        kept = _kept(sizes, type_.shape)
    return Buffer(base.base, offset, tuple(sizes[k] for k in kept), tuple(steps[k] for k in kept), base.element)


def _kept(sizes: Sequence[int], shape: tuple[int | None, ...]) -> list[int]:
    """Which dimensions a rank-reducing view keeps: those of size 1 that the type lacks go first."""
    kept: list[int] = []
    wanted = list(shape)
    for at, size in enumerate(sizes):
        left = len(sizes) - at
        if wanted and (size != 1 or wanted[0] == 1 or left <= len(wanted)):
            kept.append(at)
            wanted.pop(0)
    return kept


def static_and_dynamic(op: Operation, get: Get) -> tuple[list[int], list[int], list[int]]:
    """The offsets, sizes and strides of a view, in either spelling: `[..] [..] [..]` or `offset: [..], sizes: …`."""
    inner, texts = op.node.op, op.node.op.stream.texts
    if inner.is_generic:
        raise op.fail("is only understood in its custom form")
    by_token = dict(zip(op.node.operand_tokens, op.node.operands, strict=True))
    lists: list[list[int]] = []
    at = inner.name_token + 1
    while at < inner.last and len(lists) < 3:
        if texts[at] == "[":
            end = skip_bracket(texts, at, inner.last)
            lists.append(_numbers(op, get, by_token, at + 1, end - 1))
            at = end
        else:
            at += 1
    if len(lists) != 3:
        raise op.fail("has no three lists of offsets, sizes and strides")
    return lists[0], lists[1], lists[2]


def _numbers(op: Operation, get: Get, by_token: dict[int, int], first: int, last: int) -> list[int]:
    texts = op.node.op.stream.texts
    out: list[int] = []
    sign = 1
    for at in range(first, last):
        if texts[at] == "-":
            sign = -1
        elif texts[at].isdigit():
            out.append(sign * int(texts[at]))
            sign = 1
        elif at in by_token:
            value = get(by_token[at])
            if not isinstance(value, Scalar) or not value.defined:
                raise op.fail("depends on a value that is not defined")
            out.append(value.signed)
    return out


def _place(op: Operation, get: Get, base: Buffer, operands: list[int]) -> int:
    indices = [get(value) for value in operands]
    numbers = [value.signed for value in indices if isinstance(value, Scalar) and value.defined]
    if len(numbers) != len(base.strides):
        raise op.fail("has indices that are not defined or do not fit its memref")
    return base.bit_address(tuple(numbers))


def _load(op: Operation, get: Get, ram: LogicalMemory, base: Buffer) -> Scalar:
    bit = _place(op, get, base, op.node.operands[1:])
    type_ = base.element
    if base.element_bits < 8:
        found = ram.load_bits(bit, 1)
        return Scalar(type_, int(found.bits[0]), bool(found.defined[0]))
    data, known = ram.read(bit // 8, base.element_bits // 8)
    return Scalar(type_, int.from_bytes(data.tobytes(), "little"), bool(known.all()))


def _store(op: Operation, get: Get, ram: LogicalMemory) -> None:
    value, base = get(op.node.operands[0]), get(op.node.operands[1])
    if not isinstance(value, Scalar) or not isinstance(base, Buffer) or base.element_bits < 8:
        raise op.fail("is not known for these operands")
    bit = _place(op, get, base, op.node.operands[2:])
    size = base.element_bits // 8
    data = np.frombuffer(value.bits.to_bytes(size, "little"), np.uint8)
    flags = np.ones(size, np.bool_)
    ram.write(op, base, bit // 8, data, flags & value.defined, flags)
