"""The instructions of Buckyball: opcode, what each does to the banks that it names, and which unit runs it.

`reads` and `writes` are operands by their role in the operation tables (`layoutsolver.ops.buckyball`). An accumulating
instruction reads what it writes. `in_place` says that the first operand read may be the bank that is written.

>>> INSTRUCTIONS["mul_warp16"].reads, INSTRUCTIONS["mul_warp16"].writes
(('op1', 'op2', 'wr'), ('wr',))
"""

from __future__ import annotations

from typing import NamedTuple


class Instruction(NamedTuple):
    """An instruction: mnemonic, funct7, banks read and written by role, unit, and what it does to DRAM."""

    mnemonic: str
    funct7: int
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    unit: str = ""
    dram: str = ""
    in_place: bool = False
    source: str = ""


_ROWS = (
    Instruction("fence", 0, source="buckyball 3.1, 7.9"),
    Instruction("barrier", 1, source="buckyball 3.1, 7.9"),
    Instruction("mvout", 16, ("bank",), (), "storer", "write", source="buckyball 7.1"),
    Instruction("mset", 32, (), ("bank",), "configer", source="buckyball 6.3"),
    Instruction("mvin", 33, (), ("bank",), "loader", "read", source="buckyball 7.1"),
    Instruction("im2col", 48, ("in",), ("out",), "im2col", source="buckyball 7.6"),
    Instruction("transpose", 49, ("in",), ("out",), "transpose", source="buckyball 7.5"),
    Instruction("relu", 50, ("in",), ("out",), "relu", in_place=True, source="buckyball 7.7"),
    Instruction("fp2int", 51, ("in",), ("out",), "fp2int", in_place=True, source="buckyball 7.2"),
    Instruction("int2fp", 52, ("in",), ("out",), "int2fp", in_place=True, source="buckyball 7.3"),
    Instruction("int32_to_int8", 52, ("in",), ("out",), "int2fp", source="buckyball 7.3"),
    Instruction("mul_warp16", 64, ("op1", "op2", "wr"), ("wr",), "vec", source="buckyball 7.4"),
    Instruction("matrix", 65, ("op1", "op2"), ("wr",), "matrix", source="buckyball 7.8"),
)

INSTRUCTIONS: dict[str, Instruction] = {row.mnemonic: row for row in _ROWS}
"""The instructions by mnemonic."""

BY_FUNCT7: dict[int, str] = {row.funct7: row.mnemonic for row in reversed(_ROWS)}
"""The mnemonic that a funct7 stands for; 52 is `int2fp`, whose mode bits tell `int32_to_int8`."""

ALIASES: dict[str, str] = {
    "quant": "fp2int", "dequant": "int2fp", "systolic": "matrix", "bbfp_mul": "matrix", "bbfp.mul": "matrix",
    "mul.warp16": "mul_warp16",
}  # fmt: skip
"""Names of other revisions, and the mnemonic that each stands for."""

UNITS: dict[str, str] = {row.unit: row.mnemonic for row in reversed(_ROWS) if row.unit}
"""The units, and an instruction that each runs."""

ALWAYS = frozenset({"", "loader", "storer", "configer"})
"""The units that every chip has; the empty one is the decoder, which holds fences."""


def latency(mnemonic: str, iterations: int, size: int = 0, revision: str = "ERA") -> int:
    """Cycles that an instruction takes in the emulator of a revision, `ERA` or `NEW`.

    `size` is for transpose in NEW the element width in bits, for im2col the windows times the kernel's elements, for
    matrix the cost of its configuration (`matrix_latency`). Source: buckyball 8.2.

    >>> latency("transpose", 64), latency("mul_warp16", 64), latency("transpose", 16, 8, "NEW")
    (4096, 1024, 512)
    """
    if mnemonic in ("mset", "fence", "barrier"):
        return 1
    if mnemonic == "mul_warp16":
        return 16 * max(1, iterations)
    if mnemonic == "transpose":
        return min(max(iterations, 1), 64) ** 2 if revision == "ERA" else iterations * (128 // size) * 2
    if mnemonic == "im2col":
        return max(16, size)
    if mnemonic == "matrix":
        return size
    return max(1, iterations)


def matrix_latency(m: int, n: int, k: int, weight_stationary: bool) -> int:
    """Cycles of the matrix instruction with its sizes given.

    >>> matrix_latency(16, 16, 16, False), matrix_latency(1, 1, 1, False)
    (384, 0)
    """
    return m * n * k // 16 + (m * n if weight_stationary else m * n // 2)


def square_latency(n: int) -> int:
    """Cycles of the matrix instruction without sizes, on n by n elements.

    >>> square_latency(16)
    1280
    """
    return n**3 // 4 + n * n
