"""Histograms of unsigned bytes in 16-bit bins, of which a register holds 128.

That `half` 0 has the bins 0 to 127 and half 1 those from 128 on is inferred from the forms that compilers emit; that a
bin of the cumulative form counts the samples up to and including its own is what its name says. Source: the PTO ISA
document, histogram reductions.
"""

from __future__ import annotations

import numpy as np

from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.vecmem import REGISTER_BYTES

BINS = 128
"""The bins of a register."""


def _update(acc: VReg, samples: VReg, mask: PReg, half: int, cumulative: bool) -> VReg:
    active = mask.lanes(1) & ~mask.lane_poison(1)
    counts = np.bincount(samples.data[active], minlength=2 * BINS)
    if cumulative:
        counts = np.cumsum(counts)
    own = counts[half * BINS : (half + 1) * BINS]
    values = (acc.lanes(2).astype(np.int64) + own).astype(np.uint16)
    undecided = mask.lane_poison(1) | (mask.lanes(1) & samples.poison)
    if undecided.any():
        births = [source.lane_birth(1)[undecided].max() for source in (samples, mask)]
        return VReg(values.view(np.uint8), np.ones(REGISTER_BYTES, np.bool_),
                    np.full(REGISTER_BYTES, max(births), np.int32))  # fmt: skip
    poison = np.repeat(acc.lane_poison(2), 2)
    return VReg(values.view(np.uint8), poison, None if acc.birth is None else np.repeat(acc.lane_birth(2), 2))


def dhist(acc: VReg, samples: VReg, mask: PReg, half: int) -> VReg:
    """The accumulators plus, for each bin, how many active samples have its number.

    >>> samples = VReg.from_lanes(np.array([1, 1, 130] + 253 * [7], np.uint8))
    >>> dhist(VReg.zeros(), samples, PReg.full(), 0).lanes(2)[:8].tolist()
    [0, 2, 0, 0, 0, 0, 0, 253]
    """
    return _update(acc, samples, mask, half, False)


def chist(acc: VReg, samples: VReg, mask: PReg, half: int) -> VReg:
    """The accumulators plus, for each bin, how many active samples have its number or a lower one."""
    return _update(acc, samples, mask, half, True)
