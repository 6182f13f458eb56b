"""Loads and stores put every byte where the documented lane formula says, and fault where they must."""

from __future__ import annotations

import numpy as np
import pytest

from layoutsolver_models.hardware.memory import (
    LOADS,
    PAIR_LOADS,
    PAIR_STORES,
    STORES,
    vld,
    vldx2,
    vsldb,
    vsstb,
    vst,
    vstx2,
)
from layoutsolver_models.hardware.predicate import pge
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.ub import HardwareFault, Memory
from tests.models.hardware import oracle

SIZE = 1024


def random_memory(seed: int, poison: float = 0.0) -> Memory:
    rng = np.random.default_rng(seed)
    return Memory.from_bytes(rng.integers(0, 256, SIZE, dtype=np.uint8), rng.random(SIZE) < poison)


def load_formula(dist: str, byte: int) -> int | None:
    """The memory byte, from the address on, that is register byte `byte`; None for a zero. From the tables."""
    width = int(dist.rsplit("_B", 1)[1]) // 8 if "_B" in dist else 1
    lane, inner = divmod(byte, width)
    if dist == "NORM":
        return byte
    if dist.startswith("BRC"):
        return inner
    if dist == "BLK":
        return byte % 32
    if dist == "UNPK4_B8":
        return lane // 4 if lane % 4 == 0 else None
    if dist.startswith("UNPK"):
        return lane // 2 * width + inner if lane % 2 == 0 else None
    if dist.startswith("US"):
        return lane // 2 * width + inner
    if dist.startswith("DS"):
        return 2 * lane * width + inner
    assert dist.startswith("E2B")
    return lane // (16 if width == 2 else 8) * width + inner


@pytest.mark.parametrize("dist", list(LOADS))
def test_loads_follow_their_lane_formula(dist: str) -> None:
    memory = random_memory(1, 0.1)
    content, poison = memory.data().tolist(), memory.poison().tolist()
    address = 64
    strict = vld(memory, address, dist, padding="poison")
    reg = vld(memory, address, dist)
    furthest = 0
    for byte in range(256):
        at = load_formula(dist, byte)
        furthest = max(furthest, 0 if at is None else at)
        assert reg.data[byte] == strict.data[byte] == (0 if at is None else content[address + at])
        assert reg.poison[byte] == (at is not None and poison[address + at])
        assert strict.poison[byte] == (at is None or poison[address + at])
    size = LOADS[dist].size
    assert furthest < size
    vld(memory, SIZE - size, dist)
    with pytest.raises(HardwareFault, match="out of range"):
        vld(memory, SIZE - size + LOADS[dist].align, dist)


@pytest.mark.parametrize("dist", list(PAIR_LOADS))
def test_pair_loads_separate_even_and_odd(dist: str) -> None:
    memory = random_memory(2, 0.1)
    content, poison = memory.data().tolist(), memory.poison().tolist()
    width = 32 if dist == "BDINTLV" else int(dist.rsplit("_B", 1)[1]) // 8
    for odd, reg in enumerate(vldx2(memory, 32, dist)):
        for byte in range(256):
            lane, inner = divmod(byte, width)
            at = 32 + (2 * lane + odd) * width + inner
            assert reg.data[byte] == content[at]
            assert reg.poison[byte] == poison[at]
    with pytest.raises(HardwareFault, match="out of range"):
        vldx2(memory, SIZE - 480, dist)


