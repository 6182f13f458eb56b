"""Predicates that end where their vectors end: counted by constants, and loaded from any address."""

from __future__ import annotations

import pytest

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
