"""A transpose in memory -> banks, 16 by 16 elements at a time. Source: buckyball 4.5, 7.5.

The older unit transposes bytes; the newer one elements of 32 bits as well, of which four columns hold a row of 16.
"""

from __future__ import annotations

from layoutsolver.buckyball.ir import Op, Shape, Value, memref_text, static_dims
from layoutsolver.buckyball.passes.bank_ops import alloc, bank_op, move, need_units, release
from layoutsolver.buckyball.passes.builder import I64, Builder, LowerError, dense, shape_or_fail
from layoutsolver_models.buckyball.tiles import LANE, padded
from layoutsolver_models.targets.bank_chip import BankChip


def transposed_bytes(chip: BankChip) -> tuple[int, ...]:
    """The widths in bytes of elements that a chip's unit can transpose.

    >>> from layoutsolver_models.targets.bank_chip import load_bank_chip
    >>> transposed_bytes(load_bank_chip("seed")), transposed_bytes(load_bank_chip("toy"))
    ((1,), (1, 4))
    """
    if not chip.has("transpose"):
        return ()
    return (1, 4) if chip.revision == "NEW" else (1,)


def expand_transpose(op: Op, build: Builder, chip: BankChip) -> None:
    """Emit the tiles of a transpose. Raises `LowerError`."""
    need_units(op, chip, ("transpose",))
    source, target = (shape_or_fail(value, op, 2) for value in op.operands)
    rows, columns = static_dims(source)
    if static_dims(target) != (columns, rows) or source.element != target.element:
        raise LowerError("LS1002", f"`{op.name}` of shapes that are not each other's transpose", op.span)
    if source.element_bytes not in transposed_bytes(chip):
        bits = 8 * source.element_bytes
        raise LowerError("LS1004", f"the transpose unit of `{chip.name}` has no elements of {bits} bits", op.span)
    into = _padded(build, op.operands[0], source, "in", copied=True)
    out = _padded(build, op.operands[1], target, "out", copied=False)
    width = source.element_bytes
    mode = build.constant(8 * width if chip.revision == "NEW" else 0, I64)

    def tile(inner: Builder, row: Value, column: Value) -> None:
        before, after = alloc(inner, width, "before"), alloc(inner, width, "after")
        loaded = move(inner, "mvin", inner.subview(into, [row, column], [LANE, LANE]), before, LANE, width, op)
        turned = bank_op(inner, "transpose", [loaded, after, inner.constant(LANE, I64), mode], "turned")
        release(inner, loaded)
        stored = move(inner, "mvout", inner.subview(out, [column, row], [LANE, LANE]), turned, LANE, width, op)
        inner.op("buckyball.fence", [])
        release(inner, stored)

    build.each(padded(rows), LANE, lambda outer, row: outer.each(
        padded(columns), LANE, lambda inner, column: tile(inner, row, column), "c"), "r")  # fmt: skip
    if out is not op.operands[1]:
        build.copy(build.subview(out, [0, 0], [columns, rows]), op.operands[1])
        build.op("memref.dealloc", [out])
    if into is not op.operands[0]:
        build.op("memref.dealloc", [into])


def _padded(build: Builder, memref: Value, shape: Shape, wish: str, copied: bool) -> Value:
    """The memref itself if tiles of it can be moved, else fresh memory of padded size with its elements."""
    rows, columns = static_dims(shape)
    pitch, step = shape.strides
    if rows % LANE == 0 and columns % LANE == 0 and step == 1 and pitch is not None and pitch % LANE == 0:
        return memref
    dims = (padded(rows), padded(columns))
    fresh = build.op("memref.alloc", [], memref_text(dense(dims, shape.element, shape.element_bytes)), wish=wish)
    if copied:
        zero = build.number(0.0) if shape.element.startswith("f") else build.constant(0, shape.element)
        build.fill(fresh, zero)
        build.copy(memref, build.subview(fresh, [0, 0], [rows, columns]))
    return fresh
