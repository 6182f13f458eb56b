"""Loads and stores bring every element to its place, by the distribution modes that the rows name."""

from __future__ import annotations

import pytest

from layoutsolver_models.lanes.access import loaded, stored
from layoutsolver_models.lanes.instruction import vdintlv, vintlv
from layoutsolver_models.lanes.lanemap import POSITIONS, LaneMap, Register
from layoutsolver_models.lanes.layout import data_map
from layoutsolver_models.rules.vmi.groups import GROUP_BROADCAST_LOAD
from layoutsolver_models.rules.vmi.layouts import layout_of
from layoutsolver_models.rules.vmi.memory import LOAD, STORE
from layoutsolver_models.rules.vmi.row import Lowering, VmiRule
from tests.models.rules.vmi.shapes import cases

STREAMS = ("vldus", "vstus")
"""Accesses that move whole registers at any address; they are run in `tests/backends/vpto/test_addresses.py`."""


def ways_of(rules: tuple[VmiRule, ...]) -> list[tuple[VmiRule, Lowering]]:
    return [
        (rule, way) for rule in rules for way in rule.lowerings
        if not any(step.instruction in STREAMS for step in way.steps)
    ]  # fmt: skip


LOADS, STORES = ways_of(LOAD), ways_of(STORE)


def mode(way: Lowering, bits: int, mnemonic: str) -> str:
    """The mode of the access among a way's steps."""
    step = next(step for step in way.steps if step.instruction.startswith(mnemonic))
    name = step.instruction.split()[1].replace("{W}", str(bits)).replace("{2W}", str(2 * bits))
    return name.removesuffix("_B" + str(bits)) if name.startswith("NORM") else name


def read(name: str, start: int) -> list[Register]:
    """The registers of a load from byte `start` on, each byte numbered."""
    return [tuple(None if byte is None else start + byte for byte in register) for register in loaded(name).registers]


def pair(instruction: LaneMap, first: Register, second: Register) -> list[Register]:
    flat = first + second
    return [tuple(None if at is None else flat[at] for at in row) for row in instruction.registers]


