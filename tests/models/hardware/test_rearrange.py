"""Moves take every byte where the formula says, with its poison, and their inverses bring it back."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver_models.hardware import rearrange as re
from layoutsolver_models.hardware.formats import FORMATS, I8, I16, Format
from layoutsolver_models.hardware.state import VReg
from tests.models.hardware import oracle

WIDTHS = (1, 2, 4, 8)


def pair(seed: int) -> tuple[VReg, VReg]:
    rng = np.random.default_rng(seed)
    return oracle.random_register(rng, 0.1), oracle.random_register(rng, 0.1)


def cells(*regs: VReg) -> list[tuple[int, bool]]:
    return [c for r in regs for c in zip(r.data.tolist(), r.poison.tolist(), strict=True)]


@pytest.mark.parametrize("width", WIDTHS)
def test_interleaving_alternates_lanes(width: int) -> None:
    a, b = pair(1)
    sources, got = (cells(a), cells(b)), cells(*re.vintlv(width, a, b))
    for byte in range(512):
        lane, inner = divmod(byte, width)
        assert got[byte] == sources[lane % 2][lane // 2 * width + inner]


@pytest.mark.parametrize("width", WIDTHS)
def test_deinterleaving_separates_even_and_odd_lanes(width: int) -> None:
    a, b = pair(2)
    stream = cells(a, b)
    for odd, reg in enumerate(re.vdintlv(width, a, b)):
        for byte, cell in enumerate(cells(reg)):
            lane, inner = divmod(byte, width)
            assert cell == stream[(2 * lane + odd) * width + inner]


registers = st.builds(
    lambda data, poison: VReg(
        np.frombuffer(data, np.uint8).copy(), np.unpackbits(np.frombuffer(poison, np.uint8)) == 1
    ),
    st.binary(min_size=256, max_size=256),
    st.binary(min_size=32, max_size=32),
)


@settings(max_examples=50)
@given(a=registers, b=registers, width=st.sampled_from(WIDTHS))
def test_each_interleaving_undoes_the_other(a: VReg, b: VReg, width: int) -> None:
    assert re.vdintlv(width, *re.vintlv(width, a, b)) == (a, b)
    assert re.vintlv(width, *re.vdintlv(width, a, b)) == (a, b)


@settings(max_examples=50)
@given(a=registers, width=st.sampled_from((1, 2, 4)))
def test_packing_undoes_unpacking(a: VReg, width: int) -> None:
    low, high = (re.vpack(2 * width, re.vzunpack(width, a, p), p) for p in (0, 1))
    half = np.arange(256) < 128
    assert VReg(np.where(half, low.data, high.data), np.where(half, low.poison, high.poison)) == a
    assert not low.data[128:].any()
    assert not low.poison[128:].any()
    assert not high.data[:128].any()


def test_doubling_a_register_spreads_its_elements() -> None:
    a = VReg.from_lanes(np.arange(256, dtype=np.uint8))
    twice = re.vintlv(1, a, a)[0]
    four = re.vintlv(1, twice, twice)[0]
    assert four.lanes(1)[::4].tolist() == list(range(64))
    assert re.vdintlv(1, twice, twice)[0].lanes(1)[:128].tolist() == list(range(128))


@pytest.mark.parametrize("width", [2, 4, 8])
@pytest.mark.parametrize("part", [0, 1])
def test_packing_keeps_low_halves(width: int, part: re.Part) -> None:
    a, _ = pair(3)
    got, source = cells(re.vpack(width, a, part)), cells(a)
    half = width // 2
    for byte in range(128):
        assert got[128 * part + byte] == source[byte // half * width + byte % half]
        assert got[128 * (1 - part) + byte] == (0, False)


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("part", [0, 1])
def test_unpacking_extends_with_zeros(width: int, part: re.Part) -> None:
    a, _ = pair(4)
    got, source = cells(re.vzunpack(width, a, part)), cells(a)
    for byte in range(256):
        lane, inner = divmod(byte, 2 * width)
        want = source[128 * part + lane * width + inner] if inner < width else (0, False)
        assert got[byte] == want


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("amount", [0, 1, 7, 31, 63, 64, 100, -1])
def test_sliding_moves_a_window_over_both(width: int, amount: int) -> None:
    a, b = pair(5)
    stream = cells(a, b)
    got = cells(re.vslide(width, a, b, amount))
    for byte in range(256):
        at = byte + amount * width
        assert got[byte] == (stream[at] if 0 <= at < 512 else (0, True))


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("inactive", ["x", "z"])
def test_duplicates_fill_active_lanes(width: int, inactive: Literal["x", "z"]) -> None:
    rng = np.random.default_rng(6)
    mask = oracle.random_predicate(rng, 0.1)
    for source in (oracle.random_register(rng), VReg.poisoned()):
        for run, lane in ((re.vdup, 0), (re.vdupm, 256 // width - 1)):
            value = oracle.every(source, width)[lane]
            got = oracle.every(run(width, source, mask, inactive), width)
            for j, bits in enumerate(got):
                if mask.poison[j * width]:
                    assert bits is None
                else:
                    rest = None if inactive == "x" else 0
                    assert bits == (value if mask.bits[j * width] else rest)


@pytest.mark.parametrize("fmt", [f for f in FORMATS.values() if f.bits >= 8], ids=repr)
def test_scalars_fill_lanes(fmt: Format) -> None:
    number = 1.5 if fmt.is_float else -2
    lanes = re.vbr(fmt, number).lanes(fmt.width).tolist()
    assert len(set(lanes)) == 1
    assert oracle.value(fmt.name, lanes[0]) == (number if fmt.signed else number % (1 << fmt.bits))
    mask = oracle.random_predicate(np.random.default_rng(7))
    got = re.vdups(fmt, number, mask).lanes(fmt.width)
    np.testing.assert_array_equal(got, np.where(mask.lanes(fmt.width), re.vbr(fmt, number).lanes(fmt.width), 0))
    other = oracle.random_register(np.random.default_rng(8), 0.1)
    merged = re.vdups(fmt, number, mask, other)
    keep = ~np.repeat(mask.lanes(fmt.width), fmt.width)
    np.testing.assert_array_equal(merged.data[keep], other.data[keep])
    np.testing.assert_array_equal(merged.poison[keep], other.poison[keep])
    assert not merged.poison[~keep].any()


@pytest.mark.parametrize("name", ["i8", "ui8", "i16", "i32", "i64", "f16", "f32"])
@pytest.mark.parametrize("order", ["INCREASE", "DECREASE"])
def test_ramps_count_from_their_base(name: str, order: Literal["INCREASE", "DECREASE"]) -> None:
    fmt = FORMATS[name]
    for base in (0, 100, -5) if not fmt.is_float else (0.0, 1.25, 65472.0, -2047.0):
        got = re.vci(fmt, base, order).lanes(fmt.width).tolist()
        for j, bits in enumerate(got):
            exact = base + j if order == "INCREASE" else base - j
            if not fmt.is_float:
                assert bits == exact % (1 << fmt.bits)
            elif name == "f16":
                assert bits == oracle.rounded("f16", np.array([float(exact)]), "rint", False)[0]
            else:
                assert oracle.value(name, bits) == exact


def test_a_fraction_is_no_base_of_integers() -> None:
    with pytest.raises(TypeError, match="format i16"):
        re.vci(I16, 0.5)
    assert re.vbr(I8, 257) == re.vbr(I8, 1)
