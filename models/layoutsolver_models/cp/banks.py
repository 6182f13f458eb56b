"""The bank question as a CP-SAT model: when operations run, how long banks live, where they lie.

Times are positions in the order of operations, each of length one, or cycles. In both, no two operations of a position
or unit overlap, and banks are rectangles: their life across, their columns along. Source: buckyball 8.1, 8.2, 8.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from layoutsolver_models.cp.timed import Search, TimedAnswer, TimedModel
from layoutsolver_models.problems.banks import BankProblem


@dataclass(frozen=True, slots=True)
class Powers:
    """What may be changed: lives, the order, conversions in place, and whether fences hold; `cycles` counts time so."""

    lives: bool = False
    order: bool = False
    in_place: bool = False
    cycles: bool = False


@dataclass(frozen=True, slots=True)
class Places:
    """What a solve decided: times of operations, ids of banks, lives `[first, end)`, shared banks, and the height."""

    times: tuple[int, ...]
    ids: tuple[int, ...]
    lives: tuple[tuple[int, int], ...]
    shared: tuple[tuple[int, int], ...]
    peak: int


class BankModel:
    """The model of a problem with some powers, within `capacity` physical banks."""

    def __init__(self, problem: BankProblem, powers: Powers, capacity: int) -> None:
        self.problem, self.powers, self.capacity = problem, powers, capacity
        self.model = TimedModel()
        self.lengths = [max(1, op.latency) if powers.cycles else 1 for op in problem.ops]
        self.horizon = sum(self.lengths) + 1
        self.users: list[list[int]] = [[] for _ in problem.banks]
        for number, op in enumerate(problem.ops):
            for bank in dict.fromkeys((*op.reads, *op.writes)):
                self.users[bank].append(number)
        for region in problem.regions:
            self._lift(region.enter, region.leave)
        self.peak = self.model.new_integer_between("peak", 0, capacity)
        self.times = self._operations()
        self.first, self.end, self.occupied = self._lives()
        self.shared = self._in_place() if powers.in_place else {}
        self.ids = self._banks()

    def _lift(self, enter: int, leave: int) -> None:
        """A bank that lives around a region is used where the region is entered and left."""
        inside = self._inside(enter, leave)
        for number, users in enumerate(self.users):
            home = self.problem.banks[number].region
            if any(user in inside for user in users) and home not in self._regions_within(enter):
                self.users[number] = sorted({*users, enter, leave})

    def _inside(self, enter: int, leave: int) -> range:
        return range(enter + 1, leave)

    def _regions_within(self, enter: int) -> set[int]:
        """The region that an operation enters, and those in it."""
        regions = self.problem.regions
        found = {number for number, region in enumerate(regions) if region.enter == enter}
        while True:
            more = {number for number, region in enumerate(regions) if region.outer in found} - found
            if not more:
                return found
            found |= more

    # -- operations -------------------------------------------------------------------------------------------

    def _operations(self) -> list[int]:
        model, problem = self.model, self.problem
        if not self.powers.order:
            return [model.new_integer_between(f"op {n}", n, n) for n in range(len(problem.ops))]
        times = [
            model.new_integer_between(f"op {n}", 0, self.horizon - 1 - length) for n, length in enumerate(self.lengths)
        ]
        spans = [
            model.new_interval(f"op {n}", time, length)
            for n, (time, length) in enumerate(zip(times, self.lengths, strict=True))
        ]
        if self.powers.cycles:
            units: dict[str, list[int]] = {}
            for op, span in zip(problem.ops, spans, strict=True):
                units.setdefault(op.unit, []).append(span)
            for unit, own in units.items():
                if unit:
                    model.no_overlap(f"unit {unit}", own)
        else:
            model.no_overlap("order", spans)
        for edge in problem.orders:
            gap = self.lengths[edge.first]
            model.linear(f"{edge.why} order", [(1, times[edge.then]), (-1, times[edge.first])], low=gap)
        for number, op in enumerate(problem.ops):
            if op.name == "buckyball.fence" and self.powers.cycles:
                self._fence(number, times)
        self._regions(times)
        return times

    def _fence(self, fence: int, times: list[int]) -> None:
        """Every operation is over before a fence begins, or begins behind it."""
        model = self.model
        for number in range(len(times)):
            if number == fence:
                continue
            before = model.new_bool(f"op {number} before fence {fence}")
            gap = self.lengths[number]
            model.linear("fence", [(1, times[fence]), (-1, times[number])], low=gap, condition=[before])
            after = model.new_bool(f"op {number} behind fence {fence}")
            model.exactly_one("fence", [before, after])
            model.linear("fence", [(1, times[number]), (-1, times[fence])], low=self.lengths[fence], condition=[after])

    def _regions(self, times: list[int]) -> None:
        """What is inside a region stays between the operations that enter and leave it, and nothing else does."""
        model = self.model
        for number, region in enumerate(self.problem.regions):
            for other in range(len(times)):
                if other in (region.enter, region.leave):
                    continue
                if self._is_inside(other, number):
                    model.linear("region", [(1, times[other]), (-1, times[region.enter])], low=1)
                    model.linear("region", [(1, times[region.leave]), (-1, times[other])], low=1)
                else:
                    before = model.new_bool(f"op {other} before region {number}")
                    after = model.new_bool(f"op {other} behind region {number}")
                    model.exactly_one("region", [before, after])
                    gap = self.lengths[other]
                    model.linear("region", [(1, times[region.enter]), (-1, times[other])], low=gap, condition=[before])
                    model.linear("region", [(1, times[other]), (-1, times[region.leave])], low=1, condition=[after])

    def _is_inside(self, op: int, region: int) -> bool:
        at = self.problem.ops[op].region
        while at not in (-1, region):
            at = self.problem.regions[at].outer
        return at == region

    # -- banks ------------------------------------------------------------------------------------------------

    def _lives(self) -> tuple[list[int], list[int], list[int]]:
        """For each bank when it is first used, when its last use is over, and when its place is free again.

        A bank that nothing uses does not live, where lives may be changed.
        """
        model, problem = self.model, self.problem
        if not self.powers.lives:
            first = [model.new_integer_between("alloc", bank.alloc, bank.alloc) for bank in problem.banks]
            end = [model.new_integer_between("release", bank.release, bank.release) for bank in problem.banks]
            return first, end, end
        first, end, occupied = [], [], []
        for number, users in enumerate(self.users):
            latest = self.horizon if users else 0
            start = model.new_integer_between(f"first {number}", 0, latest)
            stop = model.new_integer_between(f"end {number}", 0, latest)
            if users:
                model.smallest(f"bank {number}", [self.times[user] for user in users], start)
                lengths = [self.lengths[user] for user in users]
                model.largest(f"bank {number}", [self.times[user] for user in users], lengths, stop)
            first.append(start)
            end.append(stop)
            occupied.append(stop)
        return first, end, occupied

    def _in_place(self) -> dict[tuple[int, int], int]:
        """A literal for each pair of banks that may be one: what is read is not needed any more."""
        model = self.model
        found: dict[tuple[int, int], int] = {}
        sources: dict[int, list[int]] = {}
        targets: dict[int, list[int]] = {}
        for number, op in enumerate(self.problem.ops):
            for source, target in op.in_place:
                if not may_share(self.problem, self.users, number, source, target):
                    continue
                literal = model.new_bool(f"banks {source} and {target} are one")
                found[source, target] = literal
                sources.setdefault(source, []).append(literal)
                targets.setdefault(target, []).append(literal)
                for user in self.users[source]:
                    if user != number:
                        terms = [(1, self.times[number]), (-1, self.times[user])]
                        model.linear("in place", terms, low=self.lengths[user], condition=[literal])
        for literals in (*sources.values(), *targets.values()):
            model.at_most_one("in place", literals)
        for source, literals in sources.items():
            place = model.new_integer_between(f"occupied {source}", 0, self.horizon)
            self.occupied[source] = place
            rest = model.new_bool(f"bank {source} is shared with no other")
            model.exactly_one("in place", [rest, *literals])
            model.linear("in place", [(1, place), (-1, self.end[source])], low=0, high=0, condition=[rest])
            for (one, target), literal in found.items():
                if one == source:
                    terms = [(1, place), (-1, self.first[target])]
                    model.linear("in place", terms, low=0, high=0, condition=[literal])
        return found

    def _banks(self) -> list[int]:
        """The id of each bank: lives and columns, or ids, do not overlap."""
        model, problem = self.model, self.problem
        contiguous = problem.model == "contiguous"
        ids, across, along, demands = [], [], [], []
        for number, bank in enumerate(problem.banks):
            if self.powers.lives and not self.users[number]:
                ids.append(model.new_integer_between(f"bank {number}", 0, 0))
                continue
            highest = min(problem.largest_id, self.capacity - bank.size) if contiguous else problem.largest_id
            ids.append(model.new_integer_between(f"bank {number}", 0, highest))
            across.append(model.new_interval_until(f"life {number}", self.first[number], self.occupied[number]))
            along.append(model.new_interval(f"columns {number}", ids[number], bank.size if contiguous else 1))
            demands.append(bank.size)
            if contiguous:
                model.linear("capacity", [(1, self.peak), (-1, ids[number])], low=bank.size)
        if across:
            model.no_overlap_2d("banks", across, along)
            model.cumulative("capacity", across, demands, self.peak)
        for (source, target), literal in self.shared.items():
            model.linear("in place", [(1, ids[source]), (-1, ids[target])], low=0, high=0, condition=[literal])
        return ids

    # -- objectives -------------------------------------------------------------------------------------------

    def minimize_peak(self, floor: int) -> None:
        """Look for the lowest peak."""
        self.model.linear("floor", [(1, self.peak)], low=floor)
        self.model.minimize_total([(1, self.peak)])

    def minimize_makespan(self) -> None:
        """Look for the earliest end of all operations."""
        makespan = self.model.new_integer_between("makespan", 0, self.horizon)
        self.model.largest("makespan", self.times, self.lengths, makespan)
        self.model.minimize_total([(1, makespan)])

    def limit_makespan(self, most: int) -> None:
        """Let all operations end by then."""
        for time, length in zip(self.times, self.lengths, strict=True):
            self.model.linear("makespan", [(1, time)], high=most - length)

    def solve(self, search: Search) -> tuple[TimedAnswer, Places | None]:
        """The answer, and the places if there are any."""
        answer = self.model.solve_timed(search)
        if not answer.values:
            return answer, None
        value = answer.values
        lives = tuple((value[a], value[z]) for a, z in zip(self.first, self.occupied, strict=True))
        shared = tuple(pair for pair, literal in self.shared.items() if literal in answer.true)
        return answer, Places(
            tuple(value[time] for time in self.times), tuple(value[one] for one in self.ids), lives, shared,
            value[self.peak],
        )  # fmt: skip


def may_share(problem: BankProblem, users: Sequence[Sequence[int]], number: int, source: int, target: int) -> bool:
    """Whether an operation may write the bank that it reads: equal columns, the target being new.

    `users` are the operations that touch each bank.
    """
    op, banks = problem.ops[number], problem.banks
    return (
        source != target
        and (banks[source].row, banks[source].col) == (banks[target].row, banks[target].col)
        and banks[source].region == banks[target].region == op.region
        and not op.accumulates
        and banks[target].is_filled
        and all(user >= number for user in users[target])
    )
