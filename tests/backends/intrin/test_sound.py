"""Random programs, solved and lowered: the intrinsics do what the programs do, or there is a message."""

from __future__ import annotations

import pytest

from tests.support.fuzz_verify import lower_repairs, runnable_program
from tests.support.lowered import lower_and_verify


@pytest.mark.parametrize(
    ("dialect", "compat", "first"), [("1.2.0", "", 0), ("master", "", 50), ("1.2.0", "upstream", 100)]
)
def test_random_programs_do_the_same_when_they_are_lowered(dialect: str, compat: str, first: int) -> None:
    verdicts = []
    for seed in range(first, first + 50):
        wide = seed % 5 > 2
        text = runnable_program(seed, 6 if wide else 10, plain_parts=True, wide=wide)
        found = lower_and_verify(text, dialect, compat, 2, "ascend950" if seed % 2 else "")
        assert found.verdict != "mismatch", f"seed {seed}"
        assert not found.verdict.startswith("stopped"), f"seed {seed}: {found.verdict}"
        verdicts.append(found.verdict)
    assert verdicts.count("agrees") >= 4


def test_repaired_programs_do_the_same_when_they_are_lowered() -> None:
    verdicts = []
    for seed in range(200, 240):
        text = runnable_program(seed, 8, plain_parts=True)
        verdicts += [one.verdict for one in lower_repairs(text, "1.2.0", 2, "ascend950")]
    assert verdicts.count("agrees") >= 2
    assert all(verdict == "agrees" or verdict.startswith("refused") for verdict in verdicts), verdicts
