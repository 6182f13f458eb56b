"""Bit patterns mean the same numbers as in ml_dtypes and in the definitions of the formats."""

from __future__ import annotations

import math

import numpy as np
import pytest

from layoutsolver_models.hardware.formats import (
    F4E1M2,
    F4E2M1FN,
    FORMATS,
    decode,
    is_nan,
    pack_nibbles,
    unpack_nibbles,
)
from layoutsolver_models.hardware.rounding import encode, encode_scalar
from tests.models.hardware import oracle


@pytest.mark.parametrize("name", [n for n, f in FORMATS.items() if f.bits <= 16])
def test_every_bit_pattern_decodes_to_its_definition(name: str) -> None:
    fmt = FORMATS[name]
    bits = np.arange(1 << fmt.bits).astype(fmt.storage)
    want = np.array([oracle.value(name, int(b)) for b in bits], np.float64)
    np.testing.assert_array_equal(decode(fmt, bits).astype(np.float64), want)
    assert (np.signbit(decode(fmt, bits).astype(np.float64)) == np.signbit(want))[~np.isnan(want)].all()
    if fmt.is_float:
        np.testing.assert_array_equal(is_nan(fmt, bits), np.isnan(want))


@pytest.mark.parametrize("name", list(oracle.FLOATS))
def test_canonical_patterns_are_what_they_say(name: str) -> None:
    fmt = FORMATS[name]
    top = oracle.value(name, fmt.largest)
    assert math.isfinite(top)
    if fmt.infinity is not None:
        assert oracle.value(name, fmt.infinity) == math.inf
    if fmt.nan is not None:
        assert math.isnan(oracle.value(name, fmt.nan))
        assert fmt.nan == oracle.NAN[name]
    others = [oracle.value(name, b) for b in range(0, 1 << (fmt.bits - 1), 1 << max(0, fmt.bits - 16))]
    assert all(v <= top for v in others if math.isfinite(v))


@pytest.mark.parametrize("name", [n for n, f in FORMATS.items() if f.is_float and f.bits < 32])
def test_every_number_of_a_format_encodes_to_its_own_pattern(name: str) -> None:
    fmt = FORMATS[name]
    bits = np.arange(1 << fmt.bits).astype(fmt.storage)
    keep = ~is_nan(fmt, bits)
    for mode in oracle.MODES:
        np.testing.assert_array_equal(encode(fmt, decode(fmt, bits)[keep], mode), bits[keep])


def test_four_bit_tables() -> None:
    codes = np.arange(8, dtype=np.uint8)
    assert decode(F4E2M1FN, codes).tolist() == [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    assert decode(F4E1M2, codes).tolist() == [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75]
    assert decode(F4E1M2, codes + np.uint8(8)).tolist() == [-0.0, -0.25, -0.5, -0.75, -1, -1.25, -1.5, -1.75]
    assert decode(F4E1M2, codes | np.uint8(0xF0)).tolist() == decode(F4E1M2, codes).tolist()


def test_nibbles_are_packed_low_first() -> None:
    packed = np.arange(256, dtype=np.uint8)
    codes = unpack_nibbles(packed)
    assert [codes[0x21 * 2], codes[0x21 * 2 + 1]] == [1, 2]
    np.testing.assert_array_equal(pack_nibbles(codes), packed)
    np.testing.assert_array_equal(pack_nibbles(codes | np.uint8(0xA0)), packed)


@pytest.mark.parametrize(
    ("name", "number", "bits"),
    [
        ("i8", 300, 44),
        ("ui8", -1, 255),
        ("i64", -1, (1 << 64) - 1),
        ("f32", 0.1, 0x3DCCCCCD),
        ("f32", 1e39, 0x7F800000),
        ("f16", -0.0, 0x8000),
        ("bf16", 1.00390625, 0x3F80),
        ("bf16", 3, 0x4040),
        ("f8E4M3FN", 500.0, 0x7F),
        ("f8E4M3FN", -500.0, 0x7F),
        ("f8E5M2", 61440.0, 0x7C),
    ],
)
def test_scalars_are_encoded_as_lanes_are(name: str, number: float, bits: int) -> None:
    assert encode_scalar(FORMATS[name], number) == bits


def test_a_fraction_is_no_integer_scalar() -> None:
    with pytest.raises(TypeError, match="format i8"):
        encode_scalar(FORMATS["i8"], 1.5)
