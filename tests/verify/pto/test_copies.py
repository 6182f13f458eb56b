"""Copies between global memory and the unified buffer, and what is compared of a kernel that has them."""

from __future__ import annotations

import numpy as np
import pytest

from layoutsolver_models.hardware.state import Bytes
from tests.verify.pto.texts import codes, compare, leave, notes

RNG = np.random.default_rng(8)
DATA: Bytes = RNG.integers(256, size=4096, dtype=np.uint8)

KERNEL = """
module attributes {pto.target_arch = "a5"} {
  func.func @k(%src: !pto.ptr<f32, gm>, %dst: !pto.ptr<f32, gm>) attributes {pto.kernel} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %bytes = arith.constant 512 : i64
    %at = arith.constant 4096 : i64
    %in = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
    %out = pto.castptr %at : i64 -> !pto.ptr<f32, ub>
    pto.mte_gm_ub %src, %in, %zero, %bytes nburst(%one, %bytes, %bytes)
      : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.vecscope {
BODY
    }
    pto.mte_ub_gm %out, %dst, %bytes nburst(%one, %bytes, %bytes)
      : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
    pto.barrier #pto.pipe<PIPE_ALL>
    return
  }
}
"""
VMI = KERNEL.replace(
    "BODY",
    """
      %x = pto.vmi.vload %in[%c0] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<128xf32>
      %y = pto.vmi.vneg %x : !pto.vmi.vreg<128xf32> -> !pto.vmi.vreg<128xf32>
      pto.vmi.vstore %y, %out[%c0] : !pto.vmi.vreg<128xf32>, !pto.ptr<f32, ub>""",
)
VPTO = KERNEL.replace("BODY", """
      %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
      scf.for %i = %c0 to %c128 step %c64 {
        %x = pto.vlds %in[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
        %y = pto.vneg %x, %m : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
        pto.vsts %y, %out[%i], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
      }""").replace("    %zero", "    %c128 = arith.constant 128 : index\n    %zero", 1)  # fmt: skip


def test_a_kernel_with_copies_is_compared_by_what_it_copies_out() -> None:
    found = compare(VMI, VPTO)
    assert found.ok, found.diagnostics


def test_a_store_that_is_copied_out_is_named_itself() -> None:
    wrong = VPTO.replace("pto.vsts %y, %out[%i]", "pto.vsts %y, %out[%c0]")
    found = compare(VMI, wrong)
    assert codes(found)[0] == "LS0707"
    assert any("`pto.vsts`" in item.message or "`@k`" in item.message for item in found.diagnostics)
    assert any(note.startswith("element") and "`%dst`" in note for note in notes(found))


COPY = """
func.func @k(%src: !pto.ptr<ui8, gm>, %dst: !pto.ptr<ui8, gm>) {
  %c0 = arith.constant 0 : i64
  %n2 = arith.constant 2 : i64
  %n3 = arith.constant 3 : i64
  %len = arith.constant 40 : i64
  %s1 = arith.constant 50 : i64
  %d1 = arith.constant 64 : i64
  %s2 = arith.constant 200 : i64
  %d2 = arith.constant 256 : i64
  %all = arith.constant 512 : i64
  %one = arith.constant 1 : i64
  %pad = arith.constant 7 : i8
  %ub = pto.castptr %c0 : i64 -> !pto.ptr<ui8, ub>
  pto.mte_gm_ub %src, %ub, %c0, %len nburst(%n3, %s1, %d1) loop(%n2, %s2, %d2)PAD
    : !pto.ptr<ui8, gm>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64, loop i64, i64, i64TYPE
  pto.mte_ub_gm %ub, %dst, %all nburst(%one, %all, %all)
    : !pto.ptr<ui8, ub>, !pto.ptr<ui8, gm>, i64, i64, i64, i64
  return
}
"""


@pytest.mark.parametrize("padded", [False, True])
def test_bursts_and_loops(padded: bool) -> None:
    text = COPY.replace("PAD", " pad(%pad, %c0, %c0)" if padded else "").replace("TYPE", ", pad i8, i64, i64" * padded)
    found = leave(text, DATA, np.zeros(4096, np.uint8))[1][:512]
    wanted = np.full(512, 0xEE, np.uint8)
    for outer in range(2):
        for row in range(3):
            at, source = 256 * outer + 64 * row, 200 * outer + 50 * row
            wanted[at : at + 40] = DATA[source : source + 40]
            if padded:
                wanted[at + 40 : at + 64] = 7
    assert found.tolist() == wanted.tolist()


def test_blocks_are_copied_with_gaps() -> None:
    text = """
func.func @k(%src: !pto.ptr<ui8, ub>, %dst: !pto.ptr<ui8, ub>) {
  %two = arith.constant 2 : i64
  %one = arith.constant 1 : i64
  pto.mte_ub_ub %src, %dst, %two nburst(%two, %one, %two) : !pto.ptr<ui8, ub>, !pto.ptr<ui8, ub>, i64, i64, i64, i64
  return
}
"""
    found = leave(text, DATA, np.zeros(4096, np.uint8))[1]
    wanted = np.zeros(4096, np.uint8)
    wanted[:64], wanted[128:192] = DATA[:64], DATA[96:160]
    assert found.tolist() == wanted.tolist()
