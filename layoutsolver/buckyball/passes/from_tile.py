"""Tiles -> whole matrices that one `buckyball.matmul` takes: padding, tile sizes, loops, partial sums.

Source: buckyball 4.
"""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver.buckyball.ir import Op, Shape, Value, static_dims
from layoutsolver.buckyball.passes.builder import Builder, LowerError, Rewriter, shape_or_fail
from layoutsolver.buckyball.passes.plane_conv import expand_planes, takes_planes
from layoutsolver_models.buckyball.tiles import LANE, MVIN_LINES, Tile, padded, tile_sizes
from layoutsolver_models.targets.bank_chip import BankChip

NEW_MATMUL, SEED_MATMUL = "buckyball.matrix_matmul", "buckyball.matmul"


def from_tile(function: Op, chip: BankChip) -> None:
    """Rewrite a function in place. Raises `LowerError`.

    Transposes stay for the next pass, and convolutions but those that go plane by plane.
    """

    def matmul(op: Op, build: Builder) -> None:
        _Matmul(op, build, chip).emit()

    def conv(op: Op, build: Builder) -> None:
        expand_planes(op, build, chip)

    planes = {"tile.tile_conv2d": conv} if takes_planes(chip) else {}
    Rewriter(function, {"tile.tile_matmul": matmul, **planes}).run()


def chosen_tile(m: int, n: int, k: int, chip: BankChip) -> Tile:
    """The tile that a chip takes for a product of these sizes.

    >>> from layoutsolver_models.targets.bank_chip import load_bank_chip
    >>> chosen_tile(128, 128, 128, load_bank_chip("seed")), chosen_tile(16, 16, 2048, load_bank_chip("era-rtl"))
    (Tile(m=32, n=128, k=128), Tile(m=16, n=16, k=128))
    """
    lines = min(MVIN_LINES, chip.bank_entries)
    return tile_sizes(m, n, k, chip.tile_depth, lines, chip.accumulator_lines, narrow=chip.dialect == "new")


