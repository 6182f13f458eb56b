"""Predicates that end where their vectors end: counted by constants, and loaded from any address."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from layoutsolver.api import LowerOptions, lower
from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.reader import read
from layoutsolver.mlir.types import ScalarType
from layoutsolver.source import SourceFile
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.machine import Machine
from layoutsolver.verify.program import Program
from layoutsolver.verify.values import Scalar, Value, integer
from layoutsolver_models.hardware.state import PReg
from layoutsolver_models.hardware.ub import Memory
from tests.support.lowered import lower_and_verify

UB = "#hivm.address_space<ub>"
UNALIGNED = "{ave.unaligned_ub_access = #ave.unaligned_ub_access}"


def counted(lanes: int, element: str, count: int) -> str:
    """Stores what a constant number of lanes governs, and what those govern that remain behind the vector."""
    bits = int(element.lstrip("bfi"))
    memref, vector, mask = f"memref<512x{element}, {UB}>", f"vector<{lanes}x{element}>", f"vector<{lanes}xi1>"
    store = f"ave.hir.masked_store <NORM_B{bits}>"
    return f"""func.func @f(%in: {memref}, %out: {memref}, %more: {memref}) {{
  %c0 = arith.constant 0 : index
  %n = arith.constant {count} : index
  %x = ave.hir.vload <NORM> %in[%c0] : {memref} into {vector}
  %m, %rest = ave.hir.plt %n : {mask}, index
  {store} %out[%c0], %m, %x : {memref}, {mask}, {vector}
  %k, %last = ave.hir.plt %rest : {mask}, index
  {store} %more[%c0], %k, %x : {memref}, {mask}, {vector}
  return
}}
"""


@pytest.mark.parametrize("count", [-5, 0, 1, 63, 64, 100, 128, 129, 300])
@pytest.mark.parametrize(("lanes", "element"), [(64, "f16"), (64, "f32"), (128, "i8"), (128, "f16")])
def test_a_constant_count_governs_no_lane_behind_the_vector(lanes: int, element: str, count: int) -> None:
    found = lower_and_verify(counted(lanes, element, count), "1.2.0", rounds=1)
    assert found.verdict == "agrees", found


@pytest.mark.parametrize("lanes", [64, 128])
def test_bits_from_any_address_govern_every_byte(lanes: int) -> None:
    bits, memref = f"memref<512xi1, {UB}>", f"memref<512xi8, {UB}>"
    mask, vector = f"vector<{lanes}xi1>", f"vector<{lanes}xi8>"
    text = f"""func.func @f(%bits: {bits}, %in: {memref}, %out: {memref}) {{
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %all = ave.hir.pge <ALL> : {mask}
  %m = ave.hir.vload <NORM> %bits[%c16] {UNALIGNED} : {bits} into {mask}
  %p = ave.hir.preg.and <b8> %m, %m, %all : {mask}
  %x = ave.hir.vload <NORM> %in[%c0] : {memref} into {vector}
  %y = ave.hir.vadd %x, %x, %p : {vector}, {mask}
  ave.hir.masked_store <NORM_B8> %out[%c0], %p, %y : {memref}, {mask}, {vector}
  return
}}
"""
    for dialect, chip in (("1.2.0", ""), ("master", "ascend950")):
        found = lower_and_verify(text, dialect, rounds=3, chip=chip)
        assert found.verdict == "agrees", found


FULL = {64: "b32", 128: "b16", 256: "b8"}
"""For each length that fills a register, the granularity at which it does."""


@lru_cache(maxsize=4)
def lowered_graph(text: str) -> Graph:
    """The graph of the intrinsics that a program is lowered to."""
    lowered = lower(SourceFile("f.mlir", text), LowerOptions())
    assert lowered.text is not None, (text, lowered.diagnostics)
    return build_graph(read(SourceFile("lowered.mlir", lowered.text)))[0]


def run_of(lanes: int, layout: str, how: str, number: int) -> tuple[PReg, list[int]]:
    """What the hardware model makes of the intrinsics of a count: the predicate register, and what remains if any does.

    `how` the count is given: as a `constant` or an `argument`, alone or as the `distance` from -3.
    """
    mask = f"vector<{lanes}xi1, #ave.vector_layout<{{mem = #ave.vec_mem_type<{layout}>}}>>"
    distance, constant = "distance" in how, "constant" in how
    op = f"%m = ave.hir.pltm %o, %n : {mask}" if distance else f"%m, %r = ave.hir.plt %n : {mask}, index"
    made = f"%n = arith.constant {number} : index\n  %o = arith.constant -3 : index" if constant else ""
    has_rest = not distance and FULL.get(lanes) == layout
    text = f"""func.func private @out({mask})
