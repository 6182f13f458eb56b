"""One part of a placement problem as a CP-SAT model: in each section, no two live byte ranges overlap.

This is what CP-SAT makes of rectangles itself. No single search does well on all problems, and each has a heavy tail:
`VARIANTS` are meant to be tried in turn, with growing limits and changing seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from layoutsolver_models.cp.timed import Search, TimedModel
from layoutsolver_models.placement.compact import Part


@dataclass(frozen=True, slots=True)
class Variant:
    """Whether equal buffers are put in order, and whether the search always goes for the lowest place."""

    ordered: bool = False
    fixed: bool = False


VARIANTS = (Variant(), Variant(ordered=True), Variant(fixed=True))


class PlacementModel:
    """The model of a part; `minimize` makes the height an objective, which otherwise is at most `capacity`."""

    def __init__(self, part: Part, capacity: int, variant: Variant, minimize: bool = False, floor: int = 0) -> None:
        self.part = part
        self.variant = variant
        model = self.model = TimedModel()
        self.offsets = []
        for number, (size, step, at) in enumerate(zip(part.sizes, part.alignments, part.fixed, strict=True)):
            low, high = (0, capacity - size) if at is None else (at, min(at, capacity - size))
            self.offsets.append(model.new_integer_between(f"buffer {number}", low, high, step))
        sections: list[list[int]] = [[] for _ in range(part.sections)]
        for number, own in enumerate(part.spans):
            intervals: dict[tuple[int, int], int] = {}
            for first, end, low, high in own:
                if (low, high) not in intervals:
                    interval = model.new_interval(f"buffer {number}", self.offsets[number], high - low, low)
                    intervals[low, high] = interval
                for section in range(first, end):
                    sections[section].append(intervals[low, high])
        for section, live in enumerate(sections):
            model.no_overlap(f"section {section}", live)
        if variant.ordered:
            self._order_equals()
        model.lowest_first(self.offsets)
        if minimize:
            height = model.new_integer_between("height", floor, capacity)
            for offset, size in zip(self.offsets, part.sizes, strict=True):
                model.linear("height", [(1, height), (-1, offset)], low=size)
            model.minimize_total([(1, height)])

    def _order_equals(self) -> None:
        """Buffers that are alike lie one above the other in the order of their numbers."""
        part = self.part
        alike: dict[object, list[int]] = {}
        for number, key in enumerate(zip(part.sizes, part.alignments, part.fixed, part.spans, strict=True)):
            alike.setdefault(key, []).append(number)
        for numbers in alike.values():
            for one, other in pairwise(numbers):
                if part.fixed[one] is None:
                    terms = [(1, self.offsets[other]), (-1, self.offsets[one])]
                    self.model.linear("equal buffers", terms, low=0)

    def solve(self, search: Search) -> tuple[str, list[int], int]:
        """The status, the offsets if there are any, and a lower bound of the height if it is minimised."""
        from dataclasses import replace

        answer = self.model.solve_timed(replace(search, fixed=self.variant.fixed))
        offsets = [answer.values[offset] for offset in self.offsets] if answer.values else []
        return answer.status, offsets, answer.bound

    def hint(self, offsets: list[int], height: int | None = None) -> None:
        """Start from a placement that fits."""
        self.model.hint_values([*offsets, *([] if height is None else [height])])
