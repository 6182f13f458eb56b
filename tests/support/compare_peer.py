"""One program, both tools: what differs between our compat mode and the released analyzer."""

from __future__ import annotations

import random
from dataclasses import dataclass

from layoutsolver.api import SolveOptions, SolveResult, decide
from layoutsolver.source import SourceFile
from layoutsolver_models.solve.check import cost_of
from tests.support.ave_programs import random_program
from tests.support.peer import LAYOUT_CAST, PeerResult, analyze
from tests.support.solving import function_types


@dataclass(frozen=True, slots=True)
class Recorded:
    """The analyzer's answer, as far as it is compared."""

    verdict: str
    failing_op: str | None
    function_types: tuple[tuple[str, str | None], ...]


def program(seed: int, size: int = 12) -> str:
    """The program of a seed."""
    return random_program(random.Random(seed), size)


def recorded(result: PeerResult) -> Recorded:
    """The compared part of the analyzer's answer; layout casts that it adds around calls are left out."""
    types = tuple(item for item in result.function_types if item[0] != LAYOUT_CAST)
    return Recorded(result.verdict, result.failing_op if result.verdict == "no_solve" else None, types)


def decided(text: str, compat: str = "") -> SolveResult:
    """The answer to a program, without an explanation where there is none."""
    return decide(SourceFile("test.mlir", text), SolveOptions(compat))


def ours(result: SolveResult) -> Recorded:
    """Our answer in compat mode, in the same form."""
    assert result.posed is not None, [item.message for item in result.diagnostics]
    assert result.upstream is not None
    verdict = result.upstream
    failing = result.posed.graph.ops[verdict.op].name if verdict.kind == "no_solve" else None
    return Recorded(verdict.kind, failing, function_types(result) if verdict.kind == "solved" else ())


def difference(text: str, theirs: Recorded | None = None) -> str | None:
    """How our compat mode departs from the analyzer on a program, None if it does not."""
    expected = recorded(analyze(text)) if theirs is None else theirs
    mine = ours(decided(text, "upstream"))
    if mine == expected:
        return None
    if (mine.verdict, mine.failing_op) != (expected.verdict, expected.failing_op):
        return f"verdict {mine.verdict} {mine.failing_op}, theirs {expected.verdict} {expected.failing_op}"
    pairs = zip(mine.function_types, expected.function_types, strict=True)
    return f"functionType {next(pair for pair in pairs if pair[0] != pair[1])}"


@dataclass(frozen=True, slots=True)
class Costs:
    """The cost of our default choice and of the analyzer's under the same rules (None where they forbid it)."""

    ours: int
    theirs: int | None


def compare_costs(text: str) -> Costs | None:
    """Both costs of a program that both solve, None for other programs."""
    upstream = decided(text, "upstream")
    default = decided(text)
    if upstream.verdict != "solved" or default.solution is None or default.solution.status != "optimal":
        return None
    assert upstream.posed is not None
    assert upstream.solution is not None
    assert default.posed is not None
    chosen = dict(zip(upstream.posed.value_of, upstream.solution.layouts, strict=True))
    problem = default.posed.problem
    theirs = cost_of(problem, [chosen[value] for value in default.posed.value_of])
    mine = cost_of(problem, default.solution.layouts)
    assert mine == default.solution.cost
    return Costs(default.solution.cost, theirs)
