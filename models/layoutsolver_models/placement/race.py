"""Whether one part of a placement problem fits into a capacity: canonical search against CP-SAT.

Neither does well on everything: full sections with few buffers are CP-SAT's, crowded ones the search's. With one worker
they take turns, measured in work and not in time, so that the answer is the same in every run; with more, CP-SAT runs
in a thread of its own and the first answer wins.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Literal, NamedTuple

from layoutsolver_models.cp.placement import VARIANTS, PlacementModel
from layoutsolver_models.cp.timed import Search
from layoutsolver_models.placement.compact import Part
from layoutsolver_models.placement.search import ORDERS, CanonicalSearch, can_search
from layoutsolver_models.solve.layout import Limits

FIRST_NODES = 2000
"""Nodes that each order gets in its first turn; the first order gets twice as many as the others."""
RACE_NODES = 250
"""The same where they race: small turns, since the other side does not wait."""
FIRST_TURN = 0.05
"""CP-SAT's deterministic time in its first turns."""
FIRST_SECONDS = 4.0
"""Seconds after which CP-SAT starts anew with another variant and seed, where it has a thread of its own."""
SLICE = 64
"""So many nodes are visited between two looks at the clock."""


class Fit(NamedTuple):
    """`found` with offsets, `none` if nothing fits (proved), `open` if a limit was reached; and what decided it."""

    verdict: Literal["found", "none", "open"]
    offsets: list[int]
    method: str = ""


def fit(part: Part, capacity: int, limits: Limits, deadline: float | None) -> Fit:
    """Place a part within a capacity, or prove that it cannot be done. `deadline` is on the monotonic clock."""
    if limits.workers > 1:
        return _race(part, capacity, limits, deadline)
    searches = _Searches(part, capacity)
    for turn in _doubling():
        for verdict in searches.turn(FIRST_NODES * turn):
            if verdict is not None:
                return verdict
            if _left(deadline) <= 0:
                return Fit("open", [])
        for variant in VARIANTS:
            model = PlacementModel(part, capacity, variant)
            found = _of_model(model, Search(limits.seed + turn - 1, 1, _seconds(deadline), FIRST_TURN * turn))
            if found is not None:
                return found
            if _left(deadline) <= 0:
                return Fit("open", [])
    raise AssertionError("turns never end")


def _doubling() -> Iterator[int]:
    turn = 1
    while True:
        yield turn
        turn *= 2


def _left(deadline: float | None) -> float:
    return float("inf") if deadline is None else deadline - time.monotonic()


def _seconds(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.001, deadline - time.monotonic())


def _of_model(model: PlacementModel, search: Search) -> Fit | None:
    """What a solve says, None if it reached its limit."""
    status, offsets, _ = model.solve(search)
    if status in ("optimal", "feasible"):
        return Fit("found", offsets, "CP-SAT")
    return Fit("none", [], "CP-SAT") if status == "infeasible" else None


class _Searches:
    """The canonical searches of all orders, which go on where they stopped; none for parts that they do not cover."""

    def __init__(self, part: Part, capacity: int) -> None:
        self.searches = [CanonicalSearch(part, capacity, order) for order in ORDERS] if can_search(part) else []

    def turn(self, nodes: int) -> Iterator[Fit | None]:
        """Visit so many nodes with each order, the first one twice as many, in slices; what was found, if anything."""
        for number, search in enumerate(self.searches):
            for _ in range(0, nodes * (1 if number else 2), SLICE):
                verdict = search.run(SLICE)
                if verdict != "open":
                    yield Fit(verdict, search.offsets, f"canonical search {search.order}")
                    return
                yield None


def _race(part: Part, capacity: int, limits: Limits, deadline: float | None) -> Fit:
    """Canonical search here, CP-SAT in a thread: it leaves the interpreter alone while it solves."""
    runner = _Runner(part, capacity, limits, deadline)
    runner.start()
    try:
        searches = _Searches(part, capacity)
        while runner.answer is None and _left(deadline) > 0 and not runner.failed:
            if not searches.searches:
                runner.join(min(0.05, _left(deadline)))
                continue
            for verdict in searches.turn(RACE_NODES):
                if verdict is not None:
                    return verdict
                if runner.answer is not None or _left(deadline) <= 0:
                    break
    finally:
        runner.stop()
    if runner.failed:
        raise runner.failed[0]
    return runner.answer or Fit("open", [])


class _Runner(threading.Thread):
    """CP-SAT with changing variants and seeds until one of them knows, or until it is stopped."""

    def __init__(self, part: Part, capacity: int, limits: Limits, deadline: float | None) -> None:
        super().__init__(daemon=True)
        self.part, self.capacity, self.limits, self.deadline = part, capacity, limits, deadline
        self.answer: Fit | None = None
        self.failed: list[BaseException] = []
        self._model: PlacementModel | None = None
        self._over = threading.Event()

    def run(self) -> None:
        try:
            self._solve()
        except BaseException as error:  # it belongs to the thread that waits, which raises it again
            self.failed.append(error)

    def _solve(self) -> None:
        for turn in _doubling():
            for variant in VARIANTS:
                if self._over.is_set() or _left(self.deadline) <= 0:
                    return
                model = PlacementModel(self.part, self.capacity, variant)
                self._model = model
                seconds = min(FIRST_SECONDS * turn, _left(self.deadline))
                found = _of_model(model, Search(self.limits.seed + turn - 1, self.limits.workers - 1, seconds))
                if found is not None:
                    self.answer = found
                    return

    def stop(self) -> None:
        """Let it end, and wait until it has."""
        self._over.set()
        while self.is_alive():
            if self._model is not None:
                self._model.model.stop()
            self.join(0.02)
