"""Conversions round once, as libraries do to nearest even and as slow definitions do in every mode."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from layoutsolver_models.hardware.formats import F32, FORMATS, Format, canonical, decode, is_nan
from layoutsolver_models.hardware.rounding import (
    ROUNDINGS,
    Rounding,
    convert,
    convert_exactly,
    encode,
    round_to_integral,
)
from tests.models.hardware import oracle

SMALL_FLOATS = [n for n, f in FORMATS.items() if f.is_float and f.bits < 32]
SATURATE = (False, True)


def patterns(fmt: Format, count: int = 3000) -> npt.NDArray[Any]:
    """Every bit pattern of a format of up to 16 bits; of a wider one random and special ones."""
    if fmt.bits <= 16:
        return np.arange(1 << fmt.bits).astype(fmt.storage)
    rng = np.random.default_rng(fmt.bits + fmt.signed)
    anything = rng.integers(0, 1 << fmt.bits, count, dtype=fmt.storage)
    if fmt.is_float:
        near = (rng.standard_normal(count) * np.exp2(rng.integers(-30, 40, count))).astype(np.float32)
        halves = (rng.integers(-140000, 140000, count) / 2).astype(np.float32)
        edges = np.array([0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 1, 0x80000001], np.uint32)
        return np.concatenate([anything, near.view(np.uint32), halves.view(np.uint32), edges])
    small = anything >> rng.integers(0, fmt.bits, count).astype(fmt.storage)
    edges = np.array([0, 1, -1, 1 << 62, (1 << 63) - 1, -(1 << 63)]).astype(fmt.storage)
    return np.concatenate([anything, small, ~small, edges])


@pytest.mark.parametrize("name", ["f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN"])
def test_two_million_float32_round_to_nearest_even_as_in_the_libraries(name: str) -> None:
    fmt = FORMATS[name]
    bits = np.random.default_rng(5).integers(0, 1 << 32, 2_000_000, dtype=np.uint32)
    values = bits.view(np.float32)
    with np.errstate(all="ignore"):
        want = canonical(fmt, values.astype(fmt.dtype).view(fmt.storage))
    got = convert_exactly(F32, fmt, bits, "rint", False)
    numbers = ~np.isnan(values) if fmt.nan is None else np.True_
    assert np.array_equal(got[numbers], want[numbers])
    assert not got[np.isnan(values)].any() or fmt.nan is not None


@pytest.mark.parametrize("name", SMALL_FLOATS)
@pytest.mark.parametrize("source", ["f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E1M2", "i8", "ui8", "i16", "ui16"])
def test_all_small_inputs_round_to_floats_as_the_list_of_values_says(source: str, name: str) -> None:
    src, dst = FORMATS[source], FORMATS[name]
    bits = patterns(src)
    numbers = decode(src, bits).astype(np.float64)
    for mode, saturate in itertools.product(ROUNDINGS, SATURATE):
        got = convert(src, dst, bits, mode, saturate)
        np.testing.assert_array_equal(got, oracle.rounded(name, numbers, mode, saturate), f"{mode} {saturate}")


@pytest.mark.parametrize("name", SMALL_FLOATS)
def test_float64_rounds_to_floats_as_the_list_of_values_says(name: str) -> None:
    rng = np.random.default_rng(3)
    grid = oracle.finite(name)
    low, high = grid[:-1], grid[1:]
    middles = (low + high) / 2
    beside = [np.nextafter(middles, 0), np.nextafter(middles, np.inf), np.nextafter(low, np.inf), low, middles]
    wild = np.exp2(rng.uniform(-1000, 1000, 1000))
    numbers = np.concatenate([*beside, grid[-1:] * 1.5, wild, [np.inf, np.nan, 5e-324, 0.0]])
    numbers = np.concatenate([numbers, -numbers])
    for mode, saturate in itertools.product(ROUNDINGS, SATURATE):
        got = encode(FORMATS[name], numbers, mode, saturate)
        np.testing.assert_array_equal(got, oracle.rounded(name, numbers, mode, saturate), f"{mode} {saturate}")


@pytest.mark.parametrize("name", list(oracle.INTEGERS))
@pytest.mark.parametrize("source", ["f16", "bf16", "f8E5M2", "f4E2M1FN", "f32"])
def test_floats_round_to_integers_as_rational_numbers_do(source: str, name: str) -> None:
    src, dst = FORMATS[source], FORMATS[name]
    bits = patterns(src, 400)
    step = 1 if bits.size < 2000 else 13
    for mode, saturate in itertools.product(ROUNDINGS, SATURATE):
        got = convert(src, dst, bits, mode, saturate)
        picked = slice(None, None, step)
        want = [oracle.to_integer(name, v, mode, saturate) for v in decode(src, bits)[picked].tolist()]
        assert got[picked].tolist() == want, (mode, saturate)


@pytest.mark.parametrize("source", ["f16", "bf16"])
def test_every_half_rounds_to_16_bit_integers(source: str) -> None:
    src = FORMATS[source]
    bits = patterns(src)
    values = decode(src, bits).tolist()
    for mode in ROUNDINGS:
        assert convert(src, FORMATS["i16"], bits, mode, True).tolist() == [
            oracle.to_integer("i16", v, mode, True) for v in values
        ], mode


@pytest.mark.parametrize(("source", "target"), list(itertools.product(oracle.INTEGERS, oracle.INTEGERS)))
def test_integers_wrap_or_clamp(source: str, target: str) -> None:
    src, dst = FORMATS[source], FORMATS[target]
    bits = patterns(src, 200) if src.bits > 16 else patterns(src)[:: 1 if src.bits == 8 else 37]
    for saturate in SATURATE:
        want = [oracle.to_integer(target, oracle.value(source, int(b)), "rint", saturate) for b in bits]
        assert convert(src, dst, bits, "rint", saturate).tolist() == want


def float32_oracle(number: int, mode: str) -> float:
    """The float32 of an integer, chosen among the neighbours of numpy's conversion, which rounds twice."""
    near = np.float32(number)
    if int(near) == number:
        return float(near)
    around = [np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))]
    low = max(f for f in around if int(f) <= number)
    high = min(f for f in around if int(f) >= number)
    odd_first = sorted((low, high), key=lambda f: int(f.view(np.uint32)) & 1, reverse=True)
    if mode == "odd":
        return float(odd_first[0])
    if mode in ("rint", "round"):
        twice, middle = 2 * number, int(low) + int(high)
        if twice != middle:
            return float(low if twice < middle else high)
        return float(odd_first[1] if mode == "rint" else max(low, high, key=abs))
    return float({"floor": low, "ceil": high, "trunc": min(low, high, key=abs)}[mode])


