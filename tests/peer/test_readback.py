"""What the production compiler makes of random programs does what these say, or it is known why not."""

from __future__ import annotations

from collections import Counter

import pytest

from layoutsolver.api import SolveOptions, decide
from layoutsolver.source import SourceFile
from layoutsolver.verify.program import Program, solved_program
from tests.support.fuzz_verify import runnable_program
from tests.support.peer import own_pipeline, peer_path
from tests.support.readback import DEVICE, LOCATED, Readback, judge, read_back

needs_peer = pytest.mark.skipif(peer_path() is None, reason="the ascendnpu-ir wheel is not installed")


@needs_peer
@pytest.mark.parametrize("aligned", [False, True])
def test_what_is_read_back_agrees_or_is_a_known_finding(aligned: bool) -> None:
    found = Counter(read_back(runnable_program(seed, 8), seed % 2 == 1, aligned).verdict for seed in range(40))
    assert not found["differs"]
    assert found["agrees"]
    assert found["explained"]


DATA = "memref<64xi32, #hivm.address_space<ub>>"
VECTOR, MASK = "vector<64xi32>", "vector<64xi1>"
TWO_STORES = f"""\
func.func @f(%a: {DATA}, %b: {DATA}, %c: {DATA}) attributes {{hivm.vector_function}} {{
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : {MASK}
  %x = ave.hir.vload <NORM> %a[%c0] : {DATA} into {VECTOR}
  %y = ave.hir.vload <NORM> %b[%c0] : {DATA} into {VECTOR}
  %q = ave.hir.vdiv %x, %y, %m {{cast = #hivm.cast<cast_unsigned>}} : {VECTOR}, {MASK}
  %s = ave.hir.vsub %x, %y, %m : {VECTOR}, {MASK}
  ave.hir.masked_store <NORM_B32> %b[%c0], %m, %q : {DATA}, {MASK}, {VECTOR}
  ave.hir.masked_store <NORM_B32> %c[%c0], %m, %s : {DATA}, {MASK}, {VECTOR}
  return
}}
"""


def judged(before: str, after: str) -> Readback:
    """The verdict on what the compiler makes of TWO_STORES, with an intrinsic replaced in it."""
    result = decide(SourceFile("two.mlir", TWO_STORES), SolveOptions("upstream", "ascend950"))
    assert result.posed is not None
    assert result.solution is not None
    program: Program = solved_program(result.posed, result.solution)
    _, printed, errors = own_pipeline(TWO_STORES, target=DEVICE, aligned=True, options=(LOCATED,))
    assert before in printed, errors
    return judge(program, printed.replace(before, after), aligned=True, is_950=True)


@needs_peer
@pytest.mark.parametrize(
    ("before", "after", "verdict", "reasons"),
    [
        ("vdiv.s.x", "vdiv.s.x", "explained", ("unsigned_division",)),
        ("vsub.s.x", "vsub.s.x", "explained", ("unsigned_division",)),
        ("vdiv.s.x", "vdiv.u.x", "agrees", ()),
        ("vsub.s.x", "vadd.s.x", "differs", ()),
    ],
)
def test_a_finding_excuses_only_what_depends_on_its_operation(
    before: str, after: str, verdict: str, reasons: tuple[str, ...]
) -> None:
    found = judged(before, after)
    assert (found.verdict, found.reasons) == (verdict, reasons)