class _Matmul:
    def __init__(self, op: Op, build: Builder, chip: BankChip) -> None:
        self.op, self.build, self.chip = op, build, chip
        shapes = [shape_or_fail(value, op, 2) for value in op.operands]
        (self.m, self.k), (rows, self.n), out = (static_dims(shape) for shape in shapes)
        if rows != self.k or out != (self.m, self.n):
            raise LowerError("LS1002", "matmul input/output shapes mismatch", op.span)
        if {shape.element for shape in shapes} != {"f32"}:
            raise LowerError("LS1002", "matmul takes f32, from which it is quantised here", op.span)
        self.shapes = shapes

    def emit(self) -> None:
        a, b, c = self.op.operands
        sizes = (self.m, self.n, self.k)
        m, n, k = (padded(size) for size in sizes)
        if (m, n, k) == sizes and all(_is_moved(shape) for shape in self.shapes):
            self.tiles(a, b, c, Tile(m, n, k))
            return
        zero = self.build.number(0.0)
        pads: list[Value] = []
        parts: list[Value] = []
        rows = ((m, k, self.m, self.k, "aPad"), (k, n, self.k, self.n, "bPad"), (m, n, self.m, self.n, "cPad"))
        for height, width, used_rows, used_columns, wish in rows:
            pad = self.build.alloc((height, width), "f32", 4, wish)
            self.build.fill(pad, zero)
            pads.append(pad)
            parts.append(self.build.subview(pad, [0, 0], [used_rows, used_columns], f"{wish}Used"))
        self.build.copy(a, parts[0])
        self.build.copy(b, parts[1])
        self.tiles(pads[0], pads[1], pads[2], Tile(m, n, k))
        self.build.copy(parts[2], c)
        for pad in pads:
            self.build.op("memref.dealloc", [pad])

    def tiles(self, a: Value, b: Value, c: Value, size: Tile) -> None:
        tile = chosen_tile(size.m, size.n, size.k, self.chip)
        assert all(whole % part == 0 for whole, part in zip(size, tile, strict=True))
        if self.chip.dialect == "new":
            self.accumulating(a, b, c, size, tile)
        elif tile.k == size.k:
            self.single(a, b, c, size, tile)
        else:
            self.partial(a, b, c, size, tile)

    def single(self, a: Value, b: Value, c: Value, size: Tile, tile: Tile) -> None:
        """One step of K: every tile of C is overwritten once."""

        def over_n(build: Builder, k: Value, m: Value, n: Value) -> None:
            operands = self.parts(build, a, b, c, (m, n, k), tile)
            build.op(SEED_MATMUL, operands)

        def over_m(build: Builder, k: Value, m: Value) -> None:
            build.each(size.n, tile.n, lambda b2, n: over_n(b2, k, m, n), wish="n")

        def over_k(build: Builder, k: Value) -> None:
            build.each(size.m, tile.m, lambda b2, m: over_m(b2, k, m), wish="m")

        self.build.each(size.k, tile.k, lambda b2, k: over_k(b2, k), wish="k")

    def partial(self, a: Value, b: Value, c: Value, size: Tile, tile: Tile) -> None:
        """Several steps of K: each into a buffer of its own, which is added to the tile of C."""

        def over_n(build: Builder, m: Value, n: Value) -> None:
            part = build.alloc((tile.m, tile.n), "f32", 4, "partial")
            target = build.subview(c, [m, n], [tile.m, tile.n], "cTile")
            build.fill(target, build.number(0.0))

            def step(inner: Builder, k: Value) -> None:
                left, right = self.parts(inner, a, b, c, (m, n, k), tile)[:2]
                inner.op(SEED_MATMUL, [left, right, part])
                inner.op("linalg.add", [target, part, target], attrs={"inputs": 2})

            build.each(size.k, tile.k, lambda b2, k: step(b2, k), wish="k")
            build.op("memref.dealloc", [part])

        self.over_m_and_n(size, tile, over_n)

    def accumulating(self, a: Value, b: Value, c: Value, size: Tile, tile: Tile) -> None:
        """Newer revisions: the tile of C is cleared, then every step of K adds to it."""

        def over_n(build: Builder, m: Value, n: Value) -> None:
            target = build.subview(c, [m, n], [tile.m, tile.n], "cTile")
            build.fill(target, build.number(0.0))

            def step(inner: Builder, k: Value) -> None:
                left, right = self.parts(inner, a, b, c, (m, n, k), tile)[:2]
                inner.op(NEW_MATMUL, [left, right, target], attrs={"ws": False})

            build.each(size.k, tile.k, lambda b2, k: step(b2, k), wish="k")

        self.over_m_and_n(size, tile, over_n)

    def over_m_and_n(self, size: Tile, tile: Tile, body: Callable[[Builder, Value, Value], None]) -> None:
        def over_m(build: Builder, m: Value) -> None:
            build.each(size.n, tile.n, lambda b2, n: body(b2, m, n), wish="n")

        self.build.each(size.m, tile.m, lambda b2, m: over_m(b2, m), wish="m")

    def parts(
        self, build: Builder, a: Value, b: Value, c: Value, at: tuple[Value, Value, Value], tile: Tile
    ) -> list[Value]:
        m, n, k = at
        return [
            build.subview(a, [m, k], [tile.m, tile.k], "aTile"),
            build.subview(b, [k, n], [tile.k, tile.n], "bTile"),
            build.subview(c, [m, n], [tile.m, tile.n], "cTile"),
        ]


def _is_moved(shape: Shape) -> bool:
    """Whether tiles of a memref can be moved as they lie: rows a multiple of 16 elements apart, elements adjacent."""
    pitch, step = shape.strides
    return step == 1 and pitch is not None and pitch % LANE == 0
