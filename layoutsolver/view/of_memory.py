"""What the picture of memory shows of placed buffers and of banks."""

from __future__ import annotations

from layoutsolver.view.memory import Bar, MemoryMap
from layoutsolver_models.banks.answer import solved_problem
from layoutsolver_models.problems.banks import BankProblem, BankSolution
from layoutsolver_models.problems.placement import PlacementProblem, PlacementSolution

NAMED = 40
"""Programs of at most so many operations have the names of all."""


def map_of_placement(title: str, problem: PlacementProblem, solution: PlacementSolution) -> MemoryMap:
    """Buffers at their offsets."""
    bars = tuple(
        Bar(buffer.id, buffer.lower, buffer.upper, offset, buffer.size)
        for buffer, offset in zip(problem.buffers, solution.offsets, strict=True)
    )
    return MemoryMap(title, bars, problem.capacity or 0, "byte", proved=solution.bound >= solution.height > 0)


def map_of_banks(title: str, problem: BankProblem, solution: BankSolution) -> MemoryMap:
    """Banks at their ids over the operations in their order, several physical banks as one box.

    A bank that another one takes over where it is ends where that begins. At the levels that keep the lives of the
    text, time is the places of the text; else it is positions in the order.
    """
    problem = solved_problem(problem, solution)
    bars = []
    keeps = not solution.first
    into = {} if keeps else {one: solution.first[other] for one, other in solution.shared}
    over = {other: problem.banks[one].name for one, other in solution.shared}
    for number, (bank, where) in enumerate(zip(problem.banks, solution.ids, strict=True)):
        start, end = (bank.alloc, bank.release) if keeps else (solution.first[number], solution.last[number] + 1)
        if end == 0:
            continue
        end = min(end, into.get(number, end))
        hint = f"{bank.name}: {bank.row} x {bank.col} from bank {where}"
        bars.append(Bar(bank.name, start, max(end, start + 1), where, bank.size, hint, over.get(number, "")))
    names = [problem.ops[op].name.rpartition(".")[2].removeprefix("bank_") for op in solution.order]
    ticks = () if keeps else tuple(enumerate(names))
    few = ticks if len(ticks) <= NAMED else ()
    return MemoryMap(title, tuple(bars), problem.bank_num, "bank", few, solution.bound >= solution.peak > 0)
