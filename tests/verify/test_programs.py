"""Random programs run alike before and after layout, but for what is known to be left open by the rules."""

from __future__ import annotations

import pytest

from tests.support.fuzz_verify import runnable_program, verify_program

BLOCK = 30


@pytest.mark.parametrize("start", range(0, 150, BLOCK))
def test_random_programs_agree(start: int) -> None:
    verdicts = {seed: verify_program(runnable_program(seed)).verdict for seed in range(start, start + BLOCK)}
    wrong = {seed: verdict for seed, verdict in verdicts.items() if verdict.startswith(("mismatch", "stopped"))}
    assert not wrong
    assert list(verdicts.values()).count("ok") >= BLOCK // 6


@pytest.mark.parametrize("start", range(500, 590, BLOCK))
def test_what_the_released_analyzer_chooses_agrees(start: int) -> None:
    verdicts = {
        seed: verify_program(runnable_program(seed), "upstream").verdict for seed in range(start, start + BLOCK)
    }
    wrong = {seed: verdict for seed, verdict in verdicts.items() if verdict.startswith(("mismatch", "stopped"))}
    assert not wrong
