"""Both views of lane maps against golden files. `pytest --update-golden` rewrites them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from layoutsolver_models.lanes.lanemap import LaneMap, from_places, strided
from layoutsolver_models.lanes.layout import data_map, mask_map
from layoutsolver_models.lanes.view import element_view, register_view, slot_size

MAPS = {
    "b8": data_map("b8", 8, 256),
    "b8_2vl": data_map("b8_2vl", 8, 128),
    "b8_4vl": data_map("b8_4vl", 8, 64),
    "b16": data_map("b16", 16, 128),
    "b16_2vl": data_map("b16_2vl", 16, 64),
    "b32": data_map("b32", 32, 64),
    "b32_of_64_bits": data_map("b32", 64, 64),
    "contiguous_12x32": data_map("contiguous", 32, 12),
    "lane_stride_2_96x16": data_map("contiguous, lane_stride = 2", 16, 96),
    "deinterleaved_2_128x32": data_map("deinterleaved = 2", 32, 128),
    "deinterleaved_4_256x16": data_map("deinterleaved = 4", 16, 256),
    "block_deinterleaved_2_128x32": data_map("block_deinterleaved = 2", 32, 128),
    "block_deinterleaved_4_100x16": data_map("block_deinterleaved = 4", 16, 100),
    "groups_12_slots_8": data_map("num_groups = 12, slots = 8", 32, 12),
    "groups_8_slots_8_lane_stride_4": data_map("num_groups = 8, slots = 8, lane_stride = 4", 8, 8),
    "mask_b16": mask_map("b16", 128),
    "mask_deinterleaved_2_b32": mask_map("deinterleaved = 2", 100, 32),
}


@pytest.mark.parametrize("name", MAPS)
def test_the_register_view(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"lanes/{name}.registers.txt", register_view(MAPS[name]))


@pytest.mark.parametrize("name", MAPS)
def test_the_element_view(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"lanes/{name}.elements.txt", element_view(MAPS[name]))


def test_the_register_view_with_a_mask(golden: Callable[[str, str], None]) -> None:
    pairs = {
        "b16_with_b16": (MAPS["b16"], mask_map("b16", 128)),
        "b16_with_b8": (MAPS["b16"], mask_map("b8", 128)),
        "b8_4vl_with_b32": (MAPS["b8_4vl"], mask_map("b32", 64)),
        "deinterleaved_2": (MAPS["deinterleaved_2_128x32"], mask_map("deinterleaved = 2", 128, 32)),
    }
    for name, (data, mask) in pairs.items():
        golden(f"lanes/{name}.masked.txt", register_view(data, mask))


def test_a_mask_must_go_with_the_registers() -> None:
    for mask in (mask_map("b8", 512), data_map("b8", 8, 256)):
        with pytest.raises(ValueError, match="does not go with 1 registers"):
            register_view(MAPS["b8"], mask)


@pytest.mark.parametrize("lanes", MAPS.values(), ids=MAPS)
def test_the_views_say_the_same_as_the_map(lanes: LaneMap) -> None:
    size = slot_size(lanes)
    rows = [line for line in register_view(lanes).splitlines() if not line.startswith("register")]
    cells = [cell for row in rows for cell in row.split(" | ")[1].split()]
    assert len(cells) == 256 // size * lanes.arity
    for slot, cell in enumerate(cells):
        found = lanes.at(*divmod(slot * size, 256))
        piece = f"+{found[1]}" if found is not None and size < lanes.size else ""
        assert cell == ("." if found is None else f"{found[0]}{piece}")
    listed = [cell for row in element_view(lanes).splitlines()[1:] for cell in row.split()[1:]]
    for element, cell in enumerate(listed):
        offsets = range(0, lanes.size, size)
        assert cell == ",".join(f"{part}:{at}" for o in offsets for part, at in lanes.places(element, o))


def test_elements_that_are_torn_missing_or_repeated_are_shown_as_such() -> None:
    odd = from_places("byte", 2, 3, 1, [(0, 0, 0, 1), (2, 0, 0, 4), (2, 0, 0, 6)])
    assert slot_size(odd) == 1
    assert register_view(odd).splitlines()[1].split()[2:10] == [".", "0+0", "0+1", ".", "2+0", "2+1", "2+0", "2+1"]
    assert element_view(odd).split()[3:] == ["0:1,0:2", "-", "0:4,0:5,0:6,0:7"]
    assert register_view(strided("bit", 1, 0, 1)) == ""
