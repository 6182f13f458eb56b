"""How many elements of a vector a layout must hold: all that mean something and are read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import pytest

from layoutsolver.api import SolveOptions, solve
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.ave_values import needed_lanes
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import check_solution, compare_programs
from layoutsolver.verify.logical import Logical
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.machine import Unit
from layoutsolver.verify.operation import Get, Operation, Run
from layoutsolver.verify.program import Program, plain_program, solved_program
from layoutsolver.verify.values import Elements, Value, resized
from tests.support.ave_builder import UB
from tests.support.fuzz_verify import runnable_program
from tests.support.solving import layouts_by_name

_BYTES = f"memref<256xi8, {UB}>"
_BITS = f"memref<256xi1, {UB}>"
_ALL = "vector<256xi1>"
_UNALIGNED = "{ave.unaligned_ub_access = #ave.unaligned_ub_access}"

_MASKED_OFF = {
    "stored under an argument": f"""
  ave.hir.masked_store <NORM_B8> %b[%c0], %p, %z : {_BYTES}, {_ALL}, vector<256xi8>
  %h = builtin.unrealized_conversion_cast %z : vector<256xi8> to vector<64xi8>
  WIDE""",
    "logic of predicates": f"""
  %q = ave.hir.preg.and <b8> %k, %k, %first : {_ALL}
  ave.hir.masked_store <NORM_B8> %bits[%c0], %first, %q {_UNALIGNED} : {_BITS}, {_ALL}, {_ALL}""",
    "comparison": f"""
  %q = ave.hir.vcmp <LT> %y, %y, %first : vector<256xi8>, {_ALL} -> {_ALL}
  ave.hir.masked_store <NORM_B8> %bits[%c0], %first, %q {_UNALIGNED} : {_BITS}, {_ALL}, {_ALL}""",
    "sum of products": f"""
  %q = ave.hir.vmula %z, %y, %y, %first : vector<256xi8>, {_ALL}
  ave.hir.masked_store <NORM_B8> %b[%c0], %all, %q : {_BYTES}, {_ALL}, vector<256xi8>
  %h = builtin.unrealized_conversion_cast %q : vector<256xi8> to vector<64xi8>
  WIDE""",
    "selection": f"""
  %c = ave.hir.vcmp <LT> %y, %y, %first : vector<256xi8>, {_ALL} -> {_ALL}
  %q = ave.hir.vsel %c, %z, %z : {_ALL}, vector<256xi8>
  ave.hir.masked_store <NORM_B8> %b[%c0], %all, %q : {_BYTES}, {_ALL}, vector<256xi8>
  %h = builtin.unrealized_conversion_cast %q : vector<256xi8> to vector<64xi8>
  WIDE""",
    "passed on": f"""
  %v = ave.hir.vload <NORM> %w[%c0] : memref<64xi32, {UB}> into vector<64xi32>
  func.call @lib(%p, %v) : ({_ALL}, vector<64xi32>) -> ()""",
    "reduced under an argument": f"""
  %q = ave.hir.reduction <max>, %z, %p : vector<256xi8>, {_ALL} -> vector<256xi8>
  ave.hir.masked_store <ONEPT_B8> %b[%c0], %all, %q : {_BYTES}, {_ALL}, vector<256xi8>""",
}  # fmt: skip


@pytest.mark.parametrize("chip", ["ascend310b4", "ascend950"])
@pytest.mark.parametrize("kind", _MASKED_OFF)
def test_what_a_mask_excludes_of_an_operand_that_means_nothing_has_room(kind: str, chip: str) -> None:
    """The last 192 elements of `%k` and `%y` mean nothing; where the mask excludes them, what is made of them does."""
    wide = f"""%m64 = ave.hir.pge <ALL> : vector<64xi1>
  %e = ave.hir.vextsi %h, %m64 {{pp = #ave.vcvt_pp_type<pp0>}} : vector<64xi8>, vector<64xi32>, vector<64xi1>
  ave.hir.masked_store <NORM_B32> %w[%c0], %m64, %e : memref<64xi32, {UB}>, vector<64xi1>, vector<64xi32>"""
    text = f"""func.func private @lib({_ALL}, vector<64xi32>)
func.func @f(%p: {_ALL}, %a: {_BYTES}, %b: {_BYTES}, %w: memref<64xi32, {UB}>, %bits: {_BITS}) {{
  %c0 = arith.constant 0 : index
  %all = ave.hir.pge <ALL> : {_ALL}
  %first = ave.hir.pge <VL64> : {_ALL}
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %k = builtin.unrealized_conversion_cast %m : vector<64xi1> to {_ALL}
  %x = ave.hir.vload <NORM> %a[%c0] : {_BYTES} into vector<64xi8>
  %y = builtin.unrealized_conversion_cast %x : vector<64xi8> to vector<256xi8>
  %z = ave.hir.vload <NORM> %a[%c0] : {_BYTES} into vector<256xi8>{_MASKED_OFF[kind].replace("WIDE", wide)}
  return
}}
"""
    result = solve(SourceFile("f.mlir", text), SolveOptions(chip=chip))
    assert result.posed is not None
    assert result.ok == ("WIDE" not in _MASKED_OFF[kind])
    for made in [text] if result.ok else [repair.text for repair in result.repairs]:
        solved = solve(SourceFile("f.mlir", made), SolveOptions(chip=chip))
        assert solved.posed is not None
        assert solved.solution is not None
        found = solved_program(solved.posed, solved.solution)
        assert compare_programs(plain_program(result.posed.graph), found, 3).ok


def test_a_whole_register_masks_what_has_fewer_elements_at_its_granularity() -> None:
    """An argument of 256 predicates that governs 64 numbers of 32 bits, whether they are added, reduced or stored."""
    numbers, type_ = f"memref<64xi32, {UB}>", "vector<64xi32>"
    text = f"""func.func @f(%p: {_ALL}, %a: {numbers}, %b: {numbers}) {{
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : {numbers} into {type_}
  %y = ave.hir.vadd %x, %x, %p : {type_}, {_ALL}
  %s = ave.hir.reduction <add>, %x, %p : {type_}, {_ALL} -> {type_}
  %one = ave.hir.pge <VL1> : vector<64xi1>
  ave.hir.masked_store <NORM_B32> %b[%c0], %p, %y : {numbers}, {_ALL}, {type_}
  ave.hir.masked_store <NORM_B32> %b[%c0], %one, %s : {numbers}, vector<64xi1>, {type_}
  return
}}
"""
    result = solve(SourceFile("f.mlir", text))
    assert result.posed is not None
    assert result.solution is not None
    assert layouts_by_name(result)["%p"] == "b32"
    assert check_solution(result.posed, result.solution).ok


class Trimmed(Logical):
    """An interpreter before layout that keeps of each vector what a layout must hold."""

    needed: ClassVar[dict[int, int]] = {}

    def prepare(self, op: Operation) -> Run:
        run = Logical.prepare(self, op)

        mask = op.node.role("mask") if op.node.role("val") is not None else None

        def under(get: Get, value: int) -> Value:
            """A store reaches no element that its mask has no room for."""
            held = get(value)
            if value != mask or not isinstance(held, Elements):
                return held
            reached = np.arange(held.count) < self.needed.get(value, held.count)
            return Elements(None, held.bits & reached, held.defined | ~reached)

        def run_and_forget(get: Get) -> list[Value]:
            made = run(get if mask is None else partial(under, get))
            return [self._kept(value, held) for value, held in zip(op.node.results, made, strict=False)]

        return run_and_forget

    def reshape(self, op: Operation, source: Value) -> Value:
        return self._kept(op.node.results[0], Logical.reshape(self, op, source))

    def enter(self, value: int, elements: Elements) -> Value:
        return self._kept(value, elements)

    def _kept(self, value: int, held: Value) -> Value:
        if not isinstance(held, Elements):
            return held
        return resized(resized(held, min(held.count, self.needed.get(value, held.count))), held.count)


@dataclass(frozen=True, slots=True, eq=False)
class TrimmedProgram(Program):
    """A program before layout, run so."""

    def unit(self, ram: LogicalMemory, lenient: bool = False, exact_masks: bool = False, traced: bool = False) -> Unit:
        unit = Trimmed(ram, lenient)
        Trimmed.needed = needed_lanes(self.graph)
        return unit


@pytest.mark.parametrize("start", range(0, 100, 50))
def test_elements_that_a_layout_need_not_hold_change_nothing(start: int) -> None:
    counted = 0
    for seed in range(start, start + 50):
        text = runnable_program(seed, 6, wide=True)
        graph, _ = build_graph(read(SourceFile("random.mlir", text)))
        found = compare_programs(plain_program(graph), TrimmedProgram(graph, "plain"), 2, lenient=True)
        assert all(item.code != "LS0701" for item in found.diagnostics), (seed, text, found.diagnostics)
        counted += found.ok
    assert counted > 40
