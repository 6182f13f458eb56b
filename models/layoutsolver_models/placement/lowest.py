"""The least height of one part: canonical search and CP-SAT take turns, each on what the other left."""

from __future__ import annotations

import time

from layoutsolver_models.cp.placement import PlacementModel, Variant
from layoutsolver_models.cp.timed import Search
from layoutsolver_models.placement.compact import Part
from layoutsolver_models.placement.greedy import height
from layoutsolver_models.placement.search import ORDERS, CanonicalSearch, can_search
from layoutsolver_models.problems.layout import Status
from layoutsolver_models.solve.layout import Limits

FIRST_NODES = 400
FIRST_TURN = 1.0
SLICE = 64


def lowest_height(
    part: Part, offsets: list[int], method: str, enough: int, limits: Limits, deadline: float | None
) -> tuple[list[int], int, Status, str]:
    """The lowest placement found from `offsets` on (empty: none is known), a bound, and whether it is proved.

    A height of at most `enough` ends the search. Status is `feasible` if the deadline struck before the proof, and
    `unknown` if it did before any placement was found.
    """
    state = _Bounds(part, offsets, method, max(part.loads()), enough)
    turn = 1
    while not state.done:
        if can_search(part):
            state.bisect(FIRST_NODES * turn, deadline)
        if not state.done and not _over(deadline):
            state.ask(turn, limits, deadline)
        if _over(deadline) and not state.done:
            return state.best, state.low, "feasible" if state.best else "unknown", state.method
        turn *= 2
    if not state.best:
        return [], state.low, "infeasible", state.method
    return state.best, state.low, "optimal", state.method


def _over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


class _Bounds:
    """The lowest placement so far, and a height below which there is none."""

    def __init__(self, part: Part, best: list[int], method: str, low: int, enough: int) -> None:
        self.part, self.best, self.method, self.low, self.enough = part, best, method, low, enough
        tops = [0 if at is None else at + size for at, size in zip(part.fixed, part.sizes, strict=True)]
        self.low = max(self.low, *tops)
        padding = sum(step - 1 for step in part.alignments)
        self.high = height(part, best) if best else sum(part.sizes) + padding + max(tops) + 1
        self.impossible = False

    @property
    def done(self) -> bool:
        return self.impossible or (bool(self.best) and (self.high <= self.enough or self.low >= self.high))

    def bisect(self, nodes: int, deadline: float | None) -> None:
        """Halve the heights that are open; where a search does not end within its nodes, look higher."""
        floor = self.low
        while floor < self.high and not self.done and not _over(deadline):
            middle = (floor + self.high - (1 if self.best else 0)) // 2
            verdict, search = self._search(middle, nodes, deadline)
            if verdict == "found":
                self.best, self.method = search.offsets, f"canonical search {search.order}"
                self.high = height(self.part, self.best)
            elif verdict == "none":
                self.low = floor = middle + 1
                self.impossible = not self.best and middle >= self.high
            else:
                floor = middle + 1

    def _search(self, capacity: int, nodes: int, deadline: float | None) -> tuple[str, CanonicalSearch]:
        for order in ORDERS:
            search = CanonicalSearch(self.part, capacity, order)
            verdict = search.verdict
            for _ in range(0, nodes, SLICE):
                verdict = search.run(SLICE)
                if verdict != "open" or _over(deadline):
                    break
            if verdict != "open" or _over(deadline):
                break
        return verdict, search

    def ask(self, turn: int, limits: Limits, deadline: float | None) -> None:
        """Let CP-SAT minimise for a while, from the best placement on."""
        model = PlacementModel(self.part, self.high, Variant(ordered=not self.best), minimize=True, floor=self.low)
        if self.best:
            model.hint(self.best, self.high)
        seconds = None if deadline is None else max(0.001, deadline - time.monotonic())
        search = Search(limits.seed + turn - 1, limits.workers, seconds, FIRST_TURN * turn)
        status, offsets, bound = model.solve(search)
        if status == "infeasible":
            self.impossible = True
        if offsets:
            if not self.best or height(self.part, offsets) < self.high:
                self.best, self.method, self.high = offsets, "CP-SAT", height(self.part, offsets)
            self.low = max(self.low, bound)
