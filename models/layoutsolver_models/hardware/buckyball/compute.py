"""`mul_warp16`, `matrix`, `transpose`, `relu` and `im2col` on banks. Source: buckyball 7.4 to 7.8."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from layoutsolver_models.buckyball.encoding import MATRIX_RS1, RS2, decode
from layoutsolver_models.hardware.buckyball.banks import Banks, Fault

LANES = 16


def run_mul_warp16(banks: Banks, op1: int, op2: int, wr: int, iterations: int) -> None:
    """Add the product of op1 transposed (K by 16) and op2 (K by 16) to the 16 by 16 i32 of wr, wrapping."""
    if iterations == 0:
        raise Fault("zero_count", "no iterations")
    columns = tuple(banks.columns_of(bank, "unsupported_layout") for bank in (op1, op2, wr))
    if columns != (1, 1, 4):
        raise Fault("unsupported_layout", f"mul_warp16 takes 1, 1 and 4 columns, not {columns}")
    if banks.strict and op1 == op2:
        raise Fault("same_bank", f"both operands of mul_warp16 are bank {op1}")
    left, left_known = banks.peek(op1, iterations)
    right, right_known = banks.peek(op2, iterations)
    data, known = banks.peek(wr, LANES)
    if not known.all():
        raise Fault("accumulator", f"mul_warp16 adds to bank {wr}, which nothing has cleared or written")
    exact = left.view(np.int8).T.astype(np.float64) @ right.view(np.int8).astype(np.float64)
    sums = data.view(np.int32).astype(np.int64) + exact.astype(np.int64)
    rows, columns = (np.logical_and.reduce(one, axis=0) for one in (left_known, right_known))
    banks.write(wr, sums.astype(np.int32).view(np.uint8), np.outer(rows, columns).repeat(4, axis=1))


def run_matrix(banks: Banks, register1: int, register2: int) -> tuple[int, int, int, int]:
    """Overwrite wr with a product of packed blocks; the sizes and the mode, all 0 in the square form."""
    fields, sizes = decode(MATRIX_RS1, register1), decode(RS2["matrix"], register2)
    m, n, k = sizes["m"], sizes["n"], sizes["k"]
    banks_named = (fields["bank0"], fields["bank1"], fields["bank2"])
    if banks.chip.revision == "ERA" or (m, n, k) == (0, 0, 0):
        _square(banks, *banks_named, register1 >> 30)
        return 0, 0, 0, 0
    if fields["reserved"] or sizes["reserved"]:
        raise Fault("reserved_bits_set", "reserved bits of matrix are set")
    if 0 in (m, n, k):
        raise Fault("zero_dimension", f"matrix of {m}x{n}x{k}")
    op1, op2, wr = banks_named
    columns = tuple(banks.columns_of(bank) for bank in banks_named)
    if columns != (1, 1, 4):
        raise Fault("unsupported_layout", f"matrix takes 1, 1 and 4 columns, not {columns}")
    left = _packed(banks, op1, fields["op1_base"], m, k)
    right = _packed(banks, op2, fields["op2_base"], n, k, transposed=True)
    product = (left.astype(np.int64) @ right.astype(np.int64)).astype(np.int32)
    rows = _result_rows(m, n, fields["wr_base"])
    banks.check_rows(wr, int(rows.max()) + 1)
    for group in range(4):
        physical = banks.groups[wr][group]
        for lane in range(4):
            columns_here = np.arange(group * 4 + lane, n, LANES)
            if columns_here.size:
                place = rows[:, columns_here]
                part = product[:, columns_here].astype(np.int32)
                view = banks.data[physical].view(np.int32)
                view[place, lane] = part
                banks.known[physical][place, lane * 4 : lane * 4 + 4] = True
    return m, n, k, sizes["mode"]


def _packed(
    banks: Banks, bank: int, base: int, outer: int, inner: int, transposed: bool = False
) -> npt.NDArray[np.int8]:
    """A matrix from blocks of 16 rows: `outer` tiles, in each the tiles of K; B holds K rows of 16 columns."""
    tiles = -(-inner // LANES)
    i, k = np.arange(outer), np.arange(inner)
    if transposed:
        rows = base + ((i[None, :] // LANES) * tiles + k[:, None] // LANES) * LANES + k[:, None] % LANES
        lanes = np.broadcast_to(i[None, :] % LANES, rows.shape)
    else:
        rows = base + ((i[:, None] // LANES) * tiles + k[None, :] // LANES) * LANES + i[:, None] % LANES
        lanes = np.broadcast_to(k[None, :] % LANES, rows.shape)
    banks.check_rows(bank, int(rows.max()) + 1)
    physical = banks.groups[bank][0]
    if not banks.known[physical][rows, lanes].all():
        raise Fault("undefined", f"matrix reads bytes of bank {bank} that nothing has written")
    found: npt.NDArray[np.int8] = banks.data[physical].view(np.int8)[rows, lanes]
    return found


def _result_rows(m: int, n: int, base: int) -> npt.NDArray[np.int64]:
    """The row of each element: behind the earlier tiles of M, the tiles of N one after the other."""
    n_tiles = -(-n // LANES)
    i, j = np.arange(m)[:, None], np.arange(n)[None, :]
    tile = i // LANES
    height = np.minimum(m - tile * LANES, LANES)
    found: npt.NDArray[np.int64] = base + tile * LANES * n_tiles + (j // LANES) * height + i % LANES
    return found


def _square(banks: Banks, op1: int, op2: int, wr: int, n: int) -> None:
    """The form without sizes: n by n from row-major banks."""
    if n == 0 or (banks.chip.revision == "ERA" and n > 64):
        raise Fault("bad_iter", f"matrix of {n} by {n}")
    if n > LANES:
        raise Fault("index_out_of_bounds", f"matrix of {n} by {n} in rows of {LANES}")
    columns = tuple(banks.columns_of(bank) for bank in (op1, op2, wr))
    if columns != (1, 1, 4):
        raise Fault("unsupported_layout", f"matrix takes 1, 1 and 4 columns, not {columns}")
    left = banks.read(op1, n).view(np.int8)[:, :n].astype(np.int64)
    right = banks.read(op2, n).view(np.int8)[:, :n].astype(np.int64)
    data, known = banks.peek(wr, n)
    integers = data.view(np.int32)
    integers[:, :n] = (left @ right).astype(np.int32)
    known[:, : 4 * n] = True
    banks.write(wr, data, known)


def run_transpose(banks: Banks, source: int, target: int, iterations: int, register: int) -> None:
    """Transpose 16 by K bytes to K by 16, or as the newer revision re-packs what it transposes."""
    if iterations == 0:
        raise Fault("zero_count", "no iterations")
    columns = banks.columns_of(source), banks.columns_of(target)
    if banks.chip.revision == "NEW":
        _transpose_rows(banks, source, target, iterations, register, columns)
        return
    if columns not in ((1, 1), (4, 4)):
        raise Fault("unsupported_layout", f"transpose does not go from {columns[0]} columns to {columns[1]}")
    if source == target:
        raise Fault("same_bank", f"transpose of bank {source} into itself")
    data, known = banks.flat(source)
    into, into_known = banks.flat(target)
    if columns == (1, 1):
        size = LANES * iterations
        if size > data.size:
            raise Fault("bank_range", f"transpose of {iterations} columns")
        into[:size] = data[:size].reshape(LANES, iterations).T.reshape(-1)
        into_known[:size] = known[:size].reshape(LANES, iterations).T.reshape(-1)
        return
    if iterations * 64 > data.size or iterations > LANES:
        raise Fault("bank_range", f"transpose of {iterations} by {iterations}")
    rows = slice(0, iterations * 64)
    words, known_words = data[rows].view(np.int32).reshape(-1, LANES), known[rows].reshape(-1, LANES, 4)
    into[rows].view(np.int32).reshape(-1, LANES)[:, :iterations] = words[:, :iterations].T
    into_known[rows].reshape(-1, LANES, 4)[:, :iterations] = known_words[:, :iterations].transpose(1, 0, 2)


def _transpose_rows(
    banks: Banks, source: int, target: int, iterations: int, register: int, columns: tuple[int, int]
) -> None:
    """`iterations` virtual rows as a matrix, transposed and packed densely into virtual rows again."""
    if register >> 8:
        raise Fault("reserved_bits_set", "reserved bits of transpose are set")
    if register not in (8, 32):
        raise Fault("bad_elem_bits", f"transpose of elements of {register} bits")
    if columns[0] != columns[1] or columns[0] == 0:
        raise Fault("unsupported_layout", f"transpose does not go from {columns[0]} columns to {columns[1]}")
    if source == target:
        raise Fault("same_bank", f"transpose of bank {source} into itself")
    size = register // 8
    data, known = banks.peek(source, iterations)
    elements = data.reshape(iterations, -1, size).transpose(1, 0, 2).reshape(iterations, -1)
    flags = known.reshape(iterations, -1, size).transpose(1, 0, 2).reshape(iterations, -1)
    banks.write(target, np.ascontiguousarray(elements), np.ascontiguousarray(flags))


def run_relu(banks: Banks, source: int, target: int, iterations: int) -> None:
    """max(0, x): bytes of one column, or i32 in steps of 64 bytes of the first column of four."""
    columns = banks.columns_of(source), banks.columns_of(target)
    if columns not in ((1, 1), (4, 4)):
        raise Fault("unsupported_layout", f"relu does not go from {columns[0]} columns to {columns[1]}")
    size = iterations * (LANES if columns == (1, 1) else 64)
    data, known = banks.flat(source)
    into, into_known = banks.flat(target)
    if size > data.size:
        raise Fault("bank_range", f"relu of {iterations} rows")
    kind = np.dtype(np.int8) if columns == (1, 1) else np.dtype(np.int32)
    if not known[:size].all():
        raise Fault("undefined", f"relu reads rows of bank {source} that nothing has written")
    into[:size] = np.maximum(data[:size].view(kind), 0).view(np.uint8)
    into_known[:size] = True
