"""A whole matrix product -> banks, on chips whose products are the matrix unit's. Source: buckyball 5.4, 7.8.

The unit takes A in blocks of 16 rows by 16 of K, one block behind the other, B as its rows of 16 lie, and overwrites
the 16 by 16 results. No bank has to be transposed or cleared. The banks of A are gone before those of B are taken,
so that ids stay below eight.
"""

from __future__ import annotations

from layoutsolver.buckyball.ir import Value
from layoutsolver.buckyball.passes.bank_ops import alloc, bank_op, move, release
from layoutsolver.buckyball.passes.builder import F32, I64, Builder
from layoutsolver.buckyball.passes.matmul_banks import MatmulBanks
from layoutsolver_models.buckyball.encoding import rs2
from layoutsolver_models.buckyball.tiles import LANE

MATRIX_UNITS = ("fp2int", "matrix", "int2fp")


class MatrixBanks(MatmulBanks):
    """A product by the matrix unit."""

    units = MATRIX_UNITS
    adds = False

    def zeros(self) -> Value | None:
        """Nothing has to be cleared."""
        return None

    def packed_a(self) -> Value | None:
        """Contiguous memory for the blocks of a tile of A, unless the tile is one block that can be moved."""
        pitch = self.a.strides[0]
        assert pitch is not None
        fits = self.k == LANE and pitch % LANE == 0
        return None if fits else self.build.alloc((self.k, LANE), F32, 4, "aPacked")

    def pack(self, build: Builder, tile: Value, into: Value) -> None:
        """Copy a tile of A block by block."""

        def block(inner: Builder, k: Value) -> None:
            part = inner.subview(tile, [0, k], [LANE, LANE], "aBlock")
            inner.copy(part, inner.subview(into, [k, 0], [LANE, LANE], "aPackedBlock"))

        build.each(self.k, LANE, block, "k")

    def results(self, build: Builder, a: Value, b: Value, bits: tuple[Value, Value], back: Value) -> Value:
        """The bank of the results."""
        left = self.quantised(build, a, bits[0], "a")
        right = self.quantised(build, b, bits[1], "b")
        out = alloc(build, 4, "cI32")
        config = build.constant(rs2("matrix", m=LANE, n=LANE, k=self.k, mode=int(self.op.attrs.get("ws") is True)), I64)
        total = bank_op(build, "matrix", [left, right, out, config], "cSum")
        release(build, left, right)
        floats = alloc(build, 4, "cFp32")
        done = bank_op(build, "int2fp", [total, floats, build.constant(LANE, I64), back], "cFp32Done")
        release(build, total)
        return done

    def quantised(self, build: Builder, memref: Value, bits: Value, name: str) -> Value:
        """An operand as bytes in a bank; the bank of its floats is given back."""
        floats, small = alloc(build, 4, f"{name}Fp32"), alloc(build, 1, f"{name}I8")
        loaded = move(build, "mvin", memref, floats, self.k, 4, self.op)
        done = bank_op(build, "fp2int", [loaded, small, build.constant(self.k, I64), bits], f"{name}Q")
        release(build, loaded)
        return done
