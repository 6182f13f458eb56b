"""The short names of layouts and the number of registers, against the lane maps and the table of section 2.2."""

from __future__ import annotations

import pytest

from layoutsolver_models.lanes.layout import Dense, Groups, data_map
from layoutsolver_models.rules.vmi.layouts import DENSE_NAMES, LAYOUT_NAMES, SLOT_NAMES, arity, layout_of, name_of

ARITY = {
    8: {1: "1111111", 8: "1112411", 64: "1112422", 128: "1122424", 256: "1242424", 512: "2482424"},
    16: {1: "1111111", 8: "1112411", 64: "1122424", 128: "1242424", 256: "2482424"},
    32: {1: "1111111", 8: "1112411", 64: "1242424", 128: "2482424"},
}
"""Registers for c, ls2, ls4, d2, d4, bd2, bd4."""


@pytest.mark.parametrize(("bits", "lanes"), [(bits, lanes) for bits, row in ARITY.items() for lanes in row])
def test_registers_are_those_of_the_table(bits: int, lanes: int) -> None:
    found = "".join(str(arity(layout_of(name), bits, lanes)) for name in DENSE_NAMES)
    assert found == ARITY[bits][lanes]


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("lanes", [1, 2, 3, 7, 8, 12, 33, 63, 64, 65, 96, 127, 200, 256, 257, 300, 511, 512, 1024])
def test_registers_are_those_of_the_lane_map(bits: int, lanes: int) -> None:
    for name in LAYOUT_NAMES:
        layout = layout_of(name, lanes)
        assert arity(layout, bits, lanes) == data_map(layout, bits, lanes).arity, name


def test_names_and_layouts_are_one_to_one() -> None:
    assert len({layout_of(name, 8) for name in LAYOUT_NAMES}) == len(LAYOUT_NAMES) == 13
    assert [name_of(layout_of(name, 8)) for name in LAYOUT_NAMES] == list(LAYOUT_NAMES)
    assert (*DENSE_NAMES, *SLOT_NAMES) == LAYOUT_NAMES
    assert name_of(Dense(2, 2)) is None
    assert name_of(Groups(8, 3)) is None
    with pytest.raises(ValueError, match="leaves open"):
        arity(Groups(8), 32, 8)
