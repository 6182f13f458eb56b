"""A second, slow statement of the number formats and of lane access, from their definitions, for the tests alone."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from layoutsolver_models.hardware.formats import FORMATS, Format
from layoutsolver_models.hardware.rounding import Rounding
from layoutsolver_models.hardware.state import PReg, VReg

# exponent bits, mantissa bits, bias, what the topmost exponent holds
FLOATS = {
    "f16": (5, 10, 15, "ieee"),
    "bf16": (8, 7, 127, "ieee"),
    "f32": (8, 23, 127, "ieee"),
    "f8E4M3FN": (4, 3, 7, "one nan"),
    "f8E5M2": (5, 2, 15, "ieee"),
    "f4E2M1FN": (2, 1, 1, "numbers"),
    "f4E1M2": (1, 2, 1, "numbers"),
}
NAN = {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000, "f8E4M3FN": 0x7F, "f8E5M2": 0x7E, "f64": 0x7FF8000000000000}
INTEGERS = {name: (int(name.lstrip("ui")), not name.startswith("u")) for name in FORMATS if name[0] in "iu"}
MODES: tuple[Rounding, ...] = ("rint", "round", "floor", "ceil", "trunc", "odd")


def value(name: str, bits: int) -> float | int:
    """The number that a bit pattern means."""
    if name in INTEGERS:
        size, signed = INTEGERS[name]
        return bits - (1 << size) if signed and bits >> (size - 1) else bits
    exponent_bits, mantissa_bits, bias, top = FLOATS[name]
    sign = -1.0 if bits >> (exponent_bits + mantissa_bits) & 1 else 1.0
    field = bits >> mantissa_bits & ((1 << exponent_bits) - 1)
    fraction = bits & ((1 << mantissa_bits) - 1)
    last = (1 << exponent_bits) - 1
    if top == "ieee" and field == last:
        return math.nan if fraction else sign * math.inf
    if top == "one nan" and field == last and fraction == (1 << mantissa_bits) - 1:
        return math.nan
    if field == 0:
        return sign * math.ldexp(fraction, 1 - bias - mantissa_bits)
    return sign * math.ldexp((1 << mantissa_bits) + fraction, field - bias - mantissa_bits)


@cache
def finite(name: str) -> npt.NDArray[np.float64]:
    """The magnitudes of a float format in order of their bit patterns, and the first one that it lacks."""
    exponent_bits, mantissa_bits, _, top = FLOATS[name]
    count = 1 << (exponent_bits + mantissa_bits)
    count -= {"ieee": 1 << mantissa_bits, "one nan": 1, "numbers": 0}[top]
    values = [float(value(name, bits)) for bits in range(count)]
    step = values[-1] - values[-2]
    return np.array([*values, values[-1] + step])


def rounded(name: str, numbers: npt.NDArray[np.float64], mode: str, saturate: bool) -> npt.NDArray[np.int64]:
    """The bit patterns of float64 numbers in a format of at most 16 bits, by searching the list of its values.

    Midpoints of neighbours have one bit more than they, so float64 holds them exactly.
    """
    grid = finite(name)
    size = 1 + sum(FLOATS[name][:2])
    sign = np.signbit(numbers)
    magnitude = np.abs(np.where(np.isfinite(numbers), numbers, 0.0))
    low = np.minimum(np.searchsorted(grid, magnitude, side="right") - 1, len(grid) - 2)
    beyond = magnitude >= grid[-1]
    below, above = grid[low], grid[low + 1]
    middle = (below + above) / 2
    exact = (magnitude == below) & ~beyond
    odd = low % 2 == 1
    up = {
        "rint": (magnitude > middle) | ((magnitude == middle) & odd),
        "round": magnitude >= middle,
        "floor": sign,
        "ceil": ~sign,
        "trunc": np.zeros(sign.shape, np.bool_),
        "odd": ~odd,
    }[mode] & ~exact
    if mode in ("rint", "round"):
        up |= beyond
    elif mode in ("floor", "ceil"):
        up |= beyond & (sign if mode == "floor" else ~sign)
    code = low + up
    largest = len(grid) - 2
    if mode == "odd":
        code = np.minimum(code, largest)
    over = code > largest
    special = {"ieee": largest + 1, "one nan": None, "numbers": largest}[FLOATS[name][3]]
    out = np.where(over & saturate, largest, code)
    infinite = np.isinf(numbers)
    if special is not None:
        out = np.where((over & (not saturate)) | infinite, largest if saturate else special, out)
    out = np.where(infinite & saturate, largest, out)
    out = out | (sign.astype(np.int64) << (size - 1))
    if special is None and not saturate:
        out = np.where(over | infinite, NAN[name], out)
    nan = NAN.get(name, 0)
    return np.where(np.isnan(numbers), nan, out)


def round_fraction_to_f32(exact: Fraction) -> float:
    """The float32 nearest to a rational in the range of float32, ties to even."""
    near = np.float32(float(exact))
    candidates = [near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))]
    return float(min(candidates, key=lambda c: (abs(Fraction(float(c)) - exact), int(c.view(np.uint32)) & 1)))


def whole(number: float, mode: str) -> int:
    """A number rounded to an integer; float64 holds the rest above the next lower integer."""
    floor = math.floor(number)
    rest = number - floor
    if rest == 0:
        return floor
    if mode == "rint":
        return floor + (rest > 0.5 or (rest == 0.5 and floor % 2 == 1))
    if mode == "round":
        return floor + (rest > 0.5 or (rest == 0.5 and number > 0))
    if mode == "odd":
        return floor if floor % 2 else floor + 1
    return {"floor": floor, "ceil": floor + 1, "trunc": floor + (number < 0)}[mode]


def to_integer(name: str, number: float, mode: str, saturate: bool) -> int:
    """The bit pattern in an integer format of a number."""
    size, signed = INTEGERS[name]
    low, high = (-(1 << (size - 1)), (1 << (size - 1)) - 1) if signed else (0, (1 << size) - 1)
    if math.isnan(number):
        return 0
    if math.isinf(number):
        return ((high if number > 0 else low) if saturate else 0) % (1 << size)
    integer = whole(number, mode)
    if saturate:
        integer = max(low, min(high, integer))
    return integer % (1 << size)


def lane(reg: VReg, width: int, j: int) -> int:
    """The bits of lane j, little-endian."""
    return int.from_bytes(reg.data[j * width : (j + 1) * width].tobytes(), "little")


def poisoned(reg: VReg, width: int, j: int) -> bool:
    """Whether any byte of lane j is poison."""
    return any(bool(p) for p in reg.poison[j * width : (j + 1) * width])


def every(reg: VReg, width: int) -> list[int | None]:
    """All lanes: their bits, or None where a byte is poison."""
    return [None if poisoned(reg, width, j) else lane(reg, width, j) for j in range(256 // width)]


def bits_of(mask: PReg) -> list[bool | None]:
    """All bits of a predicate, None where poison."""
    return [None if p else bool(b) for b, p in zip(mask.bits.tolist(), mask.poison.tolist(), strict=True)]


def random_register(rng: np.random.Generator, poison: float = 0.0) -> VReg:
    """A register of random bytes, each poison with some probability."""
    data = rng.integers(0, 256, 256, dtype=np.uint8)
    return VReg(data, rng.random(256) < poison) if poison else VReg(data)


def random_predicate(rng: np.random.Generator, poison: float = 0.0) -> PReg:
    """A predicate of random bits, each poison with some probability."""
    return PReg(rng.random(256) < 0.6, rng.random(256) < poison) if poison else PReg(rng.random(256) < 0.6)


def interesting(fmt: Format, rng: np.random.Generator) -> VReg:
    """A register of random lanes of a format, among them its extremes, zeros, infinities, NaN and small numbers."""
    bits: npt.NDArray[Any] = rng.integers(0, 1 << fmt.bits, fmt.lanes, dtype=np.uint64)
    if fmt.is_float:
        edges = [
            0,
            fmt.largest,
            1,
            fmt.largest // 2,
            *([fmt.infinity] if fmt.infinity else []),
            *([fmt.nan] if fmt.nan else []),
        ]
        sign = 1 << (fmt.bits - 1)
        edges += [e | sign for e in edges]
        moderate = fmt.lanes // 2
        values = rng.standard_normal(moderate) * np.exp2(rng.integers(-3, 4, moderate))
        bits[:moderate] = values.astype(fmt.dtype).view(fmt.storage)
    else:
        edges = [0, 1, 2, 3, (1 << fmt.bits) - 1, 1 << (fmt.bits - 1), (1 << (fmt.bits - 1)) - 1]
    at = rng.integers(0, fmt.lanes, fmt.lanes // 4)
    bits[at] = rng.choice(np.array(edges, np.uint64), at.size)
    return VReg.from_lanes(bits.astype(fmt.storage))
