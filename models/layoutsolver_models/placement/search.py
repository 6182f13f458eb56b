"""Depth-first search over canonical placements of one part: complete, so that it also proves that there is none.

A placement is canonical where buffers are placed in the order of their offsets, each as low as those below it allow;
if there is any placement, there is a canonical one. Buffers are ordered statically by the letters of an order (T: the
fullest section over the lifetime, W: width of the lifetime, A: area), which decides among equal offsets. Inference, as
in MiniMalloc (Moffitt, ASPLOS 2023):

- sections: the lowest place left in a section, and what is still to be placed there, must fit below the capacity;
- monotonic floor: nothing still to be placed may lie below what was placed last;
- dominance: nothing is placed at or above the lowest top that some other buffer could have now;
- hats: where what is placed has no unplaced neighbour, placing something else instead cannot help;
- decomposition: sections that no unplaced buffer crosses split the rest into parts, solved one after another.

All candidates of a node are checked at once, as rows of one array; that is what makes numpy fast enough here.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from layoutsolver_models.placement.compact import Part

if TYPE_CHECKING:
    import numpy as np

    Ints = np.ndarray[Any, np.dtype[np.signedinteger[Any]]]
    Bools = np.ndarray[Any, np.dtype[np.bool_]]

PLACED = 1 << 29
"""The lowest offset of a buffer that is placed: above all others."""
LARGEST = 20_000_000
"""Parts with more entries than this in a table of buffers and sections, or of pairs of buffers, are not searched."""

Order = Literal["TWA", "TAW", "WAT"]
ORDERS: tuple[Order, ...] = ("TWA", "TAW", "WAT")
Verdict = Literal["found", "none", "open"]


def can_search(part: Part) -> bool:
    """Whether a part is one for a `CanonicalSearch`: buffers live as a whole, tables of a reasonable size."""
    small = len(part.sizes) * max(part.sections, len(part.sizes)) <= LARGEST
    reach = sum(part.sizes) + sum(part.alignments) + max(at or 0 for at in part.fixed)
    return small and part.plain and reach < PLACED and (part.capacity or 0) < PLACED


class _Area:
    """Buffers to be placed in a range of sections, in their static order: row i is the i-th buffer of the order."""

    __slots__ = ("adjacent", "crosses", "limit", "live", "members", "numbers", "sizes", "starts", "weights", "widths")

    numbers: Ints
    """The numbers that the buffers have in the part."""
    sizes: Ints
    widths: Ints
    limit: Ints
    """The highest offset that a buffer may have."""
    live: Bools
    """Whether a buffer is live in a section."""
    adjacent: Bools
    """Whether two buffers share a section."""
    members: Ints
    """The buffers of the first section, of the second one, ...; `starts` says where each section begins."""
    starts: Ints
    weights: Ints
    """The size of a buffer in the sections in which it is live, else 0."""
    crosses: Bools
    """Whether a buffer goes on from a section to the next, perhaps through a gap."""


class _State(NamedTuple):
    """What is left to be placed: for each buffer its lowest offset, for each section what is still to be placed there.

    `cuts` counts the unplaced buffers that cross from a section to the next. Nothing may be placed below `floor`, and
    at it nothing that comes before `rank` in the static order.
    """

    lowest: Ints
    totals: Ints
    cuts: Ints
    floor: int
    rank: int


class _Node:
    """The buffers that can be placed next in an area, with the states that follow."""

    __slots__ = ("area", "chosen", "cuts", "lowest", "next", "offsets", "opens", "totals")

    def __init__(self, area: _Area, opens: bool) -> None:
        self.area = area
        self.opens = opens
        """Whether the node is the first of its area."""
        self.chosen: Sequence[int] = ()
        self.offsets: Sequence[int] = ()
        self.lowest: Any = None
        self.totals: Any = None
        self.cuts: Any = None
        self.next = 0


class _Split:
    """Areas that are left to be solved after a placement; all must have a solution."""

    __slots__ = ("areas",)

    def __init__(self, areas: list[tuple[_Area, _State]]) -> None:
        self.areas = areas


class CanonicalSearch:
    """A search that can be continued: `run` visits so many nodes more.

    For parts in which every buffer is live as a whole or not at all (`Part.plain`); `offsets` is the placement found.
    """

    def __init__(self, part: Part, capacity: int, order: Order) -> None:
        import numpy as np

        self.capacity = capacity
        self.order = order
        self.nodes = 0
        self.verdict: Verdict = "open"
        self.offsets = [0] * len(part.sizes)
        self.alignments = np.array(part.alignments, dtype=np.int32) if max(part.alignments) > 1 else None
        self.has_fixed = any(at is not None for at in part.fixed)
        self.stack: list[_Node | _Split] = []
        sizes = np.array(part.sizes, dtype=np.int32)
        live = np.zeros((len(part.sizes), part.sections), dtype=bool)
        for number, own in enumerate(part.spans):
            for first, end, _, _ in own:
                live[number, first:end] = True
        top = [capacity - size if at is None else at for at, size in zip(part.fixed, part.sizes, strict=True)]
        self._limit = np.array(top, dtype=np.int32)
        lowest = np.array([at or 0 for at in part.fixed], dtype=np.int32)
        if min(top) < 0 or any(
            at is not None and at + size > capacity for at, size in zip(part.fixed, part.sizes, strict=True)
        ):
            self.verdict = "none"
            return
        totals = (live * sizes[:, None]).sum(0, dtype=np.int32)
        area, state = self._area(np.arange(len(sizes)), sizes, np.array(part.widths), live, lowest, totals, 0)
        self._enter(area, state, opens=True)

    def run(self, nodes: int) -> Verdict:
        """Search on for at most so many nodes."""
        end = self.nodes + nodes
        stack = self.stack
        while self.verdict == "open" and self.nodes < end:
            top = stack[-1]
            if isinstance(top, _Split):
                if top.areas:
                    area, state = top.areas.pop()
                    self._enter(area, state, opens=True)
                else:
                    stack.pop()
                    self._succeed()
            elif top.next < len(top.chosen):
                self._descend(top)
            else:
                stack.pop()
                self._fail(top.opens)
        return self.verdict

    # -- nodes ------------------------------------------------------------------------------------------------

    def _enter(self, area: _Area, state: _State, opens: bool) -> None:
        """Visit a node: find what can be placed next, and keep what passes all checks."""
        import numpy as np

        self.nodes += 1
        node = _Node(area, opens)
        self.stack.append(node)
        lowest = state.lowest
        tops = lowest + area.sizes
        lowest_top = tops.min()
        if lowest_top >= PLACED:
            self.stack.pop()
            self._solved(opens)
            return
        highest = self.capacity - state.totals.max()
        allowed = (lowest < lowest_top) & (lowest <= highest) & (lowest >= state.floor)
        chosen = allowed.nonzero()[0]
        if state.rank:
            chosen = chosen[(lowest[chosen] > state.floor) | (chosen >= state.rank)]
        if not len(chosen):
            return
        offsets = lowest[chosen]
        if len(chosen) > 1:
            by_offset = offsets.argsort(kind="stable")
            chosen, offsets = chosen[by_offset], offsets[by_offset]
        neighbours = area.adjacent[chosen]
        has_hat = (neighbours & (lowest < PLACED)).any(1)
        if not has_hat.all():
            end = int(has_hat.argmin()) + 1
            chosen, offsets, neighbours = chosen[:end], offsets[:end], neighbours[:end]
        after = np.where(neighbours, tops[chosen][:, None], 0)
        if self.alignments is not None:
            alignments = self.alignments[area.numbers]
            after = -(-after // alignments) * alignments
        np.maximum(after, lowest, out=after)
        after[np.arange(len(chosen)), chosen] = PLACED
        totals = state.totals - area.weights[chosen]
        floors = np.minimum.reduceat(after[:, area.members], area.starts, axis=1)
        np.maximum(floors, offsets[:, None], out=floors)
        floors += totals
        fits = ((floors <= self.capacity) | (totals == 0)).all(1)
        if self.has_fixed:
            fits &= ~((after > area.limit) & (after < PLACED)).any(1)
        kept = fits.nonzero()[0]
        node.chosen, node.offsets = chosen[kept].tolist(), offsets[kept].tolist()
        node.lowest, node.totals, node.cuts = after[kept], totals[kept], state.cuts

    def _descend(self, node: _Node) -> None:
        """Place the next buffer of a node."""
        at = node.next
        node.next += 1
        area, number, floor = node.area, node.chosen[at], node.offsets[at]
        crosses = area.crosses[number]
        cuts = node.cuts - crosses
        state = _State(node.lowest[at], node.totals[at], cuts, floor, number)
        if (cuts[crosses] == 0).any():
            self.stack.append(_Split(self._split(area, state)))
        else:
            self._enter(area, state, opens=False)

    def _split(self, area: _Area, state: _State) -> list[tuple[_Area, _State]]:
        """The areas between the sections that nothing crosses any more, the smallest one first to be solved (last)."""
        bounds = [0, *(int(cut) + 1 for cut in (state.cuts == 0).nonzero()[0]), area.live.shape[1]]
        rest = (state.lowest < PLACED).nonzero()[0]
        first = area.live[rest].argmax(1)
        areas = []
        for start, end in itertools.pairwise(bounds):
            rows = rest[(first >= start) & (first < end)]
            if not len(rows):
                continue
            live = area.live[rows, start:end]
            used = live.any(0)
            areas.append(
                self._area(
                    area.numbers[rows], area.sizes[rows], area.widths[rows], live[:, used],
                    state.lowest[rows], state.totals[start:end][used], state.floor,
                )
            )  # fmt: skip
        areas.sort(key=lambda made: -len(made[0].sizes))
        return areas

    def _area(
        self, numbers: Ints, sizes: Ints, widths: Ints, live: Bools, lowest: Ints, totals: Ints, floor: int
    ) -> tuple[_Area, _State]:
        """An area in its static order, and the state in which it is entered."""
        import numpy as np

        keys = {
            "T": np.where(live, totals, 0).max(1),
            "W": widths,
            "A": widths * sizes.astype(np.int64),
        }
        order = np.lexsort((numbers, *(-keys[letter] for letter in reversed(self.order))))
        area = _Area()
        area.numbers, area.sizes, area.widths, area.live = numbers[order], sizes[order], widths[order], live[order]
        area.limit = self._limit[area.numbers]
        flags = area.live.astype(np.float32)
        area.adjacent = (flags @ flags.T) > 0
        np.fill_diagonal(area.adjacent, False)
        sections, area.members = area.live.T.nonzero()
        area.starts = np.searchsorted(sections, np.arange(live.shape[1]))
        area.weights = (area.live * area.sizes[:, None]).astype(np.int32)
        first = area.live.argmax(1)[:, None]
        last = live.shape[1] - 1 - area.live[:, ::-1].argmax(1)[:, None]
        section = np.arange(1, live.shape[1])
        area.crosses = (first < section) & (section <= last)
        return area, _State(lowest[order], totals, area.crosses.sum(0), floor, 0)

    # -- outcomes ---------------------------------------------------------------------------------------------

    def _solved(self, opens: bool) -> None:
        """Everything of an area is placed: its nodes, from the last one up to the one that opened it, are done."""
        while self.stack and not opens:
            node = self.stack.pop()
            assert isinstance(node, _Node)
            self._keep(node)
            opens = node.opens
        if not self.stack:
            self.verdict = "found"

    def _succeed(self) -> None:
        """All areas behind a placement are solved, and so is the node that made it."""
        node = self.stack.pop()
        assert isinstance(node, _Node)
        self._keep(node)
        self._solved(node.opens)

    def _keep(self, node: _Node) -> None:
        at = node.next - 1
        self.offsets[int(node.area.numbers[node.chosen[at]])] = node.offsets[at]

    def _fail(self, opens: bool) -> None:
        """A node has no solution: neither has the split that it belongs to, if it opened an area."""
        if opens and self.stack:
            self.stack.pop()
        elif not self.stack:
            self.verdict = "none"
