"""Programs solved, lowered to intrinsics and run: whether the text that we write does what the program says."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from layoutsolver.api import SolveOptions, SolveResult, decide
from layoutsolver.backends import load_lowering
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import compare_programs
from layoutsolver.verify.levels import border_layouts, read_program
from layoutsolver.verify.program import Program, plain_program, solved_program


@dataclass(frozen=True, slots=True)
class Lowered:
    """What came of one program.

    `verdict` is `agrees`, `unsolved`, `warned` (the analyzer's layouts do something else, as a warning says, and the
    intrinsics do what these layouts do), `mismatch`, or begins with `refused` or `stopped`.
    """

    verdict: str
    text: str
    lowered: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()


def lower_and_verify(text: str, dialect: str, compat: str = "", rounds: int = 3, chip: str = "") -> Lowered:
    """Solve a program, lower it, and run the intrinsics against it."""
    result = decide(SourceFile("program.mlir", text), SolveOptions(compat, chip=chip))
    solved = result.posed is not None and result.solution is not None and bool(result.solution.layouts)
    if not solved or (compat and result.verdict != "solved"):
        return Lowered("unsolved", text, diagnostics=tuple(result.diagnostics))
    return verify_lowered(result, text, dialect, compat, rounds, chip)


def verify_lowered(
    result: SolveResult, text: str, dialect: str, compat: str, rounds: int, chip: str, against: str = ""
) -> Lowered:
    """Lower a solved program and run the intrinsics against it, or against the text that it was repaired from."""
    posed, solution = result.posed, result.solution
    assert posed is not None
    assert solution is not None
    made = load_lowering("ave-intrin").lower(posed, solution, dialect, own_layouts=False)
    errors = [item for item in made.diagnostics if item.severity == "error"]
    if errors:
        return Lowered(f"refused: {errors[0].code} {_plain(errors[0].message)}", text, diagnostics=tuple(errors))
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
    if compat and is_as_laid_out(expected, laid_out, found, rounds):
        return Lowered("warned", text, lowered)
    if all(item.code != "LS0701" for item in done.diagnostics):
        return Lowered(f"stopped: {_plain(done.diagnostics[0].message)}", text, lowered, tuple(done.diagnostics))
    return Lowered("mismatch", text, lowered, tuple(done.diagnostics))


def is_as_laid_out(expected: Program, laid_out: Program, found: Program, rounds: int) -> bool:
    """Whether intrinsics depart from a program nowhere but where its layouts do."""
    wrong = compare_programs(expected, laid_out, rounds, lenient=True, every_round=True)
    done = compare_programs(expected, found, rounds, lenient=True, every_round=True)
    return bool(done.places) and done.places <= wrong.places and all(i.code == "LS0701" for i in done.diagnostics)


def _plain(message: str) -> str:
    return re.sub(r"\d{2,}", "N", message)[:110]
