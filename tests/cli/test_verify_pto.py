from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run, write
from tests.verify.pto.texts import function, pointers

ARGUMENTS = pointers(p="f32", q="f32")
VMI = function(
    ARGUMENTS,
    "%x = pto.vmi.vload %p[%c0] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>",
    "pto.vmi.vstore %x, %q[%c0] : !pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>",
)
VPTO = function(
    ARGUMENTS,
    '%m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>',
    "%x = pto.vlds %p[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>",
    "pto.vsts %x, %q[%c0], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>",
)


@pytest.mark.parametrize("swapped", [False, True])
def test_two_forms_of_a_program_agree_in_any_order(tmp_path: Path, run: Run, swapped: bool) -> None:
    names = [write(tmp_path / "a.pto", VMI), write(tmp_path / "b.pto", VPTO)]
    outcome = run("verify", *(reversed(names) if swapped else names), "--rounds", "2")
    assert (outcome.status, outcome.err) == (0, "")
    assert "agree in 2 runs" in outcome.out


def test_a_lowered_program_that_differs_fails(tmp_path: Path, run: Run) -> None:
    wrong = VPTO.replace("%q[%c0]", "%q[%c64]").replace("arith", "arith", 1)
    wrong = wrong.replace(
        "  %c0 = arith.constant 0 : index\n", "  %c0 = arith.constant 0 : index\n  %c64 = arith.constant 64 : index\n"
    )
    outcome = run("verify", write(tmp_path / "a.pto", VMI), write(tmp_path / "b.pto", wrong))
    assert (outcome.status, outcome.out) == (1, "")
    assert "error[LS0707]" in outcome.err


def test_registers_alone_say_what_is_missing(tmp_path: Path, run: Run) -> None:
    outcome = run("verify", write(tmp_path / "a.pto", VPTO))
    assert outcome.status == 1
    assert "error[LS0704]" in outcome.err
    assert "PROGRAM LOWERED" in outcome.err


def test_an_unknown_operation_is_named_with_its_line(tmp_path: Path, run: Run) -> None:
    text = VPTO.replace("pto.vlds", "pto.vfancy")
    outcome = run("verify", write(tmp_path / "a.pto", VMI), write(tmp_path / "b.pto", text))
    assert outcome.status == 1
    assert "error[LS0703]" in outcome.err
    assert "pto.vfancy" in outcome.err
    assert "b.pto:4:" in outcome.err


def test_text_that_cannot_be_read_is_an_input_error(tmp_path: Path, run: Run) -> None:
    outcome = run(
        "verify", write(tmp_path / "a.pto", VMI), write(tmp_path / "b.pto", "func.func @k(%p: !pto.ptr<f32, ub>) {")
    )
    assert outcome.status == 3
    assert "error[LS0003]" in outcome.err
