"""How long a program takes, as the emulator's cost functions compose, and what it needs at each point.

An operation starts when its unit is free and the banks that it reads and writes are ready; what it writes is ready
when it ends. A fence waits for everything. As in the emulator, a bank that is written again, or given to another, does
not wait for those that still read it, as it does in the hardware (8.1), and in the schedules that are searched: their
end is never earlier than what is counted here for their order. Source: buckyball 8.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutsolver_models.problems.banks import BankProblem


def makespan(
    problem: BankProblem, order: Sequence[int], shared: Mapping[int, int] | None = None, msets: int = 0
) -> int:
    """Cycles that the operations take in this order, `msets` allocations and releases of one cycle each behind them.

    `shared` says which bank another one is. Bodies of loops count once.
    """
    same = shared or {}
    ready: dict[int, int] = {}
    free: dict[str, int] = {}
    over = fenced = 0
    for number in order:
        op = problem.ops[number]
        if op.name == "buckyball.fence":
            fenced = over = over + op.latency
            continue
        touched = [same.get(bank, bank) for bank in (*op.reads, *op.writes)]
        start = max([fenced, *(ready.get(bank, 0) for bank in touched)])
        if op.unit:
            start = max(start, free.get(op.unit, 0))
        end = start + op.latency
        if op.unit:
            free[op.unit] = end
        for bank in op.writes:
            ready[same.get(bank, bank)] = end
        over = max(over, end)
    return over + msets
