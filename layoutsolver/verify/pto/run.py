"""Verify two files of PTO: the more abstract one says what is expected of the other."""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.source import SourceFile, Span
from layoutsolver.verify.pto.compare import verify_programs
from layoutsolver.verify.pto.program import Borders, load_program
from layoutsolver.verify.result import Verification


def verify_files(
    source: SourceFile, other: SourceFile | None, rounds: int, seed: int, borders: Borders | None = None
) -> tuple[list[Diagnostic], Verification | None]:
    """What is to be said of the files, and what came of comparing them: None where they cannot be compared.

    `borders` say in which layouts the other takes and gives vectors of the first, where their types do not.
    """
    if other is None:
        message = "a program of PTO says what it computes, but there is nothing to compare it with"
        note = "name the program that it was lowered to as well: `layoutsolver verify PROGRAM LOWERED`"
        return [Diagnostic("LS0704", "error", message, Label(source, Span(0, 0)), notes=(note,))], None
    first, second = load_program(source, borders), load_program(other)
    said = [*first.diagnostics, *second.diagnostics]
    if any(one.severity == "error" for one in said):
        return said, None
    if second.is_logical and not first.is_logical:
        first, second = second, first
    return said, verify_programs(first, second, rounds, seed)
