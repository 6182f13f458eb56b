"""What products and convolutions come to in quantised arithmetic, straight from their definition.

A tile of 16 by 16 results is quantised by the largest magnitude of its rows of A and of its columns of B, over as much
of K as one tile has. Nothing here knows of banks or instructions. Every result is held against the exact product: it
may differ by what rounding to 8 bits can come to, and by no more. Source: buckyball 4, 5.2.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from layoutsolver_models.buckyball.tiles import LANE, padded, tile_sizes
from layoutsolver_models.hardware.buckyball import numbers
from layoutsolver_models.hardware.buckyball.banks import Fault
from layoutsolver_models.targets.bank_chip import BankChip

Floats = npt.NDArray[np.float32]
Exact = npt.NDArray[np.float64]


def scales(values: Floats) -> Floats:
    """127 over the largest magnitude along the last axis, 1 where that is 0."""
    largest = np.abs(values).max(axis=-1)
    with np.errstate(divide="ignore"):
        found: Floats = np.where(largest > 0, np.float32(127) / largest, np.float32(1)).astype(np.float32)
    return found


def quantised(values: Floats, scale: Floats, chip: BankChip) -> Exact:
    """Rows in 8 bits, each by its scale."""
    out = np.zeros(values.shape, np.float64)
    for row, one in enumerate(scale):
        bits = int(one.view(np.uint32))
        out[row] = numbers.fp2int(values[row], bits, numbers.INT8, chip.revision, chip.rounding)
    return out


def product(a: Floats, b: Floats, chip: BankChip) -> Floats:
    """A times B with sizes that are multiples of 16, and all of K in one tile: what `buckyball.matmul` writes."""
    (m, k), n = a.shape, b.shape[1]
    rows = a.reshape(m // LANE, LANE * k)
    columns = np.ascontiguousarray(b.reshape(k, n // LANE, LANE).transpose(1, 0, 2)).reshape(n // LANE, k * LANE)
    scale_a, scale_b = scales(rows), scales(columns)
    left = quantised(rows, scale_a, chip).reshape(m, k)
    right = quantised(columns, scale_b, chip).reshape(n // LANE, k, LANE).transpose(1, 0, 2).reshape(k, n)
    sums = (left @ right).astype(np.int64).astype(np.int32)
    out = np.zeros((m, n), np.float32)
    with np.errstate(all="ignore"):
        back = (np.float32(1) / (scale_a[:, None] * scale_b[None, :])).astype(np.float32)
    for i in range(m // LANE):
        for j in range(n // LANE):
            part = slice(i * LANE, (i + 1) * LANE), slice(j * LANE, (j + 1) * LANE)
            out[part] = numbers.int2fp(sums[part], int(back[i, j].view(np.uint32)), chip.revision)
    check_exact(out, a, b, scale_a.repeat(LANE), scale_b.repeat(LANE))
    return out


def check_exact(out: Floats, a: Floats, b: Floats, scale_a: Floats, scale_b: Floats) -> None:
    """Refuse a result that is further from the exact product than quantising can take it."""
    with np.errstate(all="ignore"):
        steps = scale_a.max() * scale_b.max()
    if not (np.isfinite(a).all() and np.isfinite(b).all() and np.isfinite(out).all() and np.isfinite(steps)):
        return  # a product of numbers so small that their scale overflows has no such bound
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    step_a, step_b = 1.0 / scale_a[:, None].astype(np.float64), 1.0 / scale_b[None, :].astype(np.float64)
    exact = wide_a @ wide_b
    size_a, size_b = np.abs(wide_a).sum(axis=1)[:, None], np.abs(wide_b).sum(axis=0)[None, :]
    bound = step_a * size_b + step_b * size_a + a.shape[1] * step_a * step_b
    if (np.abs(out - exact) > bound * (1 + 1e-5) + np.abs(exact) * 1e-5).any():
        raise Fault("reference", "a quantised product is further from the exact one than quantising explains")


def tiled(a: Floats, b: Floats, chip: BankChip) -> Floats:
    """A times B of any sizes, padded and in steps of K as a tile takes them: what `tile.tile_matmul` writes."""
    (m, k), n = a.shape, b.shape[1]
    sizes = padded(m), padded(n), padded(k)
    left, right = np.zeros((sizes[0], sizes[2]), np.float32), np.zeros((sizes[2], sizes[1]), np.float32)
    left[:m, :k], right[:k, :n] = a, b
    lines = min(1024, chip.bank_entries)
    step = tile_sizes(*sizes, chip.tile_depth, lines, chip.accumulator_lines, narrow=chip.dialect == "new").k
    if step == sizes[2] and chip.dialect == "seed":
        return product(left, right, chip)[:m, :n]
    total = np.zeros((sizes[0], sizes[1]), np.float32)
    for first in range(0, sizes[2], step):
        part = slice(first, first + step)
        total = total + product(np.ascontiguousarray(left[:, part]), np.ascontiguousarray(right[part]), chip)
    return total[:m, :n]


def convolution(source: Floats, kernel: Floats, chip: BankChip) -> Floats:
    """NHWC by HWCF, stride 1, no padding: what `tile.tile_conv2d` writes.

    An image has one scale, sixteen channels of the filter have one.
    """
    batches, h, w, c = source.shape
    kh, kw, _, channels = kernel.shape
    oh, ow = h - kh + 1, w - kw + 1
    patch = kh * kw * c
    wide = padded(channels)
    weights = np.zeros((patch, wide), np.float32)
    weights[:, :channels] = kernel.reshape(patch, channels)
    out = np.zeros((batches, oh, ow, channels), np.float32)
    for number in range(batches):
        image = source[number]
        windows = np.lib.stride_tricks.sliding_window_view(image, (kh, kw), axis=(0, 1))
        rows = np.ascontiguousarray(windows.transpose(0, 1, 3, 4, 2)).reshape(oh * ow, patch)
        scale = scales(image.reshape(1, -1))
        left = quantised(rows, scale.repeat(oh * ow), chip)
        for first in range(0, wide, LANE):
            part = np.ascontiguousarray(weights[:, first : first + LANE])
            part_scale = scales(part.reshape(1, -1))
            right = quantised(part, part_scale.repeat(patch), chip)
            with np.errstate(all="ignore"):
                back = (np.float32(1) / (scale * part_scale)).astype(np.float32)
            sums = (left @ right).astype(np.int64).astype(np.int32)
            found = numbers.int2fp(sums, int(back[0].view(np.uint32)), chip.revision)
            check_exact(found, rows, part, scale.repeat(oh * ow), part_scale.repeat(LANE))
            used = min(LANE, channels - first)
            out[number, :, :, first : first + used] = found.reshape(oh, ow, LANE)[:, :, :used]
    return out
