"""Operations on rows of two buffers, lowered and run on numbers of one's choice."""

from __future__ import annotations

import numpy as np

from layoutsolver.api import SolveOptions, decide
from layoutsolver.backends import load_lowering
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.source import SourceFile
from layoutsolver.verify.levels import read_program
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.machine import Machine
from layoutsolver.verify.memory import make_inputs
from layoutsolver_models.hardware.formats import FORMATS, Lanes
from layoutsolver_models.hardware.ub import Memory
from tests.support.operation_programs import BITS, MASK, UB, vector

LANES = 64


def rows_text(line: str, element: str, count: int, pattern: str = "ALL") -> str:
    """A program that computes `%r` from `%x` and `%y`, which are rows of two buffers; `%k` is where they differ."""
    memref, rows = f"memref<{count}x{element}, {UB}>", vector(element)
    return f"""func.func @f(%a: {memref}, %b: {memref}, %out: {memref}) {{
  %c0 = arith.constant 0 : index
  %all = ave.hir.pge <ALL> : {MASK}
  %stored = ave.hir.pge <{pattern}> : {MASK}
  %count = arith.constant {count} : index
  %step = arith.constant {LANES} : index
  scf.for %i = %c0 to %count step %step {{
    %x = ave.hir.vload <NORM> %a[%i] : {memref} into {rows}
    %y = ave.hir.vload <NORM> %b[%i] : {memref} into {rows}
    %k = ave.hir.vcmp <NE> %x, %y, %all : {rows}, {MASK} -> {MASK}
    %r = {line}
    ave.hir.masked_store <NORM_B{BITS[element]}> %out[%i], %stored, %r : {memref}, {MASK}, {rows}
  }}
  return
}}
"""


def sums_of_rows(element: str, left: Lanes, right: Lanes) -> Lanes:
    """The sums of those elements of each row that are other than the ones of another buffer."""
    line = f"ave.hir.reduction <add>, %x, %k : {vector(element)}, {MASK} -> {vector(element)}"
    return _run(rows_text(line, element, left.size, "VL1"), element, left, right)[::LANES]


def results(name: str, element: str, left: Lanes, right: Lanes) -> Lanes:
    """What the intrinsics of an operation make of all elements."""
    line = f"ave.hir.{name} %x, %y, %all : {vector(element)}, {MASK}"
    return _run(rows_text(line, element, left.size), element, left, right)


def _run(text: str, element: str, left: Lanes, right: Lanes) -> Lanes:
    """The bit patterns that the intrinsics of a program leave, of as many elements as its operands have."""
    fmt = FORMATS[element]
    solved = decide(SourceFile("rows.mlir", text), SolveOptions(chip="ascend950"))
    assert solved.posed is not None
    made = load_lowering("ave-intrin").lower(solved.posed, solved.solution, "master", own_layouts=False)
    assert not made.diagnostics, made.diagnostics
    program = read_program(SourceFile("lowered.mlir", apply_edits(text, made.edits)), SolveOptions()).program
    assert program is not None
    function = program.graph.functions[0]
    inputs = make_inputs(program.graph, function, 1, 0)
    data, poison, _ = inputs.memory.read(0, inputs.memory.size)
    data = data.copy()
    for (start, stop), numbers in zip(inputs.extents, (left, right), strict=False):
        data[start:stop] = numbers.astype(fmt.storage).view(np.uint8)
    ram = LogicalMemory(Memory.from_bytes(data, poison), inputs.extents)
    machine = Machine(program.graph, program.unit(ram), 1)
    with np.errstate(all="ignore"):
        machine.run_function(function, list(inputs.arguments))
    start, stop = inputs.extents[2]
    found, unknown, _ = machine.unit.ram.memory.read(start, stop - start)
    assert not unknown.any()
    return np.ascontiguousarray(found).view(fmt.storage)
