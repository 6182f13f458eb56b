"""Files against each other, or one against what it is lowered to here."""

from __future__ import annotations

from layoutsolver.buckyball.lowering import lower_text
from layoutsolver.buckyball.stages import STAGES
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.source import SourceFile, Span
from layoutsolver.verify.buckyball.compare import compare_forms
from layoutsolver.verify.buckyball.forms import read_form
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
    first = read_form(source)
    if first.form is None:
        return FileComparison(first.diagnostics, unreadable=first.unreadable)
    said, how = list(first.diagnostics), ""
    if other is None:
        if first.form.rank >= len(STAGES) - 1:
            message = f"a file at `{first.form.stage}` states nothing that it could be compared with"
            return FileComparison([*said, Diagnostic("LS0704", "error", message, Label(source, Span(0, 0)))])
        lowered = lower_text(source, chip, STAGES[-1])
        said = lowered.diagnostics
        if lowered.text is None:
            return FileComparison(said)
        other, how = SourceFile(f"{source.name} (lowered)", lowered.text), "with what it is lowered to"
    second = read_form(other)
    said = [*said, *second.diagnostics]
    if second.form is None:
        return FileComparison(said, unreadable=second.unreadable)
    expected, found = sorted((first.form, second.form), key=lambda form: form.rank)
    return FileComparison(said, compare_forms(expected, found, chip, rounds, seed), how)
