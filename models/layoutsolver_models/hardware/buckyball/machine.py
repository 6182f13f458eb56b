"""The machine: an instruction word's funct7 and registers, executed on banks and DRAM."""

from __future__ import annotations

import numpy as np

from layoutsolver_models.buckyball.encoding import RS1, RS2, decode
from layoutsolver_models.buckyball.instructions import BY_FUNCT7, latency, matrix_latency, square_latency
from layoutsolver_models.hardware.buckyball.banks import Banks, Fault
from layoutsolver_models.hardware.buckyball.compute import run_matrix, run_mul_warp16, run_relu, run_transpose
from layoutsolver_models.hardware.buckyball.convert import run_fp2int, run_int2fp
from layoutsolver_models.hardware.buckyball.dram import Dram, Places
from layoutsolver_models.hardware.buckyball.im2col import run_im2col
from layoutsolver_models.hardware.html import facts_html
from layoutsolver_models.targets.bank_chip import ROW_BYTES, BankChip


class Order:
    """Which instructions since the last fence surely follow which others, by the banks that they name.

    A reader waits for what wrote its bank, a writer also for what read it; two readers wait for nothing. Sets of
    instructions are bits by their numbers.
    """

    def __init__(self) -> None:
        self.count = 0
        self.writers: dict[int, int] = {}
        self.readers: dict[int, int] = {}

    def follow(self, reads: tuple[int, ...], writes: tuple[int, ...]) -> tuple[int, int]:
        """The number of an instruction, and a bit for each earlier one that it waits for.

        >>> order = Order()
        >>> order.follow((), (1,)), order.follow((1,), ()), order.follow((1,), ()), order.follow((), (1,))
        ((0, 0), (1, 1), (2, 1), (3, 7))
        """
        before = 0
        for bank in (*reads, *writes):
            before |= self.writers.get(bank, 0)
        for bank in writes:
            before |= self.readers.get(bank, 0)
        mine = before | 1 << self.count
        for bank in reads:
            self.readers[bank] = self.readers.get(bank, 0) | mine
        for bank in writes:
            self.writers[bank] = mine
            self.readers[bank] = 0
        self.count += 1
        return self.count - 1, before


class Machine:
    """Banks and DRAM of a chip, and how many instructions ran in how many cycles, one after the other."""

    def __init__(self, chip: BankChip, dram: Dram, strict: bool = True) -> None:
        self.chip = chip
        self.dram = dram
        self.banks = Banks(chip, strict)
        self.instructions = 0
        self.cycles = 0
        self.order = Order()

    def _repr_html_(self) -> str:
        """What notebooks show: how much ran, on which chip."""
        return facts_html({"chip": self.chip.name, "instructions": self.instructions, "cycles": self.cycles})

    def execute(self, funct7: int, register1: int, register2: int) -> int:
        """Run an instruction; the cycles that it takes. Raises `Fault`."""
        name = BY_FUNCT7.get(funct7)
        if name is None:
            raise Fault("no_instruction", f"there is no instruction with funct7 {funct7}")
        if not self.chip.has(name):
            raise Fault("no_unit", f"{self.chip.name} has no unit for {name}")
        fields = decode(RS1, register1)
        taken = self._run(name, fields, register1, register2)
        self.instructions += 1
        self.cycles += taken
        return taken

    def _run(self, name: str, fields: dict[str, int], register1: int, register2: int) -> int:
        bank0, bank1, bank2, iterations = (fields[key] for key in ("bank0", "bank1", "bank2", "iter"))
        banks, revision = self.banks, self.chip.revision
        if name in ("fence", "barrier"):
            self.dram.fence()
            self.order = Order()
            return 1
        if name == "mset":
            self._mset(bank0, register2)
            self.order.follow((), (bank0,))
            return 1
        if name in ("mvin", "mvout"):
            self._move(name, bank0, iterations, register2)
            return latency(name, iterations)
        size = 0
        if name == "matrix":
            m, n, k, mode = run_matrix(banks, register1, register2)
            size = matrix_latency(m, n, k, bool(mode)) if m else square_latency(iterations)
            reads: tuple[int, ...] = (bank0, bank1)
        elif name == "mul_warp16":
            run_mul_warp16(banks, bank0, bank1, bank2, iterations)
            reads = (bank0, bank1)
        else:
            reads = (bank0,)
            if name == "transpose":
                run_transpose(banks, bank0, bank2, iterations, register2)
                size = register2
            elif name == "im2col":
                size = run_im2col(banks, bank0, bank2, iterations, register2)
            elif name == "relu":
                run_relu(banks, bank0, bank2, iterations)
            else:
                run = run_fp2int if name == "fp2int" else run_int2fp
                run(banks, bank0, bank2, iterations, register2)
        self.order.follow(reads, (bank2,))
        return latency(name, iterations, size, revision)

    def _mset(self, bank: int, register: int) -> None:
        fields = decode(RS2["mset"], register)
        if not fields["alloc"]:
            self.banks.free(bank)
            return
        newer = self.chip.revision == "NEW" and fields["clear"]
        self.banks.allocate(bank, fields["col"], self.chip.mset_clears or bool(newer))

    def _move(self, name: str, bank: int, depth: int, register: int) -> None:
        fields = decode(RS2[name], register)
        address, stride = fields["address"], fields["stride"]
        if depth == 0 or stride == 0:
            raise Fault("zero_count", f"{name} with depth {depth} and stride {stride}")
        columns = max(self.banks.columns_of(bank), 1)
        rows = depth
        if name == "mvout" and self.chip.mvout_depth == "physical" and columns > 1 and depth > ROW_BYTES:
            if depth % columns:
                raise Fault("depth_not_divisible", f"mvout of {depth} physical rows of {columns} columns")
            rows = depth // columns
        self.banks.check_rows(bank, rows)
        places = self._places(address, rows, columns, stride)
        number, before = self.order.follow(*(((), (bank,)) if name == "mvin" else ((bank,), ())))
        self.dram.move(places, name == "mvout", number, before)
        where = places - self.dram.base
        if name == "mvin":
            self.banks.write(bank, self.dram.data[where].reshape(rows, -1), self.dram.known[where].reshape(rows, -1))
        else:
            data, known = self.banks.peek(bank, rows)
            self.dram.data[where], self.dram.known[where] = data.reshape(-1), known.reshape(-1)

    @staticmethod
    def _places(address: int, rows: int, columns: int, stride: int) -> Places:
        """The addresses of rows that lie `stride` virtual rows apart, byte by byte."""
        width = columns * ROW_BYTES
        starts = address + np.arange(rows, dtype=np.int64) * width * stride
        found: Places = (starts[:, None] + np.arange(width, dtype=np.int64)[None, :]).reshape(-1)
        return found
