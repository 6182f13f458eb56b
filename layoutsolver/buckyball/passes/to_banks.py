"""Whole matrices -> banks as SSA values. Source: buckyball 5."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from layoutsolver.buckyball.ir import Op
from layoutsolver.buckyball.passes.builder import Builder, Rewriter
from layoutsolver.buckyball.passes.conv_banks import expand_conv
from layoutsolver.buckyball.passes.from_tile import from_tile
from layoutsolver.buckyball.passes.matmul_banks import MatmulBanks
from layoutsolver.buckyball.passes.matrix_banks import MatrixBanks
from layoutsolver.buckyball.passes.plane_banks import expand_plane
from layoutsolver.buckyball.passes.plane_conv import takes_planes
from layoutsolver.buckyball.passes.relu_banks import expand_relu, is_relu
from layoutsolver.buckyball.passes.transpose_banks import expand_transpose
from layoutsolver_models.targets.bank_chip import BankChip


def to_banks(function: Op, chip: BankChip) -> None:
    """Rewrite a function in place. Raises `LowerError`."""
    _expand_all(function, chip, deep=False)


def to_deep_banks(function: Op, chip: BankChip) -> None:
    """Rewrite a function in place; banks of a product get as many rows as K. Raises `LowerError`."""
    _expand_all(function, chip, deep=True)


def _expand_all(function: Op, chip: BankChip, deep: bool) -> None:
    if takes_planes(chip):
        from_tile(function, chip)
    product = partial(expand_matmul, deep=deep)
    expansions: dict[str, Callable[[Op, Builder, BankChip], None]] = {
        "buckyball.matmul": product,
        "buckyball.matrix_matmul": product,
        "tile.tile_transpose": expand_transpose,
        "buckyball.mem_transpose": expand_transpose,
        "tile.tile_conv2d": expand_conv,
        "buckyball.im2col_matmul": expand_plane,
    }

    def expand(op: Op, build: Builder) -> None:
        expansions[op.name](op, build, chip)

    def elementwise(op: Op, build: Builder) -> None:
        """What the relu unit can do; the rest stays with the processor."""
        if is_relu(op, build, chip):
            expand_relu(op, build, chip)
        else:
            build.keep(op)

    Rewriter(function, {**dict.fromkeys(expansions, expand), "linalg.generic": elementwise}).run()


def expand_matmul(op: Op, build: Builder, chip: BankChip, deep: bool = False) -> None:
    """Emit a product, by the unit that adds up products if the chip has it. Raises `LowerError`."""
    unit = MatmulBanks if chip.has("mul_warp16") or not chip.has("matrix") or chip.revision != "NEW" else MatrixBanks
    unit(op, build, chip, deep).emit()
