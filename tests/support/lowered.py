"""Programs solved, lowered to intrinsics and run: whether the text that we write does what the program says."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from layoutsolver.api import SolveOptions, SolveResult, decide
from layoutsolver.backends import load_lowering
from layoutsolver.diagnostics.diagnostic import Diagnostic, Edit
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.pose.posed import Posed
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import compare_programs
from layoutsolver.verify.levels import border_layouts, read_program
from layoutsolver.verify.program import Program, plain_program, solved_program
from layoutsolver_models.problems.layout import LayoutSolution
from tests.support.warned import reached_by_warnings


@dataclass(frozen=True, slots=True)
class Lowered:
    """What came of one program.

    `verdict` is `agrees`, `unsolved`, `warned` (whatever differs depends on an operation of which a warning says that
    it does something else under the analyzer's layouts), `mismatch`, or begins with `refused` (`refused what has no
    meaning` where the hardware model has no form for an operation either) or `stopped`.
    """

    verdict: str
    text: str
    lowered: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()


def lower_and_verify(
    text: str, dialect: str, compat: str = "", rounds: int = 3, chip: str = "", against: str = ""
) -> Lowered:
    """Solve a program, lower it, and run the intrinsics against it, or against the text that it was repaired from."""
    result = decide(SourceFile("program.mlir", text), SolveOptions(compat, chip=chip))
    solved = result.posed is not None and result.solution is not None and bool(result.solution.layouts)
    if not solved or (compat and result.verdict != "solved"):
        return Lowered("unsolved", text, diagnostics=tuple(result.diagnostics))
    return verify_lowered(result, text, dialect, compat, rounds, chip, against)


def verify_lowered(
    result: SolveResult, text: str, dialect: str, compat: str, rounds: int, chip: str, against: str = ""
) -> Lowered:
    """Lower a solved program and run the intrinsics against it, or against the text that it was repaired from."""
    posed, solution = result.posed, result.solution
    assert posed is not None
    assert solution is not None
    return verify_solution(posed, solution, text, dialect, compat, rounds, chip, against, result)


def verify_solution(
    posed: Posed, solution: LayoutSolution, text: str, dialect: str, compat: str = "", rounds: int = 3, chip: str = "",
    against: str = "", result: SolveResult | None = None,
) -> Lowered:  # fmt: skip
    """Lower a posed program with a solution and run the intrinsics, as `verify_lowered`."""
    made = load_lowering("ave-intrin").lower(posed, solution, dialect, own_layouts=False)
    errors = [item for item in made.diagnostics if item.severity == "error"]
    if errors:
        strict = compare_programs(plain_program(posed.graph), solved_program(posed, solution), 1)
        without = "" if all(item.code != "LS0703" for item in strict.diagnostics) else " what has no meaning"
        said = f"refused{without}: {errors[0].code} {_plain(errors[0].message)}"
        return Lowered(said, text, diagnostics=tuple(errors))
    lowered = apply_edits(text, made.edits)
    options = SolveOptions(compat, chip=chip)
    written = read_program(SourceFile("lowered.mlir", lowered), options)
    if written.program is None:
        return Lowered("stopped: it cannot be read", text, lowered, tuple(written.diagnostics))
    laid_out = solved_program(posed, solution)
    border = border_layouts(written.program.graph, posed.graph, laid_out.layouts)
    found = replace(written.program, layouts={**written.program.layouts, **border})
    expected: Program = plain_program(posed.graph)
    if against:
        original = read_program(SourceFile("original.mlir", against), options)
        assert original.graph is not None
        expected = plain_program(original.graph)
    done = compare_programs(expected, found, rounds, lenient=True)
    if done.ok:
        return Lowered("agrees", text, lowered)
    if compat and result is not None and is_warned_of(result, made.edits, expected, laid_out, found, rounds):
        return Lowered("warned", text, lowered)
    if all(item.code != "LS0701" for item in done.diagnostics):
        return Lowered(f"stopped: {_plain(done.diagnostics[0].message)}", text, lowered, tuple(done.diagnostics))
    return Lowered("mismatch", text, lowered, tuple(done.diagnostics))


def is_warned_of(
    result: SolveResult, edits: list[Edit], expected: Program, layouts: Program, found: Program, rounds: int
) -> bool:
    """Whether every byte that differs was written by a store that depends on an operation that a warning names."""
    done = compare_programs(expected, found, rounds, lenient=True, every_round=True)
    if any(item.code != "LS0701" for item in done.diagnostics):
        return False
    reached = reached_by_warnings(result)
    graph = found.graph
    laid_out = compare_programs(expected, layouts, rounds, lenient=True, every_round=True)
    if reached and done.places and done.places <= laid_out.places:
        return True  # the layouts alone differ in the same bytes, in a function that is called as well
    for before, after in done.writers:
        places = {expected.graph.ops[before].span.start} if before >= 0 else set()
        if after >= 0:
            places.add(origin_of(edits, graph.ops[after].span.start))
        if not places & reached:
            return False
    return bool(done.writers)


def origin_of(edits: list[Edit], place: int) -> int:
    """Where the operation began in the original text whose intrinsics stand at a place of the lowered one."""
    moved = 0
    for edit in sorted(edits, key=lambda one: (one.span.start, one.span.end)):
        start = edit.span.start + moved
        if start <= place < start + len(edit.new_text):
            return edit.span.start
        if start > place:
            break
        moved += len(edit.new_text) - (edit.span.end - edit.span.start)
    return place - moved


def _plain(message: str) -> str:
    return re.sub(r"\d{2,}", "N", message)[:110]
