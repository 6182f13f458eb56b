"""The named layouts: their text, and their maps against the definitions and tables of the documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layoutsolver_models.lanes.lanemap import LaneMap
from layoutsolver_models.lanes.layout import (
    MASK_BITS,
    Dense,
    Groups,
    Layout,
    VecMem,
    carrier,
    data_map,
    mask_map,
    parse_layout,
)
from layoutsolver_models.vecmem import DOMAINS, VECMEM_TYPES, holds
from tests.models.lanes.strategies import layouts

LANES = (1, 2, 3, 8, 12, 16, 63, 64, 65, 96, 128, 200, 256, 257, 512)
VMI = (
    "contiguous",
    "contiguous, lane_stride = 2",
    "contiguous, lane_stride = 4",
    "deinterleaved = 2",
    "deinterleaved = 4",
    "block_deinterleaved = 2",
    "block_deinterleaved = 4",
)


@given(layouts())
def test_the_text_of_a_layout_reads_back(layout: Layout) -> None:
    text = str(layout)
    wrapped = f"#ave.vec_mem_type<{text}>" if isinstance(layout, VecMem) else f"#pto.vmi.layout<{text}>"
    assert parse_layout(text) == parse_layout(f"<{text}>") == parse_layout(wrapped) == layout
    assert str(parse_layout(", ".join(reversed(text.replace(" ", "").split(","))))) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "b64",
        "b8, b16",
        "contiguous = 1",
        "deinterleaved",
        "deinterleaved = 1",
        "deinterleaved = 3",
        "block_deinterleaved = 2, lane_stride = 2",
        "contiguous, deinterleaved = 2",
        "contiguous, contiguous",
        "lane_stride = 0",
        "lane_stride = -1",
        "lane_stride = two",
        "slots = 8",
        "num_groups = 0",
        "contiguous, slots = 8",
        "<contiguous",
    ],
)
def test_what_is_no_layout_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no layout|2 or 4 parts|at least 1"):
        parse_layout(text)


@pytest.mark.parametrize("name", VECMEM_TYPES)
@pytest.mark.parametrize("lanes", LANES)
def test_a_layout_of_ave_puts_element_i_at_slot_i(name: str, lanes: int) -> None:
    vecmem = VECMEM_TYPES[name]
    lane_map = data_map(name, vecmem.bits, lanes)
    assert (lane_map.arity <= 1) == holds(name, lanes)
    assert lane_map.holds(lanes)
    assert lane_map.is_injective
    for i in range(lanes):
        assert lane_map.places(i) == (divmod(vecmem.slot_bytes * i, 256),)
    assert lane_map.compact() == lane_map


@pytest.mark.parametrize("lanes", LANES)
def test_a_mask_of_ave_has_the_places_of_the_data_it_governs(lanes: int) -> None:
    for name, vecmem in VECMEM_TYPES.items():
        data, mask = data_map(name, vecmem.bits, lanes), mask_map(vecmem.mask, lanes)
        assert [mask.places(i) for i in range(lanes)] == [data.places(i) for i in range(lanes)]
        assert carrier(vecmem.mask, 8) == 8 * vecmem.slot_bytes


@pytest.mark.parametrize("lanes", [1, 5, 64, 100])
def test_elements_of_64_bits_lie_in_a_register_of_low_and_one_of_high_words(lanes: int) -> None:
    lane_map = data_map("b32", 64, lanes)
    assert lane_map.arity == 2 * -(-lanes // 64)
    for i in range(lanes):
        for offset in range(8):
            assert lane_map.places(i, offset) == ((i // 64 * 2 + offset // 4, 4 * (i % 64) + offset % 4),)
    assert data_map("contiguous", 64, lanes).arity == -(-lanes // 32)


def lane_by_definition(layout: Layout, bits: int, i: int) -> tuple[int, int, int]:
    """Part, register of the part, and lane of element i, as the definition of the layout has it."""
    per_register = 2048 // bits
    if isinstance(layout, Groups):
        return 0, i // layout.slots, i % layout.slots * layout.lane_stride
    assert isinstance(layout, Dense)
    if layout.blocks:
        block = per_register // 8
        part = (i // block) % layout.parts
        lane = (i // block) // layout.parts * block + i % block
    else:
        part, lane = i % layout.parts, i // layout.parts * layout.lane_stride
    return part, lane // per_register, lane % per_register


def check_against_definition(lane_map: LaneMap, layout: Layout, bits: int, lanes: int) -> None:
    """Every element is where the definition says and nowhere else, registers in the order of parts."""
    defined = [lane_by_definition(layout, bits, i) for i in range(lanes)]
    last: dict[int, int] = {}
    for part, register, _ in defined:
        last[part] = max(last.get(part, 0), register)
    order = [(part, register) for part in sorted(last) for register in range(last[part] + 1)]
    assert lane_map.arity == len(order)
    places: dict[int, list[tuple[int, int]]] = {}
    for part, held in enumerate(lane_map.registers):
        for position, number in enumerate(held):
            if number is not None:
                places.setdefault(number, []).append((part, position))
    assert len(places) == lane_map.units
    for i, (part, register, lane) in enumerate(defined):
        start = lane * bits // 8
        for offset in range(lane_map.size):
            assert places[lane_map.size * i + offset] == [(order.index((part, register)), start + offset)]


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("text", [*VMI, "contiguous, lane_stride = 3", "deinterleaved = 2, lane_stride = 2"])
def test_every_element_is_exactly_where_a_layout_of_vmi_says(text: str, bits: int) -> None:
    layout = parse_layout(text)
    for lanes in LANES:
        check_against_definition(data_map(text, bits, lanes), layout, bits, lanes)
        if bits in MASK_BITS:
            check_against_definition(mask_map(text, lanes, bits), layout, bits, lanes)


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize(("slots", "stride"), [(1, 1), (8, 1), (8, 2), (8, 4), (4, 2), (2, 1)])
def test_every_group_is_exactly_where_its_slot_is(bits: int, slots: int, stride: int) -> None:
    for groups in (1, 2, 8, 12, 64):
        layout = Groups(groups, slots, stride)
        check_against_definition(data_map(layout, bits, groups), layout, bits, groups)
        check_against_definition(mask_map(layout, groups, bits), layout, bits, groups)
        assert data_map(layout, bits, groups).arity == -(-groups // slots)


ARITIES = {
    8: ((1, 1, 1, 1, 1, 1, 1), (1, 1, 1, 2, 4, 1, 1), (1, 1, 1, 2, 4, 2, 2), (1, 1, 2, 2, 4, 2, 4)),
    16: ((1, 1, 1, 1, 1, 1, 1), (1, 1, 1, 2, 4, 1, 1), (1, 1, 2, 2, 4, 2, 4), (1, 2, 4, 2, 4, 2, 4)),
    32: ((1, 1, 1, 1, 1, 1, 1), (1, 1, 1, 2, 4, 1, 1), (1, 2, 4, 2, 4, 2, 4), (2, 4, 8, 2, 4, 2, 4)),
}
"""Registers of 1, 8, 64 and 128 elements in the layouts above, as the compiler of VMI counts them."""
LARGE_ARITIES = {
    8: ((1, 2, 4, 2, 4, 2, 4), (2, 4, 8, 2, 4, 2, 4)),
    16: ((2, 4, 8, 2, 4, 2, 4), (4, 8, 16, 4, 4, 4, 4)),
    32: ((4, 8, 16, 4, 4, 4, 4), (8, 16, 32, 8, 8, 8, 8)),
}
"""The same of 256 and 512 elements."""


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_the_arities_are_those_of_the_compiler(bits: int) -> None:
    rows = ARITIES[bits] + LARGE_ARITIES[bits]
    for lanes, row in zip((1, 8, 64, 128, 256, 512), rows, strict=True):
        assert tuple(data_map(text, bits, lanes).arity for text in VMI) == row
        assert tuple(mask_map(text, lanes, bits).arity for text in VMI) == row


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("text", VMI)
def test_the_first_elements_of_a_layout_lie_as_if_there_were_no_others(text: str, bits: int) -> None:
    whole = data_map(text, bits, 256)
    for lanes in (1, 12, 64, 96, 128):
        part = whole.restrict(lanes).compact()
        assert part == data_map(text, bits, lanes)
        assert not part.holds(lanes + 1)


def test_one_register_has_a_name_in_each_language() -> None:
    for name, text in (("b8", VMI[0]), ("b8_2vl", VMI[1]), ("b8_4vl", VMI[2]), ("b16", VMI[0]), ("b16_2vl", VMI[1])):
        vecmem = VECMEM_TYPES[name]
        assert data_map(name, vecmem.bits, vecmem.lanes) == data_map(text, vecmem.bits, vecmem.lanes)
        assert mask_map(vecmem.mask, vecmem.lanes) == mask_map(text, vecmem.lanes, vecmem.bits)


def test_a_lane_stride_widens_the_predicates_that_carry_a_mask() -> None:
    table = {(bits, stride): carrier(Dense(1, stride), bits) for bits in (8, 16, 32) for stride in (1, 2, 4)}
    assert table == {
        (8, 1): 8, (8, 2): 16, (8, 4): 32,
        (16, 1): 16, (16, 2): 32, (16, 4): None,
        (32, 1): 32, (32, 2): None, (32, 4): None,
    }  # fmt: skip
    for (bits, stride), wide in table.items():
        if wide is not None:
            assert mask_map(Dense(1, stride), 60, bits) == mask_map("contiguous", 60, wide)


@given(st.sampled_from(sorted(VECMEM_TYPES)), st.sampled_from([8, 16, 32, 64]))
def test_a_layout_of_ave_is_only_for_elements_of_its_domain(name: str, bits: int) -> None:
    if name in DOMAINS[min(bits, 32)]:
        assert data_map(name, bits, 8).size == bits // 8
    else:
        with pytest.raises(ValueError, match=f"elements of {bits} bits cannot have the layout `{name}`"):
            data_map(name, bits, 8)


def test_impossible_maps_are_refused() -> None:
    for layout, bits, lanes, message in (
        ("contiguous", 24, 8, "an element has 8, 16, 32 or 64 bits"),
        ("num_groups = 8, slots = 8", 32, 9, "a vector of 8 groups has as many elements"),
        ("num_groups = 8", 32, 8, "leaves open how many groups"),
        ("num_groups = 8, slots = 8, lane_stride = 10", 32, 8, "does not fit a register of 64 lanes"),
        ("num_groups = 6, slots = 3, lane_stride = 32", 32, 6, "does not fit a register of 64 lanes"),
    ):
        with pytest.raises(ValueError, match=message):
            data_map(layout, bits, lanes)
    for layout, granularity, message in (
        ("b8_2vl", None, "a mask cannot have the layout `b8_2vl`"),
        ("b16", 32, "does not govern elements of 32 bits"),
        ("contiguous", None, "a mask governs elements of 8, 16 or 32 bits"),
        ("contiguous", 64, "a mask governs elements of 8, 16 or 32 bits"),
    ):
        with pytest.raises(ValueError, match=message):
            mask_map(layout, 8, granularity)
    with pytest.raises(ValueError, match="`b9` is no layout of a register"):
        VecMem("b9")


def test_the_last_slot_of_a_register_may_be_its_last_lane() -> None:
    (register,) = data_map("num_groups = 3, slots = 3, lane_stride = 31", 32, 3).registers
    assert [place for place, number in enumerate(register[::4]) if number is not None] == [0, 31, 62]