def load(layout: str, way: Lowering, bits: int, lanes: int) -> list[Register]:
    """The registers that a way of loading fills, in the order of the layout."""
    size, full = bits // 8, POSITIONS
    count = data_map(layout_of(layout), bits, lanes).arity
    name = mode(way, bits, "vlds")
    step = loaded(name).lanes
    if layout in ("c", "ls2", "ls4"):
        return [read(name, number * step)[0] for number in range(count)]
    mixed = vdintlv(bits).results
    if name.startswith("DINTLV"):
        pairs = [read(name, number * 2 * full) for number in range(count // 2)]
    else:
        dense = [read("NORM", number * full)[0] for number in range(-(-lanes * size // full))]
        dense += [(None,) * full] * (len(dense) % 2)
        pairs = [pair(mixed, *dense[at : at + 2]) for at in range(0, len(dense), 2)]
    if layout == "d2":
        return [low for low, _ in pairs] + [high for _, high in pairs]
    empty: Register = (None,) * full
    parts: list[list[Register]] = [[], [], [], []]
    for at in range(0, len(pairs), 2):
        second = pairs[at + 1] if at + 1 < len(pairs) else [empty, empty]
        for side in (0, 1):
            low, high = pair(mixed, pairs[at][side], second[side])
            parts[side].append(low)
            parts[side + 2].append(high)
    return [register for part in parts for register in part]


def covers(layout: str, bits: int, lanes: int, registers: list[Register]) -> bool:
    wanted = data_map(layout_of(layout), bits, lanes)
    units = [register for register in registers if register is not None]
    return len(units) >= wanted.arity and all(
        number is None or number == there
        for want, have in zip(wanted.registers, units, strict=False)
        for number, there in zip(want, have, strict=True)
    )


@pytest.mark.parametrize(("rule", "way"), LOADS, ids=[f"{rule.id}-{at}" for at, (rule, _) in enumerate(LOADS)])
def test_a_load_fills_the_registers_of_its_layout(rule: VmiRule, way: Lowering) -> None:
    tried = 0
    for lanes, bits, _, _, found in cases(rule):
        if rule.lowering(found, upstream=way.by == "upstream") is way:
            layout = rule.layouts["result"]
            registers = load(layout, way, bits, lanes)
            assert covers(layout, bits, lanes, registers), (lanes, bits)
            if lanes >= 8:
                for other in ("c", "ls2", "d2", "d4"):
                    assert other == layout or not covers(other, bits, lanes, registers), (lanes, bits, other)
            tried += 1
    assert tried


def written(layout: str, way: Lowering, bits: int, lanes: int) -> list[int | None]:
    """The bytes of memory that a way of storing a full vector leaves, as bytes of the vector."""
    registers: list[Register] = list(data_map(layout_of(layout), bits, lanes).registers)
    if any(step.instruction == "vintlv" for step in way.steps):
        registers, layout = merged(layout, way, registers, bits)
    name = mode(way, bits, "vsts")
    memory: list[int | None] = []
    if name.startswith("INTLV"):
        half = len(registers) // 2
        for low, high in zip(registers[:half], registers[half:], strict=True):
            flat = low + high
            memory += [flat[at] for at in stored(name)]
        return memory
    for register in registers:
        memory += [register[at] for at in stored(name)]
    return memory


def merged(layout: str, way: Lowering, registers: list[Register], bits: int) -> tuple[list[Register], str]:
    """The registers after the interleaving of a way, and the layout that they are in."""
    mixed = vintlv(bits).results
    by_turns = any("INTLV_B" in step.instruction for step in way.steps)
    count = len(registers) // (4 if layout == "d4" else 2)
    if layout == "d4":
        parts = [registers[at * count : (at + 1) * count] for at in range(4)]
        even = [register for a, b in zip(parts[0], parts[2], strict=True) for register in pair(mixed, a, b)]
        odd = [register for a, b in zip(parts[1], parts[3], strict=True) for register in pair(mixed, a, b)]
        registers, layout, count = even + odd, "d2", 2 * count
        if by_turns:
            return registers, layout
    low, high = registers[:count], registers[count:]
    return [register for a, b in zip(low, high, strict=True) for register in pair(mixed, a, b)], "c"


@pytest.mark.parametrize(("rule", "way"), STORES, ids=[f"{rule.id}-{at}" for at, (rule, _) in enumerate(STORES)])
def test_a_store_leaves_the_elements_in_a_row(rule: VmiRule, way: Lowering) -> None:
    tried = 0
    for lanes, bits, _, _, found in cases(rule):
        if way in [w for w in rule.lowerings if rule.lowering(found, upstream=w.by == "upstream") is w]:
            memory = written(rule.layouts["value"], way, bits, lanes)
            assert memory[: lanes * bits // 8] == list(range(lanes * bits // 8)), (lanes, bits)
            assert all(byte is None for byte in memory[lanes * bits // 8 :])
            tried += 1
    assert tried


@pytest.mark.parametrize("rule", GROUP_BROADCAST_LOAD, ids=[rule.id for rule in GROUP_BROADCAST_LOAD])
def test_e2b_and_brc_put_the_element_of_each_group_at_all_its_elements(rule: VmiRule) -> None:
    layout = rule.layouts["result"]
    for lanes, bits, _, groups, found in cases(rule, stride=1):
        way = rule.lowering(found, upstream=True)
        if way is None or not way.steps[0].instruction.startswith("vlds"):
            continue
        size, group = bits // 8, lanes // groups
        wanted = data_map(layout_of(layout), bits, lanes)
        for number, register in enumerate(wanted.registers):
            elements = [unit // size for unit in register if unit is not None]
            base = elements[0] // group if "BRC" in way.steps[0].instruction else 0
            brought = read(mode(way, bits, "vlds"), base * size)[0]
            for at, unit in enumerate(register):
                assert unit is None or brought[at] == unit // size // group * size + unit % size, (number, at)


def test_e2b_is_not_for_a_contiguous_layout_of_several_registers() -> None:
    """Eight groups of two blocks each: as two parts they are what E2B loads, one behind the other they are not."""
    brought = read("E2B_B32", 0)[0]
    for layout, fits in (("d2", True), ("c", False)):
        wanted = data_map(layout_of(layout), 32, 128)
        found = all(
            unit is None or brought[at] == unit // 4 // 16 * 4 + unit % 4
            for register in wanted.registers
            for at, unit in enumerate(register)
        )
        assert found is fits


def test_modes_that_are_not_told_are_refused() -> None:
    for name in ("SPLT4CHN", "PK_B32", "b16"):
        with pytest.raises(ValueError, match="no distribution mode"):
            loaded(name)
    for name in ("UNPK_B8", "MRG4CHN_B8", ""):
        with pytest.raises(ValueError, match="no distribution mode"):
            stored(name)
