"""Unaligned streams move bytes as one access would, and only if they are primed and flushed."""

from __future__ import annotations

import numpy as np
import pytest

from layoutsolver_models.hardware.predicate import pge
from layoutsolver_models.hardware.predicate_memory import LoadDist, StoreDist, StreamWidth, plds, psts, pstu
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.streams import init_align, vldas, vldus, vstas, vstus
from layoutsolver_models.hardware.ub import HardwareFault, Memory
from tests.models.hardware import oracle

SIZE = 2048


def random_memory(seed: int) -> Memory:
    rng = np.random.default_rng(seed)
    return Memory.from_bytes(rng.integers(0, 256, SIZE, dtype=np.uint8), rng.random(SIZE) < 0.1)


@pytest.mark.parametrize("address", [0, 1, 31, 32, 77, 640])
def test_a_primed_stream_reads_consecutive_registers(address: int) -> None:
    memory = random_memory(1)
    align, at = vldas(memory, address), address
    for _ in range(4):
        reg, align, after = vldus(memory, at, align, 256)
        np.testing.assert_array_equal(reg.data, memory.data()[at : at + 256])
        np.testing.assert_array_equal(reg.poison, memory.poison()[at : at + 256])
        assert after == at + 256
        at = after


def test_a_stream_primed_elsewhere_has_poison_up_to_the_first_block() -> None:
    memory = Memory.zeros(SIZE)
    reg, _, after = vldus(memory, 40, vldas(memory, 100))
    assert np.flatnonzero(reg.poison).tolist() == list(range(24))
    assert after == 40
    assert not vldus(memory, 64, vldas(memory, 0))[0].poison.any()
    with pytest.raises(HardwareFault, match="out of range"):
        vldus(memory, SIZE - 255, vldas(memory, SIZE - 255))
    with pytest.raises(HardwareFault, match="out of range"):
        vldas(memory, SIZE)


@pytest.mark.parametrize("address", [0, 5, 32, 63])
def test_a_flushed_stream_writes_its_bytes_and_no_others(address: int) -> None:
    rng = np.random.default_rng(address)
    memory = random_memory(2)
    content, poison = memory.data(), memory.poison()
    align, at, start = init_align(), address, memory
    for size in (3, 0, 64, 100, 256, 1, 31):
        value = oracle.random_register(rng, 0.1)
        content[at : at + size], poison[at : at + size] = value.data[:size], value.poison[:size]
        memory, align, at = vstus(memory, at, value, size, align)
    written = at - at % 32
    np.testing.assert_array_equal(memory.data()[:written], content[:written])
    np.testing.assert_array_equal(memory.data()[written:], start.data()[written:])
    after = vstas(memory, at, align)
    np.testing.assert_array_equal(after.data(), content)
    np.testing.assert_array_equal(after.poison(), poison)


def test_without_a_flush_the_tail_is_not_in_memory() -> None:
    memory, align, at = vstus(Memory.zeros(SIZE), 8, VReg.from_lanes(np.full(256, 7, np.uint8)), 10, init_align())
    assert not memory.data().any()
    assert np.flatnonzero(vstas(memory, at, align).data()).tolist() == list(range(8, 18))


def test_a_stream_that_jumps_is_broken() -> None:
    memory, align, at = vstus(Memory.zeros(SIZE), 8, VReg.zeros(), 10, init_align())
    for broken in (lambda: vstus(memory, at + 1, VReg.zeros(), 4, align), lambda: vstas(memory, at + 32, align)):
        with pytest.raises(HardwareFault, match="stands at 18") as caught:
            broken()
        assert caught.value.kind == "broken stream"
    with pytest.raises(HardwareFault, match="out of range"):
        vstus(memory, SIZE - 4, VReg.zeros(), 5, init_align())
    with pytest.raises(ValueError, match="257 bytes"):
        vstus(memory, at, VReg.zeros(), 257, align)


def test_flushing_nothing_changes_nothing() -> None:
    memory = Memory.zeros(64)
    assert vstas(memory, 12, init_align()) is memory


def test_predicates_are_bit_packed_low_bit_first() -> None:
    memory = random_memory(3)
    content, poison = memory.data().tolist(), memory.poison().tolist()
    steps: dict[LoadDist, float] = {"NORM": 1.0, "US": 0.5, "DS": 2.0}
    for dist, step in steps.items():
        mask = plds(memory, 64, dist)
        for b in range(256):
            byte, bit = divmod(int(b * step), 8)
            assert mask.bits[b] == bool(content[64 + byte] >> bit & 1)
            assert mask.poison[b] == poison[64 + byte]


@pytest.mark.parametrize(("dist", "step"), [("NORM", 1), ("PK", 2)])
def test_stored_predicates_load_again(dist: StoreDist, step: int) -> None:
    mask = oracle.random_predicate(np.random.default_rng(4))
    memory = psts(Memory.zeros(64), 32, mask, dist)
    count = 256 // step
    bits = np.unpackbits(memory.data()[32:], bitorder="little")[:count]
    np.testing.assert_array_equal(bits, mask.bits[::step])
    assert memory.data()[32 + count // 8 :].sum() == 0


def test_a_poisoned_bit_poisons_its_byte() -> None:
    poison = np.zeros(256, np.bool_)
    poison[9] = True
    memory = psts(Memory.zeros(64), 0, PReg(np.zeros(256, np.bool_), poison))
    assert np.flatnonzero(memory.poison()).tolist() == [1]
    assert np.flatnonzero(plds(memory, 0).poison).tolist() == list(range(8, 16))


@pytest.mark.parametrize(("width", "size"), [(2, 16), (4, 8)])
def test_predicate_streams_pack_one_bit_per_lane(width: StreamWidth, size: int) -> None:
    mask = oracle.random_predicate(np.random.default_rng(5))
    memory, align, at = pstu(Memory.zeros(256), 21, mask, width, init_align())
    memory, align, at = pstu(memory, at, pge(width, "ALL"), width, align)
    assert at == 21 + 2 * size
    memory = vstas(memory, at, align)
    bits = np.unpackbits(memory.data()[21:at], bitorder="little")
    np.testing.assert_array_equal(bits[: 8 * size], mask.bits[::width])
    assert bits[8 * size :].all()


def test_predicate_loads_are_aligned() -> None:
    memory = Memory.zeros(64)
    places: dict[LoadDist, int] = {"NORM": 16, "US": 8, "DS": 16}
    for dist, address in places.items():
        with pytest.raises(HardwareFault, match="misaligned"):
            plds(memory, address, dist)
    plds(memory, 16, "US")
    with pytest.raises(HardwareFault, match="misaligned"):
        psts(memory, 8, PReg.zeros(), "PK")
