"""What upstream prefers among rules, table by table and phase by phase. Source: sections 3.3, 3.4 and 4.1."""

from __future__ import annotations

from typing import NamedTuple


class CastPreference(NamedTuple):
    """A preferred cast: widths, source and result layouts; `lanes` 0 is any number of elements.

    Of the same table, a row with its number of elements goes before one for any.
    """

    widths: tuple[int, int]
    lanes: int
    source: str
    result: str


HIGH: tuple[CastPreference, ...] = (
    CastPreference((8, 16), 0, "ls2", "c"), CastPreference((16, 32), 0, "ls2", "c"),
    CastPreference((8, 32), 0, "ls4", "c"), CastPreference((16, 8), 0, "c", "ls2"),
    CastPreference((32, 16), 0, "c", "ls2"), CastPreference((32, 8), 0, "c", "ls4"),
)  # fmt: skip
"""First: only where source and result take one register each; narrowing only with lane-stride narrowing on."""

LANE_STRIDE_NARROWING: tuple[CastPreference, ...] = (
    CastPreference((16, 8), 0, "c", "ls2"), CastPreference((32, 16), 0, "c", "ls2"),
    CastPreference((32, 8), 0, "c", "ls4"),
)  # fmt: skip
"""Second: unless lane-stride narrowing is switched off."""

GENERAL: tuple[CastPreference, ...] = (
    CastPreference((16, 32), 64, "ls2", "c"), CastPreference((8, 32), 64, "ls4", "c"),
    CastPreference((32, 16), 64, "c", "ls2"), CastPreference((32, 8), 64, "c", "ls4"),
    CastPreference((32, 8), 128, "d2", "ls2"), CastPreference((8, 16), 0, "c", "d2"),
    CastPreference((16, 32), 0, "c", "d2"), CastPreference((8, 32), 0, "c", "d4"),
    CastPreference((16, 8), 0, "d2", "c"), CastPreference((32, 16), 0, "d2", "c"),
    CastPreference((32, 8), 0, "d4", "c"),
)  # fmt: skip
"""Last."""

STORE: dict[tuple[int, int], str] = {(8, 64): "ls4", (8, 128): "ls2", (16, 64): "ls2"}
"""The layout that a store, masked or not, asks of a value that nothing else decides, by its width and elements."""

PHASES: tuple[str, ...] = (
    "explicit", "group load", "reduce", "group slot load", "group broadcast", "group broadcast load", "compact cast",
    "group store", "lane-stride narrowing cast", "cast", "weak reduce", "store", "other", "group store fallback",
)  # fmt: skip
"""The order in which upstream writes layouts; whoever writes first decides."""


def preferred(
    widths: tuple[int, int], lanes: int, registers: tuple[int, int], narrowing: bool = True
) -> CastPreference | None:
    """The cast that upstream prefers, given how many registers source and result take if they are contiguous.

    >>> preferred((32, 8), 256, (4, 1)).result, preferred((32, 8), 256, (4, 1), narrowing=False).source
    ('ls4', 'd4')
    """
    compact = registers == (1, 1)
    tables = [HIGH if compact else ()]
    if narrowing:
        tables.append(LANE_STRIDE_NARROWING)
    elif compact:
        tables = [tuple(row for row in HIGH if row.widths[0] < row.widths[1])]
    for table in (*tables, GENERAL):
        fitting = [row for row in table if row.widths == widths and row.lanes in (0, lanes)]
        if fitting:
            return max(fitting, key=lambda row: row.lanes)
    return None
