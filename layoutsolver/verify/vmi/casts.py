"""Conversions of elements, each to the one at the same place; a pair is converted as two numbers.

A saturating conversion between floats makes +0 of NaN. Where no rounding is named it is to nearest even; where no
saturation is named integers keep their low bits and floats overflow as IEEE 754 says. A signless integer is unsigned,
but signed where the name of the operation says so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from layoutsolver.verify.pto.values import PAIRS, PtoValue, Vector, format_named
from layoutsolver.verify.vmi.operands import Call
from layoutsolver.verify.vmi.vectors import element_birth, from_bits
from layoutsolver.verify.vpto.convert import ROUNDINGS, UNDOCUMENTED
from layoutsolver_models.hardware.formats import Format, Lanes, is_nan, pack_nibbles, unpack_nibbles
from layoutsolver_models.hardware.hifloat import decode_hif8, encode_hif8
from layoutsolver_models.hardware.rounding import convert

HIF8 = "!pto.hif8"

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
    letter = call.attr("rounding", "A" if target.text == HIF8 else "R")
    if letter not in ROUNDINGS or (target.text == HIF8 and letter != "A"):
        raise call.op.fail(f"rounds by `{letter}`, which is not documented")
    if HIF8 in (source.element.text, target.text):
        return [_hifloat(call, source)]
    before = format_named(source.element, call.name in _SIGNED_SOURCE)
    after = format_named(target, call.name in _SIGNED_TARGET)
    pairs = source.element.text in PAIRS
    if before is None or after is None or pairs != (target.text in PAIRS):
        raise call.op.fail(f"has no form from `{source.element.text}` to `{target.text}`")
    bits, saturates = _numbers(source, before), call.attr("saturate") == "SAT"
    if saturates and before.is_float and after.is_float:
        bits = np.where(is_nan(before, bits), before.storage.type(0), bits)
    made = convert(before, after, bits, ROUNDINGS[letter], saturates)
    if pairs:
        made = pack_nibbles(made) if after.bits == 4 else np.ascontiguousarray(made).view(f"u{(target.bits or 0) // 8}")
    return [from_bits(target, made, source.unknown, element_birth(source))]


def _hifloat(call: Call, source: Vector) -> Vector:
    """The conversion to or from HiFloat8; a number beyond the largest one is not determined."""
    target, birth = call.element(), element_birth(source)
    if source.element.text == HIF8 and target.text == "f32":
        return from_bits(target, decode_hif8(source.data), source.unknown, birth)
    fmt = format_named(source.element, True)
    if target.text != HIF8 or fmt is None or not fmt.is_float:
        raise call.op.fail(f"has no form from `{source.element.text}` to `{target.text}`")
    codes, beyond = encode_hif8(source.bits.view(fmt.dtype).astype(np.float64))
    return from_bits(target, codes, source.unknown | beyond, birth)


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
