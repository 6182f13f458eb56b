"""What windows of square planes times a kernel come to in quantised arithmetic. Source: buckyball 4.6, 7.6."""

from __future__ import annotations

import numpy as np

from layoutsolver.verify.buckyball import reference
from layoutsolver.verify.buckyball.reference import Floats, check_exact, quantised, scales
from layoutsolver.verify.buckyball.scalars import Unsupported
from layoutsolver_models.buckyball.tiles import LANE, padded, plane_tile
from layoutsolver_models.hardware.buckyball import numbers
from layoutsolver_models.targets.bank_chip import BankChip


def convolution(source: Floats, kernel: Floats, chip: BankChip) -> Floats:
    """NHWC by HWCF, stride 1, no padding, as a chip does it: what `tile.tile_conv2d` writes."""
    if chip.revision == "NEW" and chip.has("matrix") and chip.has("im2col"):
        if plane_tile(1, 1, kernel.shape[0], kernel.shape[1]) == 0:
            raise Unsupported(f"a kernel of {kernel.shape[0]} by {kernel.shape[1]} on `{chip.name}`")
        return plane_convolution(source, kernel, chip)
    return reference.convolution(source, kernel, chip)


def plane_product(plane: Floats, kernel: Floats, stride: int, padding: int, chip: BankChip) -> Floats:
    """The windows of a plane (S by S) times a kernel (K*K by 16): what `buckyball.im2col_matmul` writes."""
    size = int(kernel.shape[0] ** 0.5)
    wide = np.pad(plane, padding)
    windows = np.lib.stride_tricks.sliding_window_view(wide, (size, size))[::stride, ::stride]
    rows = np.ascontiguousarray(windows).reshape(-1, size * size)
    scale_a, scale_b = scales(plane.reshape(1, -1)), scales(kernel.reshape(1, -1))
    left, right = quantised(rows, scale_a.repeat(len(rows)), chip), quantised(kernel, scale_b.repeat(len(kernel)), chip)
    with np.errstate(all="ignore"):
        back = (np.float32(1) / (scale_a * scale_b)).astype(np.float32)
    sums = (left @ right).astype(np.int64).astype(np.int32)
    found = numbers.int2fp(sums, int(back[0].view(np.uint32)), chip.revision)
    check_exact(found, rows, kernel, scale_a.repeat(len(rows)), scale_b.repeat(kernel.shape[1]))
    return found


def plane_convolution(source: Floats, kernel: Floats, chip: BankChip) -> Floats:
    """NHWC by HWCF as chips do it that take square planes: what `tile.tile_conv2d` writes there.

    Each tile of each channel of the input has a scale, and each channel of the input sixteen of the filter; channels
    are added up in f32, in their order.
    """
    batches, h, w, channels = source.shape
    size, _, _, outputs = kernel.shape
    oh, ow = h - size + 1, w - size + 1
    tile = plane_tile(oh, ow, size, kernel.shape[1], chip.bank_entries)
    side = tile + size - 1
    weights = np.zeros((size, size, channels, padded(outputs)), np.float32)
    weights[..., :outputs] = kernel
    out = np.zeros((batches, oh, ow, padded(outputs)), np.float32)
    for batch in range(batches):
        for row in range(0, oh, tile):
            for column in range(0, ow, tile):
                part = source[batch, row : row + side, column : column + side]
                for first in range(0, padded(outputs), LANE):
                    total = np.zeros((tile * tile, LANE), np.float32)
                    for channel in range(channels):
                        own = weights[:, :, channel, first : first + LANE].reshape(size * size, LANE)
                        plane = np.ascontiguousarray(part[:, :, channel])
                        total = total + plane_product(plane, np.ascontiguousarray(own), 1, 0, chip)
                    block = total.reshape(tile, tile, LANE)
                    out[batch, row : row + tile, column : column + tile, first : first + LANE] = block
    return out[..., :outputs]
