"""Reductions, of all elements or of groups of neighbours, broadcasts of one element for each group, histograms.

Elements that the mask leaves out do not count. Which of several NaN or zeros the largest element is depends on the
order in which a compiler compares; then the result is not determined.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from layoutsolver.verify.pto.values import Mask, PtoValue, Vector
from layoutsolver.verify.vmi.operands import Call
from layoutsolver.verify.vmi.vectors import element_birth, from_bits, joined, mask_registers, taken, to_registers
from layoutsolver_models.hardware import histogram
from layoutsolver_models.hardware.formats import Format, Lanes
from layoutsolver_models.hardware.group_reduce import extreme
from layoutsolver_models.hardware.state import PReg, VReg

_KINDS = {"add": 0, "max": 1, "min": -1}


def _kind(name: str) -> int:
    return next(value for word, value in _KINDS.items() if word in name)


def _reduce(call: Call) -> list[PtoValue]:
    source, mask = call.vector("source"), call.mask()
    groups = call.count_attr("num_groups", call.count_attr("group", 1))
    fmt, element = call.format(source.element), call.element()
    if source.count % groups or mask.count != source.count:
        raise call.op.fail(f"reduces {source.count} elements under {mask.count} bits in {groups} groups")
    lanes = np.ascontiguousarray(source.bits).view(fmt.dtype).reshape(groups, -1)
    active, kind = mask.bits.reshape(groups, -1), _kind(call.name)
    made, known = zip(
        *[_of_group(call, fmt, row[on], kind) for row, on in zip(lanes, active, strict=True)], strict=True
    )
    unknown = ((source.unknown & mask.bits) | mask.poison).reshape(groups, -1)
    birth = _births(source, mask, unknown)
    return [from_bits(element, np.concatenate(made), unknown.any(axis=1) | ~np.array(known), birth)]


def _births(source: Vector, mask: Mask, unknown: Lanes) -> Lanes | None:
    """For each group the latest birth among what is not known."""
    own = element_birth(source)
    if own is None and mask.birth is None:
        return None
    births = np.full(source.count, -1, np.int32) if own is None else own
    if mask.birth is not None:
        births = np.where(births < 0, mask.birth, births)
    latest: Lanes = np.where(unknown, births.reshape(unknown.shape), np.int32(-1)).max(axis=1)
    return latest


def _of_group(call: Call, fmt: Format, lanes: Lanes, kind: int) -> tuple[Lanes, bool]:
    if kind == 0:
        return call.unit.sums.of(fmt, lanes)
    best = extreme(fmt, lanes, kind)
    if not fmt.is_float:
        return best, True
    wide = lanes.astype(np.float64)
    zeros = wide[wide == 0]
    is_zero = float(best.view(fmt.dtype).astype(np.float64)[0]) == 0
    mixed = is_zero and bool(np.signbit(zeros).any() and not np.signbit(zeros).all())
    return best, not (mixed or np.isnan(wide).any())


def _broadcast(call: Call) -> list[PtoValue]:
    source, type_ = call.vector("source" if call.has("source") else "value"), call.result_type()
    groups = call.count_attr("num_groups", call.count_attr("group", source.count))
    if source.count != groups or type_.lanes % groups:
        raise call.op.fail(f"broadcasts {source.count} elements to {groups} groups of {type_.lanes}")
    return [taken(source, np.arange(type_.lanes) // (type_.lanes // groups))]


def _histogram(call: Call) -> list[PtoValue]:
    acc, samples, mask = call.vector("acc"), call.vector("source"), call.mask()
    run = histogram.dhist if call.name == "vdhist" else histogram.chist
    halves: list[VReg] = to_registers(acc)
    if len(halves) > 2 or acc.width != 2 or samples.width != 1:
        raise call.op.fail("counts bytes in at most 256 bins of 16 bits")
    predicates: list[PReg] = mask_registers(mask, 1)
    for number, register in enumerate(halves):
        for one, predicate in zip(to_registers(samples), predicates, strict=True):
            register = run(register, one, predicate, number)
        halves[number] = register
    whole = joined([Vector(acc.element, one.data, one.poison, one.birth) for one in halves])
    return [taken(whole, np.arange(acc.count))]


GROUPS: dict[str, Callable[[Call], list[PtoValue]]] = {
    **dict.fromkeys(("vcadd", "vcmax", "vcmin"), _reduce),
    **{f"{prefix}reduce_{kind}{suffix}": _reduce for prefix in ("", "group_") for kind in _KINDS for suffix in "if"},
    "group_broadcast": _broadcast, "vdhist": _histogram, "vchist": _histogram,
}  # fmt: skip
"""The operations of this file by their names."""


def broadcast_groups(call: Call) -> list[PtoValue]:
    """A vector of one element for each group, spread over the groups."""
    return _broadcast(call)
