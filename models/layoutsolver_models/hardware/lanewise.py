"""How results settle into a register: what inactive, poisoned and undefined lanes become.

An active lane of which a source lane is poison becomes poison as a whole. So does every lane whose predicate bit is
poison, as it is not known whether the lane is active. An instruction says what becomes of inactive lanes:

- `"x"`: not documented, hence poison (their bytes are zero);
- `"z"`: zero;
- a register: the lane of that register (merging).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from layoutsolver_models.hardware.formats import Flags, Lanes
from layoutsolver_models.hardware.state import CLEAN, UNSIGNED, Births, PReg, VReg, of_bytes

Inactive: TypeAlias = Literal["x", "z"] | VReg


def poison_of(sources: Sequence[VReg], width: int) -> Flags | None:
    """For each lane of `width` bytes, whether it is poison in any source; None where none is."""
    out: Flags | None = None
    for source in sources:
        if source.poison is not CLEAN:
            lanes = source.lane_poison(width)
            out = lanes if out is None else out | lanes
    return out


def births_of(sources: Sequence[VReg | PReg], width: int) -> Births | None:
    """For each lane of `width` bytes, the birth in the first source that has one; None where nothing is traced."""
    out: Births | None = None
    for source in sources:
        if source.birth is not None:
            lanes = source.lane_birth(width)
            out = lanes if out is None else np.where(out < 0, lanes, out)
    return out


def place(
    values: Lanes,
    width: int,
    mask: PReg,
    sources: Sequence[VReg],
    inactive: Inactive = "x",
    undefined: Flags | None = None,
) -> VReg:
    """The register that lane values (a fresh array of 256 bytes, `width` each) make under a predicate.

    `sources` are the registers of which lane j decided lane j; `undefined` flags lanes without a documented result.
    """
    unknown = poison_of(sources, width)
    if undefined is not None:
        unknown = undefined if unknown is None else unknown | undefined
    active, every = mask.governs(width)
    if every and unknown is None and mask.poison is CLEAN:
        return VReg(values.view(np.uint8))
    return settle(
        values,
        width,
        active,
        unknown,
        None if mask.poison is CLEAN else mask.lane_poison(width),
        inactive,
        births_of((*sources, mask), width),
    )


def settle(
    values: Lanes,
    width: int,
    active: Flags,
    unknown: Flags | None,
    undecided: Flags | None,
    inactive: Inactive = "x",
    birth: Births | None = None,
) -> VReg:
    """The register of lane values with flags per lane.

    `active` lanes hold their value, poison where `unknown`; `undecided` lanes, whose predicate bit is poison, are
    poison; the rest is as `inactive` says. `birth` is where the poison of a lane comes from, -1 if from here.
    """
    lanes = values.view(UNSIGNED[width])
    every = undecided is None and bool(active.all())
    if every and unknown is None:
        return VReg(lanes.view(np.uint8))
    if every and birth is None and unknown is not None:
        return VReg(lanes.view(np.uint8), of_bytes(unknown, width))
    poison = np.zeros(lanes.shape, np.bool_) if unknown is None else unknown & active
    if undecided is not None:
        poison = poison | undecided
    births = None if birth is None else of_bytes(np.where(poison, birth, np.int32(-1)), width)
    if every:
        keep = None
    elif isinstance(inactive, VReg):
        keep = of_bytes(~active & ~poison, width)
    else:
        keep = None
        lanes[~active] = 0
        if inactive == "x":
            poison = poison | ~active
    data, flags = lanes.view(np.uint8), np.ascontiguousarray(of_bytes(poison, width))
    if keep is not None and isinstance(inactive, VReg):
        data, flags = np.where(keep, inactive.data, data), np.where(keep, inactive.poison, flags)
        if births is not None or inactive.birth is not None:
            births = np.where(keep, inactive.lane_birth(1), np.int32(-1) if births is None else births)
    return VReg(data, flags, births)
