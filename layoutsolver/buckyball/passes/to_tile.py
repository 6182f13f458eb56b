"""`linalg` on memrefs -> tiles. What has no tile form stays as it is. Source: buckyball 2.1."""

from __future__ import annotations

from layoutsolver.buckyball.ir import Op, Shape, Value, shape_of, static_dims
from layoutsolver.buckyball.passes.builder import Builder, LowerError, Rewriter, shape_or_fail
from layoutsolver.buckyball.passes.transpose_banks import transposed_bytes
from layoutsolver_models.targets.bank_chip import BankChip

_B_TRANSPOSED = "[affine_map<(d0,d1,d2)->(d0,d2)>,affine_map<(d0,d1,d2)->(d1,d2)>,affine_map<(d0,d1,d2)->(d0,d1)>]"


def to_tile(function: Op, chip: BankChip) -> None:
    """Rewrite a function in place. Raises `LowerError`."""

    def transpose(op: Op, build: Builder) -> None:
        """What the chip's unit can transpose; the rest stays with the processor."""
        shape = shape_of(op.operands[0].type)
        fits = shape is not None and shape.element_bytes in transposed_bytes(chip)
        if fits and op.attrs.get("permutation") == (1, 0):
            build.op("tile.tile_transpose", op.operands)
        else:
            build.add(op)

    handlers = {
        "linalg.matmul": _matmul,
        "linalg.batch_matmul": _batch,
        "linalg.transpose": transpose,
        "linalg.conv_2d_nhwc_hwcf": _conv,
        "linalg.conv_2d_nhwc_fhwc": _conv_fhwc,
        "linalg.conv_2d_nchw_fchw": _conv_nchw,
    }
    Rewriter(function, handlers).run()


def _matmul(op: Op, build: Builder) -> None:
    a, b, c = (_collapsed(value, build) for value in op.operands)
    maps = op.attrs.get("indexing_maps")
    if maps is None:
        build.op("tile.tile_matmul", [a, b, c])
        return
    if "".join(str(maps).split()) != _B_TRANSPOSED:
        raise LowerError("LS1002", "`linalg.matmul` with these indexing maps has no tile form", op.span)
    shape = shape_or_fail(b, op, 2)
    n, k = static_dims(shape)
    turned = build.alloc((k, n), shape.element, shape.element_bytes, "bT")
    build.op("linalg.transpose", [b, turned], attrs={"inputs": 1, "permutation": (1, 0)})
    build.op("tile.tile_matmul", [a, turned, c])
    build.op("memref.dealloc", [turned])


def _collapsed(value: Value, build: Builder) -> Value:
    """A memref of rank 3 whose first dimension is 1 as one of rank 2."""
    shape = shape_of(value.type)
    if shape is None or len(shape.dims) != 3 or shape.dims[0] != 1 or not shape.is_static:
        return value
    return _plane(value, shape, 0, build)


def _plane(value: Value, shape: Shape, number: int, build: Builder) -> Value:
    _, rows, columns = static_dims(shape)
    return build.reduced(value, [number, 0, 0], [1, rows, columns], (1, 2), value.name)


def _batch(op: Op, build: Builder) -> None:
    shapes = [shape_or_fail(value, op, 3) for value in op.operands]
    batches = {shape.dims[0] for shape in shapes}
    if len(batches) != 1:
        raise LowerError("LS1002", "`linalg.batch_matmul` of different numbers of batches", op.span)
    for number in range(static_dims(shapes[0])[0]):
        planes = [_plane(value, shape, number, build) for value, shape in zip(op.operands, shapes, strict=True)]
        build.op("tile.tile_matmul", planes)


def _is_plain(op: Op) -> bool:
    """Whether a convolution has stride 1 and dilation 1, which is all that the unit can."""
    return all(
        set(op.listed(name)) <= {1} for name in ("strides", "dilations") if isinstance(op.attrs.get(name), tuple)
    )


def _conv(op: Op, build: Builder) -> None:
    if _is_plain(op):
        build.op("tile.tile_conv2d", op.operands)
    else:
        build.add(op)


def _permuted(value: Value, order: tuple[int, ...], op: Op, build: Builder, wish: str, copied: bool = True) -> Value:
    """Fresh memory with the dimensions of a memref in another order, and its elements."""
    shape = shape_or_fail(value, op, 4)
    dims = static_dims(shape)
    fresh = build.alloc(tuple(dims[at] for at in order), shape.element, shape.element_bytes, wish)
    if copied:
        build.op("linalg.transpose", [value, fresh], attrs={"inputs": 1, "permutation": order})
    return fresh


def _conv_fhwc(op: Op, build: Builder) -> None:
    if not _is_plain(op):
        build.add(op)
        return
    source, kernel, target = op.operands
    turned = _permuted(kernel, (1, 2, 3, 0), op, build, "hwcf")
    build.op("tile.tile_conv2d", [source, turned, target])
    build.op("memref.dealloc", [turned])


def _conv_nchw(op: Op, build: Builder) -> None:
    if not _is_plain(op):
        build.add(op)
        return
    source, kernel, target = op.operands
    nhwc = _permuted(source, (0, 2, 3, 1), op, build, "nhwc")
    hwcf = _permuted(kernel, (2, 3, 1, 0), op, build, "hwcf")
    out = _permuted(target, (0, 2, 3, 1), op, build, "out", copied=False)
    build.op("tile.tile_conv2d", [nhwc, hwcf, out])
    build.op("linalg.transpose", [out, target], attrs={"inputs": 1, "permutation": (0, 3, 1, 2)})
    for value in (nhwc, hwcf, out):
        build.op("memref.dealloc", [value])
