"""The table of conversions against the search over real rearrangements."""

from __future__ import annotations

from itertools import permutations

import pytest

from layoutsolver_models.lanes.convert import convert
from layoutsolver_models.lanes.instruction import Instruction, vdintlv, vintlv
from layoutsolver_models.lanes.lanemap import LaneMap
from layoutsolver_models.lanes.layout import data_map
from layoutsolver_models.rules.conversions import CONVERSION, CONVERSIONS, LayoutConversion
from layoutsolver_models.vecmem import DOMAINS, VECMEM_TYPES

PAIRS = [(bits, *pair) for bits in (8, 16, 32) for pair in permutations(DOMAINS[bits], 2)]


def maps(bits: int, before: str, after: str) -> tuple[LaneMap, LaneMap]:
    """A full register in the more spread of the two layouts, in both."""
    lanes = min(VECMEM_TYPES[before].lanes, VECMEM_TYPES[after].lanes)
    return data_map(before, bits, lanes), data_map(after, bits, lanes)


def run(steps: tuple[tuple[str, str], ...], bits: int, source: LaneMap) -> LaneMap:
    """What a register holds behind the steps of a row, each with the register itself twice."""
    held = source
    for name, _ in steps:
        instruction: Instruction = {"vintlv": vintlv, "vdintlv": vdintlv}[name](bits)
        both = LaneMap(held.unit, held.size, held.lanes, (*held.registers, *held.registers))
        held = LaneMap(held.unit, held.size, held.lanes, instruction.apply(both).registers[:1])
    return held


@pytest.mark.parametrize(("bits", "before", "after"), PAIRS)
def test_a_conversion_takes_as_few_instructions_as_there_are(bits: int, before: str, after: str) -> None:
    source, target = maps(bits, before, after)
    found = convert(source, target)
    row = CONVERSION.get((before, after))
    assert (row is None) == (found is None)
    if row is not None and found is not None:
        assert len(row.steps) == found.cost == found.bound
        assert run(row.steps, bits, source).covers(target)


@pytest.mark.parametrize("row", CONVERSIONS, ids=lambda row: row.id)
def test_a_conversion_without_a_step_or_with_the_other_one_does_not_arrive(row: LayoutConversion) -> None:
    bits = VECMEM_TYPES[row.before].bits
    source, target = maps(bits, row.before, row.after)
    other = {"vintlv": ("vdintlv", "DENSE"), "vdintlv": ("vintlv", "SPARSE")}
    assert not run(row.steps[1:], bits, source).covers(target)
    assert not run((other[row.steps[0][0]], *row.steps[1:]), bits, source).covers(target)


def test_ids_and_pairs_are_unique_and_changes_fit_their_operations() -> None:
    assert len({row.id for row in CONVERSIONS}) == len(CONVERSION) == len(CONVERSIONS)
    changes = {step for row in CONVERSIONS for step in row.steps}
    assert changes == {("vintlv", "SPARSE"), ("vdintlv", "DENSE")}
