"""`fp2int` and `int2fp`: which layouts of banks they take, and how many rows an iteration is.

Source: buckyball 7.2, 7.3.
"""

from __future__ import annotations

import numpy as np

from layoutsolver_models.buckyball.encoding import RS2, decode
from layoutsolver_models.hardware.buckyball import numbers
from layoutsolver_models.hardware.buckyball.banks import Banks, Bytes, Fault, Known

ROWS_PER_ITERATION = {"ERA": 4, "NEW": 1}
"""Rows of one column that an iteration takes where neither bank has more columns."""


def run_fp2int(banks: Banks, source: int, target: int, iterations: int, register: int) -> None:
    """Convert f32 to i8 (4 columns to 1) or to i32 (1 to 1)."""
    chip = banks.chip
    columns = _columns(banks, source, target, iterations)
    scale = register & 0xFFFFFFFF
    if columns == (4, 1):
        data, known = banks.peek(source, iterations)
        found = numbers.fp2int(data.view(np.float32), scale, numbers.INT8, chip.revision, chip.rounding)
        banks.write(target, found.astype(np.int8).view(np.uint8), words_known(known))
    elif columns == (1, 1):
        rows = iterations * ROWS_PER_ITERATION[chip.revision]
        data, known = banks.peek(source, rows)
        found = numbers.fp2int(data.view(np.float32), scale, numbers.INT32, chip.revision, chip.rounding)
        banks.write(target, found.astype(np.int32).view(np.uint8), words_known(known).repeat(4, axis=1))
    else:
        raise _no_layout("fp2int", columns)


def run_int2fp(banks: Banks, source: int, target: int, iterations: int, register: int) -> None:
    """Convert i32 to f32 (4 to 4, 1 to 1, newer: 2 to 2), i8 to f32 (1 to 4) or, newer, i32 to i8 (4 to 1)."""
    chip = banks.chip
    columns = _columns(banks, source, target, iterations)
    fields = decode(RS2["int2fp"], register)
    mode = fields["mode"] if chip.revision == "NEW" else 0
    if mode > 1:
        raise Fault("reserved_mode", f"mode {mode} of int2fp is reserved")
    if mode == 1:
        if columns != (4, 1):
            raise _no_layout("int32_to_int8", columns)
        data, known = banks.peek(source, iterations)
        products = numbers.int2fp(data.view(np.int32), fields["scale"], chip.revision)
        found = numbers.to_integers(products, "rne", numbers.INT8)
        banks.write(target, found.astype(np.int8).view(np.uint8), words_known(known))
        return
    rows = iterations
    if columns == (1, 4):
        data, known = banks.peek(source, rows)
        integers = data.view(np.int8).astype(np.int32)
        floats = numbers.int2fp(integers, fields["scale"], chip.revision).view(np.uint8)
        _write_floats(banks, target, floats, known.repeat(4, axis=1))
        return
    if columns == (1, 1):
        rows = iterations * ROWS_PER_ITERATION[chip.revision]
    elif columns != (4, 4) and (columns != (2, 2) or chip.revision == "ERA"):
        raise _no_layout("int2fp", columns)
    data, known = banks.peek(source, rows)
    floats = numbers.int2fp(data.view(np.int32), fields["scale"], chip.revision).view(np.uint8)
    banks.write(target, floats, words_known(known).repeat(4, axis=1))


def words_known(known: Known) -> Known:
    """Of each word of 32 bits, whether all its bytes are known."""
    found: Known = np.logical_and.reduce(known.reshape(len(known), -1, 4), axis=2)
    return found


def _write_floats(banks: Banks, target: int, data: Bytes, determined: Known) -> None:
    """Rows of 16 f32: over the four columns, in the older revision all into the first one."""
    if banks.chip.revision == "NEW":
        banks.write(target, data, determined)
        return
    flat, known = banks.flat(target)
    if data.size > flat.size:
        raise Fault("bank_range", f"{data.size} bytes into the first column of bank {target}")
    flat[: data.size] = data.reshape(-1)
    known[: data.size] = determined.reshape(-1)


def _columns(banks: Banks, source: int, target: int, iterations: int) -> tuple[int, int]:
    if iterations == 0:
        raise Fault("zero_count", "no iterations")
    return banks.columns_of(source), banks.columns_of(target)


def _no_layout(name: str, columns: tuple[int, int]) -> Fault:
    return Fault("unsupported_layout", f"{name} does not go from {columns[0]} columns to {columns[1]}")
