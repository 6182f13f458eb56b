"""Random kernels solved, lowered and run against what they mean."""

from __future__ import annotations

import pytest

from tests.support.fuzz_vmi import prove
from tests.support.vmi_deep import deep_kernel
from tests.support.vmi_programs import random_kernel
from tests.support.vmi_wide import wide_kernel


@pytest.mark.parametrize("seed", range(24))
def test_a_random_kernel_does_what_it_means_when_it_is_lowered(seed: int) -> None:
    outcome = prove(random_kernel(seed), ("pipes", "total", "registers")[seed % 3])
    assert outcome.verdict == "ok", outcome.said


@pytest.mark.parametrize("seed", range(20))
def test_so_does_a_kernel_of_all_kinds_of_operations(seed: int) -> None:
    outcome = prove(wide_kernel(seed), ("pipes", "total", "registers")[seed % 3], rounds=1)
    assert outcome.verdict == "ok", outcome.said


def test_a_lowered_kernel_without_one_of_its_instructions_is_noticed() -> None:
    from layoutsolver.source import SourceFile
    from layoutsolver.verify.pto.compare import verify_pto

    text = random_kernel(5)
    lines = prove(text).lowered.split("\n")
    stores = [number for number, line in enumerate(lines) if "pto.vsts" in line]
    assert stores
    for number in stores:
        changed = "\n".join(lines[:number] + lines[number + 1 :])
        assert not verify_pto(SourceFile("a.pto", text), SourceFile("b.vpto", changed), 1, 1).ok


@pytest.mark.parametrize("seed", range(24))
def test_so_does_a_kernel_of_odd_sizes_computed_masks_and_calls(seed: int) -> None:
    outcome = prove(deep_kernel(seed), ("pipes", "total", "registers")[seed % 3], rounds=1)
    assert outcome.verdict in ("ok", "no layouts"), outcome.said
