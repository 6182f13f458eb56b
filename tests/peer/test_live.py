"""The released analyzer itself, where it can run: same verdicts, same choices, and our output in its later passes."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from layoutsolver.api import annotate
from layoutsolver_models.solve.count import count_solutions
from tests.support.compare_peer import compare_costs, decided, difference, program
from tests.support.peer import analyze, later_passes, peer_path

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(
        peer_path() is None, reason="ascendnpu-ir 1.2.0 is not installed or does not run here (CPython 3.11, x86-64)"
    ),
]

SEEDS = range(300)
EXAMPLES = Path(__file__).parents[2] / "examples"


def test_verdicts_and_function_types_equal_the_analyzers() -> None:
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda seed: (seed, difference(program(seed))), SEEDS))
    assert [item for item in found if item[1] is not None] == []


def test_default_choice_never_costs_more_than_the_analyzers() -> None:
    compared = {seed: costs for seed in SEEDS if (costs := compare_costs(program(seed))) is not None}
    dearer = {s: c for s, c in compared.items() if c.theirs is not None and c.ours > c.theirs}
    assert dearer == {}
    assert len(compared) > 50


def test_the_default_choice_for_the_softmax_costs_much_less() -> None:
    costs = compare_costs((EXAMPLES / "quantised_softmax.mlir").read_text(encoding="utf-8"))
    assert costs is not None
    assert (costs.ours, costs.theirs) == (3, 258)


def lowered(text: str) -> tuple[int, str]:
    """Exit status and text of the analyzer's later passes, value names made equal."""
    status, printed, _ = later_passes(text)
    return status, re.sub(r"%[\w#$.-]+", "%v", printed)


@pytest.mark.parametrize("seed", range(5000, 5060))
def test_later_passes_make_the_same_of_our_output_as_of_its_own(seed: int) -> None:
    text = program(seed, 8)
    theirs = analyze(text)
    if theirs.verdict != "solved":
        assert decided(text, "upstream").verdict == theirs.verdict
        return
    mine = decided(text, "upstream")
    assert lowered(annotate(mine)) == lowered(theirs.stdout)


def test_later_passes_accept_the_default_choice() -> None:
    """Where they accept the analyzer's own choice; both put some programs to other uses than they can lower."""
    refused = []
    accepted = 0
    for seed in range(6000, 6080):
        text = program(seed, 8)
        theirs = analyze(text)
        mine = decided(text)
        if theirs.verdict != "solved" or not mine.ok or lowered(theirs.stdout)[0] != 0:
            continue
        accepted += 1
        if lowered(annotate(mine))[0] != 0:
            refused.append(seed)
    assert refused == []
    assert accepted > 10


STORE = """  %m{n} = ave.hir.pge <ALL> : vector<64xi1>
  %x{n} = ave.hir.scalar_broadcast %s : i8 -> vector<64xi8>
  ave.hir.masked_store <NORM_B8> %b[%c0], %m{n}, %x{n} : memref<64xi8>, vector<64xi1>, vector<64xi8>
"""

OPEN = """func.func @f(%b: memref<64xi8>, %s: i8, %d: memref<64xf32>, %t: f32, %f: f16)
    attributes {{hivm.vector_function}} {{
  %c0 = arith.constant 0 : index
{before}{stores}{behind}  return
}}
"""

CLASH = """  %k = ave.hir.pge <ALL> : vector<64xi1>
  %g = ave.hir.scalar_broadcast %f : f16 -> vector<64xf16>
  %r = ave.hir.vcmps <GT> %g, %f, %k : vector<64xf16>, f16, vector<64xi1> -> vector<64xi1>
"""

USE = """  %w = ave.hir.scalar_broadcast %t : f32 -> vector<64xf32>
  ave.hir.masked_store <NORM_B32> %d[%c0], %r, %w : memref<64xf32>, vector<64xi1>, vector<64xf32>
"""


def test_solutions_are_counted_as_the_analyzer_counts_candidates() -> None:
    """Four independent stores leave 3^4 candidates, which the analyzer prints when an operation before them fails."""
    stores = "".join(STORE.format(n=n) for n in range(4))
    posed = decided(OPEN.format(before="", stores=stores, behind=""), "upstream").posed
    assert posed is not None
    answer = analyze(OPEN.format(before=CLASH, stores=stores, behind=USE))
    assert (answer.verdict, answer.failing_op) == ("no_solve", "ave.hir.vcmps")
    assert count_solutions(posed.problem).total == answer.candidates == 81
