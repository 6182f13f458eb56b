"""Bank operations with numbers -> instructions as operations: another name, no result. Source: buckyball 2.4."""

from __future__ import annotations

from layoutsolver.buckyball.ir import Op
from layoutsolver.buckyball.passes.bank_ops import need_units
from layoutsolver.buckyball.passes.builder import Builder, LowerError, Rewriter
from layoutsolver.buckyball.roles import bank_accesses, is_bank_op, mnemonic
from layoutsolver.ops.buckyball import BANK, BUCKYBALL
from layoutsolver_models.targets.bank_chip import BankChip

OLDER_NAMES = {"matrix": "systolic"}
"""What the seed calls an instruction that has another name in newer revisions."""


def to_wrappers(function: Op, chip: BankChip) -> None:
    """Rewrite a function in place. Raises `LowerError` for a bank operation without an instruction on the chip."""
    rewriter: Rewriter

    def wrap(op: Op, build: Builder) -> None:
        name = mnemonic(op)
        need_units(op, chip, (name,))
        reads, writes = bank_accesses(op)
        if op.results:
            rewriter.replaced[op.result] = (writes or reads)[0]
        shown = OLDER_NAMES.get(name, name) if chip.dialect == "seed" else name
        build.op(f"{BUCKYBALL}{shown}", op.operands)

    def unknown(op: Op, build: Builder) -> None:
        raise LowerError("LS1005", f"`{op.name}` has no place among numbered banks: assign them first", op.span)

    names = {op.name for op in function.walk() if is_bank_op(op)}
    rest = {op.name for op in function.walk() if op.name.startswith(BANK)} - names
    rewriter = Rewriter(function, {**dict.fromkeys(names, wrap), **dict.fromkeys(rest, unknown)})
    rewriter.run()
