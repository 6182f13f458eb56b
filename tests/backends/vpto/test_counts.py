"""No program that the released compiler accepts keeps its busiest pipe busier than that compiler does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.compare_vmi import accepted, compare
from tests.support.vpto_counts import BOUNDED, busiest

MISALIGNED = {"134-scale.pto", "254-scale.pto"}
"""Programs of which the compiler loads scalars from addresses that are no multiple of a block, which faults."""

LISTED = Path(__file__).parents[3] / "docs" / "vmi-better.md"
BETTER = {
    name: tuple(int(number) for number in numbers.split("|"))
    for name, numbers in re.findall(
        r"^\| (\S+\.pto) \| ([\d |]+) \|$", LISTED.read_text(encoding="utf-8"), re.MULTILINE
    )
}
"""What the list has: loads, computation, stores and the busiest of them, ours and the compiler's."""


@pytest.mark.parametrize("name", [name for name in accepted() if name not in MISALIGNED])
def test_the_busiest_pipe_is_never_busier_and_listed_if_it_is_less_busy(name: str) -> None:
    row = compare(name)
    assert row.ours is not None
    assert busiest(row.ours) <= busiest(row.theirs)
    counts = [number for one in (row.ours, row.theirs) for number in (*(one[pipe] for pipe in BOUNDED), busiest(one))]
    assert BETTER.get(name) == (tuple(counts) if busiest(row.ours) < busiest(row.theirs) else None)


def test_a_quarter_of_the_programs_is_listed() -> None:
    assert 4 * len(BETTER) > len(accepted())
