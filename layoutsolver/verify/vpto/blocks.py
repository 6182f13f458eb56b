"""How vsldb and vsstb read their predicate.

The document has bit 4b of a b32 predicate decide about the whole of block b. Compilers pass a predicate of the element
width, and for elements of 8 and 16 bits no document says whether the hardware then takes lanes or blocks. A byte of
which both readings say the same is certain; the others are not.
"""

from __future__ import annotations

import numpy as np

from layoutsolver_models.hardware.formats import Flags
from layoutsolver_models.hardware.state import PReg
from layoutsolver_models.hardware.ub import BLOCK
from layoutsolver_models.vecmem import REGISTER_BYTES

_BLOCKS = REGISTER_BYTES // BLOCK


def block_mask(mask: PReg, width: int) -> tuple[PReg, Flags]:
    """The predicate whose bit 4b is set if block b is certainly touched, and the bytes of which that is not certain."""
    by_block = np.repeat(mask.lanes(4)[:_BLOCKS], BLOCK)
    unknown = np.repeat(mask.lane_poison(4)[:_BLOCKS], BLOCK)
    if width == 4:
        return mask, np.zeros(REGISTER_BYTES, np.bool_) | unknown
    by_lane = np.repeat(mask.lanes(width), width)
    unsure: Flags = (by_block != by_lane) | unknown | np.repeat(mask.lane_poison(width), width)
    touched = by_block & by_lane
    return PReg.from_lanes(touched.reshape(_BLOCKS, BLOCK).any(axis=1), 4), unsure
