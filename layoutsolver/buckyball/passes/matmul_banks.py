"""A whole matrix product -> banks. Source: buckyball 5.1 to 5.3.

One tile of 16 by 16 results takes seven banks. Where banks are not clear when they are allocated, an accumulator is
cleared by a `bank_mvin` of zeros. The newer unit transposes 16 by 16 only, so there K goes in chunks of 16 that add up
in one accumulator under one scale.
"""

from __future__ import annotations

from layoutsolver.buckyball.ir import Op, Value, static_dims
from layoutsolver.buckyball.passes.bank_ops import alloc, bank_op, bits_of, move, need_units, release, scale_of
from layoutsolver.buckyball.passes.builder import F32, I32, I64, Builder, LowerError, shape_or_fail
from layoutsolver_models.buckyball.tiles import LANE
from layoutsolver_models.targets.bank_chip import BankChip

UNITS = ("fp2int", "transpose", "mul_warp16", "int2fp")


class MatmulBanks:
    """A product by the unit that multiplies and adds: loops over tiles of 16 by 16 results. Raises `LowerError`.

    With `deep`, banks may have as many rows as K, whatever the chip has.
    """

    units: tuple[str, ...] = UNITS
    adds: bool = True
    """Whether the unit adds to its results, so that parts of K can follow each other."""

    def __init__(self, op: Op, build: Builder, chip: BankChip, deep: bool = False) -> None:
        self.op, self.build, self.chip = op, build, chip
        need_units(op, chip, self.units)
        shapes = [shape_or_fail(value, op, 2) for value in op.operands]
        self.a, self.b, self.c = shapes
        (self.m, self.k), (rows, self.n), out = (static_dims(shape) for shape in shapes)
        if rows != self.k or out != (self.m, self.n):
            raise LowerError("LS1002", "matmul input/output shapes mismatch", op.span)
        if {shape.element for shape in shapes} != {F32}:
            raise LowerError("LS1002", "matmul takes f32, from which it is quantised here", op.span)
        odd = [f"{name} = {size}" for name, size in (("M", self.m), ("K", self.k), ("N", self.n)) if size % LANE]
        if odd:
            wrong = ", ".join(odd)
            raise LowerError("LS1002", f"`{op.name}` with {wrong}, no multiple of 16: pad at tile level", op.span)
        for name, shape in zip("ABC", shapes, strict=True):
            pitch, step = shape.strides
            if step != 1 or not pitch or (name != "A" and pitch % LANE):
                raise LowerError("LS1002", f"rows of {name} lie {pitch} elements apart, elements {step}", op.span)
        self.chunked = chip.revision == "NEW" and self.k > LANE
        if self.k > chip.bank_entries and not (self.adds and (self.chunked or deep)):
            message = f"K = {self.k} needs more than the {chip.bank_entries} rows of a bank"
            helps = ("`layoutsolver banks --level split` cuts K into parts that add up",) * self.adds
            raise LowerError("LS1002", message, op.span, *helps)

    def emit(self) -> None:
        """Emit the loops."""
        self.zero = self.zeros()
        self.scratch = self.build.alloc((LANE, LANE), F32, 4, "cScratch") if self.accumulates else None
        packed = self.packed_a()
        self.build.each(self.m, LANE, lambda build, m: self.rows(build, m, packed), "m")
        for value in (self.zero, packed, self.scratch):
            if value is not None:
                self.build.op("memref.dealloc", [value])

    def zeros(self) -> Value | None:
        """Memory of zeros, by which an accumulator is cleared where nothing else does it."""
        if self.chip.accumulator != "mvin_zero":
            return None
        value = self.build.alloc((LANE, LANE), I32, 4, "zeros")
        self.build.fill(value, self.build.constant(0, I32))
        return value

    def packed_a(self) -> Value | None:
        """Contiguous memory for a tile of A whose rows no single `bank_mvin` reaches."""
        pitch = self.a.strides[0]
        assert pitch is not None
        fits = pitch % LANE == 0 if self.chunked or self.k == LANE else pitch == self.k
        return None if fits else self.build.alloc((LANE, self.k), F32, 4, "aPacked")

    def pack(self, build: Builder, tile: Value, into: Value) -> None:
        """Copy a tile of A to where its rows lie as the banks take them."""
        build.copy(tile, into)

    @property
    def accumulates(self) -> bool:
        """Whether the operation adds to C instead of overwriting it."""
        return self.op.name == "buckyball.matrix_matmul"

    # -- tiles ------------------------------------------------------------------------------------------------

    def rows(self, build: Builder, m: Value, packed: Value | None) -> None:
        """Sixteen rows of A, packed and scaled once, by all tiles of B."""
        tile = build.subview(self.op.operands[0], [m, 0], [LANE, self.k], "aTile")
        if packed is not None:
            self.pack(build, tile, packed)
            tile = packed
        scale = scale_of(build, tile, "A")
        build.each(self.n, LANE, lambda inner, n: self.tile(inner, m, n, tile, scale), "n")

    def tile(self, build: Builder, m: Value, n: Value, a_tile: Value, scale_a: Value) -> None:
        """One tile of results."""
        _, b, c = self.op.operands
        b_tile = build.subview(b, [0, n], [self.k, LANE], "bTile")
        c_tile = build.subview(c, [m, n], [LANE, LANE], "cTile")
        scale_b = scale_of(build, b_tile, "B")
        product = build.binary("mulf", scale_a, scale_b, "sAB")
        back = bits_of(build, build.binary("divf", build.number(1.0), product, "sC"))
        bits = bits_of(build, scale_a), bits_of(build, scale_b)
        done = self.results(build, a_tile, b_tile, bits, back)
        stored = move(build, "mvout", c_tile if self.scratch is None else self.scratch, done, LANE, 4, self.op)
        build.op("buckyball.fence", [])
        release(build, stored)
        if self.scratch is not None:
            build.op("linalg.add", [c_tile, self.scratch, c_tile], attrs={"inputs": 2})

    def results(self, build: Builder, a: Value, b: Value, bits: tuple[Value, Value], back: Value) -> Value:
        """The bank of a tile's results as floats."""
        if self.chunked:
            total = self.chunks(build, a, b, bits)
            out = alloc(build, 4, "cFp32")
        else:
            left, right = self.operands(build, a, b, bits, self.k)
            total = self.cleared(build)
            out = alloc(build, 4, "cFp32")
            total = self.multiply(build, left, right, total, self.k)
            release(build, left, right)
        done = bank_op(build, "int2fp", [total, out, build.constant(LANE, I64), back], "cFp32Done")
        release(build, total)
        return done

    def chunks(self, build: Builder, a: Value, b: Value, bits: tuple[Value, Value]) -> Value:
        """K in chunks of 16, which add up in one accumulator."""
        first = self.cleared(build)

        def body(inner: Builder, k: Value, carried: list[Value]) -> list[Value]:
            left_part = inner.subview(a, [0, k], [LANE, LANE], "aChunk")
            right_part = inner.subview(b, [k, 0], [LANE, LANE], "bChunk")
            left, right = self.operands(inner, left_part, right_part, bits, LANE)
            out = self.multiply(inner, left, right, carried[0], LANE)
            release(inner, left, right)
            return [out]

        return build.loop(self.k, LANE, body, [first], "k")[0]

    def cleared(self, build: Builder) -> Value:
        """A fresh accumulator, cleared as the chip can."""
        bank = alloc(build, 4, "cI32")
        return bank if self.zero is None else move(build, "mvin", self.zero, bank, LANE, 4, self.op)

    def operands(self, build: Builder, a: Value, b: Value, bits: tuple[Value, Value], k: int) -> tuple[Value, Value]:
        """Both operands in banks as bytes, A transposed."""
        a_fp, b_fp = alloc(build, 4, "aFp32"), alloc(build, 4, "bFp32")
        a_int, b_int = alloc(build, 1, "aI8"), alloc(build, 1, "bI8")
        a_turned = alloc(build, 1, "aI8T")
        a_loaded = move(build, "mvin", a, a_fp, k, 4, self.op)
        b_loaded = move(build, "mvin", b, b_fp, k, 4, self.op)
        count = build.constant(k, I64)
        a_done = bank_op(build, "fp2int", [a_loaded, a_int, count, bits[0]], "aQ")
        b_done = bank_op(build, "fp2int", [b_loaded, b_int, count, bits[1]], "bQ")
        release(build, a_loaded, b_loaded)
        mode = build.constant(8 if self.chip.revision == "NEW" else 0, I64)
        turned = bank_op(build, "transpose", [a_done, a_turned, count, mode], "aT")
        release(build, a_done)
        return turned, b_done

    def multiply(self, build: Builder, left: Value, right: Value, into: Value, k: int) -> Value:
        """Add a product to an accumulator."""
        operands = [left, right, into, build.constant(k, I64), build.constant(0, I64)]
        return bank_op(build, "mul_warp16", operands, "cSum")
