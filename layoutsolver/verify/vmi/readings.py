"""What documents leave open of masks, and how a run takes it.

Of a store without `pmode = "merge"`, the text of the operation says that elements which the mask leaves out become
zero; what it is lowered to leaves them alone. Of lane-by-lane operations without a `pmode`, such elements of the result
are zero by the hardware's predication; but the text lets operations with a scalar pass on their source, and the mask of
the others is dropped on the way. A program that depends on it is run in every reading.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Reading(NamedTuple):
    """Whether stores write zeros where the mask is clear, and whether lanes of results are passed on there."""

    stores_zeros: bool = False
    passes_lanes: bool = False

    @property
    def text(self) -> str:
        """The reading in words."""
        stores = "zeros are stored" if self.stores_zeros else "nothing is stored"
        lanes = "sources pass" if self.passes_lanes else "results are zero"
        return f"where a mask is clear, {stores} and {lanes}"


READINGS: tuple[Reading, ...] = (Reading(), Reading(True), Reading(False, True), Reading(True, True))
"""All readings; the first is what the hardware does."""


@dataclass(slots=True)
class Masks:
    """How a run takes what is open of masks, and in which respects it mattered."""

    reading: Reading = field(default_factory=Reading)
    open_stores: bool = False
    open_lanes: bool = False

    def others(self) -> list[Reading]:
        """The other readings in which the same program may do something else."""
        return [
            reading for reading in READINGS[1:]
            if (self.open_stores or not reading.stores_zeros) and (self.open_lanes or not reading.passes_lanes)
        ]  # fmt: skip
