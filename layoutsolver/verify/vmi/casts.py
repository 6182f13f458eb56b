"""Conversions of elements, each to the one at the same place; a pair is converted as two numbers.

Where no rounding is named it is to nearest even; where no saturation is named integers keep their low bits and floats
overflow as IEEE 754 says. A signless integer is unsigned, but signed where the name of the operation says so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from layoutsolver.verify.pto.values import PAIRS, PtoValue, Vector, format_named
from layoutsolver.verify.vmi.operands import Call
from layoutsolver.verify.vmi.vectors import element_birth, from_bits
from layoutsolver.verify.vpto.convert import ROUNDINGS, UNDOCUMENTED
from layoutsolver_models.hardware.formats import Format, Lanes, pack_nibbles, unpack_nibbles
from layoutsolver_models.hardware.rounding import convert

_SIGNED_SOURCE = frozenset({"extsi", "sitofp"})
_SIGNED_TARGET = frozenset({"extsi", "fptosi"})


def _numbers(vector: Vector, fmt: Format) -> Lanes:
    """The bit patterns of the numbers that elements hold, two of each pair."""
    if vector.element.text not in PAIRS:
        return np.ascontiguousarray(vector.bits).view(fmt.storage)
    if fmt.bits == 4:
        return unpack_nibbles(vector.data)
    return np.ascontiguousarray(vector.data).view(fmt.storage)


def _convert(call: Call) -> list[PtoValue]:
    source, target = call.vector("source"), call.element()
    for element in (source.element, target):
        if element.text in UNDOCUMENTED:
            raise call.op.fail(f"converts `{element.text}`, whose bits no document describes")
    before = format_named(source.element, call.name in _SIGNED_SOURCE)
    after = format_named(target, call.name in _SIGNED_TARGET)
    pairs = source.element.text in PAIRS
    if before is None or after is None or pairs != (target.text in PAIRS):
        raise call.op.fail(f"has no form from `{source.element.text}` to `{target.text}`")
    letter = call.attr("rounding", "R")
    if letter not in ROUNDINGS:
        raise call.op.fail(f"rounds by `{letter}`, which is not documented")
    bits = _numbers(source, before)
    made = convert(before, after, bits, ROUNDINGS[letter], call.attr("saturate") == "SAT")
    if pairs:
        made = pack_nibbles(made) if after.bits == 4 else np.ascontiguousarray(made).view(f"u{(target.bits or 0) // 8}")
    return [from_bits(target, made, source.unknown, element_birth(source))]


def _reinterpret(call: Call) -> list[PtoValue]:
    source, type_ = call.vector("source"), call.result_type()
    if type_.lanes * type_.bits != 8 * source.data.size:
        raise call.op.fail(f"makes {type_.lanes * type_.bits} bits of {8 * source.data.size}")
    return [Vector(call.element(), source.data, source.poison, source.birth)]


CASTS: dict[str, Callable[[Call], list[PtoValue]]] = {
    **dict.fromkeys(("vcvt", "extf", "truncf", "fptosi", "fptoui", "sitofp", "extsi", "extui", "trunci"), _convert),
    "vinterpret_cast": _reinterpret, "bitcast": _reinterpret,
}  # fmt: skip
"""The operations of this file by their names."""
