"""Runs RISC-V assembly: the integer and float instructions that code of this path is made of, and Buckyball's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from layoutsolver.buckyball.assembly import FLOAT_REGISTERS, REGISTERS, Assembly, AssemblyLine
from layoutsolver.verify.buckyball.raw import MASK, MOST_STEPS, Argument, Processor
from layoutsolver.verify.buckyball.scalars import Unsupported
from layoutsolver_models.buckyball.encoding import FUNCT3, OPCODE

STACK = 1 << 16
"""The bytes of the stack."""

RETURN = -1
"""The address that `ra` has when the outermost function is called."""


def signed(value: int, bits: int = 64) -> int:
    """The low bits of a number as a signed one."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class RiscvRun:
    """Assembly on a processor: registers as unsigned numbers, floats as their bits."""

    def __init__(self, assembly: Assembly, processor: Processor) -> None:
        self.assembly, self.processor = assembly, processor
        self.x = [0] * 32
        self.f = [0] * 32
        self.stack = processor.allocate(STACK)

    def call(self, symbol: str, arguments: list[Argument]) -> None:
        """Run a function: eight arguments of each kind in registers, the rest on the stack."""
        at = self.assembly.labels.get(symbol.removeprefix("@"))
        if at is None:
            raise Unsupported(f"`{symbol}`, which has no label")
        used = {False: 0, True: 0}
        later: list[int] = []
        for one in arguments:
            floats = one.kind in ("float", "double") and used[True] < 8
            if used[floats] < 8:
                file = self.f if floats else self.x
                file[10 + used[floats]] = one.value & MASK
                used[floats] += 1
            else:
                later.append(one.value)
        self.x[2] = self.stack + STACK - -(-8 * len(later) // 16) * 16
        for number, value in enumerate(later):
            self.processor.store(self.x[2] + 8 * number, 8, value)
        self.x[1] = RETURN & MASK
        top = self.x[2]
        self.run(at)
        if self.x[2] != top:
            raise Unsupported("code that does not give its stack back")
        self.processor.free(self.stack)

    def run(self, at: int) -> None:
        """Run from an instruction on until the outermost function returns."""
        lines, processor = self.assembly.lines, self.processor
        while True:
            if at >= len(lines):
                raise Unsupported("code that runs past its end")
            line = lines[at]
            processor.line = line.line
            processor.steps += 1
            if processor.steps > MOST_STEPS:
                raise Unsupported(f"more than {MOST_STEPS} instructions")
            goes = self.step(line, at)
            self.x[0] = 0
            if goes == RETURN:
                return
            at = goes

    def step(self, line: AssemblyLine, at: int) -> int:
        """Run an instruction; the number of the next one."""
        name, operands = line.name, line.operands
        try:
            if name in ("j", "call", "ret", "bnez", "beqz"):
                return self.jump(name, operands, at)
            if name == ".insn r":
                self.custom(operands)
            elif name in _LOADS or name in _STORES:
                self.access(name, operands)
            elif "." in name and name not in ("sext.w",):
                self.floats(name, operands)
            else:
                self.integers(name, operands)
        except (KeyError, ValueError, IndexError):
            raise Unsupported(f"`{name} {', '.join(operands)}`") from None
        return at + 1

    def jump(self, name: str, operands: tuple[str, ...], at: int) -> int:
        """Run a branch, a call or a return; the number of the next instruction."""
        if name == "ret":
            return signed(self.x[1])
        if name == "call":
            if operands[0] == "malloc":
                self.x[10] = self.processor.allocate(self.x[10])
                return at + 1
            if operands[0] == "free":
                self.processor.free(self.x[10])
                return at + 1
            self.x[1] = at + 1
            return self.assembly.labels[operands[0]]
        if name == "j":
            return self.assembly.labels[operands[0]]
        taken = (self.x[REGISTERS[operands[0]]] != 0) == (name == "bnez")
        return self.assembly.labels[operands[1]] if taken else at + 1

    def custom(self, operands: tuple[str, ...]) -> None:
        """Run an instruction of Buckyball."""
        opcode, funct3, funct7 = (int(one, 0) for one in operands[:3])
        rd, rs1, rs2 = (REGISTERS[one] for one in operands[3:])
        if (opcode, funct3, rd) != (OPCODE, FUNCT3, 0):
            raise Unsupported(f"an instruction with opcode {opcode:#x}")
        self.processor.issue(funct7, self.x[rs1], self.x[rs2])

    def access(self, name: str, operands: tuple[str, ...]) -> None:
        """Load or store a register."""
        offset, _, base = operands[1].rstrip(")").partition("(")
        address = (self.x[REGISTERS[base]] + int(offset, 0)) & MASK
        size = _LOADS[name] if name in _LOADS else _STORES[name]
        floats = name.startswith("f")
        file, number = (self.f, FLOAT_REGISTERS[operands[0]]) if floats else (self.x, REGISTERS[operands[0]])
        if name in _STORES:
            self.processor.store(address, size, file[number])
            return
        value = self.processor.load(address, size)
        file[number] = value if floats or name.endswith("u") else signed(value, 8 * size) & MASK

    def integers(self, name: str, operands: tuple[str, ...]) -> None:
        """Run an instruction on integer registers."""
        target = REGISTERS[operands[0]]
        if name == "li":
            self.x[target] = int(operands[1], 0) & MASK
            return
        first = self.x[REGISTERS[operands[1]]]
        if name in _UNARY:
            self.x[target] = _UNARY[name](first) & MASK
            return
        immediate = name not in _BINARY
        base = name[:-1] if immediate and not name.endswith("iu") else name
        second = int(operands[2], 0) & MASK if immediate else self.x[REGISTERS[operands[2]]]
        self.x[target] = _BINARY[base](first, second) & MASK

    def floats(self, name: str, operands: tuple[str, ...]) -> None:
        """Run an instruction on float registers."""
        parts = name.split(".")
        if name in ("fmv.x.w", "fmv.x.d"):
            bits = self.f[FLOAT_REGISTERS[operands[1]]]
            self.x[REGISTERS[operands[0]]] = signed(bits, 32) & MASK if parts[2] == "w" else bits
            return
        if name in ("fmv.w.x", "fmv.d.x"):
            bits = self.x[REGISTERS[operands[1]]]
            self.f[FLOAT_REGISTERS[operands[0]]] = bits & 0xFFFFFFFF if parts[1] == "w" else bits
            return
        with np.errstate(all="ignore"):
            if parts[0] == "fcvt":
                self.convert(parts, operands)
                return
            kind = parts[1]
            values = [self.number(operand, kind) for operand in operands[1:]]
            if parts[0] in _FLOAT_COMPARE:
                self.x[REGISTERS[operands[0]]] = int(_FLOAT_COMPARE[parts[0]](*values))
            else:
                self.keep(operands[0], _FLOAT[parts[0]](*values), kind)

    def convert(self, parts: list[str], operands: tuple[str, ...]) -> None:
        """Convert between integers and floats."""
        if parts[2] == "l":
            self.keep(operands[0], signed(self.x[REGISTERS[operands[1]]]), parts[1])
        elif parts[1] == "l":
            self.x[REGISTERS[operands[0]]] = int(self.number(operands[1], parts[2])) & MASK
        else:
            raise KeyError(".".join(parts))

    def number(self, register: str, kind: str) -> Any:
        """The number in a float register."""
        bits = self.f[FLOAT_REGISTERS[register]]
        size, dtype = (4, np.float32) if kind == "s" else (8, np.float64)
        return np.frombuffer((bits & ((1 << 8 * size) - 1)).to_bytes(size, "little"), dtype)[0]

    def keep(self, register: str, value: Any, kind: str) -> None:
        """Put a number into a float register."""
        dtype = np.float32 if kind == "s" else np.float64
        self.f[FLOAT_REGISTERS[register]] = int.from_bytes(dtype(value).tobytes(), "little")


_LOADS = {"lb": 1, "lbu": 1, "lh": 2, "lhu": 2, "lw": 4, "lwu": 4, "ld": 8, "flw": 4, "fld": 8}
_STORES = {"sb": 1, "sh": 2, "sw": 4, "sd": 8, "fsw": 4, "fsd": 8}

_UNARY: dict[str, Callable[[int], int]] = {
    "mv": lambda a: a, "neg": lambda a: -a, "sext.w": lambda a: signed(a, 32), "seqz": lambda a: int(a == 0),
    "snez": lambda a: int(a != 0),
}  # fmt: skip


def _quotient(a: int, b: int) -> int:
    """`div`: towards zero, -1 for a divisor of 0."""
    a, b = signed(a), signed(b)
    return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "and": lambda a, b: a & b,
    "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "sll": lambda a, b: a << (b & 63),
    "srl": lambda a, b: a >> (b & 63), "sra": lambda a, b: signed(a) >> (b & 63), "div": _quotient,
    "rem": lambda a, b: signed(a) - signed(b) * _quotient(a, b) if signed(b) else signed(a),
    "divu": lambda a, b: a // b if b else MASK, "remu": lambda a, b: a % b if b else a,
    "slt": lambda a, b: int(signed(a) < signed(b)), "sltu": lambda a, b: int(a < b),
}  # fmt: skip


_FLOAT: dict[str, Callable[..., Any]] = {
    "fadd": lambda a, b: a + b, "fsub": lambda a, b: a - b, "fmul": lambda a, b: a * b, "fdiv": lambda a, b: a / b,
    "fabs": np.abs, "fneg": lambda a: -a, "fmv": lambda a: a, "fmax": np.fmax, "fmin": np.fmin,
}  # fmt: skip
_FLOAT_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "feq": lambda a, b: a == b, "flt": lambda a, b: a < b, "fle": lambda a, b: a <= b,
}  # fmt: skip
