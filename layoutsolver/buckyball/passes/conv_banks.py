"""A convolution -> banks: windows by `im2col`, then products of 16 windows by 16 channels. Source: buckyball 4.6.

One row of windows is made at a time: the unit emits every window from its start on, and more would not fit.
"""

from __future__ import annotations

from layoutsolver.buckyball.ir import Op, Value, memref_text, static_dims
from layoutsolver.buckyball.passes.bank_ops import alloc, bank_op, bits_of, move, need_units, release, scale_of
from layoutsolver.buckyball.passes.builder import F32, I32, I64, Builder, LowerError, dense, shape_or_fail
from layoutsolver_models.buckyball.tiles import LANE, padded, rows_of
from layoutsolver_models.targets.bank_chip import ROW_BYTES, BankChip

UNITS = ("fp2int", "im2col", "transpose", "mul_warp16", "int2fp")
LARGEST_FIELD = 255


def expand_conv(op: Op, build: Builder, chip: BankChip) -> None:
    """Emit a convolution. Raises `LowerError`."""
    _Conv(op, build, chip).emit()


class _Conv:
    def __init__(self, op: Op, build: Builder, chip: BankChip) -> None:
        self.op, self.build, self.chip = op, build, chip
        need_units(op, chip, UNITS)
        if chip.revision == "NEW":
            raise LowerError("LS1004", f"`{op.name}` stays on the processor of `{chip.name}`", op.span)
        shapes = [shape_or_fail(value, op, 4) for value in op.operands]
        self.batches, self.h, self.w, self.c = static_dims(shapes[0])
        self.kh, self.kw, channels, self.oc = static_dims(shapes[1])
        self.oh, self.ow = self.h - self.kh + 1, self.w - self.kw + 1
        if channels != self.c or static_dims(shapes[2]) != (self.batches, self.oh, self.ow, self.oc):
            raise LowerError("LS1002", "convolution input/filter/output shapes mismatch", op.span)
        if {shape.element for shape in shapes} != {F32}:
            raise LowerError("LS1002", "a convolution takes f32, from which it is quantised here", op.span)
        self.patch = self.kh * self.kw * self.c
        self.rows = rows_of(self.h, self.w * self.c)
        self.size = self.rows * self.w * self.c
        self.check()
        self.zero: Value | None = None

    def check(self) -> None:
        """Refuse what fields and banks do not hold."""
        fields = {
            "KH": self.kh, "KW*C": self.kw * self.c, "C": self.c, "H": self.h, "W*C": self.w * self.c, "OH": self.oh,
            "OW": self.ow,
        }  # fmt: skip
        for name, size in fields.items():
            if not 0 < size <= LARGEST_FIELD:
                raise LowerError("LS1002", f"{name} = {size} is not in 1 to {LARGEST_FIELD}", self.op.span)
        capacity = self.chip.bank_entries * ROW_BYTES
        needs = {"KH*KW*C rows": self.patch * LANE, "H*W*C": self.size, "a row of windows": self.ow * self.patch}
        for name, size in needs.items():
            if size > capacity:
                raise LowerError("LS1002", f"{name}: {size} bytes, a bank has {capacity}", self.op.span)

    def fresh(self, dims: tuple[int, ...], wish: str) -> Value:
        return self.build.op("memref.alloc", [], memref_text(dense(dims, F32, 4)), wish=wish)

    def emit(self) -> None:
        build = self.build
        source, kernel, target = self.op.operands
        columns = padded(self.oc)
        packed = self.fresh((self.kh, self.kw, self.c, columns), "filterPad")
        build.fill(packed, build.number(0.0))
        build.copy(kernel, build.subview(packed, [0, 0, 0, 0], [self.kh, self.kw, self.c, self.oc], "filterUsed"))
        flat = build.op(
            "memref.collapse_shape", [packed], memref_text(dense((self.patch, columns), F32, 4)),
            {"groups": "[[0,1,2],[3]]"}, "filterFlat",
        )  # fmt: skip
        plane = self.fresh((self.rows, self.w, self.c), "plane")
        image = plane
        if self.rows > self.h:
            build.fill(plane, build.number(0.0))
            image = build.subview(plane, [0, 0, 0], [self.h, self.w, self.c], "planeUsed")
        result = self.fresh((LANE, LANE), "outTile")
        if self.chip.accumulator == "mvin_zero":
            self.zero = build.op("memref.alloc", [], memref_text(dense((LANE, LANE), I32, 4)), wish="zeros")
            build.fill(self.zero, build.constant(0, I32))
        flat_plane = build.op(
            "memref.collapse_shape", [plane], memref_text(dense((self.rows, self.w * self.c), F32, 4)),
            {"groups": "[[0],[1,2]]"}, "planeFlat",
        )  # fmt: skip
        for batch in range(self.batches):
            part = build.reduced(source, [batch, 0, 0, 0], [1, self.h, self.w, self.c], (1, 2, 3), "batch")
            build.copy(part, image)
            self.batch(batch, flat_plane, flat, target, result)
        for value in (packed, plane, result, self.zero):
            if value is not None:
                build.op("memref.dealloc", [value])

    def batch(self, batch: int, plane: Value, kernel: Value, target: Value, result: Value) -> None:
        build = self.build
        depth = self.size // LANE
        scale = scale_of(build, plane, "I")
        loaded_fp, input_bank = alloc(build, 4, "inputFp"), alloc(build, 1, "inputI8")
        loaded = move(build, "mvin", plane, loaded_fp, depth, 4, self.op)
        quantised = bank_op(
            build, "fp2int", [loaded, input_bank, build.constant(depth, I64), bits_of(build, scale)], "inputQ"
        )
        release(build, loaded)
        for first in range(0, padded(self.oc), LANE):
            part = build.subview(kernel, [0, first], [self.patch, LANE], "filterPart")
            self.channels(batch, first, part, quantised, scale, target, result)
        release(build, quantised)

    def channels(
        self, batch: int, first: int, kernel: Value, source: Value, scale: Value, target: Value, result: Value
    ) -> None:
        """Sixteen channels of results."""
        build = self.build
        kernel_scale = scale_of(build, kernel, "F")
        product = build.binary("mulf", scale, kernel_scale, "sIF")
        back = bits_of(build, build.binary("divf", build.number(1.0), product, "sO"))
        kernel_fp, kernel_bank = alloc(build, 4, "filterFp"), alloc(build, 1, "filterI8")
        loaded = move(build, "mvin", kernel, kernel_fp, self.patch, 4, self.op)
        count = build.constant(self.patch, I64)
        weights = bank_op(build, "fp2int", [loaded, kernel_bank, count, bits_of(build, kernel_scale)], "filterQ")
        release(build, loaded)

        def row(inner: Builder, oh: Value) -> None:
            for start in range(0, self.ow, LANE):
                self.windows(inner, oh, start, source, weights, back, result)
                width = min(LANE, self.ow - start), min(LANE, self.oc - first)
                done = inner.subview(result, [0, 0], list(width), "outUsed")
                into = inner.reduced(target, [batch, oh, start, first], [1, 1, *width], (2, 3), "outPart")
                inner.copy(done, into)

        build.each(self.oh, 1, row, "oh")
        release(build, weights)

    def windows(
        self, build: Builder, oh: Value, start: int, source: Value, weights: Value, back: Value, result: Value
    ) -> None:
        """Sixteen windows of a row times sixteen channels, into memory."""

        def number(value: int) -> Value:
            return build.constant(value, I64)

        row = build.op("arith.index_cast", [oh], I64, wish="row")
        last = build.binary("addi", row, number(self.kh), "rowEnd")
        patches, turned_bank, total = alloc(build, 1, "patchI8"), alloc(build, 1, "patchT"), alloc(build, 4, "cI32")
        if self.zero is not None:
            total = move(build, "mvin", self.zero, total, LANE, 4, self.op)
        fields = [
            number(self.kh), number(self.kw * self.c), last, number(self.w * self.c), row, number(start * self.c),
            number(self.c),
        ]  # fmt: skip
        found = bank_op(build, "im2col", [source, patches, *fields], "patches")
        count = number(self.patch)
        turned = bank_op(build, "transpose", [found, turned_bank, count, number(0)], "patchesT")
        release(build, found)
        total = bank_op(build, "mul_warp16", [turned, weights, total, count, number(0)], "cSum")
        release(build, turned)
        floats = alloc(build, 4, "cFp32")
        done = bank_op(build, "int2fp", [total, floats, number(LANE), back], "cDone")
        release(build, total)
        stored = move(build, "mvout", result, done, LANE, 4, self.op)
        build.op("buckyball.fence", [])
        release(build, stored)
