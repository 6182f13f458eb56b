"""Allocations that can be left out: a bank that is released and then allocated with equal columns need not be either.

What comes next finds old bytes instead of zeros, so its first operation must overwrite every row that is used, and not
read or add to what is there.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutsolver_models.cp.banks import Places
from layoutsolver_models.cp.timed import Search, TimedModel
from layoutsolver_models.problems.banks import BankProblem


def keep_allocations(
    problem: BankProblem, order: Sequence[int], places: Places, search: Search
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...], bool]:
    """Ids within the same number of banks, the pairs kept allocated, and whether no more pairs are possible."""
    model = TimedModel()
    contiguous = problem.model == "contiguous"
    capacity = places.peak if contiguous else problem.largest_id + 1
    into = dict(places.shared)
    ids, ends = [], []
    living = [number for number, (start, end) in enumerate(places.lives) if start < end]
    horizon = len(order) + 1
    for number, bank in enumerate(problem.banks):
        size = bank.size if contiguous else 1
        highest = min(problem.largest_id, capacity - size) if number in living else 0
        ids.append(model.new_integer_between(f"bank {number}", 0, highest))
        ends.append(model.new_integer_between(f"end {number}", places.lives[number][1], horizon))
    for source, target in places.shared:
        model.linear("in place", [(1, ids[source]), (-1, ids[target])], low=0, high=0)
    pairs: dict[tuple[int, int], int] = {}
    before: dict[int, list[int]] = {}
    behind: dict[int, list[int]] = {}
    for one in range(len(problem.banks)):
        for other in range(len(problem.banks)):
            if one in into or not _may_follow(problem, order, places, one, other):
                continue
            literal = pairs[one, other] = model.new_bool(f"{one} stays allocated for {other}")
            model.linear("kept", [(1, ids[one]), (-1, ids[other])], low=0, high=0, condition=[literal])
            start = places.lives[other][0]
            model.linear("kept", [(1, ends[one])], low=start, high=start, condition=[literal])
            behind.setdefault(one, []).append(literal)
            before.setdefault(other, []).append(literal)
    for literals in (*before.values(), *behind.values()):
        model.at_most_one("kept", literals)
    for number in range(len(problem.banks)):
        rest = model.new_bool(f"{number} is released")
        model.exactly_one("kept", [rest, *behind.get(number, [])])
        end = places.lives[number][1]
        model.linear("kept", [(1, ends[number])], low=end, high=end, condition=[rest])
    starts = [model.new_integer_between(f"start {n}", start, start) for n, (start, _) in enumerate(places.lives)]
    across = [model.new_interval_until(f"life {n}", starts[n], ends[n]) for n in living]
    sizes = [problem.banks[number].size for number in living]
    if living:
        along = [model.new_interval(f"columns {n}", ids[n], size if contiguous else 1)
                 for n, size in zip(living, sizes, strict=True)]  # fmt: skip
        model.no_overlap_2d("banks", across, along)
    if not contiguous and living:
        limit = model.new_integer_between("banks", places.peak, places.peak)
        model.cumulative("capacity", across, sizes, limit)
    weight = len(problem.banks) * (capacity + 1) + 1
    model.minimize_total([(1, one) for one in ids], [(-weight, literal) for literal in pairs.values()])
    answer = model.solve_timed(search)
    if not answer.values:
        return places.ids, (), False
    kept = tuple(pair for pair, literal in pairs.items() if literal in answer.true)
    return tuple(answer.values[one] for one in ids), kept, answer.status == "optimal"


def _may_follow(problem: BankProblem, order: Sequence[int], places: Places, one: int, other: int) -> bool:
    """Whether a bank may take over another's allocation: later, equally shaped, first written before it is read."""
    first, then = problem.banks[one], problem.banks[other]
    if one == other or (first.row, first.col) != (then.row, then.col) or first.region != then.region:
        return False
    if not then.is_filled or places.lives[one] == (0, 0):
        return False
    if places.lives[one][1] > places.lives[other][0] or other in dict(places.shared).values():
        return False
    users = [op for op in order if other in (*problem.ops[op].reads, *problem.ops[op].writes)]
    if not users:
        return False
    opening = problem.ops[users[0]]
    return other in opening.writes and other not in opening.reads and not opening.accumulates
