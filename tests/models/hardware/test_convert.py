"""Conversions put converted elements where the part says, for every pair of formats, part, mode and saturation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from layoutsolver_models.hardware import arithmetic as ar
from layoutsolver_models.hardware.convert import CONVERSIONS, vcvt, vtrc
from layoutsolver_models.hardware.formats import F32, FORMATS, I8, I16, I32, U8, U16, U32, Format
from layoutsolver_models.hardware.predicate import pge
from layoutsolver_models.hardware.rounding import ROUNDINGS, Rounding, convert
from layoutsolver_models.hardware.state import PReg, VReg
from tests.models.hardware import oracle

PAIRS = sorted(CONVERSIONS)
BYTES = [pair for pair in PAIRS if all(FORMATS[name].bits >= 8 for name in pair)]
PACKED = [pair for pair in PAIRS if pair not in BYTES]


def parts(src: Format, dst: Format) -> range:
    if 4 in (src.bits, dst.bits):
        return range(4)
    return range(max(src.bits, dst.bits) // min(src.bits, dst.bits))


def one(src: Format, dst: Format, bits: int, mode: Rounding, saturate: bool) -> int:
    return int(convert(src, dst, np.array([bits], src.storage), mode, saturate)[0])


@pytest.mark.parametrize(("source", "target"), BYTES)
def test_elements_go_where_the_part_says(source: str, target: str) -> None:
    src, dst = FORMATS[source], FORMATS[target]
    rng = np.random.default_rng(1)
    reg = oracle.interesting(src, rng)
    reg = VReg(reg.data.copy(), rng.random(256) < 0.05)
    mask = oracle.random_predicate(rng, 0.1)
    ratio = len(parts(src, dst))
    for part, saturate in itertools.product(range(ratio), (False, True)):
        mode = ROUNDINGS[(part + 2 * saturate) % len(ROUNDINGS)]
        open_, zero = (
            oracle.every(vcvt(src, dst, reg, mask, part=part, rounding=mode, saturate=saturate, inactive=i), dst.width)
            for i in ("x", "z")
        )
        for j in range(dst.lanes):
            if dst.width >= src.width:
                k: int | None = j * ratio + part
            else:
                k = j // ratio if j % ratio == part else None
            if k is None:
                assert open_[j] == zero[j] == 0
            elif mask.poison[k * src.width]:
                assert open_[j] is zero[j] is None
            elif not mask.bits[k * src.width]:
                assert (open_[j], zero[j]) == (None, 0)
            elif oracle.poisoned(reg, src.width, k):
                assert open_[j] is zero[j] is None
            else:
                want = one(src, dst, oracle.lane(reg, src.width, k), mode, saturate)
                assert open_[j] == zero[j] == want


@pytest.mark.parametrize(("source", "target"), PACKED)
def test_four_bit_pairs_go_where_the_part_says(source: str, target: str) -> None:
    src, dst = FORMATS[source], FORMATS[target]
    rng = np.random.default_rng(2)
    wide = FORMATS["bf16"]
    reg = oracle.interesting(wide, rng) if src is wide else oracle.random_register(rng)
    reg = VReg(reg.data.copy(), rng.random(256) < 0.05)
    mask = oracle.random_predicate(rng, 0.1)
    for part in range(4):
        open_, zero = (vcvt(src, dst, reg, mask, part=part, inactive=i) for i in ("x", "z"))
        width = 2 if src.bits == 4 else 1
        got_open, got_zero = oracle.every(open_, width), oracle.every(zero, width)
        if src.bits == 4:
            for j in range(128):
                byte = j // 2 * 4 + part
                code = int(reg.data[byte]) >> (4 * (j % 2)) & 15
                want: int | None = one(src, dst, code, "rint", False)
                if mask.poison[byte] or (mask.bits[byte] and reg.poison[byte]):
                    want = None
                on = bool(mask.bits[byte]) or want is None
                assert got_zero[j] == (want if on else 0)
                assert got_open[j] == (want if on else None)
            continue
        for byte in range(256):
            pair, p = divmod(byte, 4)
            lanes = (2 * pair, 2 * pair + 1)
            codes = [one(src, dst, oracle.lane(reg, 2, k), "rint", False) for k in lanes]
            live = [bool(mask.bits[2 * k]) for k in lanes]
            bad = any(mask.poison[2 * k] for k in lanes)
            bad |= any(live[i] and oracle.poisoned(reg, 2, k) for i, k in enumerate(lanes))
            value = sum((codes[i] << 4 * i) if live[i] else 0 for i in range(2))
            if p != part:
                assert got_open[byte] == got_zero[byte] == 0
            else:
                assert got_zero[byte] == (None if bad else value)
                assert got_open[byte] == (None if bad or not all(live) else value)


@pytest.mark.parametrize(("source", "target"), [p for p in BYTES if len(parts(*(FORMATS[n] for n in p))) > 1])
def test_parts_together_cover_every_element_once(source: str, target: str) -> None:
    src, dst = FORMATS[source], FORMATS[target]
    rng = np.random.default_rng(3)
    ratio = len(parts(src, dst))
    if dst.width > src.width:
        reg = oracle.interesting(src, rng)
        halves = [vcvt(src, dst, reg, PReg.full(), part=p).lanes(dst.width) for p in range(ratio)]
        np.testing.assert_array_equal(np.stack(halves, 1).ravel(), convert(src, dst, reg.lanes(src.width)))
        return
    sources = [oracle.interesting(src, rng) for _ in range(ratio)]
    joined = VReg.zeros()
    for p, reg in enumerate(sources):
        joined = ar.vor(dst, joined, vcvt(src, dst, reg, PReg.full(), part=p), PReg.full())
    want = convert(src, dst, np.stack([r.lanes(src.width) for r in sources], 1).ravel())
    np.testing.assert_array_equal(joined.lanes(dst.width), want)


def test_narrow_and_wide_again_is_the_same_for_what_fits() -> None:
    small = VReg.from_lanes(np.arange(-128, 128, dtype=np.int8))
    for narrow, wide, part in ((I8, I32, 3), (I8, I16, 1), (U8, U32, 2), (U8, U16, 0)):
        mask = PReg.full()
        there = vcvt(narrow, wide, small, mask, part=part)
        back = vcvt(wide, narrow, there, mask, part=part)
        ratio = wide.width // narrow.width
        np.testing.assert_array_equal(back.lanes(1)[part::ratio], small.lanes(1)[part::ratio])
        assert back.lanes(1).sum() == small.lanes(1)[part::ratio].sum()


def test_a_coarse_mask_governs_even_parts_of_sparse_data() -> None:
    data = np.zeros(256, np.uint8)
    data[::4] = np.arange(64)
    poison = np.arange(256) % 4 != 0
    got = vcvt(U8, U32, VReg(data, poison), pge(4, "ALL"))
    assert not got.poison.any()
    assert got.lanes(4).tolist() == list(range(64))


def test_what_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="no conversion from f32 to i8"):
        vcvt(F32, I8, VReg.zeros(), PReg.full())
    with pytest.raises(ValueError, match="parts 0 to 3, not 4"):
        vcvt(I8, I32, VReg.zeros(), PReg.full(), part=4)
    with pytest.raises(ValueError, match="parts 0 to 0, not 1"):
        vcvt(I32, F32, VReg.zeros(), PReg.full(), part=1)
    with pytest.raises(ValueError, match="no form for i32"):
        vtrc(I32, VReg.zeros(), "rint", PReg.full())


@pytest.mark.parametrize("name", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("mode", ROUNDINGS)
def test_rounding_to_whole_numbers_is_lane_by_lane(name: str, mode: Rounding) -> None:
    fmt = FORMATS[name]
    rng = np.random.default_rng(4)
    reg = oracle.interesting(fmt, rng)
    mask = oracle.random_predicate(rng, 0.1)
    got = oracle.every(vtrc(fmt, reg, mode, mask, "z"), fmt.width)
    for j in range(fmt.lanes):
        number = float(oracle.value(name, oracle.lane(reg, fmt.width, j)))
        bits = got[j]
        if mask.poison[j * fmt.width]:
            assert bits is None
        elif not mask.bits[j * fmt.width]:
            assert bits == 0
        elif np.isfinite(number):
            assert bits is not None
            assert oracle.value(name, bits) == oracle.whole(number, mode)
        else:
            assert bits == (oracle.NAN[name] if np.isnan(number) else oracle.lane(reg, fmt.width, j))
