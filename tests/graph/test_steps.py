"""A loop whose step is a constant that is not above 0 is refused wherever loops are read."""

from __future__ import annotations

import pytest

from layoutsolver.api import LowerOptions, SolveOptions, lower, solve
from layoutsolver.api_fusion import fuse
from layoutsolver.api_vmi import solve as solve_vmi
from layoutsolver.buckyball.program import read_program
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.source import SourceFile
from layoutsolver.verify.run import verify

UB = "#hivm.address_space<ub>"
AVE = f"""
  func.func @f(%a: memref<64xf32, {UB}>) {{
    %m = ave.hir.pge <ALL> : vector<64xi1>
    %none = arith.constant 0 : index
    LOOP
      %x = ave.hir.vload <NORM> %a[%none] : memref<64xf32, {UB}> into vector<64xf32>
      ave.hir.masked_store <NORM_B32> %a[%none], %m, %x : memref<64xf32, {UB}>, vector<64xi1>, vector<64xf32>
    }}
    return
  }}
"""
VMI = """
module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<vector>} {
  func.func @f(%p: !pto.ptr<f32, ub>) attributes {pto.kernel} {
    %none = arith.constant 0 : index
    LOOP
      %x = pto.vmi.vload %p[%none] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>
      pto.vmi.vstore %x, %p[%none] : !pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>
    }
    return
  }
}
"""
BANKS = """
  func.func @f() {
    LOOP
      buckyball.fence
    }
    return
  }
"""


def looped(text: str, step: str) -> SourceFile:
    """A program whose loop has this step, in the custom form."""
    bounds = f"%from = arith.constant 0 : index\n%to = arith.constant 8 : index\n%by = arith.constant {step} : index\n"
    return SourceFile("k.mlir", text.replace("LOOP", f"{bounds}scf.for %i = %from to %to step %by {{"))


def said_of_ave(source: SourceFile) -> list[Diagnostic]:
    return solve(source).diagnostics


def said_of_vmi(source: SourceFile) -> list[Diagnostic]:
    return solve_vmi(source).diagnostics


def said_of_fusion(source: SourceFile) -> list[Diagnostic]:
    return [item for item in fuse(source).diagnostics if item.code != "LS0902"]


def said_of_banks(source: SourceFile) -> list[Diagnostic]:
    return read_program(source).diagnostics


FRONT_ENDS = {said_of_ave: AVE, said_of_vmi: VMI, said_of_fusion: VMI, said_of_banks: BANKS}


@pytest.mark.parametrize("said", FRONT_ENDS)
@pytest.mark.parametrize(("step", "why"), [("0", "never ends"), ("-4", "steps upwards alone")])
def test_every_front_end_refuses_it_at_the_step(said: object, step: str, why: str) -> None:
    assert callable(said)
    source = looped(FRONT_ENDS[said], step)
    (found,) = said(source)
    assert (found.code, found.severity) == ("LS0210", "error")
    assert found.message == f"`scf.for` has the step {step}, and a loop that steps by {step} {why}"
    assert source.text[found.primary.span.start : found.primary.span.end] == "%by"
    assert [label.text for label in found.secondary] == [f"`%by` is {step}"]


@pytest.mark.parametrize("said", FRONT_ENDS)
def test_a_step_above_0_is_taken(said: object) -> None:
    assert callable(said)
    assert said(looped(FRONT_ENDS[said], "1")) == []


def test_the_generic_form_is_refused_alike() -> None:
    generic = AVE.replace("LOOP", '%by = arith.constant 0 : i32\n"scf.for"(%by, %by, %by) ({\n^bb0(%i: i32):')
    source = SourceFile(
        "k.mlir", generic.replace("    }\n    return", "  scf.yield\n }) : (i32, i32, i32) -> ()\n return")
    )
    assert [item.code for item in solve(source).diagnostics] == ["LS0210"]


def test_every_verb_refuses_it_and_a_step_that_is_not_known_is_said_when_it_runs() -> None:
    source = looped(AVE, "0")
    for found in (verify(source), lower(source), lower(source, LowerOptions(solved=True))):
        assert [item.code for item in found.diagnostics] == ["LS0210"]
    computed = SourceFile("k.mlir", source.text.replace("scf.for", "%zero = arith.addi %by, %by : index\nscf.for"))
    computed = SourceFile("k.mlir", computed.text.replace("step %by", "step %zero"))
    assert solve(computed).diagnostics == []
    assert [item.code for item in verify(computed).diagnostics] == ["LS0703"]


def test_the_released_analyzer_takes_it() -> None:
    result = solve(looped(AVE, "0"), SolveOptions("upstream"))
    assert [(item.code, item.severity) for item in result.diagnostics] == [("LS0210", "warning")]
    assert result.ok
