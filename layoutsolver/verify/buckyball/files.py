"""Files against each other, or one against what it is lowered to here."""

from __future__ import annotations

from layoutsolver.buckyball.ir import Code
from layoutsolver.buckyball.lowering import lower_text
from layoutsolver.buckyball.passes.pipeline import STAGES, stage_of
from layoutsolver.buckyball.program import read_program
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.source import SourceFile, Span
from layoutsolver.verify.buckyball.compare import compare_codes
from layoutsolver.verify.result import Verification
from layoutsolver_models.targets.bank_chip import BankChip


class FileComparison:
    """What is to be said of reading and lowering, what came of comparing (None: nothing ran), and how it was done."""

    __slots__ = ("done", "how", "said", "unreadable")

    def __init__(
        self, said: list[Diagnostic], done: Verification | None = None, how: str = "", unreadable: bool = False
    ) -> None:
        self.said = said
        self.done = done
        self.how = how
        self.unreadable = unreadable


def verify_banks(
    source: SourceFile, other: SourceFile | None, chip: BankChip, rounds: int, seed: int
) -> FileComparison:
    """Run two forms of a program, the more abstract one saying what is expected; or one and what it is lowered to."""
    first = read_program(source)
    if first.code is None:
        return FileComparison(first.diagnostics, unreadable=first.unreadable)
    how = ""
    if other is None:
        if stage_of(first.code) == STAGES[-1]:
            message = "a file of intrinsics states nothing that it could be compared with"
            found = Diagnostic("LS0704", "error", message, Label(source, Span(0, 0)))
            return FileComparison([*first.diagnostics, found])
        lowered = lower_text(source, chip, STAGES[-1])
        if lowered.text is None:
            return FileComparison(lowered.diagnostics)
        first.diagnostics.extend(item for item in lowered.diagnostics if item not in first.diagnostics)
        other, how = SourceFile(f"{source.name} (lowered)", lowered.text), "with what it is lowered to"
    second = read_program(other)
    said = [*first.diagnostics, *second.diagnostics]
    if second.code is None:
        return FileComparison(said, unreadable=second.unreadable)
    expected, found_code = _ordered(first.code, second.code)
    return FileComparison(said, compare_codes(expected, found_code, chip, rounds, seed), how)


def _ordered(left: Code, right: Code) -> tuple[Code, Code]:
    """Both programs, the more abstract one first."""
    return (left, right) if STAGES.index(stage_of(left)) <= STAGES.index(stage_of(right)) else (right, left)
