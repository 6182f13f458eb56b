"""Small programs of PTO for tests: what every one needs is written once."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from layoutsolver.mlir.pto_types import PointerType
from layoutsolver.mlir.types import ScalarType
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from layoutsolver.verify.pto.inputs import Inputs
from layoutsolver.verify.pto.program import load_program
from layoutsolver.verify.pto.ram import Allocation
from layoutsolver.verify.pto.values import Pointer, PtoValue
from layoutsolver.verify.result import Verification
from layoutsolver.verify.values import Scalar
from layoutsolver_models.hardware.state import Bytes
from layoutsolver_models.hardware.ub import Memory
from layoutsolver_models.rules.vmi.memory import UNIFIED_BUFFER_BYTES


def function(arguments: str, *lines: str) -> str:
    """A function `@k` of these lines, with the index constants that they name."""
    body = "\n".join(f"  {line}" for line in lines)
    named = sorted({int(number) for number in re.findall(r"%c(\d+)\b", body)})
    constants = "".join(f"  %c{number} = arith.constant {number} : index\n" for number in named)
    return f"func.func @k({arguments}) {{\n{constants}{body}\n  return\n}}\n"


def pointers(**elements: str) -> str:
    """Pointer arguments into the unified buffer by name and element type."""
    return ", ".join(f"%{name}: !pto.ptr<{element}, ub>" for name, element in elements.items())


def compare(expected: str, found: str, rounds: int = 4, sizes: dict[str, int] | None = None) -> Verification:
    """Two texts compared."""
    return verify_pto(SourceFile("expected.pto", expected), SourceFile("found.pto", found), rounds, 1, sizes)


def notes(found: Verification) -> Iterable[str]:
    """All notes of all messages."""
    return [note for item in found.diagnostics for note in item.notes]


def codes(found: Verification) -> list[str]:
    """The codes of all messages."""
    return [item.code for item in found.diagnostics]


def leave(text: str, *buffers: Bytes, scalars: Iterable[Scalar] = ()) -> list[Bytes]:
    """What a function leaves in the buffers that are its pointers, in order; poison shows as 0xEE bytes."""
    program = load_program(SourceFile("k.pto", text))
    assert program.diagnostics == [], program.diagnostics
    function_ = program.graph.functions[0]
    types = [program.graph.values[value].type for value in function_.arguments]
    elements = [type_.element for type_ in types if isinstance(type_, PointerType)]
    allocations = [Allocation("ub", False, Memory.poisoned(UNIFIED_BUFFER_BYTES))]
    allocations += [Allocation(str(at), False, Memory.from_bytes(buffer)) for at, buffer in enumerate(buffers)]
    given: list[PtoValue] = []
    for at, element in enumerate(elements):
        assert isinstance(element, ScalarType)
        given.append(Pointer(at + 1, 0, element))
    run = program.run(function_, Inputs(tuple(allocations), (*given, *scalars), ()))
    return [np.where(memory.poison(), np.uint8(0xEE), memory.data()) for memory in run.ram.memories[1:]]