@pytest.mark.parametrize("source", ["i32", "ui32", "i64", "ui64"])
def test_wide_integers_round_once_to_float32(source: str) -> None:
    src = FORMATS[source]
    top = 1 << 53
    ties = np.array(
        [
            (1 << 62) + 1,
            (1 << 62) + (1 << 38) + 1,
            top + 1,
            (1 << 25) + 2,
            (1 << 25) + 6,
            (1 << 54) + (1 << 30),
            (1 << 54) + (1 << 30) + 1,
        ]
    )
    bits = np.concatenate([patterns(src, 800), ties.astype(src.storage), (-ties).astype(src.storage)])
    for mode in ROUNDINGS:
        want = [float32_oracle(int(oracle.value(source, int(b))), mode) for b in bits]
        assert convert(src, F32, bits, mode).view(np.float32).tolist() == want, mode
        assert convert_exactly(src, F32, bits, mode, False).view(np.float32).tolist() == want, mode


@pytest.mark.parametrize("source", list(FORMATS))
def test_shortcuts_give_the_same_bits_as_integer_arithmetic(source: str) -> None:
    src = FORMATS[source]
    bits = patterns(src)
    bits = bits if bits.size < 20_000 else bits[::7]
    for dst, mode, saturate in itertools.product(FORMATS.values(), ROUNDINGS, SATURATE):
        for some in (bits, bits[:64]):
            got, want = convert(src, dst, some, mode, saturate), convert_exactly(src, dst, some, mode, saturate)
            assert np.array_equal(got, want), (dst, mode, saturate)


@pytest.mark.parametrize("name", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("mode", ROUNDINGS)
def test_whole_numbers_in_the_same_format(name: str, mode: Rounding) -> None:
    fmt = FORMATS[name]
    bits = patterns(fmt, 1000)
    bits = bits if bits.size < 10_000 else bits[::5]
    got = round_to_integral(fmt, bits, mode)
    for before, after in zip(bits.tolist(), got.tolist(), strict=True):
        number, result = float(oracle.value(name, before)), float(oracle.value(name, after))
        if np.isnan(number):
            assert after == oracle.NAN[name]
        elif np.isinf(number):
            assert result == number
        else:
            assert Fraction(result) == oracle.whole(number, mode)
            assert np.signbit(result) == np.signbit(number)


def test_rounding_only_once_matters() -> None:
    number = np.array([(1 << 60) + (1 << 36) + 1], np.int64)
    through_float64 = number.astype(np.float64).astype(np.float32).astype(np.float64).astype(np.int64)
    once = encode(F32, number).view(np.float32).astype(np.float64).astype(np.int64)
    assert through_float64[0] == 1 << 60
    assert once[0] == (1 << 60) + (1 << 37)
    assert not is_nan(F32, encode(F32, number)).any()
