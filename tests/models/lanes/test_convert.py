"""Conversions: their cost, and that they put every element where the target wants it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from layoutsolver_models.hardware import predicate, rearrange
from layoutsolver_models.hardware.state import VReg
from layoutsolver_models.lanes.convert import Conversion, convert, without_dominated
from layoutsolver_models.lanes.instruction import instructions, vdintlv, vintlv, vpack, vzunpack
from layoutsolver_models.lanes.lanemap import LaneMap, split_registers
from layoutsolver_models.lanes.layout import data_map, mask_map
from layoutsolver_models.lanes.search import find_sequence
from layoutsolver_models.vecmem import DOMAINS, VECMEM_TYPES

DENSE = (
    "contiguous",
    "contiguous, lane_stride = 2",
    "contiguous, lane_stride = 4",
    "deinterleaved = 2",
    "deinterleaved = 4",
)
BLOCKS = ("block_deinterleaved = 2", "block_deinterleaved = 4")
REGISTERS = 8
"""Larger vectors than of so many registers are not looked at."""


def vmi_map(unit: str, layout: str, bits: int, lanes: int) -> LaneMap:
    return data_map(layout, bits, lanes) if unit == "byte" else mask_map(layout, lanes, bits)


def check(conversion: Conversion) -> None:
    """Every element arrives, by the lane maps and by a run on registers in which every byte is another one."""
    source, target = conversion.source, conversion.target
    arrived = conversion.run(source)
    assert arrived.covers(target)
    assert conversion.bound <= conversion.cost
    assert conversion.cost <= sum(step.instruction.results.arity for step in conversion.steps)
    tags = LaneMap(source.unit, 1, 256 * source.arity, split_registers(range(256 * source.arity)))
    held = conversion.run(tags)
    for part, register in enumerate(target.registers):
        for position, number in enumerate(register):
            if number is not None:
                tag = held.registers[part][position]
                assert tag is not None
                assert source.registers[tag // 256][tag % 256] == number
    numbers = [number for step in conversion.steps for number in step.results]
    assert numbers == list(range(source.arity, source.arity + len(numbers)))
    known = set(range(source.arity))
    for step in conversion.steps:
        assert known.issuperset(step.operands)
        known.update(step.results)


def cost(source: LaneMap, target: LaneMap, limit: int = 6) -> int | None:
    conversion = convert(source, target, limit)
    if conversion is None:
        return None
    check(conversion)
    return conversion.cost


def text(source: LaneMap, target: LaneMap) -> list[str]:
    return str(convert(source, target)).splitlines()


AVE_COSTS = {
    8: {
        ("b8", "b8_2vl"): 1,
        ("b8", "b8_4vl"): 2,
        ("b8_2vl", "b8"): 1,
        ("b8_2vl", "b8_4vl"): 1,
        ("b8_4vl", "b8"): 2,
        ("b8_4vl", "b8_2vl"): 1,
    },
    16: {("b16", "b16_2vl"): 1, ("b16_2vl", "b16"): 1},
    32: {},
    1: {
        ("b8", "b16"): 1,
        ("b8", "b32"): 2,
        ("b16", "b8"): 1,
        ("b16", "b32"): 1,
        ("b32", "b8"): 2,
        ("b32", "b16"): 1,
    },
}
"""Instructions from one layout of a register of AVE to another, by the bits of an element; a mask has 1."""


@pytest.mark.parametrize("bits", AVE_COSTS)
def test_the_cost_between_all_layouts_of_a_register(bits: int) -> None:
    for source, target in product(DOMAINS[bits], repeat=2):
        fewest = min(VECMEM_TYPES[source].lanes, VECMEM_TYPES[target].lanes)
        for lanes in {1, 8, 12, 63, 64, fewest}:
            if bits == 1:
                pair = mask_map(source, lanes), mask_map(target, lanes)
            else:
                pair = data_map(source, bits, lanes), data_map(target, bits, lanes)
            expected = AVE_COSTS[bits].get((source, target), 0)
            assert cost(*pair) == (expected if lanes > 1 else 0)


def test_the_instructions_are_those_that_compilers_use() -> None:
    b8, b8_2vl, b8_4vl = (data_map(name, 8, 64) for name in ("b8", "b8_2vl", "b8_4vl"))
    assert text(b8, b8_2vl) == ["v1, v2 = vintlv.b8 v0, v0", "-> v1"]
    assert text(b8, b8_4vl) == ["v1, v2 = vintlv.b8 v0, v0", "v3, v4 = vintlv.b8 v1, v1", "-> v3"]
    assert text(b8_2vl, b8) == ["v1, v2 = vdintlv.b8 v0, v0", "-> v1"]
    b16, b16_2vl = data_map("b16", 16, 64), data_map("b16_2vl", 16, 64)
    assert text(b16, b16_2vl) == ["v1, v2 = vintlv.b16 v0, v0", "-> v1"]
    assert text(b16_2vl, b16) == ["v1, v2 = vdintlv.b16 v0, v0", "-> v1"]
    m8, m16, m32 = (mask_map(name, 64) for name in ("b8", "b16", "b32"))
    assert text(m32, m16) == text(m16, m8) == ["p1 = ppack LOWER p0", "-> p1"]
    assert text(m32, m8) == ["p1 = ppack LOWER p0", "p2 = ppack LOWER p1", "-> p2"]
    assert text(m8, m16) == text(m16, m32) == ["p1 = punpack LOWER p0", "-> p1"]
    assert text(m8, m32) == ["p1 = punpack LOWER p0", "p2 = punpack LOWER p1", "-> p2"]


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_full_registers_are_interleaved_by_one_instruction_for_two_registers(bits: int) -> None:
    per_register = 2048 // bits
    for pairs in (1, 2, 4):
        lanes = 2 * pairs * per_register
        dense, apart = data_map("contiguous", bits, lanes), data_map("deinterleaved = 2", bits, lanes)
        assert cost(dense, apart) == cost(apart, dense) == pairs
    four = data_map("contiguous", bits, 4 * per_register), data_map("deinterleaved = 4", bits, 4 * per_register)
    assert cost(four[0], four[1]) == cost(four[1], four[0]) == 4
    halves = data_map("deinterleaved = 2", bits, 4 * per_register)
    assert cost(halves, four[1]) == cost(four[1], halves) == 2


@pytest.mark.parametrize("unit", ["byte", "bit"])
@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("lanes", [1, 2, 64, 128, 256, 512])
def test_every_conversion_between_layouts_of_vmi_puts_every_element_in_place(unit: str, bits: int, lanes: int) -> None:
    maps = {name: vmi_map(unit, name, bits, lanes) for name in DENSE + BLOCKS}
    maps = {name: lane_map for name, lane_map in maps.items() if lane_map.arity <= REGISTERS}
    for (a, source), (b, target) in product(maps.items(), repeat=2):
        found = cost(source, target, 3 if {a, b} & set(BLOCKS) else 6)
        assert (found == 0) == (a == b or source.covers(target))
        if found is not None and not {a, b} & set(BLOCKS) and lanes == 2048 // bits * 2:
            assert found == cost(target, source), (a, b)


@pytest.mark.parametrize("unit", ["byte", "bit"])
@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("lanes", [12, 96, 200])
def test_odd_numbers_of_elements_are_converted_too(unit: str, bits: int, lanes: int) -> None:
    maps = [vmi_map(unit, name, bits, lanes) for name in DENSE + BLOCKS]
    for source, target in product([lane_map for lane_map in maps if lane_map.arity <= REGISTERS], repeat=2):
        found = cost(source, target, 3)
        assert (found == 0) == source.covers(target)


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_slots_of_groups_are_spread_and_brought_together(bits: int) -> None:
    for groups in (1, 8, 12, 64):
        maps = [data_map(f"num_groups = {groups}, slots = 8, lane_stride = {k}", bits, groups) for k in (1, 2, 4)]
        registers = -(-groups // 8)
        for (a, source), (b, target) in product(enumerate(maps), repeat=2):
            assert cost(source, target) == (0 if groups == 1 else registers * abs(a - b))
        one_each = data_map(f"num_groups = {groups}, slots = 1", bits, groups)
        assert (cost(one_each, maps[0], 3) is None) == (groups > 4)


def test_blocks_are_not_interleaved_by_six_instructions() -> None:
    dense, blocks = data_map("contiguous", 32, 128), data_map("block_deinterleaved = 2", 32, 128)
    assert cost(dense, blocks) is None
    assert cost(blocks, dense) is None
    assert cost(blocks, data_map("deinterleaved = 2", 32, 128)) is None


@pytest.mark.parametrize(
    ("source", "target", "bits", "lanes"),
    [
        ("contiguous", "contiguous, lane_stride = 4", 16, 256),
        ("contiguous", "contiguous, lane_stride = 4", 8, 512),
        ("contiguous, lane_stride = 4", "contiguous", 16, 256),
        ("deinterleaved = 2", "contiguous, lane_stride = 2", 32, 256),
        ("deinterleaved = 2", "deinterleaved = 4", 32, 512),
    ],
)
def test_mixing_groups_of_registers_is_not_cheaper(source: str, target: str, bits: int, lanes: int) -> None:
    conversion = convert(data_map(source, bits, lanes), data_map(target, bits, lanes))
    assert conversion is not None
    check(conversion)
    move = conversion.target.then(conversion.source.inverse())
    targets = tuple(
        frozenset(position << 16 | home for position, home in enumerate(register) if home is not None)
        for register in move.registers
    )
    usable = without_dominated(instructions("byte"))
    assert find_sequence(conversion.source.arity, targets, usable, conversion.cost - 1, 60_000) is None


@pytest.mark.parametrize(("source", "target"), [("contiguous", "deinterleaved = 4"), ("lane_stride = 4", "contiguous")])
def test_the_hardware_model_arrives_at_the_same(source: str, target: str) -> None:
    conversion = convert(data_map(source, 8, 256), data_map(target, 8, 256))
    assert conversion is not None
    elements = np.random.default_rng(3).permutation(256).astype(np.uint8)
    registers = [
        VReg(np.array([0 if number is None else elements[number] for number in register], np.uint8))
        for register in conversion.source.registers
    ]
    run = {"vintlv": rearrange.vintlv, "vdintlv": rearrange.vdintlv}
    for step in conversion.steps:
        mnemonic, width = step.instruction.name.split(".b")
        registers += run[mnemonic](int(width) // 8, *(registers[number] for number in step.operands))
    for part, register in zip(conversion.registers, conversion.target.registers, strict=True):
        for position, number in enumerate(register):
            assert number is None or registers[part].data[position] == elements[number]


def test_the_hardware_model_arrives_at_the_same_mask() -> None:
    conversion = convert(mask_map("b32", 64), mask_map("b8", 64))
    assert conversion is not None
    mask = predicate.plt(4, 37)[0]
    for _ in conversion.steps:
        mask = predicate.ppack(mask)
    assert mask.bits.tolist() == [position < 37 for position in range(256)]


def test_instructions_that_are_left_out_are_done_without() -> None:
    narrow, wide = data_map("b8", 8, 64), data_map("b8_4vl", 8, 64)
    unpack = (vzunpack(8, "LOWER"), vzunpack(16, "LOWER"))
    packed = convert(narrow, wide, usable=unpack)
    assert str(packed).splitlines() == ["v1 = vzunpack.b8 LOWER v0", "v2 = vzunpack.b8 LOWER v1", "-> v2"]
    assert convert(wide, narrow, usable=unpack) is None
    first = (vpack(16, "LOWER"), vpack(32, "LOWER"), vintlv(8), vdintlv(8), vdintlv(16))
    preferred = convert(wide, narrow, usable=first)
    assert preferred is not None
    assert all(step.instruction.name.startswith("vpack") for step in preferred.steps)
    check(preferred)


def test_packing_instructions_do_nothing_that_interleaving_ones_cannot() -> None:
    for unit in ("byte", "bit"):
        assert len(without_dominated(instructions(unit))) == 6
    assert without_dominated((vpack(16, "LOWER"), vdintlv(16))) == (vpack(16, "LOWER"), vdintlv(16))


def test_parts_in_another_order_and_elements_that_are_left_out_cost_nothing() -> None:
    whole = data_map("deinterleaved = 2", 32, 128)
    turned = LaneMap("byte", 4, 128, whole.registers[::-1])
    swapped = convert(whole, turned)
    assert swapped is not None
    assert (swapped.steps, swapped.registers) == ((), (1, 0))
    few = convert(whole, whole.restrict(40))
    assert few is not None
    assert (few.steps, few.registers, few.bound) == ((), (0, 1), 0)


def test_what_cannot_be_converted_is_refused() -> None:
    with pytest.raises(ValueError, match="2 bytes an element cannot become 1 bytes"):
        convert(data_map("b16", 16, 64), data_map("b8", 8, 64))
    with pytest.raises(ValueError, match="holds elements that the source does not hold"):
        convert(data_map("b16", 16, 64), data_map("b16_2vl", 16, 65))
    broadcast = LaneMap("byte", 1, 1, split_registers([0, 0]))
    with pytest.raises(ValueError, match="lies in several places"):
        convert(broadcast, data_map("b8", 8, 1))
