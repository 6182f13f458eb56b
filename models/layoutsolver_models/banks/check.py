"""Whether an answer is one: all that it claims is counted anew from the problem that was asked.

Cuts and spills are made once more, then orders, regions, lives, shared and kept banks, places, and every number are
looked at. Nothing is taken over from the search: which banks may be one, or follow on one, is found here anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from layoutsolver_models.banks.answer import solved_problem
from layoutsolver_models.banks.estimate import makespan
from layoutsolver_models.banks.split import cut, parts_errors
from layoutsolver_models.banks.uses import uses_of
from layoutsolver_models.problems.banks import LEVELS, Bank, BankProblem, BankSolution, Level, Spill


def solution_errors(problem: BankProblem, solution: BankSolution) -> list[str]:
    """What is wrong with an answer to a problem, in words. The problem is without the cuts and spills of the answer."""
    if solution.status in ("infeasible", "unknown"):
        nothing = BankSolution(solution.status, solution.level)
        return [] if solution == nothing else ["an answer without an order claims something"]
    return (
        _powers_used(solution)
        or parts_errors(problem, solution.splits)
        or _spill_errors(cut(problem, solution.splits), solution.spills)
        or _Check(solved_problem(problem, solution), solution).run()
    )


def _powers_used(solution: BankSolution) -> list[str]:
    """Whatever a level may not do."""
    needed: tuple[tuple[Level, str, Sequence[object]], ...] = (
        ("coalesce", "shared banks", solution.shared), ("elide", "kept allocations", solution.kept),
        ("overlap", "dropped fences", solution.dropped_fences), ("spill", "spills", solution.spills),
        ("split", "cuts", solution.splits),
    )  # fmt: skip
    rank = LEVELS.index(solution.level)
    return [
        f"there are {what} at `{solution.level}`" for level, what, used in needed if used and rank < LEVELS.index(level)
    ]


def _spill_errors(problem: BankProblem, spills: Sequence[Spill]) -> list[str]:
    """Spills of banks that are not used at once there, or are not loaded by what is said, or cost something else."""
    errors = []
    users_of = uses_of(problem)
    if len({spill.bank for spill in spills}) < len(spills):
        errors.append("a bank is spilled twice")
    for spill in spills:
        if not 0 <= spill.bank < len(problem.banks):
            return ["a bank is spilled that is none"]
        bank, users = problem.banks[spill.bank], users_of[spill.bank]
        if (spill.after, spill.before) not in set(pairwise(users)):
            errors.append(f"bank {spill.bank} is not spilled between two uses of it")
            continue
        if any(problem.ops[user].region != bank.region for user in users):
            errors.append(f"bank {spill.bank} is spilled, and used in another region")
        if spill.reload >= 0:
            writers = [user for user in users if spill.bank in problem.ops[user].writes]
            again = writers == [spill.reload] == users[:1] and problem.ops[spill.reload].reload == spill.bank
            if not again:
                errors.append(f"operation {spill.reload} does not load bank {spill.bank} again")
        cost = bank.rows if spill.reload >= 0 else 2 * bank.rows + 1
        if spill.cost != cost:
            errors.append(f"the spill of bank {spill.bank} costs {cost}, not {spill.cost}")
    return errors


class _Check:
    """The answer to a problem whose cuts and spills are made."""

    def __init__(self, problem: BankProblem, solution: BankSolution) -> None:
        self.problem, self.solution = problem, solution
        self.rank = LEVELS.index(solution.level)
        self.fixed = self.rank < LEVELS.index("liveness")
        self.users = uses_of(problem)

    def run(self) -> list[str]:
        """One kind of fault after the other, since each relies on those before it."""
        steps: tuple[Callable[[], list[str]], ...] = (
            self.shapes, self.orders, self.lives, self.shared, self.kept, self.places, self.numbers,
        )  # fmt: skip
        for step in steps:
            errors = step()
            if errors:
                return errors
        return []

    def shapes(self) -> list[str]:
        """Lists of other lengths, banks deeper than there are."""
        problem, solution = self.problem, self.solution
        errors = [
            f"bank {number} has {bank.rows} rows of {problem.bank_entries}"
            for number, bank in enumerate(problem.banks) if bank.rows > problem.bank_entries
        ]  # fmt: skip
        count = 0 if self.fixed else len(problem.banks)
        if len(solution.ids) != len(problem.banks) or {len(solution.first), len(solution.last)} != {count}:
            errors.append("there is not one place and one life for every bank")
        if sorted(solution.order) != list(range(len(problem.ops))):
            errors.append("the order is no order of the operations")
        elif self.rank < LEVELS.index("reorder") and solution.order != tuple(sorted(solution.order)):
            errors.append(f"the order is not that of the text, which `{solution.level}` keeps")
        return errors

    def orders(self) -> list[str]:
        """Edges that are not kept, operations that left their region, fences that were needed."""
        problem, solution = self.problem, self.solution
        at = self.at = {number: place for place, number in enumerate(solution.order)}
        dropped = set(solution.dropped_fences)
        errors = [f"fence {fence} is needed" for fence in sorted(dropped - set(problem.loose_fences))]
        errors += [
            f"operation {edge.then} comes before operation {edge.first}"
            for edge in problem.orders
            if at[edge.first] > at[edge.then] and not (edge.why == "fence" and dropped & {edge.first, edge.then})
        ]
        for number, region in enumerate(problem.regions):
            inside = {op for op in at if self.is_inside(op, number)}
            placed = {op for op, place in at.items() if at[region.enter] < place < at[region.leave]}
            if inside != placed:
                errors.append(f"region {number} holds other operations than before")
        return errors

    def is_inside(self, op: int, region: int) -> bool:
        """Whether an operation is in a region; those that enter and leave it are outside."""
        at = self.problem.ops[op].region
        while at not in (-1, region):
            at = self.problem.regions[at].outer
        return at == region

    def lives(self) -> list[str]:
        """Uses outside the life of a bank; sets up the lives, from the allocation to the place that is free again."""
        problem, solution = self.problem, self.solution
        if self.fixed:
            self.spans = [(bank.alloc, bank.release) for bank in problem.banks]
            return [
                f"bank {number} is used outside its life"
                for number, users in enumerate(self.users)
                if not all(self.spans[number][0] < problem.places[user] < self.spans[number][1] for user in users)
            ]
        self.spans = [(start, end + 1) for start, end in zip(solution.first, solution.last, strict=True)]
        errors = []
        for number, (start, end) in enumerate(self.spans):
            places = [self.at[user] for user in self.users[number]]
            if (start, end) != (0, 0) and not 0 <= start < end <= len(problem.ops) + 1:
                errors.append(f"bank {number} lives from {start} to {end - 1}")
            elif places and (min(places) < start or max(places) >= end):
                errors.append(f"bank {number} is used outside its life")
        return errors

    def shared(self) -> list[str]:
        """Banks that are one where no operation converts in place, or while the first is still needed."""
        problem, solution = self.problem, self.solution
        errors = _twice("shared", solution.shared)
        for source, target in solution.shared:
            if not {source, target} <= set(range(len(problem.banks))):
                return ["a bank is shared that is none"]
            by = [n for n, op in enumerate(problem.ops) if (source, target) in op.in_place and not op.accumulates]
            one, other = problem.banks[source], problem.banks[target]
            converts = bool(by) and one.region == other.region == problem.ops[by[0]].region
            if not converts or not self.alike(one, other) or not other.is_filled:
                errors.append(f"bank {target} cannot take over bank {source}")
                continue
            at = self.at[by[0]]
            last, first = (
                pick(self.at[user] for user in self.users[bank]) for pick, bank in ((max, source), (min, target))
            )
            if last != at or first != at or self.spans[target][0] != at:
                errors.append(f"bank {source} is used when bank {target} has taken its place")
            elif solution.last[source] != at:
                errors.append(f"bank {source} ends at {solution.last[source]}, and bank {target} begins at {at}")
            elif solution.ids[source] != solution.ids[target]:
                errors.append(f"banks {source} and {target} are one, and lie apart")
            self.spans[source] = (self.spans[source][0], at)
        return errors

    @staticmethod
    def alike(one: Bank, other: Bank) -> bool:
        return (one.row, one.col) == (other.row, other.col)

    def kept(self) -> list[str]:
        """Allocations left out for a bank that would see old bytes, is another one, or is there already."""
        problem, solution = self.problem, self.solution
        errors = _twice("kept", solution.kept)
        sources, targets = ({pair[side] for pair in solution.shared} for side in (0, 1))
        for one, other in solution.kept:
            if not {one, other} <= set(range(len(problem.banks))):
                return ["a bank is kept that is none"]
            banks = problem.banks[one], problem.banks[other]
            users = sorted(self.users[other], key=self.at.__getitem__)
            opening = problem.ops[users[0]] if users else None
            fresh = opening is not None and other in opening.writes and other not in opening.reads
            if not fresh or (opening is not None and opening.accumulates) or not banks[1].is_filled:
                errors.append(f"bank {other} would see what bank {one} held")
            elif one in sources or other in targets or banks[0].region != banks[1].region or not self.alike(*banks):
                errors.append(f"bank {other} cannot take over the allocation of bank {one}")
            elif solution.ids[one] != solution.ids[other]:
                errors.append(f"bank {other} takes over the allocation of bank {one}, and lies apart")
            elif self.spans[one][1] > self.spans[other][0]:
                errors.append(f"bank {one} lives when bank {other} takes over its allocation")
            else:
                self.spans[one] = (self.spans[one][0], self.spans[other][0])
        return errors

    def places(self) -> list[str]:
        """Banks outside the chip or on each other, and more of them than there are."""
        problem = self.problem
        contiguous = problem.model == "contiguous"
        errors: list[str] = []
        spans = list(zip(self.spans, self.solution.ids, problem.banks, strict=True))
        for number, (life, low, bank) in enumerate(spans):
            if life == (0, 0):
                continue
            high = low + (bank.size if contiguous else 1)
            if low < 0 or low > problem.largest_id or (contiguous and high > problem.bank_num):
                errors.append(f"bank {number} lies at {low}, outside the chip")
            for other, (other_life, other_low, other_bank) in enumerate(spans[:number]):
                other_high = other_low + (other_bank.size if contiguous else 1)
                together = life[0] < other_life[1] and other_life[0] < life[1]
                if together and low < other_high and other_low < high:
                    errors.append(f"banks {other} and {number} lie on each other")
        most = self.most_live()
        if most > problem.bank_num:
            errors.append(f"{most} banks are live at once")
        return errors

    def most_live(self) -> int:
        banks = list(zip(self.spans, self.problem.banks, strict=True))
        starts = {start for (start, _), _ in banks}
        return max((sum(b.size for (low, high), b in banks if low <= point < high) for point in starts), default=0)

    def numbers(self) -> list[str]:
        """Peak, allocations and cycles, and a bound that the answer itself is below."""
        problem, solution = self.problem, self.solution
        living = [number for number, (start, end) in enumerate(self.spans) if start < end or self.users[number]]
        tops = [solution.ids[number] + problem.banks[number].size for number in living]
        one: dict[int, int] = {}
        for source, target in sorted(solution.shared, key=lambda pair: self.spans[pair[1]]):
            one[target] = one.get(source, source)
        msets = 2 * (len(living) - len(solution.shared) - len(solution.kept))
        timed = [op for op in solution.order if op not in solution.dropped_fences]
        claims = {
            "the peak": (max(tops, default=0) if problem.model == "contiguous" else self.most_live(), solution.peak),
            "the number of allocations and releases": (msets, solution.msets),
            "the makespan": (makespan(problem, timed, one, msets), solution.makespan),
        }
        errors = [f"{what} is {right}, not {said}" for what, (right, said) in claims.items() if right != said]
        if solution.bound > solution.peak or (solution.status == "optimal" and solution.bound < solution.peak):
            errors.append(f"the bound is {solution.bound}, the peak {solution.peak}")
        return errors


def _twice(what: str, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """Banks that are given away, or taken over, more than once."""
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    return [f"a bank is {what} twice" for side in sides if len(set(side)) < len(side)][:1]
