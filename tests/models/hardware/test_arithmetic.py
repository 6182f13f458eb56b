"""Elementwise instructions against one lane at a time, for every format and every treatment of inactive lanes."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from layoutsolver_models.hardware import arithmetic as ar
from layoutsolver_models.hardware.formats import BF16, F16, F32, FORMATS, I8, I16, I32, U16, U32, Format
from layoutsolver_models.hardware.lanewise import Inactive
from layoutsolver_models.hardware.state import PReg, VReg
from tests.models.hardware import oracle

INTEGERS = [f for f in FORMATS.values() if not f.is_float]
FLOATS = [f for f in FORMATS.values() if f.is_float and f.bits >= 8]
LANES = [*INTEGERS, *FLOATS]
Scalar = Callable[..., float | int | None]


def to_bits(fmt: Format, number: float | int | None) -> int | None:
    """The bits of a result: an integer wrapped, a float64 rounded to the format."""
    if number is None:
        return None
    if not fmt.is_float:
        return int(number) % (1 << fmt.bits)
    if math.isnan(number):
        return oracle.NAN[fmt.name]
    if fmt is F32:
        with np.errstate(over="ignore"):
            return int(np.float32(number).view(np.uint32))
    return int(oracle.rounded(fmt.name, np.array([number]), "rint", False)[0])


def check(
    fmt: Format,
    run: Callable[[PReg, Inactive], VReg],
    sources: list[VReg],
    scalar: Scalar,
    seed: int,
) -> None:
    """Compare an instruction with a function of one lane, for inactive lanes that are open, zero and merged."""
    rng = np.random.default_rng(seed)
    width = fmt.width
    other = oracle.random_register(rng, 0.1)
    merged = oracle.every(other, width)
    values = [[oracle.value(fmt.name, oracle.lane(s, width, j)) for s in sources] for j in range(256 // width)]
    expected = [to_bits(fmt, scalar(*lane)) for lane in values]
    modes: tuple[Inactive, ...] = ("x", "z", other)
    for mask in (oracle.random_predicate(rng, 0.1), oracle.random_predicate(rng), PReg.full()):
        for inactive in modes:
            got = oracle.every(run(mask, inactive), width)
            for j, want in enumerate(expected):
                if mask.poison[j * width]:
                    want = None
                elif mask.bits[j * width]:
                    want = None if any(oracle.poisoned(s, width, j) for s in sources) else want
                elif inactive == "x":
                    want = None
                elif inactive == "z":
                    want = 0
                else:
                    want = merged[j]
                assert got[j] == want, (fmt, j, values[j], got[j], want)


def operands(fmt: Format, count: int, seed: int) -> list[VReg]:
    rng = np.random.default_rng(seed)
    out = [oracle.interesting(fmt, rng) for _ in range(count)]
    poison = rng.random(256) < 0.03
    return [*out[:-1], VReg(out[-1].data.copy(), poison)]


def division(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b) or (a == 0 and b == 0) or (math.isinf(a) and math.isinf(b)):
        return math.nan
    if b == 0:
        return math.copysign(1, a) * math.copysign(math.inf, b)
    return a / b


def trunc_div(a: int, b: int) -> int | None:
    if b == 0:
        return None
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def trunc_mod(a: int, b: int) -> int | None:
    return None if b == 0 else a - int(trunc_div(a, b) or 0) * b


def float_mod(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return math.nan
    return math.fmod(a, b)


BINARY: dict[str, tuple[Scalar, Scalar | None]] = {
    # of integers, of floats (None: no such form)
    "vadd": (lambda a, b: a + b, lambda a, b: a + b),
    "vsub": (lambda a, b: a - b, lambda a, b: a - b),
    "vmul": (lambda a, b: a * b, lambda a, b: a * b),
    "vdiv": (trunc_div, division),
    "vmod": (trunc_mod, float_mod),
    "vmax": (lambda a, b: a if a > b else b, lambda a, b: a if a > b else b),
    "vmin": (lambda a, b: a if a < b else b, lambda a, b: a if a < b else b),
    "vabs_diff": (lambda a, b: abs(a - b), lambda a, b: abs(a - b)),
}


@pytest.mark.parametrize("fmt", LANES, ids=repr)
@pytest.mark.parametrize("name", list(BINARY))
def test_binary(name: str, fmt: Format) -> None:
    scalar = BINARY[name][fmt.is_float]
    assert scalar is not None
    a, b = operands(fmt, 2, 1)
    check(fmt, lambda m, i: getattr(ar, name)(fmt, a, b, m, i), [a, b], scalar, 2)


@pytest.mark.parametrize("fmt", LANES, ids=repr)
@pytest.mark.parametrize("name", ["vand", "vor", "vxor", "vnot"])
def test_bitwise(name: str, fmt: Format) -> None:
    bits = FORMATS[f"ui{fmt.bits}"]
    a, b = operands(fmt, 2, 3)
    if name == "vnot":
        check(bits, lambda m, i: ar.vnot(fmt, b, m, i), [b], lambda x: ~x, 4)
        return
    scalar = {"vand": lambda x, y: x & y, "vor": lambda x, y: x | y, "vxor": lambda x, y: x ^ y}[name]
    check(bits, lambda m, i: getattr(ar, name)(fmt, a, b, m, i), [a, b], scalar, 4)


@pytest.mark.parametrize("fmt", LANES, ids=repr)
def test_sign_and_relu(fmt: Format) -> None:
    (a,) = operands(fmt, 1, 5)
    check(fmt, lambda m, i: ar.vabs(fmt, a, m, i), [a], abs, 6)
    check(fmt, lambda m, i: ar.vneg(fmt, a, m, i), [a], lambda x: -x, 7)
    check(fmt, lambda m, i: ar.vrelu(fmt, a, m, i), [a], lambda x: x if x >= 0 else 0, 8)


@pytest.mark.parametrize("fmt", INTEGERS, ids=repr)
def test_saturating(fmt: Format) -> None:
    a, b = operands(fmt, 2, 9)

    def clamp(x: int) -> int:
        return max(fmt.minimum, min(fmt.maximum, x))

    check(fmt, lambda m, i: ar.vsadd(fmt, a, b, m, i), [a, b], lambda x, y: clamp(x + y), 10)
    check(fmt, lambda m, i: ar.vssub(fmt, a, b, m, i), [a, b], lambda x, y: clamp(x - y), 11)


def signed(fmt: Format, n: int) -> int:
    n %= 1 << fmt.bits
    return n - (1 << fmt.bits) if n >> (fmt.bits - 1) else n


@pytest.mark.parametrize("fmt", INTEGERS, ids=repr)
def test_shifts(fmt: Format) -> None:
    a, b = operands(fmt, 2, 12)
    rng = np.random.default_rng(13)
    amounts = rng.integers(-fmt.bits - 2, fmt.bits + 3, fmt.lanes).astype(fmt.storage)

    def left(x: int, n: int) -> int:
        places = max(-99, min(99, signed(fmt, n)))
        return x << places if places >= 0 else x >> -places

    def right(x: int, n: int) -> int:
        places = max(-99, min(99, signed(fmt, n)))
        return x >> places if places >= 0 else x << -places

    def up(x: int, n: int) -> int:
        return x << n if n >= 0 else x >> -n

    for amount in (b, VReg.from_lanes(amounts)):
        check(fmt, partial(ar.vshl, fmt, a, amount), [a, amount], left, 14)
        check(fmt, partial(ar.vshr, fmt, a, amount), [a, amount], right, 15)
    for n in (0, 1, 5, fmt.bits - 1, fmt.bits, 200, -1, -fmt.bits):
        check(fmt, partial(ar.vshls, fmt, a, n), [a], partial(up, n=n), 16)
        check(fmt, partial(ar.vshrs, fmt, a, n), [a], partial(up, n=-n), 17)


@pytest.mark.parametrize("fmt", INTEGERS, ids=repr)
def test_rounding_shift(fmt: Format) -> None:
    rng = np.random.default_rng(18)
    a = oracle.interesting(fmt, rng)
    amount = VReg.from_lanes(rng.integers(0, fmt.bits + 3, fmt.lanes).astype(fmt.storage))

    def rounded(x: int, n: int) -> int:
        n %= 1 << fmt.bits
        return 0 if n > fmt.bits else math.floor(Fraction(x, 1 << n) + Fraction(1, 2)) if n else x

    check(fmt, lambda m, i: ar.vrnd(fmt, a, amount, m, i), [a, amount], rounded, 19)
    assert ar.vrnd(I8, ar.splat(I8, 5), ar.splat(I8, 1), PReg.full()).view(I8)[0] == 3


def total(function: Callable[..., float]) -> Scalar:
    """The function with infinity on overflow and NaN outside its domain."""

    def scalar(*xs: float) -> float:
        try:
            return function(*xs)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return scalar


@pytest.mark.parametrize("fmt", FLOATS, ids=repr)
def test_functions(fmt: Format) -> None:
    (a,) = operands(fmt, 1, 20)

    def ln(x: float) -> float:
        return -math.inf if x == 0 else math.log(x)

    def rsqrt(x: float) -> float:
        return math.copysign(math.inf, x) if x == 0 else 1 / math.sqrt(x)

    for name, function in (("vexp", math.exp), ("vln", ln), ("vsqrt", math.sqrt), ("vrsqrt", rsqrt)):
        run = getattr(ar, name)
        check(fmt, partial(run, fmt, a), [a], total(function), 21)


@pytest.mark.parametrize("fmt", FLOATS, ids=repr)
def test_leaky(fmt: Format) -> None:
    a, b = operands(fmt, 2, 22)
    check(fmt, lambda m, i: ar.vprelu(fmt, a, b, m, i), [a, b], lambda x, s: x if x >= 0 else s * x, 23)
    check(fmt, lambda m, i: ar.vlrelu(fmt, b, 0.25, m, i), [b], lambda x: x if x >= 0 else 0.25 * x, 24)


@pytest.mark.parametrize("fmt", LANES, ids=repr)
def test_scalar_operands(fmt: Format) -> None:
    (a,) = operands(fmt, 1, 25)
    for s in (3, -1) if not fmt.is_float else (1.5, -0.0, math.inf):
        t = oracle.value(fmt.name, to_bits(fmt, s) or 0)
        for name in ("vadd", "vmul", "vmax", "vmin"):
            scalar = BINARY[name][fmt.is_float]
            assert scalar is not None
            run = getattr(ar, name + "s")
            check(fmt, partial(run, fmt, a, s), [a], lambda x, f=scalar, t=t: f(x, t), 26)


def fused(fmt: Format, acc: float, a: float, b: float) -> float:
    """The exact sum, as a number that rounds to the format as it does."""
    if not all(map(math.isfinite, (acc, a, b))):
        return acc + a * b
    exact = Fraction(acc) + Fraction(a) * Fraction(b)
    if exact == 0:
        return acc + a * b
    if fmt is F32:
        return oracle.round_fraction_to_f32(exact) if abs(exact) < Fraction(2) ** 127 else float(exact)
    near = float(exact)
    if Fraction(near) == exact:
        return near
    other = math.nextafter(near, math.inf if Fraction(near) < exact else -math.inf)
    return near if np.float64(near).view(np.uint64) & np.uint64(1) else other


@pytest.mark.parametrize("fmt", LANES, ids=repr)
def test_multiply_accumulate(fmt: Format) -> None:
    acc, a, b = operands(fmt, 3, 27)
    scalar: Scalar = (lambda x, y, z: fused(fmt, x, y, z)) if fmt.is_float else (lambda x, y, z: x + y * z)
    check(fmt, lambda m, i: ar.vmula(fmt, acc, a, b, m, i), [acc, a, b], scalar, 28)
    merged = oracle.every(ar.vmula(fmt, acc, a, b, PReg.zeros()), fmt.width)
    assert merged == oracle.every(acc, fmt.width)


def test_the_float32_sum_of_a_product_is_rounded_once() -> None:
    one = 1 + 2.0**-12
    acc, a = ar.splat(F32, 2.0**-24), ar.splat(F32, one)
    exact = Fraction(one) ** 2 + Fraction(2.0**-24)
    got = ar.vmula(F32, acc, a, a, PReg.full()).view(F32)[0]
    assert float(got) == oracle.round_fraction_to_f32(exact)
    separate = np.float32(np.float32(one) * np.float32(one)) + np.float32(2.0**-24)
    assert float(separate) != float(got)


def test_a_sum_just_below_the_middle_of_two_floats_does_not_become_the_middle() -> None:
    acc = 1 + 2.0**-23
    a, b = 1 + 2.0**-23, 2.0**-24 * (1 - 2.0**-23)
    assert acc + a * b == acc + 2.0**-24, "float64 does not tell them apart"
    got = ar.vmula(F32, ar.splat(F32, acc), ar.splat(F32, a), ar.splat(F32, b), PReg.full())
    assert got.view(F32)[0] == np.float32(acc)


@pytest.mark.parametrize("fmt", [I32, U32], ids=repr)
def test_full_products(fmt: Format) -> None:
    a, b = operands(fmt, 2, 29)
    check(fmt, lambda m, i: ar.vmull(fmt, a, b, m, i)[0], [a, b], lambda x, y: x * y, 30)
    check(fmt, lambda m, i: ar.vmull(fmt, a, b, m, i)[1], [a, b], lambda x, y: (x * y) >> 32, 31)


@pytest.mark.parametrize(("fmt", "part"), [(F32, 0), (F16, 0), (F16, 1)], ids=repr)
def test_exponential_of_a_difference(fmt: Format, part: int) -> None:
    a, b = operands(fmt, 2, 32)
    rng = np.random.default_rng(33)
    mask = oracle.random_predicate(rng, 0.1)
    got = oracle.every(ar.vexpdif(fmt, a, b, mask, part, "z"), 4)
    exp = total(lambda x, y: math.exp(x - y))
    for j in range(64):
        k = j if fmt is F32 else 2 * j + part
        w = fmt.width
        want = to_bits(F32, exp(*(oracle.value(fmt.name, oracle.lane(s, w, k)) for s in (a, b))))
        if mask.poison[k * w]:
            want = None
        elif not mask.bits[k * w]:
            want = 0
        elif oracle.poisoned(a, w, k) or oracle.poisoned(b, w, k):
            want = None
        assert got[j] == want


def test_forms_that_do_not_exist_are_refused() -> None:
    reg, mask = VReg.zeros(), PReg.full()
    for wrong in (
        lambda: ar.vexp(I32, reg, mask),
        lambda: ar.vsqrt(I16, reg, mask),
        lambda: ar.vsadd(F32, reg, reg, mask),
        lambda: ar.vssub(F16, reg, reg, mask),
        lambda: ar.vshl(F32, reg, reg, mask),
        lambda: ar.vshrs(BF16, reg, 1, mask),
        lambda: ar.vmull(U16, reg, reg, mask),
        lambda: ar.vexpdif(BF16, reg, reg, mask),
        lambda: ar.vdivfhp(I32, reg, reg, mask),
        lambda: ar.vprelu(I32, reg, reg, mask),
        lambda: ar.vrnd(F32, reg, reg, mask),
        lambda: ar.vln(I8, reg, mask),
        lambda: ar.vrsqrt(I8, reg, mask),
    ):
        with pytest.raises(ValueError, match="has no form for"):
            wrong()


def test_high_precision_division_is_division() -> None:
    a, b = operands(F32, 2, 34)
    assert ar.vdivfhp(F32, a, b, PReg.full(), "z") == ar.vdiv(F32, a, b, PReg.full(), "z")
