"""Logical vectors and masks as registers: by the layout of the type, one behind the other where it names none.

Lanes that no element has are poison; bits of a predicate that no element has are clear.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.pto.values import Mask, PtoValue, Vector
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.lanes.layout import data_map, mask_map
from layoutsolver_models.rules.vmi.layouts import layout_of
from layoutsolver_models.vecmem import REGISTER_BYTES

Logical = VmiVectorType | VmiMaskType


@lru_cache(maxsize=256)
def _places(layout: str, bits: int, lanes: int, is_mask: bool) -> tuple[int, npt.NDArray[np.int64]]:
    """How many registers, and for each element the byte (of all of them) at which it starts."""
    found = mask_map(layout, lanes, bits) if is_mask else data_map(layout, bits, lanes)
    starts = np.zeros(lanes, np.int64)
    for element in range(lanes):
        register, position = found.places(element)[0]
        starts[element] = REGISTER_BYTES * register + position
    return found.arity, starts


def in_layout(type_: Logical, name: str) -> Logical:
    """The type with the layout of a short name, of a mask with the width that it governs: `d2`, `b16 d2`.

    >>> from layoutsolver.mlir.pto_types import parse_pto_type
    >>> in_layout(parse_pto_type("!pto.vmi.mask<64xpred>"), "b16 d2").bits
    16
    """
    width, _, layout = name.rpartition(" ")
    if isinstance(type_, VmiMaskType):
        return type_._replace(granularity=width, layout=layout_of(layout, type_.lanes))
    return type_._replace(layout=layout_of(layout, type_.lanes))


def arity(type_: Logical) -> int:
    """How many registers a vector or a mask of the type takes."""
    return _of_type(type_)[0]


def _of_type(type_: Logical) -> tuple[int, npt.NDArray[np.int64]]:
    layout = "contiguous" if type_.layout is None else str(type_.layout)
    bits = type_.bits or 32
    return _places(layout, bits, type_.lanes, isinstance(type_, VmiMaskType))


def to_places(held: Vector | Mask, type_: Logical, clear: bool = True) -> Sequence[PtoValue]:
    """The registers that hold the elements; with `clear`, bits of predicates that no element has are not set."""
    count, starts = _of_type(type_)
    size = REGISTER_BYTES * count
    cuts = [slice(at, at + REGISTER_BYTES) for at in range(0, size, REGISTER_BYTES)]
    if isinstance(held, Mask):
        bits, flags = np.zeros(size, np.bool_), np.full(size, not clear)
        bits[starts], flags[starts] = held.bits, held.poison
        return [PReg(bits[cut], flags[cut]) for cut in cuts]
    at = (starts[:, None] + np.arange(held.width)).ravel()
    data, poison = np.zeros(size, np.uint8), np.ones(size, np.bool_)
    data[at], poison[at] = held.data, held.poison
    birth = None
    if held.birth is not None:
        birth = np.full(size, -1, np.int32)
        birth[at] = held.birth
    return [VReg(data[cut], poison[cut], None if birth is None else birth[cut]) for cut in cuts]


def from_places(registers: Sequence[VReg | PReg], type_: Logical) -> Vector | Mask:
    """The elements that registers hold. Raises ValueError for another number of registers."""
    count, starts = _of_type(type_)
    if len(registers) != count:
        raise ValueError(f"`{type_.text}` takes {count} registers, not {len(registers)}")
    if isinstance(type_, VmiMaskType):
        predicates = [one for one in registers if isinstance(one, PReg)]
        bits = np.concatenate([one.bits for one in predicates])[starts]
        return Mask(bits, np.concatenate([one.poison for one in predicates])[starts])
    element = type_.element
    assert isinstance(element, ScalarType)
    vectors = [one for one in registers if isinstance(one, VReg)]
    at = (starts[:, None] + np.arange((element.bits or 0) // 8)).ravel()
    data = np.concatenate([one.data for one in vectors])[at]
    poison = np.concatenate([one.poison for one in vectors])[at]
    birth = None
    if any(one.birth is not None for one in vectors):
        birth = np.concatenate([one.lane_birth(1) for one in vectors])[at]
    return Vector(element, data, poison, birth)
