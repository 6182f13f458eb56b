"""Random programs run alike before and after layout; where the released choice does not, a warning says so."""

from __future__ import annotations

import pytest

from tests.support.ave_counts import KINDS, counted, wanted
from tests.support.every_layout import judged
from tests.support.fuzz_verify import runnable_program, verify_program, verify_repairs

BLOCK = 30


@pytest.mark.parametrize("start", range(0, 90, BLOCK))
@pytest.mark.parametrize("plain_parts", [True, False])
def test_random_programs_agree(start: int, plain_parts: bool) -> None:
    texts = {seed: runnable_program(seed, plain_parts=plain_parts) for seed in range(start, start + BLOCK)}
    verdicts = {seed: verify_program(text).verdict for seed, text in texts.items()}
    assert set(verdicts.values()) <= {"ok", "unsolved"}, verdicts
    assert list(verdicts.values()).count("ok") >= BLOCK // 8


@pytest.mark.parametrize("start", range(0, 240, 2 * BLOCK))
def test_random_programs_beyond_the_released_analyzer_agree(start: int) -> None:
    texts = {seed: runnable_program(seed, 6, plain_parts=True, wide=True) for seed in range(start, start + 2 * BLOCK)}
    verdicts = {seed: verify_program(text).verdict for seed, text in texts.items()}
    assert set(verdicts.values()) <= {"ok", "unsolved"}, verdicts
    assert list(verdicts.values()).count("ok") >= BLOCK // 2


def test_random_programs_hold_what_they_are_to_hold() -> None:
    held: set[str] = set().union(*(counted(runnable_program(seed, 20, wide=True)) for seed in range(200)))
    operations = {kind for kind in wanted() if kind.count(" ") == 1 and kind.startswith("op ")}
    assert {*operations, *KINDS} - held == set()


@pytest.mark.parametrize("start", range(500, 590, BLOCK))
def test_where_the_released_choice_differs_a_warning_says_so(start: int) -> None:
    verdicts = {
        seed: verify_program(runnable_program(seed), "upstream").verdict for seed in range(start, start + BLOCK)
    }
    assert set(verdicts.values()) <= {"ok", "unsolved", "warned"}, verdicts
    assert "warned" in verdicts.values()


def test_repaired_programs_agree() -> None:
    verdicts = [outcome.verdict for seed in range(60) for outcome in verify_repairs(runnable_program(seed))]
    assert set(verdicts) == {"ok"}
    assert len(verdicts) > 8


@pytest.mark.parametrize("start", range(0, 240, 2 * BLOCK))
def test_layouts_are_found_if_and_only_if_some_are_right(start: int) -> None:
    """Every assignment of layouts to small programs is run on the hardware model."""
    verdicts = [judged(runnable_program(seed, 2))[0] for seed in range(start, start + 2 * BLOCK)]
    assert [verdict for verdict in verdicts if not verdict.startswith(("same", "left out"))] == []
    assert verdicts.count("same: layouts") > BLOCK // 2
    assert "same: none" in verdicts
