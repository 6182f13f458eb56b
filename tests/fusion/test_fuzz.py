"""Random programs of fusion regions: the sound mode changes no byte, the first version of the compiler does."""

from __future__ import annotations

from collections import Counter

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from tests.support.fusion_programs import random_program, shrink
from tests.support.fuzz_fusion import differs, outcomes


def test_the_sound_mode_changes_no_byte_and_the_other_one_some() -> None:
    verdicts: Counter[tuple[str, str]] = Counter()
    for seed in range(70_000, 70_025):
        for mode, outcome in outcomes(str(random_program(seed)), ["sound", "seed"]).items():
            assert mode == "seed" or outcome.verdict == "agrees", (seed, outcome.said)
            verdicts[mode, outcome.verdict] += 1
    assert verdicts["sound", "agrees"] == 25
    assert verdicts["seed", "differs"] >= 3


def test_programs_are_the_same_for_the_same_seed_and_well_formed() -> None:
    texts = [str(random_program(seed)) for seed in range(30)]
    assert texts == [str(random_program(seed)) for seed in range(30)]
    assert len(set(texts)) == 30
    assert [build_graph(read(text))[1] for text in texts] == [[]] * 30
    for part in ("scf.for", "iter_args", "mte_ub_gm", 'pmode = "merge"', "%active", "%s", "pto.barrier", "scf.if"):
        assert any(part in text for text in texts), part


def test_a_program_is_made_as_small_as_it_gets() -> None:
    def fails(text: str) -> bool:
        return not build_graph(read(text))[1] and "iter_args" in text

    seed = next(seed for seed in range(100) if fails(str(random_program(seed))))
    small = str(shrink(random_program(seed), fails)).split("\n")
    assert sum("scf.for" in line for line in small) == 1
    assert sum("vload" in line or "vstore" in line or "vmuls" in line for line in small) <= 1
    assert len(small) < 30


def test_a_text_that_is_no_program_is_no_failure() -> None:
    assert not differs("func.func @f() {\n  %x = pto.vmi.vload %p[%o]\n}\n", "seed")
    with pytest.raises(ValueError, match="used but not defined"):
        outcomes("func.func @f() {\n  func.call @g(%x) : (index) -> ()\n  return\n}\n", ["sound"])
