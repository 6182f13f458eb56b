"""Allocations that can be left out, in an order that is fixed: the fewest allocations that its lives allow.

A bank that is released and then allocated with equal columns need not be either: what comes next finds old bytes
instead of zeros, so its first operation must overwrite every row that is used, and not read or add to what is there.
And a conversion may be done in place, though no bank less is live for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from layoutsolver_models.banks.uses import uses_of
from layoutsolver_models.cp.banks import Places, may_share
from layoutsolver_models.cp.timed import Search, TimedModel
from layoutsolver_models.problems.banks import BankProblem


@dataclass(frozen=True, slots=True)
class Fewest:
    """Places with the banks that are one, the pairs kept allocated, and whether no more pairs are possible."""

    places: Places
    kept: tuple[tuple[int, int], ...] = ()
    proved: bool = False


def fewest_allocations(
    problem: BankProblem, order: Sequence[int], places: Places, search: Search, keeping: bool
) -> Fewest:
    """Places within the same number of banks; without `keeping`, only more conversions are done in place."""
    return _Fewest(problem, order, places).solve(search, keeping)


class _Fewest:
    def __init__(self, problem: BankProblem, order: Sequence[int], places: Places) -> None:
        self.problem, self.order, self.places = problem, order, places
        self.model = TimedModel()
        self.contiguous = problem.model == "contiguous"
        self.capacity = places.peak if self.contiguous else problem.largest_id + 1
        self.living = [number for number, (start, end) in enumerate(places.lives) if start < end]
        self.ids, self.ends = [], []
        for number, bank in enumerate(problem.banks):
            size = bank.size if self.contiguous else 1
            highest = min(problem.largest_id, self.capacity - size) if number in self.living else 0
            self.ids.append(self.model.new_integer_between(f"bank {number}", 0, highest))
            self.ends.append(self.model.new_integer_between(f"end {number}", 0, len(order) + 1))

    def solve(self, search: Search, keeping: bool) -> Fewest:
        """Look for the most pairs, the lowest ids among equally many."""
        model, places = self.model, self.places
        for source, target in places.shared:
            model.linear("in place", [(1, self.ids[source]), (-1, self.ids[target])], low=0, high=0)
        shared = {pair: self.pair(pair, "are one") for pair in self.conversions()}
        kept = {pair: self.pair(pair, "follow each other") for pair in self.followers() if keeping}
        self.choose({**shared, **kept}, shared, kept)
        self.rectangles()
        weight = len(self.problem.banks) * (self.capacity + 1) + 1
        chosen = [*shared.values(), *kept.values()]
        model.minimize_total([(1, one) for one in self.ids], [(-weight, literal) for literal in chosen])
        answer = model.solve_timed(search)
        if not answer.values:
            return Fewest(places)
        ids = tuple(answer.values[one] for one in self.ids)
        more = tuple(pair for pair, literal in shared.items() if literal in answer.true)
        starts = {source: places.lives[target][0] for source, target in more}
        lives = tuple((start, starts.get(number, end)) for number, (start, end) in enumerate(places.lives))
        found = Places(places.times, ids, lives, (*places.shared, *more), places.peak)
        return Fewest(
            found, tuple(pair for pair, literal in kept.items() if literal in answer.true), answer.status == "optimal"
        )

    def pair(self, pair: tuple[int, int], what: str) -> int:
        """A literal for two banks at one place, the first of which ends where the other begins."""
        one, other = pair
        literal = self.model.new_bool(f"{one} and {other} {what}")
        self.model.linear(what, [(1, self.ids[one]), (-1, self.ids[other])], low=0, high=0, condition=[literal])
        start = self.places.lives[other][0]
        self.model.linear(what, [(1, self.ends[one])], low=start, high=start, condition=[literal])
        return literal

    def choose(
        self, pairs: dict[tuple[int, int], int], shared: dict[tuple[int, int], int], kept: dict[tuple[int, int], int]
    ) -> None:
        """Every bank gives its place away once, and takes over one; else it ends with its life."""
        model = self.model
        behind: dict[int, list[int]] = {}
        before: dict[int, list[int]] = {}
        for found in (shared, kept):
            for (one, other), literal in found.items():
                behind.setdefault(one, []).append(literal)
                before.setdefault(other, []).append(literal)
        for literals in before.values():
            model.at_most_one("taken over", literals)
        for number, (_, end) in enumerate(self.places.lives):
            rest = model.new_bool(f"{number} is released")
            model.exactly_one("given away", [rest, *behind.get(number, [])])
            model.linear("released", [(1, self.ends[number])], low=end, high=end, condition=[rest])

    def rectangles(self) -> None:
        """No two banks lie on each other, and no more are live than before."""
        model, living = self.model, self.living
        if not living:
            return
        starts = [
            model.new_integer_between(f"start {n}", start, start) for n, (start, _) in enumerate(self.places.lives)
        ]
        across = [model.new_interval_until(f"life {n}", starts[n], self.ends[n]) for n in living]
        sizes = [self.problem.banks[number].size for number in living]
        along = [
            model.new_interval(f"columns {n}", self.ids[n], size if self.contiguous else 1)
            for n, size in zip(living, sizes, strict=True)
        ]
        model.no_overlap_2d("banks", across, along)
        if not self.contiguous:
            limit = model.new_integer_between("banks", self.places.peak, self.places.peak)
            model.cumulative("capacity", across, sizes, limit)

    def conversions(self) -> list[tuple[int, int]]:
        """The pairs that a conversion could make one bank, and that are not yet."""
        sources, targets = ({pair[side] for pair in self.places.shared} for side in (0, 1))
        at = {number: place for place, number in enumerate(self.order)}
        users = uses_of(self.problem)
        found = []
        for number, op in enumerate(self.problem.ops):
            for source, target in op.in_place:
                meets = self.places.lives[source][1] == at[number] + 1 and self.places.lives[target][0] == at[number]
                taken = source in sources or target in targets
                if meets and not taken and may_share(self.problem, users, number, source, target):
                    found.append((source, target))
        return found

    def followers(self) -> list[tuple[int, int]]:
        """The pairs of which the first bank may stay allocated until the other one takes over."""
        count = range(len(self.problem.banks))
        return [(one, other) for one in count for other in count if self.may_follow(one, other)]

    def may_follow(self, one: int, other: int) -> bool:
        """Whether a bank may take over another's allocation: later, equally shaped, overwritten before it is read."""
        problem, lives = self.problem, self.places.lives
        first, then = problem.banks[one], problem.banks[other]
        if one == other or (first.row, first.col) != (then.row, then.col) or first.region != then.region:
            return False
        if not then.is_filled or lives[one] == (0, 0) or lives[one][1] > lives[other][0]:
            return False
        shared = dict(self.places.shared)
        if one in shared or other in shared.values():
            return False
        users = [op for op in self.order if other in (*problem.ops[op].reads, *problem.ops[op].writes)]
        if not users:
            return False
        opening = problem.ops[users[0]]
        return other in opening.writes and other not in opening.reads and not opening.accumulates