def store_oracle(memory: Memory, address: int, value: VReg, mask: PReg, dist: str) -> tuple[list[int], list[bool]]:
    content, poison = memory.data().tolist(), memory.poison().tolist()
    width = int(dist.rsplit("_B", 1)[1]) // 8
    kept = 1 if dist == "PK4_B32" else width // 2 if dist.startswith("PK") else width
    for lane in range(256 // width):
        single = dist.startswith("ONEPT")
        bit, unsure = bool(mask.bits[lane * width]), bool(mask.poison[lane * width])
        if (single and lane == 0) or (not single and (bit or unsure)):
            for k in range(kept):
                content[address + lane * kept + k] = int(value.data[lane * width + k])
                poison[address + lane * kept + k] = bool(value.poison[lane * width + k]) or (unsure and not single)
    return content, poison


@pytest.mark.parametrize("dist", list(STORES))
@pytest.mark.parametrize("bad", [0.0, 0.1])
def test_stores_write_the_active_lanes(dist: str, bad: float) -> None:
    rng = np.random.default_rng(3)
    for mask in (oracle.random_predicate(rng, bad), PReg.full(), PReg.zeros()):
        memory = random_memory(4, bad)
        value = oracle.random_register(rng, bad)
        after = vst(memory, 96, value, mask, dist)
        content, poison = store_oracle(memory, 96, value, mask, dist)
        assert after.data().tolist() == content
        assert after.poison().tolist() == poison


def test_what_was_packed_loads_unpacked() -> None:
    rng = np.random.default_rng(5)
    for load, store, width, kept in (
        ("UNPK_B8", "PK_B16", 2, 1),
        ("UNPK_B16", "PK_B32", 4, 2),
        ("UNPK_B32", "PK_B64", 8, 4),
        ("UNPK4_B8", "PK4_B32", 4, 1),
    ):
        memory = random_memory(6)
        value = vld(memory, 0, load)
        after = vst(memory, 512, value, pge(width, "ALL"), store)
        count = 256 // width * kept
        np.testing.assert_array_equal(after.data()[512 : 512 + count], memory.data()[:count])
        np.testing.assert_array_equal(after.data()[512 + count :], memory.data()[512 + count :])
        wide = oracle.random_register(rng)
        packed = vld(vst(memory, 0, wide, PReg.full(), store), 0, load)
        kept_bytes = np.arange(256) % width < kept
        np.testing.assert_array_equal(packed.data, np.where(kept_bytes, wide.data, 0))


@pytest.mark.parametrize("dist", list(PAIR_STORES))
def test_pair_stores_undo_pair_loads(dist: str) -> None:
    memory = random_memory(7, 0.1)
    low, high = vldx2(memory, 0, "D" + dist)
    after = vstx2(Memory.zeros(SIZE), 512, low, high, dist)
    np.testing.assert_array_equal(after.data()[512:], memory.data()[:512])
    np.testing.assert_array_equal(after.poison()[512:], memory.poison()[:512])
    assert not after.data()[:512].any()


@pytest.mark.parametrize("dist", [d for d, s in STORES.items() if not s.single])
def test_inactive_lanes_do_not_fault(dist: str) -> None:
    width, kept = STORES[dist].width, STORES[dist].kept
    fits = 32 // kept
    if fits < 256 // width:
        vst(Memory.zeros(32), 0, VReg.zeros(), PReg.from_lanes(np.ones(fits), width), dist)
        with pytest.raises(HardwareFault, match="out of range"):
            vst(Memory.zeros(32), 0, VReg.zeros(), PReg.from_lanes(np.ones(fits + 1), width), dist)


def test_alignment_is_that_of_the_access() -> None:
    memory = Memory.zeros(SIZE)
    for dist, spread in LOADS.items():
        if spread.align > 1:
            with pytest.raises(HardwareFault, match="misaligned"):
                vld(memory, spread.align // 2, dist)
    for name, shape in STORES.items():
        if shape.align > 1:
            with pytest.raises(HardwareFault, match="misaligned") as caught:
                vst(memory, shape.align // 2, VReg.zeros(), PReg.full(), name)
            assert caught.value.address == shape.align // 2
    for misaligned in (
        lambda: vldx2(memory, 16, "DINTLV_B32"),
        lambda: vstx2(memory, 16, VReg.zeros(), VReg.zeros(), "INTLV_B8"),
        lambda: vsstb(memory, 16, VReg.zeros(), PReg.full(), 1),
        lambda: vsldb(memory, 16, PReg.full(), 1),
    ):
        with pytest.raises(HardwareFault, match="misaligned"):
            misaligned()


@pytest.mark.parametrize("width", [None, 1, 2, 4])
def test_block_stores_go_to_their_strides(width: int | None) -> None:
    rng = np.random.default_rng(8)
    memory, value = random_memory(9), oracle.random_register(rng, 0.1)
    mask = oracle.random_predicate(rng, 0.1)
    content, poison = memory.data().tolist(), memory.poison().tolist()
    for byte in range(256):
        bit = byte // 32 * 4 if width is None else byte // width * width
        at = 64 + 32 * (1 + byte // 32 * 3) + byte % 32
        if mask.bits[bit] or mask.poison[bit]:
            content[at] = int(value.data[byte])
            poison[at] = bool(value.poison[byte] or mask.poison[bit])
    after = vsstb(memory, 64, value, mask, 3, 1, width)
    assert after.data().tolist() == content
    assert after.poison().tolist() == poison


def test_block_loads_come_from_their_strides() -> None:
    rng = np.random.default_rng(10)
    memory, mask = random_memory(11, 0.1), oracle.random_predicate(rng, 0.2)
    reg = vsldb(memory, 32, mask, 3, 1)
    for byte in range(256):
        at = 32 + 32 * (1 + byte // 32 * 3) + byte % 32
        bit = byte // 32 * 4
        if mask.poison[bit]:
            assert reg.poison[byte]
        else:
            assert reg.data[byte] == (memory.data()[at] if mask.bits[bit] else 0)
            assert reg.poison[byte] == (bool(mask.bits[bit]) and memory.poison()[at])
    vsldb(memory, 0, PReg.from_lanes([1] + [0] * 7, 4), 1000)
    with pytest.raises(HardwareFault, match="out of range"):
        vsldb(memory, 0, PReg.full(), 1000)
