"""Solves a bank problem at a level: the least peak first, then the shortest makespan, then the fewest allocations.

At `overlap`, the makespan comes before the peak, which only has to fit. Nothing is spilled below the level `spill`, and
nothing is cut below `split`, so a bank that would need more rows than there are fits nowhere below it.
"""

from __future__ import annotations

import time
from dataclasses import replace

from layoutsolver_models.banks.estimate import makespan
from layoutsolver_models.banks.first_fit import first_fit
from layoutsolver_models.banks.kept import fewest_allocations
from layoutsolver_models.cp.banks import BankModel, Places, Powers
from layoutsolver_models.cp.timed import Search
from layoutsolver_models.problems.banks import LEVELS, BankProblem, BankSolution, Level
from layoutsolver_models.problems.layout import Status
from layoutsolver_models.solve.layout import Limits

LARGEST_SCHEDULE = 60
"""Above so many operations the makespan is estimated, not minimised, and no answer is said to be optimal."""


def solve_banks(problem: BankProblem, level: Level, limits: Limits | None = None) -> BankSolution:
    """The best that a level allows, or a proof that nothing fits at it.

    The same problem and seed give the same answer unless a time limit strikes.
    """
    limits = limits or Limits()
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    if level == "split":
        from layoutsolver_models.banks.split import solve_with_splits

        return solve_with_splits(problem, limits)
    if any(bank.rows > problem.bank_entries for bank in problem.banks):
        return BankSolution("infeasible", level)
    if level == "first_fit":
        return _first_fit(problem)
    if level == "spill":
        from layoutsolver_models.banks.spill import solve_with_spills

        return solve_with_spills(problem, limits)
    return _Solve(problem, level, limits, deadline).run()


def _first_fit(problem: BankProblem) -> BankSolution:
    found = first_fit(problem)
    if found.failed >= 0:
        return BankSolution("infeasible", "first_fit")
    order = tuple(range(len(problem.ops)))
    msets = 2 * len(problem.banks)
    cycles = makespan(problem, order, None, msets)
    return BankSolution("feasible", "first_fit", order, found.ids, peak=found.peak, makespan=cycles, msets=msets)


def powers_of(level: Level) -> Powers:
    """What a level may change."""
    rank = LEVELS.index(level)
    return Powers(
        lives=rank >= LEVELS.index("liveness"),
        order=rank >= LEVELS.index("reorder"),
        in_place=rank >= LEVELS.index("coalesce"),
    )


class _Solve:
    def __init__(self, problem: BankProblem, level: Level, limits: Limits, deadline: float | None) -> None:
        self.problem = without_loose_fences(problem) if level == "overlap" else problem
        self.level, self.limits, self.deadline = level, limits, deadline
        self.powers = powers_of(level)
        self.proved = True

    def run(self) -> BankSolution:
        problem = self.problem
        used = {bank for op in problem.ops for bank in (*op.reads, *op.writes)}
        banks = [bank for number, bank in enumerate(problem.banks) if number in used or not self.powers.lives]
        floor = max((bank.size for bank in banks), default=0)
        if floor > problem.bank_num:
            return BankSolution("infeasible", self.level)
        model = BankModel(problem, self.powers, problem.bank_num)
        model.minimize_peak(floor)
        answer, places = model.solve(self.search())
        if places is None:
            return BankSolution(answer.status, self.level)
        self.proved = answer.status == "optimal"
        bound = answer.bound
        if self.powers.order and 0 < len(problem.ops) <= LARGEST_SCHEDULE:
            capacity = problem.bank_num if self.level == "overlap" else places.peak
            places = self.schedule(capacity) or places
        elif self.powers.order and problem.ops:
            self.proved = False
        return self.finish(places, bound)

    def search(self) -> Search:
        seconds = None if self.deadline is None else max(0.01, self.deadline - time.monotonic())
        return Search(self.limits.seed, self.limits.workers, seconds, probing=False)

    def schedule(self, capacity: int) -> Places | None:
        """The shortest makespan within a number of banks, as positions; None if a limit was reached."""
        model = BankModel(self.problem, replace(self.powers, cycles=True), capacity)
        model.minimize_makespan()
        answer, places = model.solve(self.search())
        self.proved &= answer.status == "optimal"
        if places is None:
            return None
        if self.level == "overlap":
            model = BankModel(self.problem, replace(self.powers, cycles=True), capacity)
            model.limit_makespan(answer.objective)
            model.minimize_peak(0)
            answer, lower = model.solve(self.search())
            self.proved &= answer.status == "optimal"
            places = lower or places
        return as_positions(self.problem, model, places)

    def finish(self, places: Places, bound: int) -> BankSolution:
        problem = self.problem
        order = tuple(sorted(range(len(problem.ops)), key=lambda op: places.times[op]))
        kept: tuple[tuple[int, int], ...] = ()
        if self.powers.in_place:
            fewest = fewest_allocations(problem, order, places, self.search(), self.level in ("elide", "overlap"))
            places, kept = fewest.places, fewest.kept
            self.proved &= fewest.proved
        shared, ids = places.shared, places.ids
        one = dict(shared)
        living = sum(start < end for start, end in places.lives)
        msets = 2 * (living - len(shared) - len(kept))
        dropped = problem.loose_fences if self.level == "overlap" else ()
        timed = [op for op in order if op not in dropped]
        cycles = makespan(problem, timed, {into: root(into, shared) for _, into in shared}, msets)
        last = tuple(
            end if number in one else end - 1 for number, (_, end) in enumerate(places.lives)
        ) if self.powers.lives else ()  # fmt: skip
        first = tuple(start for start, _ in places.lives) if self.powers.lives else ()
        status: Status = "optimal" if self.proved else "feasible"
        peak = height(problem, ids, with_kept(places, kept))
        if self.level == "overlap" and self.proved:
            bound = peak
        return BankSolution(
            status, self.level, order, ids, first, last, peak, min(bound, peak), cycles, msets, shared, kept,
            dropped_fences=dropped,
        )  # fmt: skip


