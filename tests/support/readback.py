"""What the production compiler makes of a program, read back and run: where it does what the program says.

A difference is excused where every byte of it was written by a store that depends on an operation at which a finding
says the compiler goes wrong. The locations that the compiler prints say what was made of which operation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from layoutsolver.api import SolveOptions, decide
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import compare_programs
from layoutsolver.verify.levels import border_layouts, read_program
from layoutsolver.verify.locations import made_of
from layoutsolver.verify.program import Program, plain_program, solved_program
from tests.support.depending import depending
from tests.support.findings import FINDINGS, Site
from tests.support.peer import own_pipeline

DEVICE = "Ascend950PR_9589"
LOCATED = "-mlir-print-debuginfo"


@dataclass(frozen=True, slots=True)
class Readback:
    """What came of one program and one pipeline.

    `verdict` is `agrees`, `explained`, `differs` where something is not, or why nothing was compared, in brackets;
    `against` says what it was compared with: the program, or only the analyzer's own layouts of it. `reasons` are the
    findings that explain.
    """

    verdict: str
    against: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def compared(self) -> bool:
        """Whether anything was run."""
        return not self.verdict.startswith("(")


def read_back(text: str, is_950: bool, aligned: bool, rounds: int = 2) -> Readback:
    """Send a program through the compiler's passes and run what comes out against it.

    Where the layouts that the analyzer chose already differ from the program, the intrinsics are held against these.
    """
    result = decide(SourceFile("program.mlir", text), _options(is_950))
    if result.verdict != "solved" or not result.ok or result.posed is None or result.solution is None:
        return Readback("(no layouts)")
    code, printed, _ = own_pipeline(text, target=DEVICE if is_950 else None, aligned=aligned, options=(LOCATED,))
    if code != 0:
        return Readback(f"(the compiler ends with {code})")
    return judge(solved_program(result.posed, result.solution), printed, aligned, is_950, rounds)


def judge(laid_out: Program, printed: str, aligned: bool, is_950: bool, rounds: int = 2) -> Readback:
    """Run what the compiler printed with locations against the program that it was made of, and look for reasons."""
    expected = plain_program(laid_out.graph)
    against = "the program"
    if not compare_programs(expected, laid_out, rounds, lenient=True).ok:
        expected, against = laid_out, "the layouts"
    written = read_program(SourceFile("printed.mlir", printed), _options(is_950))
    if written.program is None:
        return Readback("differs", against, tuple(written.diagnostics))
    border = border_layouts(written.program.graph, laid_out.graph, laid_out.layouts)
    found = replace(written.program, layouts={**written.program.layouts, **border})
    done = compare_programs(expected, found, rounds, lenient=True, every_round=True)
    if done.ok:
        return Readback("agrees", against)
    if any(item.code == "LS0703" for item in done.diagnostics):
        return Readback(f"(cannot run: {_kind(done.diagnostics)})")
    if any(item.code not in ("LS0701", "LS0702") for item in done.diagnostics if item.severity == "error"):
        return Readback("differs", against, tuple(done.diagnostics))
    reasons = explained(Lowered(laid_out, found.graph, aligned), done.writers)
    verdict = "differs" if reasons is None else "explained"
    return Readback(verdict, against, tuple(done.diagnostics), reasons or ())


def _options(is_950: bool) -> SolveOptions:
    return SolveOptions(compat="upstream", chip="ascend950" if is_950 else "")


def _kind(diagnostics: list[Diagnostic]) -> str:
    message = next(item.message for item in diagnostics if item.code == "LS0703")
    return re.sub(r"\d+", "N", message)


@dataclass(slots=True)
class Lowered:
    """A program with its layouts and what the compiler made of it, for a chip."""

    program: Program
    printed: Graph
    aligned: bool
    origins: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.origins = made_of(self.printed, self.program.graph)

    def sites(self) -> list[Site]:
        """Every operation of the program with what was made of it."""
        made: dict[int, list[OpNode]] = {}
        for after, before in self.origins.items():
            made.setdefault(before, []).append(self.printed.ops[after])
        return [
            Site(self.program, node, self.printed, tuple(made.get(node.index, ())), self.aligned)
            for node in self.program.graph.ops
        ]


def explained(lowered: Lowered, writers: set[tuple[int, int]]) -> tuple[str, ...] | None:
    """The findings that explain differing bytes, given by what wrote them before and after; None if some are not."""
    sites = lowered.sites()
    wrong: dict[str, set[int]] = {}
    for finding in FINDINGS:
        named = {site.node.index for site in sites if finding(site)}
        if named:
            wrong[finding.__name__] = depending(lowered.program.graph, named)
    reasons: list[str] = []
    for before, after in sorted(writers):
        to_blame = _to_blame(lowered, before, after)
        reason = next((name for name, reached in wrong.items() if not to_blame.isdisjoint(reached)), None)
        if reason is None:
            return None
        reasons.append(reason)
    return tuple(dict.fromkeys(reasons))


def _to_blame(lowered: Lowered, before: int, after: int) -> set[int]:
    """The operations of the program of which one wrote wrong bytes, or did not write what it should have.

    Of two different stores this is the later one: it wrote too much or too little. In a loop either may be the later.
    """
    graph = lowered.program.graph
    there = lowered.origins.get(after, -1) if after >= 0 else -1
    if after >= 0 and there < 0 and lowered.printed.ops[after].name == "func.func":
        there = before
    if before < 0 or there < 0:
        return {max(before, there)}
    mine, other = graph.ops[before], graph.ops[there]
    straight = mine.parent == other.parent == graph.functions[mine.function].op
    return {max(before, there)} if straight else {before, there}
