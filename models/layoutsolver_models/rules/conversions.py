"""Conversions of data between two layouts of one element width, as the dialect's operations make them.

Source: HIVMAVEOps.td (`layout_change` of vintlv and vdintlv). A `SPARSE` interleave of the register with itself doubles
the slot of an element, a `DENSE` deinterleave halves it. No shorter sequence of rearrangements does the same.
"""

from __future__ import annotations

from typing import NamedTuple


class LayoutConversion(NamedTuple):
    """A way from one layout to another: `steps` are operations with their `layout_change`, one instruction each."""

    id: str
    before: str
    after: str
    steps: tuple[tuple[str, str], ...]


_SPREAD, _CLOSE = ("vintlv", "SPARSE"), ("vdintlv", "DENSE")

CONVERSIONS = (
    LayoutConversion("AVE.CONVERT.B8.B8_2VL", "b8", "b8_2vl", (_SPREAD,)),
    LayoutConversion("AVE.CONVERT.B8.B8_4VL", "b8", "b8_4vl", (_SPREAD, _SPREAD)),
    LayoutConversion("AVE.CONVERT.B8_2VL.B8_4VL", "b8_2vl", "b8_4vl", (_SPREAD,)),
    LayoutConversion("AVE.CONVERT.B8_2VL.B8", "b8_2vl", "b8", (_CLOSE,)),
    LayoutConversion("AVE.CONVERT.B8_4VL.B8", "b8_4vl", "b8", (_CLOSE, _CLOSE)),
    LayoutConversion("AVE.CONVERT.B8_4VL.B8_2VL", "b8_4vl", "b8_2vl", (_CLOSE,)),
    LayoutConversion("AVE.CONVERT.B16.B16_2VL", "b16", "b16_2vl", (_SPREAD,)),
    LayoutConversion("AVE.CONVERT.B16_2VL.B16", "b16_2vl", "b16", (_CLOSE,)),
)
"""All of them: data of 32 bits and predicates have none."""

CONVERSION: dict[tuple[str, str], LayoutConversion] = {(row.before, row.after): row for row in CONVERSIONS}
"""The same by the two layouts."""
