"""The problem of which a solution is one: that which was asked, with its cuts and spills made."""

from __future__ import annotations

from layoutsolver_models.banks.spill import expand
from layoutsolver_models.banks.split import cut
from layoutsolver_models.problems.banks import BankProblem, BankSolution


def solved_problem(problem: BankProblem, solution: BankSolution) -> BankProblem:
    """The problem whose operations and banks a solution orders and places."""
    return expand(cut(problem, solution.splits), solution.spills)
