"""`im2col` in both forms: windows of any start and step, and the square one. Source: buckyball 7.6."""

from __future__ import annotations

import numpy as np

from layoutsolver_models.buckyball.encoding import RS2, decode
from layoutsolver_models.buckyball.tiles import PLANE_KERNEL, PLANE_PADDING, PLANE_SIDE
from layoutsolver_models.hardware.buckyball.banks import Banks, Fault

LANES = 16


def run_im2col(banks: Banks, source: int, target: int, iterations: int, register: int) -> int:
    """Run the form that the registers ask for; the windows times the kernel's elements."""
    if banks.chip.revision == "NEW" and iterations:
        return _square(banks, source, target, iterations, register)
    return _windows(banks, source, target, register)


def _windows(banks: Banks, source: int, target: int, register: int) -> int:
    """The bytes of every window from the start on, one window after the other."""
    f = decode(RS2["im2col"], register)
    if 0 in (f["krow"], f["kcol"], f["inrow"], f["incol"], f["colStep"]):
        raise Fault("zero_dimension", "im2col with a dimension of 0")
    if f["krow"] > f["inrow"] or f["kcol"] > f["incol"]:
        raise Fault("kernel_larger_than_input", "the kernel of im2col is larger than its input")
    if f["startrow"] > f["inrow"] - f["krow"] or f["startcol"] > f["incol"] - f["kcol"]:
        raise Fault("bad_start_window", "im2col starts behind its last window")
    _check_banks(banks, source, target)
    rows = np.arange(f["startrow"], f["inrow"] - f["krow"] + 1)
    columns = np.arange(f["startcol"], f["incol"] - f["kcol"] + 1, f["colStep"])
    corner = (rows[:, None] * f["incol"] + columns[None, :]).reshape(-1)
    kernel = (np.arange(f["krow"])[:, None] * f["incol"] + np.arange(f["kcol"])[None, :]).reshape(-1)
    places = (corner[:, None] + kernel[None, :]).reshape(-1)
    data, known = banks.flat(source)
    into, into_known = banks.flat(target)
    if places.size > into.size or int(places.max()) >= data.size:
        raise Fault("bank_range", f"im2col of {places.size} bytes, up to byte {int(places.max())} of its input")
    into[: places.size] = data[places]
    into_known[: places.size] = known[places]
    return places.size


def _square(banks: Banks, source: int, target: int, side: int, register: int) -> int:
    """Windows of a square plane, packed into blocks of 16 windows by 16 elements."""
    f = decode(RS2["im2col_square"], register)
    size, stride, padding = f["ksize"], f["stride"], f["padding"]
    if size == 0 or stride == 0:
        raise Fault("zero_count", "im2col with a kernel or a stride of 0")
    if side > PLANE_SIDE or size > PLANE_KERNEL or padding > PLANE_PADDING:
        raise Fault("parameter_out_of_range", f"im2col of side {side}, kernel {size}, padding {padding}")
    if size > side + 2 * padding:
        raise Fault("kernel_larger_than_input", "the kernel of im2col is larger than its input")
    _check_banks(banks, source, target)
    outputs = (side + 2 * padding - size) // stride + 1
    windows, elements = outputs * outputs, size * size
    blocks = -(-elements // LANES)
    total = -(-windows // LANES) * blocks * LANES
    capacity = banks.chip.bank_entries * len(banks.groups[target])
    if total > capacity:
        raise Fault("capacity", f"im2col needs {total} rows, bank {target} has {capacity}")
    data, known = banks.flat(source)
    padded = np.zeros((side + 2 * padding,) * 2, np.uint8)
    flags = np.ones(padded.shape, np.bool_)
    inside = (slice(padding, padding + side),) * 2
    padded[inside] = data[: side * side].reshape(side, side)
    flags[inside] = known[: side * side].reshape(side, side)
    window, element = np.arange(windows)[:, None], np.arange(elements)[None, :]
    row = (window // outputs) * stride + element // size
    column = (window % outputs) * stride + element % size
    place = ((window // LANES) * blocks + element // LANES) * LANES + window % LANES
    out, out_known = np.zeros((total, LANES), np.uint8), np.ones((total, LANES), np.bool_)
    out[place, np.broadcast_to(element % LANES, place.shape)] = padded[row, column]
    out_known[place, np.broadcast_to(element % LANES, place.shape)] = flags[row, column]
    entries = banks.chip.bank_entries
    for group, first in enumerate(range(0, total, entries)):
        part = slice(first, min(first + entries, total))
        physical = banks.groups[target][group]
        banks.data[physical, : part.stop - first] = out[part]
        banks.known[physical, : part.stop - first] = out_known[part]
    return windows * elements


def _check_banks(banks: Banks, source: int, target: int) -> None:
    banks.columns_of(source)
    banks.columns_of(target)
    if source == target:
        raise Fault("same_bank", f"im2col of bank {source} into itself")
