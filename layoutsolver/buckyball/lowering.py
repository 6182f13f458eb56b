"""A text at one stage of the path -> the text at a later one."""

from __future__ import annotations

import re
from typing import NamedTuple

from layoutsolver.buckyball.passes.pipeline import is_open, lower_code, stage_of
from layoutsolver.buckyball.program import read_program
from layoutsolver.buckyball.stages import ALL_STAGES, STAGES
from layoutsolver.buckyball.write import write_code
from layoutsolver.buckyball.zeros import overwritten
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.source import SourceFile, Span
from layoutsolver_models.targets.bank_chip import BankChip

BACKEND = "riscv"
"""The emitter of what is behind MLIR."""

_LLVM = re.compile(r"^\s*(?:define|declare|target|source_filename)\b", re.MULTILINE)
_ASSEMBLY = re.compile(r"^\s*(?:\.text|\.insn|\.globl)\b", re.MULTILINE)


class Lowered(NamedTuple):
    """A lowered text (None where there are errors), what is to be said, and whether the input was broken text."""

    text: str | None
    diagnostics: list[Diagnostic]
    unreadable: bool = False


def text_stage(text: str) -> str:
    """`llvm` or `riscv` for a text that is LLVM or assembly, else empty.

    >>> text_stage("define void @f() {"), text_stage("  .text"), text_stage("func.func @f() {")
    ('llvm', 'riscv', '')
    """
    return "llvm" if _LLVM.search(text) else "riscv" if _ASSEMBLY.search(text) else ""


def line_label(source: SourceFile, line: int) -> Label:
    """A line of a text, without what it is indented by."""
    starts = source.line_starts()
    at = starts[min(max(line, 1), len(starts)) - 1]
    end = source.text.find("\n", at)
    shown = source.text[at : end if end >= 0 else len(source.text)]
    indent = len(shown) - len(shown.lstrip())
    return Label(source, Span(at + indent, at + max(len(shown.rstrip()), indent)))


def lower_text(source: SourceFile, chip: BankChip, end: str, start: str = "") -> Lowered:
    r"""Lower a program to a stage, from the stage at which it stands, or from `start` on.

    >>> from layoutsolver_models.targets.bank_chip import load_bank_chip
    >>> text = "func.func @f(%b: i64) {\n  buckyball.fence\n  return\n}\n"
    >>> "intr.fence" in (lower_text(SourceFile("a", text), load_bank_chip("seed"), "intr").text or "")
    True
    """
    written = text_stage(source.text)
    if written:
        return _lower_written(source, written, end, start)
    read = read_program(source)
    if read.code is None:
        return Lowered(None, read.diagnostics, read.unreadable)
    said = list(read.diagnostics)
    found = stage_of(read.code)
    begin = start or found
    open_tiles = (found, begin) == ("tile", "buckyball") and is_open(read.code)
    if (_before(found, begin) and not open_tiles) or _before(end, begin):
        return Lowered(None, [*said, _wrong_stage(source, found, begin, end)])
    if begin == "linalg" and end != "linalg":
        said += overwritten(read.code)
    last = end if end in STAGES else STAGES[-1]
    wrong = lower_code(read.code, chip, begin, last)
    if wrong or end in STAGES:
        return Lowered(None if wrong else write_code(read.code), [*said, *wrong])
    from layoutsolver.backends import load_code_backend
    from layoutsolver.buckyball.llvm.module import print_module
    from layoutsolver.buckyball.passes.builder import LowerError

    backend = load_code_backend(BACKEND)
    try:
        module = backend.llvm(read.code)
    except LowerError as error:
        return Lowered(None, [*said, Diagnostic(error.code, "error", str(error), Label(source, error.span))])
    text = print_module(module) if end == "llvm" else backend.assembly(module)
    return Lowered(text, said)


def _before(left: str, right: str) -> bool:
    return ALL_STAGES.index(left) < ALL_STAGES.index(right)


def _wrong_stage(source: SourceFile, found: str, begin: str, end: str) -> Diagnostic:
    message = f"the program stands at `{found}`: it does not go from `{begin}` to `{end}`"
    return Diagnostic("LS1009", "error", message, Label(source, Span(0, 0)))


def _lower_written(source: SourceFile, found: str, end: str, start: str) -> Lowered:
    """LLVM text -> assembly."""
    from layoutsolver.backends import load_code_backend
    from layoutsolver.buckyball.llvm.module import print_module
    from layoutsolver.buckyball.llvm.read import LlvmError, read_module

    if found != "llvm" or end not in ("llvm", "riscv") or (start or found) != found:
        return Lowered(None, [_wrong_stage(source, found, start or found, end)])
    try:
        module = read_module(source.text)
        text = print_module(module) if end == "llvm" else load_code_backend(BACKEND).assembly(module)
    except LlvmError as error:
        return Lowered(None, [Diagnostic("LS1010", "error", str(error), line_label(source, error.line))], True)
    return Lowered(text, [])
