"""Which operations use a bank."""

from __future__ import annotations

from layoutsolver_models.problems.banks import BankProblem


def uses_of(problem: BankProblem) -> list[list[int]]:
    """The operations that touch each bank, those that enter and leave a region around its uses among them."""
    users: list[set[int]] = [set() for _ in problem.banks]
    for number, op in enumerate(problem.ops):
        for bank in (*op.reads, *op.writes):
            users[bank].add(number)
            region = op.region
            while region != problem.banks[bank].region and region >= 0:
                users[bank] |= {problem.regions[region].enter, problem.regions[region].leave}
                region = problem.regions[region].outer
    return [sorted(of) for of in users]
