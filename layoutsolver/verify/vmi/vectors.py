"""Logical vectors and masks as registers and back: lane by lane operations are those of the hardware, whatever the
layout. Lanes behind the last element are poison and never come back.
"""

from __future__ import annotations

import numpy as np

from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.pto.values import Mask, Vector
from layoutsolver_models.hardware.formats import Flags, Lanes
from layoutsolver_models.hardware.state import Births, PReg, VReg
from layoutsolver_models.vecmem import REGISTER_BYTES


def to_registers(vector: Vector) -> list[VReg]:
    """The registers that hold the elements one behind the other."""
    size = vector.data.size
    whole = -(-size // REGISTER_BYTES) * REGISTER_BYTES
    data, poison = np.zeros(whole, np.uint8), np.ones(whole, np.bool_)
    data[:size], poison[:size] = vector.data, vector.poison
    birth = None
    if vector.birth is not None:
        birth = np.full(whole, -1, np.int32)
        birth[:size] = vector.birth
    cuts = [slice(at, at + REGISTER_BYTES) for at in range(0, whole, REGISTER_BYTES)]
    return [VReg(data[cut], poison[cut], None if birth is None else birth[cut]) for cut in cuts]


def from_registers(registers: list[VReg], element: ScalarType, count: int) -> Vector:
    """The first elements that registers hold one behind the other."""
    size = count * (element.bits or 0) // 8
    data = np.concatenate([one.data for one in registers])[:size]
    poison = np.concatenate([one.poison for one in registers])[:size]
    birth: Births | None = None
    if any(one.birth is not None for one in registers):
        birth = np.concatenate([one.lane_birth(1) for one in registers])[:size]
    return Vector(element, data, poison, birth)


def mask_registers(mask: Mask, width: int) -> list[PReg]:
    """The predicates that govern the registers of a vector of elements of so many bytes; no lane behind the last."""
    lanes = REGISTER_BYTES // width
    out = []
    for at in range(0, mask.count, lanes):
        cut = slice(at, min(at + lanes, mask.count))
        size = (cut.stop - cut.start) * width
        bits, poison = np.zeros(REGISTER_BYTES, np.bool_), np.zeros(REGISTER_BYTES, np.bool_)
        bits[:size:width], poison[:size:width] = mask.bits[cut], mask.poison[cut]
        birth = None
        if mask.birth is not None:
            birth = np.full(REGISTER_BYTES, -1, np.int32)
            birth[:size:width] = mask.birth[cut]
        out.append(PReg(bits, poison, birth))
    return out


def from_predicates(predicates: list[PReg], width: int, count: int) -> Mask:
    """The first lanes of so many bytes that predicates govern."""
    bits = np.concatenate([one.lanes(width) for one in predicates])[:count]
    poison = np.concatenate([one.lane_poison(width) for one in predicates])[:count]
    birth: Births | None = None
    if any(one.birth is not None for one in predicates):
        birth = np.concatenate([one.lane_birth(width) for one in predicates])[:count]
    return Mask(bits, poison, birth)


def from_bits(element: ScalarType, bits: Lanes, unknown: Flags | None = None, birth: Births | None = None) -> Vector:
    """The vector of bit patterns, poison where they are not known; births are per element."""
    width = (element.bits or 0) // 8
    data = np.ascontiguousarray(bits.astype(f"u{width}")).view(np.uint8)
    poison = np.zeros(data.size, np.bool_) if unknown is None else np.repeat(unknown, width)
    return Vector(element, data, poison, None if birth is None else np.repeat(birth, width))


def element_birth(vector: Vector) -> Births | None:
    """For each element, the latest birth among its bytes, None where nothing is traced."""
    if vector.birth is None:
        return None
    latest: Births = vector.birth.reshape(-1, vector.width).max(axis=1)
    return latest


def taken(vector: Vector, order: Lanes, element: ScalarType | None = None) -> Vector:
    """The elements at the places in `order`; a place below zero is poison."""
    kept, width = np.maximum(order, 0), vector.width
    bits, unknown = vector.bits[kept], vector.unknown[kept] | (order < 0)
    birth = element_birth(vector)
    data = from_bits(element or vector.element, bits, unknown, None if birth is None else birth[kept])
    if birth is None and not unknown.any():
        return data
    rows = vector.poison.reshape(-1, width)[kept] | (order < 0)[:, None]
    return Vector(data.element, data.data, rows.ravel(), data.birth)


def mask_taken(mask: Mask, order: Lanes) -> Mask:
    """The bits of a mask at the places in `order`."""
    return Mask(mask.bits[order], mask.poison[order], None if mask.birth is None else mask.birth[order])


def full_mask(count: int) -> Mask:
    """The mask of which every bit is set."""
    return Mask(np.ones(count, np.bool_), np.zeros(count, np.bool_))


def prefix_mask(active: Flags, defined: bool) -> Mask:
    """The mask of these bits, poison as a whole if it is not defined."""
    return Mask(active, np.full(active.size, not defined))


def joined(vectors: list[Vector]) -> Vector:
    """The vectors one behind the other."""
    birth: Births | None = None
    if any(one.birth is not None for one in vectors):
        none = [np.full(one.data.size, -1, np.int32) if one.birth is None else one.birth for one in vectors]
        birth = np.concatenate(none)
    return Vector(vectors[0].element, np.concatenate([one.data for one in vectors]),
                  np.concatenate([one.poison for one in vectors]), birth)  # fmt: skip
