"""Registers and memory are values: immutable, comparable, readable, bounds-checked."""

from __future__ import annotations

import numpy as np
import pytest

from layoutsolver_models.hardware.formats import F32, I16
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.ub import HardwareFault, Memory


def test_lanes_are_little_endian_views_at_every_width() -> None:
    reg = VReg.from_lanes(np.arange(256, dtype=np.uint8))
    assert reg.lanes(1)[5] == 5
    assert reg.lanes(2)[1] == 0x0302
    assert reg.lanes(4)[1] == 0x07060504
    assert reg.lanes(8)[0] == 0x0706050403020100
    assert reg.view(I16)[127] == 0xFFFE - 0x10000
    assert VReg.from_lanes(np.ones(64, np.float32)).view(F32).tolist() == [1.0] * 64


def test_a_lane_is_poison_if_any_byte_is() -> None:
    poison = np.zeros(256, np.bool_)
    poison[[5, 255]] = True
    reg = VReg(np.zeros(256, np.uint8), poison)
    for width in (1, 2, 4, 8):
        assert np.flatnonzero(reg.lane_poison(width)).tolist() == [5 // width, 255 // width]


def test_registers_cannot_be_written_to() -> None:
    reg, mask = VReg.from_lanes(np.zeros(256, np.uint8)), PReg.from_lanes([True], 4)
    for array in (reg.data, reg.poison, reg.lanes(4), mask.bits, mask.poison):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_building_a_register_copies_its_source() -> None:
    source = np.zeros(64, np.float32)
    reg = VReg.from_lanes(source)
    source[0] = 1
    assert reg.lanes(4)[0] == 0


def test_a_short_array_leaves_the_rest_poison_and_a_long_one_does_not_fit() -> None:
    reg = VReg.from_lanes(np.zeros(3, np.uint32))
    assert np.flatnonzero(reg.poison).tolist() == list(range(12, 256))
    with pytest.raises(ValueError, match="256 bytes, not 512"):
        VReg.from_lanes(np.zeros(128, np.uint32))


def test_equality_is_of_bytes_and_poison() -> None:
    assert VReg.zeros() == VReg.from_lanes(np.zeros(64, np.float32))
    assert VReg.zeros() != VReg.poisoned()
    assert PReg.zeros() != PReg.poisoned()
    assert PReg.full() == PReg.from_lanes(np.ones(256), 1)
    assert len({VReg.zeros(), VReg.from_lanes(np.zeros(32, np.int64)), VReg.poisoned()}) == 2
    assert len({PReg.zeros(), PReg.from_lanes([], 4), PReg.full()}) == 2
    assert VReg.zeros() != PReg.zeros()


def test_predicate_lanes_read_the_first_bit_of_their_group() -> None:
    mask = PReg(np.arange(256) % 2 == 1)
    assert not mask.lanes(2).any()
    assert not mask.lanes(4).any()
    assert mask.lanes(1).sum() == 128
    assert PReg.from_lanes([True, True], 4).lanes(2)[:4].tolist() == [True, False, True, False]


def test_values_print_their_runs() -> None:
    assert repr(VReg.poisoned()) == "VReg(??*256)"
    assert repr(VReg.from_lanes(np.full(128, 0x1234, np.uint16)))[:17] == "VReg(34 12 34 12 "
    assert repr(PReg.poisoned()) == "PReg(b8: ?*256)"
    assert repr(PReg.from_lanes([1, 1, 0, 1], 2)) == "PReg(b16: 1*2 0 1 0*124)"
    assert repr(Memory.poisoned(8)) == "Memory(8 bytes, 8 poison)"


@pytest.mark.parametrize("size", [64, 4096, 5000, 8192 + 256])
def test_memory_reads_what_was_written(size: int) -> None:
    rng = np.random.default_rng(size)
    memory, content, poison = Memory.zeros(size), np.zeros(size, np.uint8), np.zeros(size, np.bool_)
    for _ in range(200):
        count = int(rng.integers(0, min(size, 600)))
        at = int(rng.integers(0, size - count + 1))
        data, flags = rng.integers(0, 256, count, dtype=np.uint8), rng.random(count) < 0.2
        where = rng.random(count) < 0.7 if rng.random() < 0.5 else None
        before, old = memory, content.copy()
        memory = memory.write(at, data, flags, where=where)
        cut = np.arange(at, at + count)[slice(None) if where is None else where]
        content[cut] = data if where is None else data[where]
        poison[cut] = flags if where is None else flags[where]
        np.testing.assert_array_equal(before.data(), old)
        start = int(rng.integers(0, size))
        length = int(rng.integers(0, size - start + 1))
        got, bad, _ = memory.read(start, length)
        np.testing.assert_array_equal(got, content[start : start + length])
        np.testing.assert_array_equal(bad, poison[start : start + length])
    np.testing.assert_array_equal(memory.data(), content)
    np.testing.assert_array_equal(memory.poison(), poison)


@pytest.mark.parametrize(
    ("address", "size", "align", "kind"),
    [
        (-1, 1, 1, "out of range"),
        (64, 1, 1, "out of range"),
        (33, 32, 1, "out of range"),
        (0, 65, 32, "out of range"),
        (16, 8, 32, "misaligned"),
        (2, 4, 4, "misaligned"),
    ],
)
def test_a_bad_access_faults_with_its_address(address: int, size: int, align: int, kind: str) -> None:
    with pytest.raises(HardwareFault, match=kind) as caught:
        Memory.zeros(64).read(address, size, align)
    assert (caught.value.kind, caught.value.address, caught.value.size) == (kind, address, size)


def test_bytes_that_are_not_written_need_not_exist() -> None:
    memory = Memory.zeros(64)
    data, clean = np.ones(64, np.uint8), np.zeros(64, np.bool_)
    assert memory.write(32, data, clean, where=np.arange(64) < 32).data().sum() == 32
    assert memory.write(-32, data, clean, where=np.arange(64) >= 32).data().sum() == 32
    assert memory.write(1000, data, clean, where=clean) is memory
    with pytest.raises(HardwareFault, match="out of range"):
        memory.write(32, data, clean, where=np.arange(64) < 33)


def test_births_are_stamped_once() -> None:
    reg = VReg.from_lanes(np.zeros(1, np.uint32)).traced(3).traced(4)
    assert reg.birth is not None
    assert set(reg.birth[4:].tolist()) == {3}
    assert set(reg.birth[:4].tolist()) == {-1}
    assert reg.lane_birth(4)[:2].tolist() == [-1, 3]
    mask = PReg.poisoned().traced(7)
    assert set(mask.lane_birth(4).tolist()) == {7}
    memory = Memory.poisoned(64).traced(1)
    memory = memory.write(0, np.zeros(4, np.uint8), np.array([0, 1, 0, 1], np.bool_)).traced(2)
    assert memory.birth()[:5].tolist() == [-1, 2, -1, 2, 1]