func.func private @more(index)
func.func @f({"%p: index, %q: index" if constant else "%n: index, %o: index"}) {{
  {made}
  {op}
  func.call @out(%m) : ({mask}) -> ()
  {"func.call @more(%r) : (index) -> ()" if has_rest else ""}
  return
}}
"""
    graph = lowered_graph(text)
    layouts = {value.index: layout for value in graph.values if value.vector is not None}
    found: list[PReg] = []
    rest: list[int] = []

    def watch(node: int, values: list[Value]) -> None:
        found.extend(value for value in values if isinstance(value, PReg))
        if has_rest and graph.ops[node].name == "arith.maxsi" and isinstance(values[0], Scalar):
            rest.append(values[0].signed)

    memory = LogicalMemory(Memory.from_bytes(b""), ())
    machine = Machine(graph, Program(graph, "intrinsics", layouts).unit(memory), 1, watch=watch)
    index = ScalarType("index", None)
    function = next(function for function in graph.functions if function.has_body)
    machine.run_function(function, [integer(index, number), integer(index, -3)])
    return found[-1], rest[-1:]


@pytest.mark.parametrize("how", ["constant", "argument", "constant distance", "argument distance"])
@pytest.mark.parametrize("lanes", [1, 3, 20, 64, 100, 128, 200, 256])
def test_a_count_sets_its_elements_and_nothing_else(lanes: int, how: str) -> None:
    """Around every length and register, and beyond the 32 bits that the intrinsic counts in."""
    for layout, width in (("b8", 1), ("b16", 2), ("b32", 4)):
        if lanes * width > 256:
            continue
        for count in sorted({-2, -1, 0, 1, 2, lanes - 1, lanes, lanes + 1, 256 // width, 300, *FAR}):
            number = count - 3 if "distance" in how else count
            made, rest = run_of(lanes, layout, how, number)
            expected = PReg.from_lanes(np.ones(max(0, min(count, lanes)), np.bool_), width)
            assert (made.bits == expected.bits).all(), (layout, count)
            assert not made.poison.any()
            assert rest in ([], [max(0, count - lanes)]), (layout, count)


FAR = (2**31 - 1, 2**31, 2**32 + 5, -(2**31) - 1, 5 - 2**32)
"""Counts that are others in 32 bits, or are just none."""


@pytest.mark.parametrize("kind", ["add", "max", "min", "umax", "umin", "xori"])
@pytest.mark.parametrize("lanes", [1, 32, 63, 64])
def test_reductions_of_64_bit_elements_pass_over_bits_behind_them(kind: str, lanes: int) -> None:
    """All bits of a mask but those of the elements are set."""
    memref, vector, mask = f"memref<512xi64, {UB}>", f"vector<{lanes}xi64>", f"vector<{lanes}xi1>"
    text = f"""func.func @f(%in: {memref}, %out: {memref}) {{
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %own = ave.hir.pge <ALL> : {mask}
  %all = ave.hir.scalar_broadcast %true : i1 -> {mask}
  %behind = ave.hir.preg.xor <b8> %own, %all, %all : {mask}
  %x = ave.hir.vload <NORM> %in[%c0] : {memref} into {vector}
  %none = ave.hir.reduction <{kind}>, %x, %behind : {vector}, {mask} -> {vector}
  %each = ave.hir.reduction <{kind}>, %x, %all : {vector}, {mask} -> {vector}
  %sum = ave.hir.vadd %none, %each, %own : {vector}, {mask}
  ave.hir.masked_store <ONEPT_B64> %out[%c0], %own, %sum : {memref}, {mask}, {vector}
  return
}}
"""
    for dialect in ("1.2.0", "master"):
        assert lower_and_verify(text, dialect, rounds=2).verdict == "agrees"
