"""Vector constants: `dense<1.0>` and `dense<[1, 2, …]>`."""

from __future__ import annotations

import numpy as np

from layoutsolver.verify.operation import Operation
from layoutsolver.verify.scalars import literal
from layoutsolver.verify.values import Elements
from layoutsolver_models.hardware.formats import Format
from layoutsolver_models.hardware.rounding import encode


def dense_constant(op: Operation) -> Elements:
    """The elements of an `arith.constant dense<…>`. Raises CannotRunError for a text that is not understood."""
    result = op.node.results[0]
    fmt, count = op.format(result), op.vector(result).lanes
    text = literal(op)
    inner = text[text.index("<") + 1 : text.rindex(">")] if "<" in text else text
    words = inner.replace("[", " ").replace("]", " ").replace(",", " ").split()
    if len(words) not in (1, count):
        raise op.fail(f"has {len(words)} values for {count} elements")
    try:
        bits = [_bits(word, fmt) for word in words]
    except ValueError:
        raise op.fail(f"has the value `{text}`, which is not understood") from None
    dtype = np.dtype(np.bool_) if fmt is None else fmt.storage
    made = np.array(bits * count if len(bits) == 1 else bits, np.uint64).astype(dtype)
    return Elements(fmt, made, np.ones(count, np.bool_))


def _bits(word: str, fmt: Format | None) -> int:
    if fmt is None:
        return {"true": 1, "false": 0, "1": 1, "0": 0, "-1": 1}.get(word, 0)
    if word.lower().startswith("0x"):
        return int(word, 16)
    if fmt.is_float:
        return int(encode(fmt, np.array([float(word)]))[0])
    return int(word) & ((1 << fmt.bits) - 1)
