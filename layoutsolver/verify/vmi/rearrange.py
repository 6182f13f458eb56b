"""Operations that move elements: interleaving, selection by index, channels, compression, registers in and out."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.pto.layouts import from_places, to_places
from layoutsolver.verify.pto.values import Mask, PtoValue, Vector
from layoutsolver.verify.vmi.operands import Call
from layoutsolver.verify.vmi.vectors import from_bits, joined, taken
from layoutsolver_models.hardware.state import PReg, VReg


def _interleave(call: Call) -> list[PtoValue]:
    both = joined([call.vector("lhs"), call.vector("rhs")])
    count = both.count // 2
    order = np.arange(2 * count).reshape(2, -1).T.ravel()
    return [taken(both, order[:count]), taken(both, order[count:])]


def _deinterleave(call: Call) -> list[PtoValue]:
    both = joined([call.vector("lhs"), call.vector("rhs")])
    return [taken(both, np.arange(0, both.count, 2)), taken(both, np.arange(1, both.count, 2))]


def _select(call: Call) -> list[PtoValue]:
    source, index = call.vector("source"), call.vector("index")
    order = call.indices(index)
    return [taken(source, np.where((order < source.count) & ~index.unknown, order, -1))]


def _shuffle(call: Call) -> list[PtoValue]:
    source, type_ = call.vector("source"), call.result_type()
    inner = call.op.node.op
    text = call.attr("indices") or inner.stream.range_text(inner.name_token + 1, inner.last)
    found = re.search(r"(?:\[\[|:|\[)([-0-9,\s]*)[\]>]", text)
    order = np.array([int(word) for word in found[1].replace(",", " ").split()] if found else [], np.int64)
    if order.size != type_.lanes or (order >= source.count).any():
        raise call.op.fail(f"has {order.size} indices for {type_.lanes} of {source.count} elements")
    return [taken(source, order)]


def _split(call: Call) -> list[PtoValue]:
    source, channels = call.vector("source"), len(call.op.node.results)
    return [taken(source, np.arange(channel, source.count, channels)) for channel in range(channels)]


def _merge(call: Call) -> list[PtoValue]:
    inputs = [held for held in map(call.get, call.op.values("inputs")) if isinstance(held, Vector)]
    whole = joined(inputs)
    return [taken(whole, np.arange(whole.count).reshape(len(inputs), -1).T.ravel())]


def _compress(call: Call) -> list[PtoValue]:
    """The active elements one behind the other; what follows them is not determined."""
    source, mask = call.vector("source"), call.mask()
    order = np.full(source.count, -1)
    kept = np.flatnonzero(mask.bits)
    if not mask.poison.any():
        order[: kept.size] = kept
    return [taken(source, order)]


def _prefix(call: Call) -> list[PtoValue]:
    mask, element = call.mask(), call.element()
    before = np.concatenate([[0], np.cumsum(mask.bits)[:-1]])
    return [from_bits(element, before, np.concatenate([[False], np.logical_or.accumulate(mask.poison)[:-1]]))]


def _unpack(call: Call) -> list[PtoValue]:
    """The registers that hold a vector or a mask in the layout of its type; what no element has may be anything."""
    value = call.op.value("source")
    type_, held = call.op.type(value), call.get(value)
    if not isinstance(type_, VmiVectorType | VmiMaskType) or not isinstance(held, Vector | Mask):
        raise call.op.fail("takes apart what is no vector")
    return list(to_places(held, type_, clear=False))


def _pack(call: Call) -> list[PtoValue]:
    type_ = call.op.type(call.op.node.results[0])
    held = [one for one in map(call.get, call.op.values("parts")) if isinstance(one, VReg | PReg)]
    if not isinstance(type_, VmiVectorType | VmiMaskType) or not isinstance(getattr(type_, "element", None),
                                                                            ScalarType | None):  # fmt: skip
        raise call.op.fail("puts together what is no vector")
    return [from_places(held, type_)]


REARRANGE: dict[str, Callable[[Call], list[PtoValue]]] = {
    "vintlv": _interleave, "vdintlv": _deinterleave, "vselr": _select, "shuffle": _shuffle, "channel_split": _split,
    "channel_merge": _merge, "compress": _compress, "active_prefix_index": _prefix, "unpack": _unpack,
    "pack": _pack,
}  # fmt: skip
"""The operations of this file by their names."""
