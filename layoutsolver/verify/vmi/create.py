"""Operations that make vectors and masks from nothing, from scalars or from counts."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.operation import Operation
from layoutsolver.verify.pto.values import Mask, PtoValue, Vector
from layoutsolver.verify.scalars import literal
from layoutsolver.verify.values import Scalar, integer
from layoutsolver.verify.vmi.elementwise import number
from layoutsolver.verify.vmi.groups import broadcast_groups
from layoutsolver.verify.vmi.operands import Call
from layoutsolver.verify.vmi.vectors import from_bits, full_mask, prefix_mask
from layoutsolver_models.hardware.arithmetic import splat
from layoutsolver_models.hardware.formats import Format
from layoutsolver_models.hardware.rearrange import vci
from layoutsolver_models.hardware.rounding import encode_scalar

_WORD = re.compile(r"true|false|[-+]?(?:0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)")


def _broadcast(call: Call) -> list[PtoValue]:
    value = call.get(call.op.value("value"))
    if isinstance(value, Vector):
        return broadcast_groups(call)
    if not isinstance(value, Scalar):
        raise call.op.fail("broadcasts neither a scalar nor a vector")
    type_, element = call.result_type(), call.element()
    fmt = call.format(element)
    bits = splat(fmt, number(value)).lanes(fmt.width)[0]
    return [from_bits(element, np.full(type_.lanes, bits), np.full(type_.lanes, not value.defined))]


def _iota(call: Call) -> list[PtoValue]:
    base, type_, element = call.scalar_in("base"), call.result_type(), call.element()
    fmt, groups = call.format(element), call.count_attr("group", 1)
    if type_.lanes % groups:
        raise call.op.fail(f"counts {type_.lanes} elements in {groups} groups")
    steps = np.arange(type_.lanes) % (type_.lanes // groups)
    descending = call.attr("order", "ASC") == "DESC"
    if fmt.is_float:
        ramp = np.concatenate([
            vci(fmt, number(base) + (-start if descending else start), "DECREASE" if descending else "INCREASE").lanes(
                fmt.width) for start in range(0, type_.lanes, fmt.lanes)])  # fmt: skip
        bits = ramp[steps]
    else:
        bits = (base.signed + (-steps if descending else steps)) & ((1 << fmt.bits) - 1)
    return [from_bits(element, bits, np.full(type_.lanes, not base.defined))]


def _all(call: Call) -> list[PtoValue]:
    if call.attr("pattern") != "PAT_ALL":
        raise call.op.fail(f"has the pattern `{call.attr('pattern')}`, not PAT_ALL")
    return [full_mask(call.mask_count())]


def _pattern(call: Call) -> list[PtoValue]:
    name, count = call.attr("pattern"), call.mask_count()
    if name == "PAT_ALL":
        return [full_mask(count)]
    groups = call.count_attr("group", 1)
    if not name.startswith("PAT_VL") or not name[6:].isdigit() or count % groups:
        raise call.op.fail(f"has the pattern `{name}`, not PAT_VLk")
    return [prefix_mask(np.arange(count) % (count // groups) < int(name[6:]), True)]


def _count(call: Call) -> list[PtoValue]:
    held, count = call.scalar_in("scalar"), call.mask_count()
    type_ = call.op.type(call.op.node.results[1]) if len(call.op.node.results) > 1 else held.type
    rest = integer(type_ if isinstance(type_, ScalarType) else held.type, max(held.signed - count, 0), held.defined)
    return [prefix_mask(np.arange(count) < held.signed, held.defined), rest]


def _create(call: Call) -> list[PtoValue]:
    held, count = call.scalar_in("active_lanes"), call.mask_count()
    return [prefix_mask(np.arange(count) < held.signed, held.defined)]


def _create_group(call: Call) -> list[PtoValue]:
    held, count = call.scalar_in("active_elems_per_group"), call.mask_count()
    size = call.count_attr("group_size", count)
    return [prefix_mask(np.arange(count) % size < held.signed, held.defined)]


def _words(op: Operation, text: str, count: int) -> list[str]:
    words = _WORD.findall(text[text.find("<") + 1 :].split(":")[0] if "<" in text else text)
    if len(words) == 1:
        return words * count
    if len(words) != count:
        raise op.fail(f"has {len(words)} values for {count} elements")
    return words


def _bits(op: Operation, fmt: Format, word: str) -> int:
    try:
        if word in ("true", "false"):
            return int(word == "true")
        if "0x" in word:
            return int(word, 16)
        return encode_scalar(fmt, float(word) if fmt.is_float else int(word))
    except (ValueError, TypeError):
        raise op.fail(f"has the value `{word}`, which is not understood") from None


def _constant(call: Call) -> list[PtoValue]:
    type_, element = call.result_type(), call.element()
    fmt = call.format(element)
    words = _words(call.op, call.attr("value") or literal(call.op), type_.lanes)
    return [from_bits(element, np.array([_bits(call.op, fmt, word) for word in words], np.uint64))]


def _constant_mask(call: Call) -> list[PtoValue]:
    words = _words(call.op, call.attr("value") or literal(call.op), call.mask_count())
    bits = np.array([word in ("true", "1", "-1") for word in words])
    return [Mask(bits, np.zeros(bits.size, np.bool_))]


CREATE: dict[str, Callable[[Call], list[PtoValue]]] = {
    "vbrc": _broadcast, "broadcast": _broadcast, "vci": _iota, "iota": _iota, "group_iota": _iota, "pset": _all,
    "pge": _pattern, "plt": _count, "create_mask": _create, "create_group_mask": _create_group,
    "constant": _constant, "constant_mask": _constant_mask,
}  # fmt: skip
"""The operations of this file by their names."""
