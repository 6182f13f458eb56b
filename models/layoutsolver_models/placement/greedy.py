"""Placements by simple rules, in milliseconds: first fit in several orders, and lowest first.

Whatever is placed stays where it is, so these find placements and prove nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from layoutsolver_models.placement.compact import Part

if TYPE_CHECKING:
    import numpy as np

    Ints = np.ndarray[Any, np.dtype[np.int64]]

UNPLACED = 1 << 60


class Shape:
    """A part as arrays, a row for each span: whose it is, its sections, and which of the buffer's bytes are live."""

    def __init__(self, part: Part) -> None:
        import numpy as np

        rows = [(n, *span) for n, own in enumerate(part.spans) for span in own]
        self.part = part
        self.count = len(part.sizes)
        self.owner, self.first, self.end, self.low, self.high = np.array(rows, dtype=np.int64).T
        self.rows = [np.flatnonzero(self.owner == n) for n in range(self.count)] if len(rows) > self.count else None
        self.size = np.array(part.sizes, dtype=np.int64)
        self.alignment = np.array(part.alignments, dtype=np.int64)
        self.aligned = any(value > 1 for value in part.alignments)

    def orders(self) -> Iterator[Ints]:
        """Orders that do well, the best ones first: large, long-lived, crowded buffers before others."""
        import numpy as np

        loads = np.array(self.part.loads(), dtype=np.int64)
        crowd = np.array([max(int(loads[a:z].max()) for a, z, *_ in own) for own in self.part.spans], dtype=np.int64)
        width = np.array(self.part.widths, dtype=np.int64)
        area = self.size * width
        number = np.arange(self.count)
        for keys in (
            (area,), (crowd, width, area), (width, area), (self.size, width), (crowd, area), (width, crowd, area),
            (area, crowd),
        ):  # fmt: skip
            yield np.lexsort((number, *(-key for key in reversed(keys))))

    def meeting(self, number: int) -> Iterator[tuple[Ints, int, int]]:
        """For each span of a buffer, the rows of others that share sections with it, and the live bytes of the span."""
        import numpy as np

        for row in [number] if self.rows is None else self.rows[number]:
            shared = np.flatnonzero((self.first < self.end[row]) & (self.first[row] < self.end))
            yield shared[self.owner[shared] != number], int(self.low[row]), int(self.high[row])


def fixed_first(part: Part, order: Ints) -> list[int]:
    """An order with the buffers whose place is fixed before all others."""
    numbers = [int(number) for number in order]
    return sorted(numbers, key=lambda number: part.fixed[number] is None)


def first_fit(shape: Shape, order: Ints) -> list[int]:
    """The offsets when each buffer in turn takes the lowest free place; ends of fixed ones may overlap others."""
    import numpy as np

    offset = np.full(shape.count, -1, dtype=np.int64)
    for number in fixed_first(shape.part, order):
        fixed = shape.part.fixed[number]
        if fixed is not None:
            offset[number] = fixed
            continue
        low, high = [], []
        for rows, bottom, top in shape.meeting(number):
            owner = shape.owner[rows]
            rows = rows[offset[owner] >= 0]
            at = offset[shape.owner[rows]]
            low.append(at + shape.low[rows] - top + 1)
            high.append(at + shape.high[rows] - bottom)
        offset[number] = _lowest(np.concatenate(low), np.concatenate(high), int(shape.alignment[number]))
    return [int(value) for value in offset]


def _lowest(low: Ints, high: Ints, alignment: int) -> int:
    """The lowest aligned offset in none of the ranges `[low, high)`."""
    import numpy as np

    if not len(low):
        return 0
    order = np.argsort(low, kind="stable")
    low, high = low[order], np.maximum(np.maximum.accumulate(high[order]), 0)
    free = high if alignment == 1 else -(-high // alignment) * alignment
    first = 0
    if low[0] <= first:
        open_ = np.flatnonzero(free[:-1] < low[1:])
        first = int(free[open_[0]]) if len(open_) else int(free[-1])
    return first


def lowest_first(shape: Shape, order: Ints) -> list[int]:
    """The offsets when always the buffer goes next that can lie lowest, earlier ones in the order among equals.

    For parts without windows and fixed places.
    """
    import numpy as np

    rank = np.empty(shape.count, dtype=np.int64)
    rank[order] = np.arange(shape.count)
    lowest = np.zeros(shape.count, dtype=np.int64)
    offset = np.zeros(shape.count, dtype=np.int64)
    key = rank.copy()
    for _ in range(shape.count):
        number = int(key.argmin())
        at = int(lowest[number])
        offset[number] = at
        lowest[number] = UNPLACED // shape.count
        key[number] = UNPLACED
        for rows, _, top in shape.meeting(number):
            met = shape.owner[rows]
            met = met[lowest[met] < at + top]
            lifted = at + top
            if shape.aligned:
                lowest[met] = -(-lifted // shape.alignment[met]) * shape.alignment[met]
            else:
                lowest[met] = lifted
            key[met] = lowest[met] * shape.count + rank[met]
    return [int(value) for value in offset]


def height(part: Part, offsets: list[int]) -> int:
    """Where the highest buffer of a part ends, in units."""
    return max(offset + size for offset, size in zip(offsets, part.sizes, strict=True))


def greedy(part: Part, enough: int) -> tuple[list[int], str]:
    """The lowest of the greedy placements and the name of its rule; the first one not above `enough` ends the search.

    Placements in which fixed buffers overlap count as none: the list may be empty.
    """
    shape = Shape(part)
    best: list[int] = []
    method = ""
    movable = all(fixed is None for fixed in part.fixed)
    rules = [("first fit", first_fit)]
    if movable and part.plain:
        rules.append(("lowest first", lowest_first))
    if not movable and not fits_fixed(shape):
        return [], ""
    for order in shape.orders():
        for name, rule in rules:
            found = rule(shape, order)
            if not best or height(part, found) < height(part, best):
                best, method = found, name
            if height(part, best) <= enough:
                return best, method
    return best, method


def fits_fixed(shape: Shape) -> bool:
    """Whether no two buffers with fixed places overlap."""
    part = shape.part
    for number, at in enumerate(part.fixed):
        if at is None:
            continue
        for rows, low, high in shape.meeting(number):
            for row in rows:
                other = part.fixed[int(shape.owner[row])]
                if other is not None and at + low < other + shape.high[row] and other + shape.low[row] < at + high:
                    return False
    return True
