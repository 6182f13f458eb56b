"""Gathers and scatters serve one request per index lane."""

from __future__ import annotations

import numpy as np
import pytest

from layoutsolver_models.hardware.gather import Element, vgather2, vscatter
from layoutsolver_models.hardware.predicate import pge
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.ub import HardwareFault, Memory
from tests.models.hardware import oracle

SIZE = 1024
ELEMENTS: tuple[Element, ...] = (1, 2, 4)


def random_memory(seed: int) -> Memory:
    rng = np.random.default_rng(seed)
    return Memory.from_bytes(rng.integers(0, 256, SIZE, dtype=np.uint8), rng.random(SIZE) < 0.1)


def indices(rng: np.random.Generator, element: int, *, distinct: bool = False) -> VReg:
    width = max(element, 2)
    count, top = 256 // width, (SIZE - 64) // element
    lanes = rng.permutation(top)[:count] if distinct else rng.integers(0, top, count)
    return VReg.from_lanes(lanes.astype(f"u{width}"))


@pytest.mark.parametrize("element", ELEMENTS)
def test_gathers_read_base_plus_index(element: Element) -> None:
    rng = np.random.default_rng(element)
    width = max(element, 2)
    memory, index, mask = random_memory(1), indices(rng, element), oracle.random_predicate(rng, 0.1)
    content, poison = memory.data(), memory.poison()
    got = oracle.every(vgather2(memory, 64, index, mask, element), width)
    for j in range(256 // width):
        at = 64 + oracle.lane(index, width, j) * element
        if mask.poison[j * width] or (mask.bits[j * width] and poison[at : at + element].any()):
            assert got[j] is None
        elif mask.bits[j * width]:
            assert got[j] == int.from_bytes(content[at : at + element].tobytes(), "little")
        else:
            assert got[j] == 0


@pytest.mark.parametrize("element", ELEMENTS)
def test_scatters_write_base_plus_index(element: Element) -> None:
    rng = np.random.default_rng(10 + element)
    width = max(element, 2)
    memory, index = random_memory(2), indices(rng, element, distinct=True)
    mask, value = oracle.random_predicate(rng), oracle.random_register(rng, 0.1)
    content, poison = memory.data(), memory.poison()
    for j in range(256 // width):
        if mask.bits[j * width]:
            at = 64 + oracle.lane(index, width, j) * element
            content[at : at + element] = value.data[j * width : j * width + element]
            poison[at : at + element] = value.poison[j * width : j * width + element]
    after = vscatter(memory, 64, value, index, mask, element)
    np.testing.assert_array_equal(after.data(), content)
    np.testing.assert_array_equal(after.poison(), poison)


def test_a_scatter_undoes_a_gather() -> None:
    rng = np.random.default_rng(3)
    memory, index = random_memory(4), indices(rng, 4, distinct=True)
    again = vscatter(memory, 0, vgather2(memory, 0, index, PReg.full(), 4), index, PReg.full(), 4)
    np.testing.assert_array_equal(again.data(), memory.data())


def test_two_requests_for_one_element_leave_poison() -> None:
    index = VReg.from_lanes(np.array([3, 5, 3, *range(100, 161)], np.uint32))
    after = vscatter(Memory.zeros(SIZE), 0, VReg.zeros(), index, pge(4, "ALL"), 4)
    assert np.flatnonzero(after.poison()).tolist() == [12, 13, 14, 15]
    one = vscatter(Memory.zeros(SIZE), 0, VReg.zeros(), index, PReg.from_lanes([1, 1], 4), 4)
    assert not one.poison().any()


@pytest.mark.parametrize("element", ELEMENTS)
def test_only_active_requests_fault(element: Element) -> None:
    width = max(element, 2)
    lanes = np.zeros(256 // width, f"u{width}")
    lanes[1] = 0xFFFF
    index, memory = VReg.from_lanes(lanes), Memory.zeros(SIZE)
    first = PReg.from_lanes([1, 0], width)
    vgather2(memory, 0, index, first, element)
    vscatter(memory, 0, VReg.zeros(), index, first, element)
    for access in (
        lambda: vgather2(memory, 0, index, PReg.full(), element),
        lambda: vscatter(memory, 0, VReg.zeros(), index, PReg.full(), element),
    ):
        with pytest.raises(HardwareFault, match="out of range") as caught:
            access()
        assert caught.value.address == 0xFFFF * element
        assert caught.value.size == element


def test_a_base_is_aligned_to_its_element() -> None:
    for access in (
        lambda: vgather2(Memory.zeros(SIZE), 2, VReg.zeros(), PReg.full(), 4),
        lambda: vscatter(Memory.zeros(SIZE), 1, VReg.zeros(), VReg.zeros(), PReg.full(), 2),
    ):
        with pytest.raises(HardwareFault, match="misaligned"):
            access()


def test_a_poisoned_index_gives_poison_and_no_access() -> None:
    lanes = np.zeros(64, np.uint32)
    lanes[0] = 0xFFFF_FFFF
    index = VReg(lanes.view(np.uint8).copy(), np.arange(256) < 4)
    got = oracle.every(vgather2(Memory.zeros(SIZE), 0, index, PReg.full(), 4), 4)
    assert got == [None, *[0] * 63]
    inactive = PReg.from_lanes([0, *[1] * 63], 4)
    assert oracle.every(vgather2(Memory.zeros(SIZE), 0, index, inactive, 4), 4) == [0] * 64
    after = vscatter(Memory.zeros(SIZE), 512, VReg.zeros(), index, PReg.full(), 4)
    assert np.flatnonzero(after.poison()).tolist() == list(range(512, SIZE))


def test_sparse_16_bit_requests_read_the_low_half_of_wide_indices() -> None:
    memory = Memory.from_bytes(np.arange(SIZE // 2, dtype=np.uint16).view(np.uint8))
    index = VReg.from_lanes(np.arange(64, dtype=np.uint32) * 3)
    got = vgather2(memory, 0, index, pge(4, "ALL"), 2)
    assert got.lanes(2)[::2].tolist() == [3 * i for i in range(64)]
    assert not got.lanes(2)[1::2].any()
