"""Whole matrices -> banks as SSA values. Source: buckyball 5."""

from __future__ import annotations

from layoutsolver.buckyball.ir import Op
from layoutsolver.buckyball.passes.builder import Builder, LowerError, Rewriter
from layoutsolver.buckyball.passes.conv_banks import expand_conv
from layoutsolver.buckyball.passes.matmul_banks import expand_matmul
from layoutsolver.buckyball.passes.transpose_banks import expand_transpose
from layoutsolver_models.targets.bank_chip import BankChip


def to_banks(function: Op, chip: BankChip) -> None:
    """Rewrite a function in place. Raises `LowerError`."""
    expansions = {
        "buckyball.matmul": expand_matmul,
        "buckyball.matrix_matmul": expand_matmul,
        "tile.tile_transpose": expand_transpose,
        "buckyball.mem_transpose": expand_transpose,
        "tile.tile_conv2d": expand_conv,
    }

    def expand(op: Op, build: Builder) -> None:
        expansions[op.name](op, build, chip)

    Rewriter(function, {**dict.fromkeys(expansions, expand), "buckyball.im2col_matmul": _packed_conv}).run()


def _packed_conv(op: Op, build: Builder) -> None:
    raise LowerError("LS1003", f"`{op.name}` is not lowered here", op.span)
