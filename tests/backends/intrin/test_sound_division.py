"""Quotients, remainders and sums that take many intrinsics, held against arithmetic of other libraries."""

from __future__ import annotations

import math

import numpy as np
import pytest

from layoutsolver.verify.memory import special_patterns
from layoutsolver_models.hardware.formats import FORMATS, Format, Lanes, canonical, decode
from layoutsolver_models.hardware.rounding import encode
from tests.support.lowered_rows import LANES, results, sums_of_rows


def operands(fmt: Format, count: int, seed: int) -> Lanes:
    """Bit patterns of every kind: any, special ones, small ones, and of floats those below the normal ones."""
    rng = np.random.default_rng(seed)
    raw = rng.integers(1 << 63, size=count, dtype=np.uint64) * np.uint64(2) + rng.integers(2, size=count).astype("u8")
    anything = raw.astype(fmt.storage)
    special = special_patterns(fmt)
    picked = special[rng.integers(special.size, size=count)]
    below = anything >> rng.integers(fmt.bits // 8, fmt.bits - 1, size=count).astype(fmt.storage)
    small = rng.integers(-300, 300, size=count)
    usual = encode(fmt, small.astype(np.float64)) if fmt.is_float else small.astype(fmt.dtype).view(fmt.storage)
    return np.choose(rng.integers(4, size=count), [anything, picked, below, usual]).astype(fmt.storage)


@pytest.mark.parametrize(("element", "count"), [("f32", 512), ("bf16", 256), ("f16", 512), ("f8E5M2", 1024)])
def test_remainders_of_floats(element: str, count: int) -> None:
    fmt = FORMATS[element]
    left, right = operands(fmt, count, 1), operands(fmt, count, 2)
    with np.errstate(all="ignore"):
        expected = canonical(fmt, encode(fmt, np.fmod(decode(fmt, left), decode(fmt, right))))
    assert results("vmod", element, left, right).tolist() == expected.tolist()


@pytest.mark.parametrize("element", ["f32", "bf16", "f16", "f8E5M2", "f8E4M3FN"])
def test_remainders_of_the_furthest_exponents(element: str) -> None:
    fmt = FORMATS[element]
    left = np.resize(np.array([fmt.largest, fmt.largest - 1, fmt.largest | 1 << fmt.bits - 1], fmt.storage), LANES)
    right = np.resize(
        np.array([1, 3, 2, (2 << fmt.mantissa_bits) - 1, (1 << fmt.mantissa_bits) + 1], fmt.storage), LANES
    )
    expected = encode(fmt, np.fmod(decode(fmt, left), decode(fmt, right)))
    assert results("vmod", element, left, right).tolist() == expected.tolist()


@pytest.mark.parametrize(("element", "count"), [("f32", 2048), ("f16", 1024), ("bf16", 512)])
def test_quotients_of_floats_are_rounded_once(element: str, count: int) -> None:
    fmt = FORMATS[element]
    left, right = operands(fmt, count, 3), operands(fmt, count, 4)
    with np.errstate(all="ignore"):
        if element == "f32":
            exact = (left.view(np.float32) / right.view(np.float32)).view(np.uint32)
        else:
            exact = encode(fmt, decode(fmt, left) / decode(fmt, right))
    assert results("vdivfhp", element, left, right).tolist() == canonical(fmt, exact).tolist()


def test_quotients_at_the_ends_of_the_range() -> None:
    """Halfway between two numbers below the normal ones, next to it, just below the largest number and above it."""
    pairs = [
        (0x00000003, 0x40000000), (0x00000001, 0x40000000), (0x00000001, 0x3FFFFFFF), (0x00FFFFFF, 0x40000000),
        (0x00800001, 0x40000000), (0x7F7FFFFF, 0x3F7FFFFF), (0x7F7FFFFF, 0x3F800000), (0x7F7FFFFE, 0x3F7FFFFF),
        (0x00800000, 0x3F800001), (0x00000001, 0x7F7FFFFF), (0x007FFFFF, 0x00000001), (0x3F800000, 0x007FFFFF),
    ]  # fmt: skip
    left, right = (np.array([pair[side] for pair in pairs] * 16, np.uint32) for side in (0, 1))
    with np.errstate(all="ignore"):
        expected = (left.view(np.float32) / right.view(np.float32)).view(np.uint32)
    assert results("vdivfhp", "f32", left, right).tolist() == expected.tolist()


def of_longs(name: str, left: int, right: int) -> int | None:
    """What an operation makes of two numbers, None where it has no meaning."""
    if name == "vrnd":
        return 0 if right >= 64 else left if right == 0 else (left >> right) + ((left >> (right - 1)) & 1)
    if right == 0:
        return None
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return quotient if name in ("vdiv", "vdivf") else left - quotient * right


@pytest.mark.parametrize("name", ["vdiv", "vmod", "vdivf", "vmodui", "vrnd"])
def test_longs(name: str) -> None:
    fmt = FORMATS["i64"]
    left, right = operands(fmt, 256, 5), operands(fmt, 256, 6)
    if name == "vrnd":
        right[:192] = np.arange(192) % 70
    signs = {"vdiv": (True, True), "vmod": (True, True), "vrnd": (True, False)}.get(name, (False, False))
    numbers = zip(*(side.view(np.int64 if sign else np.uint64).tolist()
                    for side, sign in zip((left, right), signs, strict=True)), strict=True)  # fmt: skip
    found = results(name, "i64", left, right).tolist()
    for (one, other), made in zip(numbers, found, strict=True):
        expected = of_longs(name, one, other)
        assert expected is None or made == expected % (1 << 64), (one, other)


@pytest.mark.parametrize("element", ["f8E4M3FN", "f8E5M2"])
def test_sums_of_bytes_are_rounded_once(element: str) -> None:
    """Of numbers of one size, of any, of special ones, and of many small ones beside a large one."""
    fmt, rng = FORMATS[element], np.random.default_rng(7)
    rows = 90
    left = rng.integers(256, size=(rows, LANES)).astype(np.uint8)
    for number, below in enumerate((0x08, 0x30, 0x50, 0x7B)):
        shape = left[number::6].shape
        left[number::6] = rng.integers(below, size=shape) | rng.integers(2, size=shape) << 7
    left[4::6] = special_patterns(fmt)[rng.integers(special_patterns(fmt).size, size=left[4::6].shape)]
    left[1::6, 5] = 0x70
    right = rng.integers(256, size=left.shape).astype(np.uint8)
    right[::7, 3:] = left[::7, 3:]
    if element == "f8E5M2":  # halfway between two numbers, and the smallest one beside it, which float32 drops
        assert fmt.nan is not None
        for row, smallest in ((11, 0x01), (12, 0x81), (13, 0x00)):
            left[row] = right[row] = 0
            left[row, :3] = encode(fmt, np.array([4096.0, 512.0, 0.0])) | np.array([0, 0, smallest], np.uint8)
            right[row, :3] = fmt.nan
    numbers, others = (decode(fmt, side.ravel()).reshape(side.shape) for side in (left, right))
    for row, found in enumerate(sums_of_rows(element, left.ravel(), right.ravel()).tolist()):
        summed = numbers[row][numbers[row] != others[row]]
        with np.errstate(all="ignore"):
            total = math.fsum(summed) if np.isfinite(summed).all() else summed.sum()
            assert found == canonical(fmt, encode(fmt, np.array([total])))[0], row