def without_loose_fences(problem: BankProblem) -> BankProblem:
    """The problem in which fences that nothing needs put nothing in order and stop nothing."""
    loose = set(problem.loose_fences)
    orders = tuple(edge for edge in problem.orders if edge.why != "fence" or not loose & {edge.first, edge.then})
    ops = tuple(op._replace(name="loose fence") if n in loose else op for n, op in enumerate(problem.ops))
    return problem._replace(orders=orders, ops=ops)


def height(problem: BankProblem, ids: tuple[int, ...], places: Places) -> int:
    """The banks that a placement needs: its highest one, or the most that are live at once where hardware maps ids."""
    if problem.model == "contiguous":
        spans = zip(ids, problem.banks, places.lives, strict=True)
        return max((at + bank.size for at, bank, (start, end) in spans if start < end), default=0)
    starts = {start for start, _ in places.lives}
    return max((_load(problem, places, point) for point in starts), default=0)


def with_kept(places: Places, kept: tuple[tuple[int, int], ...]) -> Places:
    """The places with the lives of banks that stay allocated until another one takes over."""
    until = {one: places.lives[other][0] for one, other in kept}
    lives = tuple((start, until.get(number, end)) for number, (start, end) in enumerate(places.lives))
    return replace(places, lives=lives)


def _load(problem: BankProblem, places: Places, point: int) -> int:
    lives = zip(problem.banks, places.lives, strict=True)
    return sum(bank.size for bank, (start, end) in lives if start <= point < end)


def root(bank: int, shared: tuple[tuple[int, int], ...]) -> int:
    """The first of the banks that are one with a bank."""
    back = {into: source for source, into in shared}
    while bank in back:
        bank = back[bank]
    return bank


def as_positions(problem: BankProblem, model: BankModel, places: Places) -> Places:
    """Times in cycles as positions in an order: by time, those that begin together as in the text.

    What must come first ends before what waits for it begins, and takes a cycle at least.
    """
    order = sorted(range(len(problem.ops)), key=lambda op: (places.times[op], op))
    at = {number: place for place, number in enumerate(order)}
    taken = dict(places.shared)
    first = [min((at[user] for user in users), default=0) for users in model.users]
    lives = []
    for number, users in enumerate(model.users):
        end = max((at[user] + 1 for user in users), default=0)
        lives.append((first[number], first[taken[number]] if number in taken else end))
    times = tuple(at[number] for number in range(len(problem.ops)))
    return Places(times, places.ids, tuple(lives), places.shared, places.peak)
