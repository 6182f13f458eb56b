"""What a single operation needs: no order, placement or spill gets below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from layoutsolver_models.problems.banks import BankProblem


class Floor(NamedTuple):
    """The operation that needs most banks at once, its number (-1 without operations), and how many."""

    op: int
    size: int


def capacity_floor(problem: BankProblem, in_place: bool) -> Floor:
    """The largest demand of one operation, banks converted in place counted once if that is allowed.

    >>> from layoutsolver_models.problems.banks import Bank, BankOp
    >>> op = BankOp("int2fp", "int2fp", 16, (0,), (1,), in_place=((0, 1),))
    >>> two = BankProblem((op,), (Bank("a", 1, 4, 0, 3), Bank("b", 1, 4, 1, 4)), (), (2,))
    >>> capacity_floor(two, False).size, capacity_floor(two, True).size
    (8, 4)
    """
    best = Floor(-1, 0)
    for number, op in enumerate(problem.ops):
        touched = dict.fromkeys((*op.reads, *op.writes))
        need = sum(problem.banks[bank].size for bank in touched)
        if in_place and not op.accumulates:
            need -= _saved(problem, op.in_place)
        if need > best.size:
            best = Floor(number, need)
    return best


def _saved(problem: BankProblem, pairs: Sequence[tuple[int, int]]) -> int:
    """The most banks that conversions in place save: each bank is given away, or taken over, once."""
    best = 0
    for place, (source, target) in enumerate(pairs):
        if problem.banks[source].size == problem.banks[target].size:
            rest = [pair for pair in pairs[place + 1 :] if pair[0] != source and pair[1] != target]
            best = max(best, problem.banks[target].size + _saved(problem, rest))
    return best
