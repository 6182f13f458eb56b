"""The placement of today's pass: every allocation in the order of the text, at the lowest place with room for it."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_models.problems.banks import BankProblem


class FirstFit(NamedTuple):
    """Ids of banks, the highest bank in use plus one, and the bank that found no room (-1 if all did)."""

    ids: tuple[int, ...]
    peak: int
    failed: int


def first_fit(problem: BankProblem) -> FirstFit:
    """The places that the pass gives, up to the first allocation that finds none.

    With banks that the hardware maps, an id is the lowest free one, and only the number of physical banks counts.
    """
    contiguous = problem.model == "contiguous"
    count = problem.bank_num if contiguous else problem.largest_id + 1
    used = [False] * count
    events = [(bank.alloc, 1, number) for number, bank in enumerate(problem.banks)]
    events += [(bank.release, 0, number) for number, bank in enumerate(problem.banks)]
    ids = [-1] * len(problem.banks)
    peak = live = 0
    for _, is_alloc, number in sorted(events):
        bank = problem.banks[number]
        need = bank.size if contiguous else 1
        if not is_alloc:
            used[ids[number] : ids[number] + need] = [False] * need
            live -= bank.size
            continue
        places = range(count - need + 1)
        place = next((one for one in places if not any(used[one : one + need])), None)
        if place is None or place > problem.largest_id or live + bank.size > problem.bank_num:
            return FirstFit(tuple(ids), peak, number)
        used[place : place + need] = [True] * need
        ids[number] = place
        live += bank.size
        peak = max(peak, place + need if contiguous else live)
    return FirstFit(tuple(ids), peak, -1)
