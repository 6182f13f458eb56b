"""The windows of a square plane times a kernel -> banks. Source: buckyball 4.6, 7.6, 7.8.

`im2col` leaves the windows in the blocks that the matrix unit takes.
"""

from __future__ import annotations

from layoutsolver.buckyball.ir import Op, Value, static_dims
from layoutsolver.buckyball.passes.bank_ops import alloc, bank_op, bits_of, move, need_units, release, scale_of
from layoutsolver.buckyball.passes.builder import F32, I64, Builder, LowerError, shape_or_fail
from layoutsolver.buckyball.passes.plane_conv import PLANE_UNITS
from layoutsolver_models.buckyball.encoding import rs2
from layoutsolver_models.buckyball.tiles import LANE, PLANE_KERNEL, PLANE_PADDING, PLANE_SIDE, plane_lines
from layoutsolver_models.targets.bank_chip import BankChip


def expand_plane(op: Op, build: Builder, chip: BankChip) -> None:
    """Emit the banks of one plane's product: R rows of the plane's side, kernel of K*K by 16, windows by 16.

    Raises `LowerError`.
    """
    need_units(op, chip, PLANE_UNITS)
    if chip.revision != "NEW":
        raise LowerError("LS1004", f"`im2col` of `{chip.name}` takes no square planes", op.span)
    side, size, columns = (op.number(name) for name in ("inSize", "ksize", "n"))
    stride, padding = op.number("stride", 1), op.number("padding", 0)
    inside = 0 < size <= min(PLANE_KERNEL, side + 2 * padding) and 0 < side <= PLANE_SIDE and 0 < stride < 256
    if not inside or not 0 <= padding <= PLANE_PADDING or not 0 < columns <= LANE:
        raise LowerError("LS1002", f"`{op.name}` of side {side}, kernel {size}, stride {stride}, padding {padding}, "
                         f"{columns} channels", op.span)  # fmt: skip
    windows = ((side + 2 * padding - size) // stride + 1) ** 2
    if plane_lines(windows, size) > chip.bank_entries:
        raise LowerError("LS1002", f"{windows} windows of {size} by {size} need more than a bank", op.span)
    plane, kernel, target = op.operands
    dims = [static_dims(shape_or_fail(value, op, 2)) for value in op.operands]
    elements = {shape_or_fail(value, op, 2).element for value in op.operands}
    whole = dims[0][0] * dims[0][1]
    fits = dims[0][1] == side and dims[0][0] >= side and whole % LANE == 0
    if not fits or dims[1:] != [(size * size, LANE), (windows, LANE)] or elements != {F32}:
        wanted = f"a plane of {side} columns, a kernel of {size * size}x16 and results of {windows}x16 in f32"
        raise LowerError("LS1002", f"`{op.name}` takes {wanted}", op.span)
    square = build.subview(plane, [0, 0], [side, side], "planeUsed")
    scales = scale_of(build, square, "I"), scale_of(build, kernel, "F")
    product = build.binary("mulf", scales[0], scales[1], "sIF")
    back = bits_of(build, build.binary("divf", build.number(1.0), product, "sO"))

    def number(value: int) -> Value:
        return build.constant(value, I64)

    def quantised(memref: Value, lines: int, scale: Value, name: str) -> Value:
        floats, small = alloc(build, 4, f"{name}Fp32"), alloc(build, 1, f"{name}I8")
        loaded = move(build, "mvin", memref, floats, lines, 4, op)
        done = bank_op(build, "fp2int", [loaded, small, number(lines), bits_of(build, scale)], f"{name}Q")
        release(build, loaded)
        return done

    source = quantised(plane, whole // LANE, scales[0], "plane")
    patches = alloc(build, 1, "patches")
    fields = [number(side), number(size), number(stride), number(padding)]
    found = bank_op(build, "im2col", [source, patches, *fields], "windows")
    release(build, source)
    weights = quantised(kernel, size * size, scales[1], "kernel")
    config = number(rs2("matrix", m=windows, n=LANE, k=size * size))
    total = bank_op(build, "matrix", [found, weights, alloc(build, 4, "cI32"), config], "cSum")
    release(build, found, weights)
    done = bank_op(build, "int2fp", [total, alloc(build, 4, "cFp32"), number(windows), back], "cFp32Done")
    release(build, total)
    stored = move(build, "mvout", target, done, windows, 4, op)
    build.op("buckyball.fence", [])
    release(build, stored)
