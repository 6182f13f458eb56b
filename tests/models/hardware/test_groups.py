"""Instructions on blocks, compressed lanes, carries and histograms, against the formulas of the documents in numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from layoutsolver_models.hardware.carry import vaddc, vsubc
from layoutsolver_models.hardware.compact import vsqz, vusqz
from layoutsolver_models.hardware.formats import F16, F32, I8, I16, I32, U8, U16, U32, Format
from layoutsolver_models.hardware.gather import vgatherb
from layoutsolver_models.hardware.group_reduce import vcgadd, vcgmax, vcgmin, vcpadd
from layoutsolver_models.hardware.histogram import chist, dhist
from layoutsolver_models.hardware.rearrange import vselr, vsunpack
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.ub import HardwareFault, Memory

RNG = np.random.default_rng(7)
FORMATS = [I8, U8, I16, U16, I32, U32, F16, F32]


def register(fmt: Format) -> VReg:
    values = RNG.integers(-60, 60, fmt.lanes)
    return VReg((values.astype(fmt.dtype) if fmt.is_float else values.astype(fmt.storage)).view(np.uint8).copy())


def predicate(width: int) -> PReg:
    return PReg.from_lanes(RNG.integers(2, size=256 // width), width)


@pytest.mark.parametrize("fmt", FORMATS, ids=str)
def test_every_block_is_summed_to_its_lane(fmt: Format) -> None:
    src, mask = register(fmt), predicate(fmt.width)
    rows = np.where(mask.lanes(fmt.width), src.view(fmt), 0).reshape(8, -1).astype(np.float64).sum(axis=1)
    found = vcgadd(fmt, src, mask).view(fmt)
    wanted = rows.astype(fmt.dtype) if fmt.is_float else rows.astype(np.int64).astype(fmt.dtype)
    assert found[:8].tolist() == wanted.tolist()
    assert not found[8:].any()


@pytest.mark.parametrize("fmt", FORMATS, ids=str)
@pytest.mark.parametrize(("run", "best"), [(vcgmax, np.max), (vcgmin, np.min)])
def test_every_block_gives_its_extreme(
    fmt: Format, run: Callable[[Format, VReg, PReg], VReg], best: Callable[[Any], Any]
) -> None:
    src, mask = register(fmt), predicate(fmt.width)
    on = mask.lanes(fmt.width).copy()
    on[:: on.size // 8] = True
    found = run(fmt, src, PReg.from_lanes(on, fmt.width)).view(fmt)
    rows = zip(src.view(fmt).reshape(8, -1), on.reshape(8, -1), strict=True)
    assert found[:8].tolist() == [best(row[flags]) for row, flags in rows]


def test_a_block_without_active_lanes_gives_the_neutral_element() -> None:
    nothing = PReg.zeros()
    assert vcgmax(F32, register(F32), nothing).view(F32)[:8].tolist() == [-np.inf] * 8
    assert vcgmin(I16, register(I16), nothing).view(I16)[:8].tolist() == [32767] * 8
    assert vcgadd(F16, register(F16), nothing).view(F16)[:8].tolist() == [0.0] * 8


def test_poison_stays_in_its_block() -> None:
    poison = np.zeros(256, np.bool_)
    poison[70] = True
    found = vcgadd(F32, VReg(register(F32).data.copy(), poison), PReg.full())
    assert np.flatnonzero(found.lane_poison(4)).tolist() == [2]


def test_running_sums() -> None:
    src = register(F32)
    found = vcpadd(F32, src, PReg.full()).view(F32)
    assert found.tolist() == np.cumsum(src.view(F32).astype(np.float64)).astype(np.float32).tolist()
    assert vcpadd(F32, src, PReg.from_lanes(np.arange(64) != 5, 4)).lane_poison(4).tolist() == [False] * 5 + [True] * 59


@pytest.mark.parametrize("width", [1, 2, 4])
def test_squeezing_keeps_order(width: int) -> None:
    src, mask = VReg(RNG.integers(256, size=256, dtype=np.uint8)), predicate(width)
    kept = src.lanes(width)[mask.lanes(width)]
    found = vsqz(width, src, mask).lanes(width)
    assert found[: kept.size].tolist() == kept.tolist()
    assert not found[kept.size :].any()
    counts = np.concatenate([[0], np.cumsum(mask.lanes(width))[:-1]])
    assert vusqz(width, mask).lanes(width).tolist() == counts.tolist()


@pytest.mark.parametrize("taken", [False, True])
def test_carries_make_numbers_of_two_words(taken: bool) -> None:
    lhs, rhs = (VReg(RNG.integers(256, size=256, dtype=np.uint8)) for _ in range(2))
    carry = predicate(4) if taken else None
    more = carry.lanes(4).astype(object) if carry is not None else 0
    a, b = (one.lanes(4).astype(object) for one in (lhs, rhs))
    total, over = vaddc(U32, lhs, rhs, PReg.full(), carry)
    assert total.lanes(4).tolist() == ((a + b + more) % 2**32).tolist()
    assert over.lanes(4).tolist() == (a + b + more >= 2**32).tolist()
    less = 1 - more if carry is not None else 0
    left, enough = vsubc(I32, lhs, rhs, PReg.full(), carry)
    assert left.lanes(4).tolist() == ((a - b - less) % 2**32).tolist()
    assert enough.lanes(4).tolist() == (a >= b + less).tolist()
    with pytest.raises(ValueError, match="no form"):
        vaddc(U16, lhs, rhs, PReg.full())


@pytest.mark.parametrize("half", [0, 1])
def test_histograms(half: int) -> None:
    samples, mask = VReg(RNG.integers(256, size=256, dtype=np.uint8)), predicate(1)
    acc = VReg(RNG.integers(256, size=256, dtype=np.uint8))
    counts = np.bincount(samples.data[mask.lanes(1)], minlength=256)
    cut = slice(128 * half, 128 * half + 128)
    assert (dhist(acc, samples, mask, half).lanes(2) - acc.lanes(2)).tolist() == counts[cut].tolist()
    assert (chist(acc, samples, mask, half).lanes(2) - acc.lanes(2)).tolist() == np.cumsum(counts)[cut].tolist()


@pytest.mark.parametrize("width", [1, 2, 4])
def test_selection_by_index(width: int) -> None:
    lanes = 256 // width
    src = VReg(RNG.integers(256, size=256, dtype=np.uint8))
    order = RNG.integers(lanes, size=lanes)
    found = vselr(width, src, VReg.from_lanes(order.astype(f"u{width}")))
    assert found.lanes(width).tolist() == src.lanes(width)[order].tolist()
    if width > 1:
        order[3] = lanes
        assert np.flatnonzero(
            vselr(width, src, VReg.from_lanes(order.astype(f"u{width}"))).lane_poison(width)
        ).tolist() == [3]


@pytest.mark.parametrize(("width", "part"), [(1, 0), (1, 1), (2, 0), (2, 1)])
def test_sign_extension_of_a_half(width: int, part: int) -> None:
    src = VReg(RNG.integers(256, size=256, dtype=np.uint8))
    half = src.data.view(f"i{width}")[part * 128 // width :][: 128 // width]
    assert vsunpack(width, src, 1 if part else 0).data.view(f"i{2 * width}").tolist() == half.tolist()


def test_blocks_are_gathered_by_byte_offsets() -> None:
    memory = Memory.from_bytes(RNG.integers(256, size=1024, dtype=np.uint8))
    offsets = np.zeros(64, np.uint32)
    offsets[:8] = RNG.permutation(32)[:8] * 32
    on = np.zeros(64, np.bool_)
    on[:8] = [1, 0, 1, 1, 0, 1, 1, 1]
    found = vgatherb(memory, 0, VReg.from_lanes(offsets), PReg.from_lanes(on, 4))
    blocks = memory.data().reshape(-1, 32)[offsets[:8] // 32] * on[:8, None]
    assert found.data.tolist() == blocks.ravel().tolist()
    offsets[2] = 8
    with pytest.raises(HardwareFault, match="misaligned"):
        vgatherb(memory, 0, VReg.from_lanes(offsets), PReg.from_lanes(on, 4))
