"""Every conversion of VPTO, every part, on every lane, against numpy and ml_dtypes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from layoutsolver.verify.pto.program import StoppedError
from layoutsolver.verify.vpto.convert import CONTRACTS, PARTS, Contract
from layoutsolver_models.hardware.hifloat import VALUES
from layoutsolver_models.hardware.state import Bytes
from tests.verify.pto.pairs import ALL, bits, ptr, reg
from tests.verify.pto.texts import function, leave, pointers

DTYPES: dict[str, Any] = {
    "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2, "ui8": np.uint8, "si8": np.int8, "ui16": np.uint16, "si16": np.int16,
    "ui32": np.uint32, "si32": np.int32, "si64": np.int64,
}  # fmt: skip
F4 = {
    "!pto.f4E2M1x2": [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6],
    "!pto.f4E1M2x2": [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, -0.0, -0.25, -0.5, -0.75, -1, -1.25, -1.5, -1.75],
}
RNG = np.random.default_rng(3)
CASES = [(source, target, part, contract) for (source, target), contract in CONTRACTS.items()
         for part in (PARTS[contract.parts] if contract.parts > 1 else ("",))]  # fmt: skip


def converted(source: str, target: str, data: Bytes, attrs: str) -> Bytes:
    """The register that a conversion of a register makes."""
    width = min(bits(target), 32)
    text = function(
        pointers(p=source, q=target), ALL[8], ALL[16], ALL[32],
        f"%x = pto.vlds %p[%c0] : {ptr(source)} -> {reg(source)}",
        f"%y = pto.vcvt %x, %m{min(bits(source), 32)} {{{attrs}}} : {reg(source)}, !pto.mask<b{min(bits(source), 32)}> "
        f"-> {reg(target)}",
        f"pto.vsts %y, %q[%c0], %m{width} : {reg(target)}, {ptr(target)}, !pto.mask<b{width}>",
    )  # fmt: skip
    return leave(text, data, np.zeros(256, np.uint8))[1]


def attributes(contract: Contract, part: str, rounding: str = "R", saturation: str = "SAT") -> str:
    """The attributes that a conversion has to have."""
    found = [f'part = "{part}"'] if part else []
    found += [f'rnd = "{rounding}"'] if contract.letters else []
    found += [f'sat = "{saturation}"'] if contract.saturates else []
    return ", ".join(found)


def numbers(name: str) -> npt.NDArray[Any]:
    """Numbers that fill a register of a type, small enough for every target."""
    count = 2048 // bits(name)
    values = RNG.integers(-100, 100, count) / (8 if "f" in name else 1)
    return (np.abs(values) if name.startswith("ui") else values).astype(DTYPES[name])


def to(name: str, values: npt.NDArray[Any], saturates: bool = True) -> npt.NDArray[Any]:
    """Numbers rounded to nearest even in a type, clamped to its range or with their low bits only."""
    wide = values.astype(np.float64)
    dtype = np.dtype(DTYPES[name])
    if "f" in name:
        return wide.astype(np.float32).astype(dtype)
    if not saturates:
        return np.rint(wide).astype(np.int64).astype(dtype)
    ends = np.iinfo(dtype)
    return np.clip(np.rint(wide), ends.min, ends.max).astype(dtype)


@pytest.mark.parametrize(
    ("source", "target", "part", "contract"), [case for case in CASES if "!pto" not in str(case[:2])]
)
def test_parts_pair_lanes(source: str, target: str, part: str, contract: Contract) -> None:
    values = numbers(source)
    found = converted(source, target, values.view(np.uint8), attributes(contract, part))
    number = PARTS[contract.parts][part] if part else 0
    made = found.view(DTYPES[target])
    if bits(target) >= bits(source):
        assert made.tolist() == to(target, values[number :: contract.parts], contract.saturates).tolist()
    else:
        wanted = np.zeros(made.size, DTYPES[target])
        wanted[number :: contract.parts] = to(target, values)
        assert made.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("part", PARTS[4])
@pytest.mark.parametrize("source", ["f8E4M3FN", "f8E5M2"])
def test_every_code_of_eight_bits_widens(source: str, part: str) -> None:
    codes = np.arange(256, dtype=np.uint8)
    found = converted(source, "f32", codes, f'part = "{part}"').view(np.float32)
    wanted = codes.view(DTYPES[source]).astype(np.float32)[PARTS[4][part] :: 4]
    assert np.array_equal(found, wanted, equal_nan=True)
    assert np.signbit(found[~np.isnan(found)]).tolist() == np.signbit(wanted[~np.isnan(wanted)]).tolist()


@pytest.mark.parametrize("part", PARTS[4])
@pytest.mark.parametrize("source", F4)
def test_every_pair_of_four_bits_widens_low_nibble_first(source: str, part: str) -> None:
    codes = RNG.permutation(256).astype(np.uint8)
    found = converted(source, "bf16", codes, f'part = "{part}"').view(ml_dtypes.bfloat16)
    taken = codes[PARTS[4][part] :: 4]
    wanted = np.array([F4[source][code] for byte in taken for code in (byte & 15, byte >> 4)], ml_dtypes.bfloat16)
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("part", PARTS[4])
@pytest.mark.parametrize("target", F4)
def test_every_pair_of_four_bits_comes_back(target: str, part: str) -> None:
    codes = RNG.integers(256, size=64, dtype=np.uint8)
    wide = np.array([F4[target][code] for byte in codes for code in (byte & 15, byte >> 4)], ml_dtypes.bfloat16)
    found = converted("bf16", target, wide.view(np.uint8), f'part = "{part}", rnd = "R"')
    wanted = np.zeros(256, np.uint8)
    wanted[PARTS[4][part] :: 4] = codes
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize(("target", "largest"), [("f8E4M3FN", 448.0), ("f8E5M2", 57344.0)])
def test_floats_saturate_or_overflow(target: str, largest: float) -> None:
    values = np.full(64, 1e30, np.float32)
    clamped = converted("f32", target, values.view(np.uint8), 'part = "P0", rnd = "R", sat = "SAT"')
    assert float(clamped.view(DTYPES[target])[0]) == largest
    over = converted("f32", target, values.view(np.uint8), 'part = "P0", rnd = "R", sat = "NOSAT"')
    assert not np.isfinite(over.view(DTYPES[target]).astype(np.float32)[0])


@pytest.mark.parametrize("rounding", "RAFCZ")
def test_roundings_to_integers(rounding: str) -> None:
    values = (np.arange(64) - 32).astype(np.float32) / 4
    roundings: dict[str, Any] = {
        "R": np.rint, "A": lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5), "F": np.floor, "C": np.ceil, "Z": np.trunc,
    }  # fmt: skip
    found = converted("f32", "si32", values.view(np.uint8), f'rnd = "{rounding}", sat = "SAT"').view(np.int32)
    assert found.tolist() == roundings[rounding](values).astype(np.int32).tolist()


@pytest.mark.parametrize(
    ("source", "target", "attrs", "what"),
    [("f32", "f16", 'part = "EVEN"', "needs `rnd`"), ("f16", "f32", 'part = "EVEN", sat = "SAT"', "takes no `sat`"),
     ("f16", "f32", 'part = "P0"', "not one of EVEN, ODD"), ("f8E4M3FN", "f16", 'part = "EVEN"', "has no form"),
     ("f32", "f8E4M3FN", 'part = "P0", rnd = "F", sat = "SAT"', "not documented"),
     ("f32", "f8E4M3FN", 'part = "P0", rnd = "H", sat = "SAT"', "not documented"),
     ("!pto.f8E8M0", "f32", 'part = "P0"', "no document describes"),
     ("f32", "!pto.hif8", 'part = "P0", rnd = "H", sat = "SAT"', "not documented")],
)  # fmt: skip
def test_conversions_that_are_not_there_are_named(source: str, target: str, attrs: str, what: str) -> None:
    with pytest.raises(StoppedError, match=what):
        converted(source, target, np.zeros(256, np.uint8), attrs)


def test_every_code_of_hifloat_widens_and_comes_back() -> None:
    codes = np.arange(256, dtype=np.uint8)
    wide = {part: converted("!pto.hif8", "f32", codes, f'part = "{part}"') for part in PARTS[4]}
    for part, number in PARTS[4].items():
        assert np.array_equal(wide[part].view(np.float32), VALUES[number::4].astype(np.float32), equal_nan=True)
        back = converted("f32", "!pto.hif8", wide[part], f'part = "{part}", rnd = "A", sat = "SAT"')
        assert back[number::4].tolist() == codes[number::4].tolist()
    halves = np.array([VALUES[code] if abs(VALUES[code]) >= 2.0**-14 else 0.0 for code in range(128)], np.float16)
    found = converted("f16", "!pto.hif8", halves.view(np.uint8), 'part = "ODD", rnd = "A", sat = "SAT"')
    assert [code for code in found[1::2].tolist() if code] == [c for c in range(1, 128) if VALUES[c] >= 2.0**-14]


def test_what_is_beyond_the_largest_hifloat_is_open() -> None:
    values = np.full(64, 1e6, np.float32)
    values[1::2] = 3.0
    found = converted("f32", "!pto.hif8", values.view(np.uint8), 'part = "P0", rnd = "A", sat = "SAT"')
    assert set(found[0::8].tolist()) == {0xEE}
    assert VALUES[found[4::8]].tolist() == [3.0] * 32


@pytest.mark.parametrize("target", ["f16", "f8E4M3FN", "f8E5M2"])
def test_saturation_makes_zero_of_nan(target: str) -> None:
    values = np.full(64, np.nan, np.float32)
    part = "EVEN" if target == "f16" else "P0"
    for saturation, is_zero in (("SAT", True), ("NOSAT", False)):
        found = converted("f32", target, values.view(np.uint8), f'part = "{part}", rnd = "R", sat = "{saturation}"')
        assert (not found.any()) is is_zero
