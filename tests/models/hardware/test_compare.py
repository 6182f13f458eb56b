"""Comparisons and selection, one lane at a time."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from layoutsolver_models.hardware.compare import COMPARISONS, Comparison, vcmp, vcmps, vsel
from layoutsolver_models.hardware.formats import F32, FORMATS, I8, U8, Format
from layoutsolver_models.hardware.predicate import pge
from layoutsolver_models.hardware.state import PReg, VReg
from tests.models.hardware import oracle

LANES = [f for f in FORMATS.values() if f.bits >= 8]


@pytest.mark.parametrize("fmt", LANES, ids=repr)
@pytest.mark.parametrize("comparison", list(COMPARISONS))
def test_compares_active_lanes(fmt: Format, comparison: Comparison) -> None:
    rng = np.random.default_rng(1)
    a, b = oracle.interesting(fmt, rng), oracle.interesting(fmt, rng)
    same = rng.random(256) < 0.3
    b = VReg(np.where(np.repeat(same[: fmt.lanes], fmt.width), a.data, b.data), rng.random(256) < 0.03)
    holds = getattr(operator, comparison)
    for mask in (oracle.random_predicate(rng, 0.1), PReg.full()):
        got = oracle.bits_of(vcmp(fmt, comparison, a, b, mask))
        for byte in range(256):
            lane, inner = divmod(byte, fmt.width)
            want: bool | None = False
            if inner == 0 and mask.poison[byte]:
                want = None
            elif inner == 0 and mask.bits[byte]:
                x, y = (oracle.value(fmt.name, oracle.lane(r, fmt.width, lane)) for r in (a, b))
                want = None if oracle.poisoned(b, fmt.width, lane) else holds(x, y)
            assert got[byte] == want


def test_nan_is_unequal_and_unordered_and_zeros_are_equal() -> None:
    a = VReg.from_lanes(np.array([np.nan, np.nan, -0.0, 1.0] * 16, np.float32))
    b = VReg.from_lanes(np.array([np.nan, 1.0, 0.0, np.nan] * 16, np.float32))
    want: dict[Comparison, list[int]] = {
        "eq": [0, 0, 1, 0],
        "ne": [1, 1, 0, 1],
        "lt": [0] * 4,
        "gt": [0] * 4,
        "le": [0, 0, 1, 0],
        "ge": [0, 0, 1, 0],
    }
    for comparison, bits in want.items():
        got = vcmp(F32, comparison, a, b, PReg.full()).lanes(4)[:4]
        assert got.tolist() == [bool(bit) for bit in bits], comparison


def test_the_format_decides_the_sign() -> None:
    a = VReg.from_lanes(np.full(256, 255, np.uint8))
    assert vcmps(I8, "lt", a, 1, PReg.full()).bits.all()
    assert vcmps(U8, "gt", a, 1, PReg.full()).bits.all()


@pytest.mark.parametrize("fmt", LANES, ids=repr)
def test_scalars_compare_as_a_register_of_them(fmt: Format) -> None:
    rng = np.random.default_rng(2)
    a, mask = oracle.interesting(fmt, rng), oracle.random_predicate(rng, 0.1)
    scalar = 2 if not fmt.is_float else 0.5
    bits = next(b for b in range(1 << fmt.bits) if oracle.value(fmt.name, b) == scalar) if fmt.bits <= 16 else None
    if bits is not None:
        splat = VReg.from_lanes(np.full(fmt.lanes, bits, fmt.storage))
        assert vcmps(fmt, "le", a, scalar, mask) == vcmp(fmt, "le", a, splat, mask)


def test_sparse_bytes_under_a_coarse_mask_give_a_coarse_mask() -> None:
    data = np.zeros(256, np.uint8)
    data[::4] = np.arange(64)
    got = vcmps(U8, "ge", VReg(data), 10, pge(4, "ALL"))
    assert got == PReg.from_lanes(np.arange(64) >= 10, 4)


@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_selects_lanes_with_their_poison(width: int) -> None:
    rng = np.random.default_rng(3)
    a, b = oracle.random_register(rng, 0.1), oracle.random_register(rng, 0.1)
    for select in (oracle.random_predicate(rng, 0.1), oracle.random_predicate(rng)):
        got = vsel(width, a, b, select)
        for byte in range(256):
            at = byte // width * width
            source = a if select.bits[at] else b
            assert got.data[byte] == source.data[byte]
            assert got.poison[byte] == (bool(source.poison[byte]) or bool(select.poison[at]))
