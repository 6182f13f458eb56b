"""What the production compiler makes of random programs does what these say, or it is known why not."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.support.fuzz_verify import runnable_program
from tests.support.peer import peer_path
from tests.support.readback import read_back

needs_peer = pytest.mark.skipif(peer_path() is None, reason="the ascendnpu-ir wheel is not installed")


@needs_peer
@pytest.mark.parametrize("aligned", [False, True])
def test_what_is_read_back_agrees_or_is_a_known_finding(aligned: bool) -> None:
    found = Counter(read_back(runnable_program(seed, 8), seed % 2 == 1, aligned).verdict for seed in range(40))
    assert not found["differs"]
    assert found["agrees"]
