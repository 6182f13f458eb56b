"""A file as something that runs: MLIR at any stage, LLVM, assembly."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.buckyball.assembly import Assembly, AssemblyReadError, read_assembly
from layoutsolver.buckyball.ir import Code, Op
from layoutsolver.buckyball.llvm.module import Module
from layoutsolver.buckyball.llvm.read import LlvmError, read_module
from layoutsolver.buckyball.lowering import line_label, text_stage
from layoutsolver.buckyball.passes.pipeline import stage_of
from layoutsolver.buckyball.program import read_program
from layoutsolver.buckyball.stages import ALL_STAGES
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.source import SourceFile


class Form(NamedTuple):
    """A program that runs: where it stands and at which stage, and what it is there."""

    source: SourceFile
    stage: str
    program: Code | Module | Assembly

    @property
    def rank(self) -> int:
        """How concrete the stage is."""
        return ALL_STAGES.index(self.stage)

    def functions(self) -> dict[str, Op | None]:
        """The functions by symbol; only those of MLIR say what their arguments are."""
        if isinstance(self.program, Code):
            return {op.text("symbol"): op for op in self.program.functions if op.blocks}
        if isinstance(self.program, Module):
            return dict.fromkeys(self.program.defined())
        return {f"@{label}": None for label in self.program.labels if not label.startswith(".")}


class ReadForm(NamedTuple):
    """A file as read: its form, None where it cannot be, what is to be said, whether it is broken text."""

    form: Form | None
    diagnostics: list[Diagnostic]
    unreadable: bool = False


def read_form(source: SourceFile) -> ReadForm:
    """Read a file of any stage."""
    stage = text_stage(source.text)
    try:
        if stage == "llvm":
            return ReadForm(Form(source, stage, read_module(source.text)), [])
        if stage == "riscv":
            return ReadForm(Form(source, stage, read_assembly(source.text)), [])
    except (LlvmError, AssemblyReadError) as error:
        return ReadForm(None, [Diagnostic("LS1010", "error", str(error), line_label(source, error.line))], True)
    read = read_program(source)
    form = None if read.code is None else Form(source, stage_of(read.code), read.code)
    return ReadForm(form, read.diagnostics, read.unreadable)
