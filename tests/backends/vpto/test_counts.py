"""No program that the released compiler accepts keeps its busiest pipe busier than that compiler does."""

from __future__ import annotations

import pytest

from tests.support.compare_vmi import accepted, compare
from tests.support.vpto_counts import busiest

MISALIGNED = {"134-scale.pto", "254-scale.pto"}
"""Programs of which the compiler loads scalars from addresses that are no multiple of a block, which faults."""


@pytest.mark.parametrize("name", [name for name in accepted() if name not in MISALIGNED])
def test_the_busiest_pipe_is_never_busier(name: str) -> None:
    row = compare(name)
    assert row.ours is not None
    assert busiest(row.ours) <= busiest(row.theirs)
