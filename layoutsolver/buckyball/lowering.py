"""A text at one stage of the path -> the text at a later one."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.buckyball.passes.pipeline import STAGES, lower_code, stage_of
from layoutsolver.buckyball.program import read_program
from layoutsolver.buckyball.write import write_code
from layoutsolver.buckyball.zeros import overwritten
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.source import SourceFile, Span
from layoutsolver_models.targets.bank_chip import BankChip


class Lowered(NamedTuple):
    """A lowered text (None where there are errors), what is to be said, and whether the input was broken text."""

    text: str | None
    diagnostics: list[Diagnostic]
    unreadable: bool = False


def lower_text(source: SourceFile, chip: BankChip, end: str, start: str = "") -> Lowered:
    r"""Lower a program to a stage, from the stage at which it stands, or from `start` on.

    >>> from layoutsolver_models.targets.bank_chip import load_bank_chip
    >>> text = "func.func @f(%b: i64) {\n  buckyball.fence\n  return\n}\n"
    >>> "intr.fence" in (lower_text(SourceFile("a", text), load_bank_chip("seed"), "intr").text or "")
    True
    """
    read = read_program(source)
    if read.code is None:
        return Lowered(None, read.diagnostics, read.unreadable)
    said = list(read.diagnostics)
    found = stage_of(read.code)
    begin = start or found
    if STAGES.index(found) < STAGES.index(begin) or STAGES.index(end) < STAGES.index(begin):
        message = f"the program stands at `{found}`: it does not go from `{begin}` to `{end}`"
        return Lowered(None, [*said, Diagnostic("LS1009", "error", message, Label(source, Span(0, 0)))])
    if begin == "linalg" and end != "linalg":
        said += overwritten(read.code)
    wrong = lower_code(read.code, chip, begin, end)
    return Lowered(None if wrong else write_code(read.code), [*said, *wrong])
