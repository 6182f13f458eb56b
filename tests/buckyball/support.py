"""Programs as text, lowered and run on given elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from layoutsolver.buckyball.ir import Code
from layoutsolver.buckyball.lowering import lower_text
from layoutsolver.buckyball.program import read_program
from layoutsolver.source import SourceFile
from layoutsolver.verify.buckyball.interpreter import Interpreter
from layoutsolver.verify.buckyball.memory import Memory, MemRef
from layoutsolver_models.targets.bank_chip import BankChip, load_bank_chip

SEED, TOY, ERA_RTL = (load_bank_chip(name) for name in ("seed", "toy", "era-rtl"))


def memref(dims: tuple[int, ...], pitch: int = 0, element: str = "f32") -> str:
    """A memref type; with a pitch, rows lie so many elements apart."""
    shape = "x".join(str(dim) for dim in dims)
    strided = f", strided<[{pitch}, 1]>" if pitch and pitch != dims[-1] else ""
    return f"memref<{shape}x{element}{strided}>"


def product(m: int, n: int, k: int, pitches: tuple[int, int, int] = (0, 0, 0), op: str = "linalg") -> str:
    """A function that multiplies; `op` is linalg, tile or buckyball."""
    a, b, c = (memref(dims, pitch) for dims, pitch in zip(((m, k), (k, n), (m, n)), pitches, strict=True))
    call = {
        "linalg": f"linalg.matmul ins(%A, %B : {a}, {b}) outs(%C : {c})",
        "tile": f"tile.tile_matmul %A %B %C : {a} {b} {c}",
        "buckyball": f"buckyball.matmul %A %B %C : {a} {b} {c}",
    }[op]
    zero = f"  %z = arith.constant 0.0 : f32\n  linalg.fill ins(%z : f32) outs(%C : {c})\n" * (op == "linalg")
    return f"func.func @product(%A: {a}, %B: {b}, %C: {c}) {{\n{zero}  {call}\n  return\n}}\n"


def code_of(text: str) -> Code:
    read = read_program(SourceFile("test.mlir", text))
    assert read.code is not None, read.diagnostics
    return read.code


def lowered(text: str, end: str, chip: BankChip = SEED) -> str:
    found = lower_text(SourceFile("test.mlir", text), chip, end)
    assert found.diagnostics == []
    assert found.text is not None
    return found.text


class Run:
    """A function run on arrays, which become its memrefs as its types say; `outputs` are all of them afterwards."""

    def __init__(self, text: str, arrays: list[Any], chip: BankChip = SEED) -> None:
        code = code_of(text)
        function = code.functions[0]
        self.memory = Memory(1 << 22, 1)
        self.values: list[Any] = []
        for value, array in zip(function.blocks[0].arguments, arrays, strict=True):
            if not value.type.startswith("memref"):
                self.values.append(array)
                continue
            element = value.type.partition("strided")[0].rstrip(", >").split("x")[-1]
            whole = self.memory.allocate(array.shape, element)
            self.memory.write(whole, array)
            self.values.append(whole)
        self.interpreter = Interpreter(code, chip, self.memory, traced=True)
        self.interpreter.call(function.text("symbol"), self.values)
        self.interpreter.finish()

    def output(self, number: int) -> Any:
        value = self.values[number]
        assert isinstance(value, MemRef)
        return self.memory.read(value)

    @property
    def trace(self) -> list[tuple[str, int, int]]:
        assert self.interpreter.trace is not None
        return self.interpreter.trace


def bits(values: Any) -> Any:
    return np.ascontiguousarray(values).view(np.uint32)
