"""`max(x, 0)` on bytes in memory -> banks. Source: buckyball 5.4, 7.7.

`linalg` has no name for it: it is the `linalg.generic` that takes each byte and the larger of it and a constant 0.
"""

from __future__ import annotations

from layoutsolver.buckyball.ir import Op, Shape, Value, shape_of, static_dims
from layoutsolver.buckyball.maps import read_maps
from layoutsolver.buckyball.passes.bank_ops import alloc, bank_op, move, release
from layoutsolver.buckyball.passes.builder import I64, Builder
from layoutsolver_models.buckyball.tiles import LANE, padded
from layoutsolver_models.targets.bank_chip import BankChip


def is_relu(op: Op, build: Builder, chip: BankChip) -> bool:
    """Whether an operation is one that the relu unit of a chip can do: on bytes of two dimensions, of known size."""
    if not chip.has("relu") or len(op.operands) != 2 or op.number("inputs") != 1:
        return False
    shapes = [shape_of(value.type) for value in op.operands]
    known = all(shape is not None and len(shape.dims) == 2 and shape.is_static and None not in shape.strides
                and shape.element == "i8" for shape in shapes)  # fmt: skip
    maps = read_maps(op.text("indexing_maps"))
    if not known or maps is None or "reduction" in op.text("iterator_types"):
        return False
    (block,) = op.blocks
    if maps.operands != [maps.dims, maps.dims] or [one.name for one in block.ops] != ["arith.maxsi", "linalg.yield"]:
        return False
    larger, ending = block.ops
    others = [build.rewriter.value(value) for value in larger.operands if value is not block.arguments[0]]
    fits = padded(static_dims(shapes[0])[1]) <= chip.bank_entries * LANE if shapes[0] is not None else False
    return fits and len(others) == 1 and build.known(others[0]) == 0 and ending.operands == [larger.result]


def expand_relu(op: Op, build: Builder, chip: BankChip) -> None:
    """Emit the moves of as many whole rows at a time as a bank holds."""
    source, target = op.operands
    rows, columns = static_dims(_shape(source))
    width = padded(columns)
    most = chip.bank_entries // (width // LANE)
    into = out = None
    if not _is_dense(source, width):
        into = build.alloc((rows, width), "i8", 1, "in")
        build.fill(into, build.constant(0, "i8"))
        build.copy(source, build.subview(into, [0, 0], [rows, columns], "inUsed"))
    if not _is_dense(target, width):
        out = build.alloc((rows, width), "i8", 1, "out")

    def part(inner: Builder, first: Value | int, count: int) -> None:
        """So many rows, which lie behind each other."""
        lines = count * width // LANE
        before, after = alloc(inner, 1, "before"), alloc(inner, 1, "after")
        given = inner.subview(source if into is None else into, [first, 0], [count, width], "reluIn")
        loaded = move(inner, "mvin", given, before, lines, 1, op)
        done = bank_op(inner, "relu", [loaded, after, inner.constant(lines, I64), inner.constant(1, I64)], "positive")
        release(inner, loaded)
        made = inner.subview(target if out is None else out, [first, 0], [count, width], "reluOut")
        stored = move(inner, "mvout", made, done, lines, 1, op)
        inner.op("buckyball.fence", [])
        release(inner, stored)

    whole = rows // most * most
    if whole:
        build.each(whole, most, lambda inner, first: part(inner, first, most), "r")
    if rows > whole:
        part(build, whole, rows - whole)
    if out is not None:
        build.copy(build.subview(out, [0, 0], [rows, columns], "outUsed"), target)
    for value in (into, out):
        if value is not None:
            build.op("memref.dealloc", [value])


def _shape(value: Value) -> Shape:
    shape = shape_of(value.type)
    assert shape is not None
    return shape


def _is_dense(value: Value, width: int) -> bool:
    """Whether rows of whole bank rows lie directly behind each other."""
    shape = _shape(value)
    return shape.dims[1] == width and shape.strides == (width, 1)
