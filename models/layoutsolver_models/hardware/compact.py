"""Instructions that move active lanes together, and that count them.

Source: the PTO ISA document, data rearrangement.
"""

from __future__ import annotations

import numpy as np

from layoutsolver_models.hardware.state import PReg, VReg, of_bytes
from layoutsolver_models.vecmem import REGISTER_BYTES


def vsqz(width: int, src: VReg, mask: PReg) -> VReg:
    """The active lanes of `width` bytes one behind the other from lane 0 on, the rest zero.

    From the first undecided predicate bit on everything is poison.

    >>> src = VReg.from_lanes(np.arange(64, dtype=np.uint32))
    >>> vsqz(4, src, PReg.from_lanes([0, 1, 0, 1, 1], 4)).lanes(4)[:5].tolist()
    [1, 3, 4, 0, 0]
    """
    kept = np.flatnonzero(of_bytes(mask.lanes(width), width))
    data, poison = np.zeros(REGISTER_BYTES, np.uint8), np.zeros(REGISTER_BYTES, np.bool_)
    data[: kept.size], poison[: kept.size] = src.data[kept], src.poison[kept]
    birth = None
    if src.birth is not None or mask.birth is not None:
        birth = np.full(REGISTER_BYTES, -1, np.int32)
        birth[: kept.size] = src.lane_birth(1)[kept]
    undecided = np.flatnonzero(mask.lane_poison(width))
    if undecided.size:
        start = int(mask.lanes(width)[: undecided[0]].sum()) * width
        poison[start:] = True
        if birth is not None:
            birth[start:] = mask.lane_birth(width)[undecided[0]]
    return VReg(data, poison, birth)


def vusqz(width: int, mask: PReg) -> VReg:
    """The register of, in each lane, how many lanes before it are active, modulo what a lane holds.

    >>> vusqz(4, PReg.from_lanes([1, 0, 1, 1], 4)).lanes(4)[:6].tolist()
    [0, 1, 1, 2, 3, 3]
    """
    active = mask.lanes(width)
    counts = np.concatenate([[0], np.cumsum(active)[:-1]]).astype(f"u{width}")
    before = np.concatenate([[False], np.logical_or.accumulate(mask.lane_poison(width))[:-1]])
    birth = None
    if mask.birth is not None:
        latest = np.maximum.accumulate(mask.lane_birth(width))
        birth = of_bytes(np.concatenate([np.array([-1], np.int32), latest[:-1]]), width)
    return VReg(counts.view(np.uint8), np.ascontiguousarray(of_bytes(before, width)), birth)
