"""A convolution -> products of one plane's windows, on chips whose `im2col` takes square planes. Source: buckyball 4.6.

Every channel of the input is a plane of its own: a square tile of it becomes windows, these times sixteen channels of
the filter are added up by the processor, channel by channel.
"""

from __future__ import annotations

from layoutsolver.buckyball.ir import Op, Value, memref_text, static_dims
from layoutsolver.buckyball.passes.bank_ops import need_units
from layoutsolver.buckyball.passes.builder import F32, Builder, LowerError, dense, shape_or_fail
from layoutsolver_models.buckyball.tiles import LANE, plane_tile, rows_of
from layoutsolver_models.targets.bank_chip import BankChip

PLANE_UNITS = ("fp2int", "im2col", "matrix", "int2fp")
PRODUCT = "buckyball.im2col_matmul"


def takes_planes(chip: BankChip) -> bool:
    """Whether convolutions of a chip go plane by plane.

    >>> from layoutsolver_models.targets.bank_chip import load_bank_chip
    >>> [name for name in ("seed", "toy", "pebble", "goban") if takes_planes(load_bank_chip(name))]
    ['pebble']
    """
    return chip.revision == "NEW" and all(chip.has(name) for name in PLANE_UNITS)


def expand_planes(op: Op, build: Builder, chip: BankChip) -> None:
    """Emit the loops of a convolution over its planes. Raises `LowerError`."""
    need_units(op, chip, PLANE_UNITS)
    _Planes(op, build, chip).emit()


class _Planes:
    def __init__(self, op: Op, build: Builder, chip: BankChip) -> None:
        self.op, self.build = op, build
        shapes = [shape_or_fail(value, op, 4) for value in op.operands]
        self.batches, h, w, self.c = static_dims(shapes[0])
        kh, kw, channels, self.oc = static_dims(shapes[1])
        self.oh, self.ow = h - kh + 1, w - kw + 1
        if channels != self.c or static_dims(shapes[2]) != (self.batches, self.oh, self.ow, self.oc):
            raise LowerError("LS1002", "convolution input/filter/output shapes mismatch", op.span)
        if {shape.element for shape in shapes} != {F32}:
            raise LowerError("LS1002", "a convolution takes f32, from which it is quantised here", op.span)
        tile = plane_tile(self.oh, self.ow, kh, kw, chip.bank_entries)
        if tile == 0:
            what = f"planes of {h} by {w} and kernels of {kh} by {kw}"
            raise LowerError("LS1002", f"`im2col` of `{chip.name}` takes square kernels up to 7, not {what}", op.span)
        self.k, self.t = kh, tile
        self.side = tile + kh - 1

    def fresh(self, dims: tuple[int, ...], wish: str) -> Value:
        return self.build.op("memref.alloc", [], memref_text(dense(dims, F32, 4)), wish=wish)

    def emit(self) -> None:
        build = self.build
        self.plane = self.fresh((rows_of(self.side, self.side), self.side), "plane")
        self.inside = build.subview(self.plane, [0, 0], [self.side, self.side], "planeUsed")
        self.kernel = self.fresh((self.k, self.k, LANE), "kernel")
        self.flat = self.joined(self.kernel, (self.k * self.k, LANE), "[[0,1],[2]]", "kernelFlat")
        self.product, self.total = (self.fresh((self.t * self.t, LANE), wish) for wish in ("windows", "total"))
        self.sums = self.fresh((self.t, self.t, LANE), "sums")
        self.rows = self.joined(self.sums, (self.t * self.t, LANE), "[[0,1],[2]]", "sumsFlat")
        build.fill(self.plane, build.number(0.0))
        for first in range(0, self.oc, LANE):
            self.channels(first, min(LANE, self.oc - first))
        for value in (self.plane, self.kernel, self.product, self.total, self.sums):
            build.op("memref.dealloc", [value])

    def joined(self, value: Value, dims: tuple[int, ...], groups: str, wish: str) -> Value:
        text = memref_text(dense(dims, F32, 4))
        return self.build.op("memref.collapse_shape", [value], text, {"groups": groups}, wish)

    def channels(self, first: int, used: int) -> None:
        """Up to sixteen channels of results."""
        build, zero = self.build, self.build.number(0.0)
        build.fill(self.kernel, zero)

        def tile(inner: Builder, batch: Value, row: Value, column: Value) -> None:
            inner.fill(self.sums, zero)
            inner.each(self.c, 1, lambda each, channel: self.plane_of(each, (batch, row, column, channel), first, used),
                       "c")  # fmt: skip
            done = inner.subview(self.sums, [0, 0, 0], [self.t, self.t, used], "sumsUsed")
            sizes = [1, self.t, self.t, used]
            inner.copy(done, inner.reduced(self.op.operands[2], [batch, row, column, first], sizes, (1, 2, 3), "out"))

        def rows(inner: Builder, batch: Value, row: Value) -> None:
            inner.each(self.ow, self.t, lambda each, column: tile(each, batch, row, column), "ow")

        build.each(self.batches, 1, lambda one, batch: one.each(
            self.oh, self.t, lambda two, row: rows(two, batch, row), "oh"), "batch")  # fmt: skip

    def plane_of(self, build: Builder, at: tuple[Value, Value, Value, Value], first: int, used: int) -> None:
        """Add what one channel of the input comes to."""
        source, kernel, _ = self.op.operands
        part = build.reduced(source, list(at), [1, self.side, self.side, 1], (1, 2), "planeTile")
        build.copy(part, self.inside)
        weights = build.reduced(kernel, [0, 0, at[3], first], [self.k, self.k, 1, used], (0, 1, 3), "kernelPart")
        build.copy(weights, build.subview(self.kernel, [0, 0, 0], [self.k, self.k, used], "kernelUsed"))
        attrs = {"inSize": self.side, "ksize": self.k, "n": used, "stride": 1, "padding": 0}
        build.op(PRODUCT, [self.plane, self.flat, self.product], attrs={**attrs})
        build.op("linalg.add", [self.rows, self.product, self.rows], attrs={"inputs": 2})
