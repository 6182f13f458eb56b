"""Solve a program, then run it before and after layout and compare."""

from __future__ import annotations

from dataclasses import dataclass

from layoutsolver.api import SolveOptions, SolveResult, solve
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import Verification, check_solution

ROUNDS = 4
"""How often every function is run where the caller does not say: once with each kind of numbers."""


@dataclass(slots=True)
class VerifyResult:
    """A program solved and compared; `verification` is None where there is no solution to run."""

    solving: SolveResult
    verification: Verification | None = None

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All that is to be said: of solving, then of comparing."""
        found = [] if self.verification is None else self.verification.diagnostics
        return [*self.solving.diagnostics, *found]

    @property
    def ok(self) -> bool:
        """Whether there is a solution and nothing differed."""
        return self.solving.ok and self.verification is not None and self.verification.ok


def verify(
    source: SourceFile, options: SolveOptions | None = None, rounds: int = ROUNDS, seed: int = 1
) -> VerifyResult:
    """Decide layouts, and run the program with and without them on the same memory."""
    return verify_result(solve(source, options), rounds, seed)


def verify_result(result: SolveResult, rounds: int = ROUNDS, seed: int = 1) -> VerifyResult:
    """A solved program compared; one without a solution is given back as it is."""
    if not result.ok or result.posed is None or result.solution is None:
        return VerifyResult(result)
    return VerifyResult(result, check_solution(result.posed, result.solution, rounds, seed))
