"""Reductions put the result of the active lanes in lane 0."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from layoutsolver_models.hardware.formats import BF16, F16, F32, FORMATS, I8, I16, I32, U8, U16, U32, Format
from layoutsolver_models.hardware.predicate import pge
from layoutsolver_models.hardware.reduce import sum_format, vcadd, vcmax, vcmin
from layoutsolver_models.hardware.state import PReg, VReg
from tests.models.hardware import oracle

INTEGERS = (I8, U8, I16, U16, I32, U32)
FLOATS = (F16, BF16, F32)


def moderate(fmt: Format, rng: np.random.Generator) -> VReg:
    """A register of finite lanes of which some are equal."""
    if not fmt.is_float:
        return oracle.interesting(fmt, rng)
    return VReg.from_lanes(np.round(rng.standard_normal(fmt.lanes) * 8, 1).astype(fmt.dtype))


def active_values(fmt: Format, reg: VReg, mask: PReg) -> list[tuple[int, float | int]]:
    width = fmt.width
    return [(j, oracle.value(fmt.name, oracle.lane(reg, width, j))) for j in range(fmt.lanes) if mask.bits[j * width]]


@pytest.mark.parametrize("fmt", INTEGERS, ids=repr)
def test_integer_sums_widen_and_wrap(fmt: Format) -> None:
    rng = np.random.default_rng(1)
    out = sum_format(fmt)
    assert out.bits == max(2 * fmt.bits, 32) if fmt.bits == 16 else True
    for mask in (oracle.random_predicate(rng), PReg.full(), PReg.zeros(), pge(4, "ALL")):
        reg = oracle.interesting(fmt, rng)
        total = sum(int(v) for _, v in active_values(fmt, reg, mask))
        assert vcadd(fmt, reg, mask).lanes(out.width).tolist() == [total % (1 << out.bits)] + [0] * (out.lanes - 1)


def test_sum_formats() -> None:
    names = {f.name: sum_format(f).name for f in (*INTEGERS, *FLOATS)}
    assert names == {
        "i8": "i16", "ui8": "ui16", "i16": "i32", "ui16": "ui32", "i32": "i32", "ui32": "ui32",
        "f16": "f16", "bf16": "bf16", "f32": "f32",
    }  # fmt: skip


@pytest.mark.parametrize("fmt", FLOATS, ids=repr)
def test_float_sums_do_not_depend_on_the_order(fmt: Format) -> None:
    rng = np.random.default_rng(2)
    for mask in (oracle.random_predicate(rng), PReg.full(), PReg.zeros()):
        reg = moderate(fmt, rng)
        exact = float(sum(Fraction(v) for _, v in active_values(fmt, reg, mask)))
        want = (
            int(np.float32(exact).view(np.uint32))
            if fmt is F32
            else int(oracle.rounded(fmt.name, np.array([exact]), "rint", False)[0])
        )
        got = vcadd(fmt, reg, mask)
        assert got.lanes(fmt.width).tolist() == [want] + [0] * (fmt.lanes - 1)
    shuffled = VReg.from_lanes(rng.permutation(reg.lanes(fmt.width)))
    assert vcadd(fmt, shuffled, PReg.full()) == vcadd(fmt, reg, PReg.full())


@pytest.mark.parametrize(
    ("lanes", "total"),
    [([math.inf, 1], math.inf), ([math.inf, -math.inf], math.nan), ([math.nan, 1], math.nan), ([3e38, 3e38], math.inf)],
)
def test_special_sums(lanes: list[float], total: float) -> None:
    reg = VReg.from_lanes(np.array(lanes + [0] * 62, np.float32))
    bits = vcadd(F32, reg, PReg.full()).lanes(4)[0]
    assert bits == (oracle.NAN["f32"] if math.isnan(total) else np.float32(total).view(np.uint32))


@pytest.mark.parametrize("fmt", [*INTEGERS, *FLOATS], ids=repr)
def test_extremes_come_with_their_first_index(fmt: Format) -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        reg, mask = moderate(fmt, rng), oracle.random_predicate(rng)
        values = active_values(fmt, reg, mask)
        for run, best in ((vcmax, max), (vcmin, min)):
            extreme = best(v for _, v in values)
            index = next(j for j, v in values if v == extreme)
            got = run(fmt, reg, mask).lanes(fmt.width).tolist()
            assert got == [oracle.lane(reg, fmt.width, index), index] + [0] * (fmt.lanes - 2)


@pytest.mark.parametrize("fmt", [*INTEGERS, *FLOATS], ids=repr)
def test_extremes_of_nothing(fmt: Format) -> None:
    empty = PReg.zeros()
    low, high = (run(fmt, VReg.zeros(), empty).lanes(fmt.width).tolist() for run in (vcmax, vcmin))
    lowest, highest = (-math.inf, math.inf) if fmt.is_float else (fmt.minimum, fmt.maximum)
    assert oracle.value(fmt.name, low[0]) == lowest
    assert oracle.value(fmt.name, high[0]) == highest
    assert not any(low[1:] + high[1:])


def test_extremes_pass_over_nan() -> None:
    reg = VReg.from_lanes(np.array([np.nan, 1, -2, np.nan] + [0] * 60, np.float32))
    assert vcmax(F32, reg, PReg.full()).view(F32)[0] == 1
    assert vcmin(F32, reg, PReg.full()).lanes(4)[1] == 2
    alone = VReg.from_lanes(np.full(64, np.nan, np.float32))
    assert vcmax(F32, alone, PReg.full()).view(F32)[:2].tolist() == [-np.inf, 0]


def test_sparse_data_reduce_as_dense_data_do() -> None:
    rng = np.random.default_rng(4)
    dense = rng.standard_normal(64).astype(np.float16)
    sparse = np.full(128, 1000, np.float16)
    sparse[::2] = dense
    whole, spread = VReg.from_lanes(dense), VReg.from_lanes(sparse)
    assert vcadd(F16, spread, pge(4, "ALL")) == vcadd(F16, whole, pge(2, "VL64"))


@pytest.mark.parametrize("run", [vcadd, vcmax, vcmin])
def test_poison_counts_only_where_it_takes_part(run: object) -> None:
    assert callable(run)
    half = PReg.from_lanes(np.arange(64) < 32, 4)
    late = VReg(np.zeros(256, np.uint8), np.arange(256) >= 128)
    assert not run(F32, late, half).poison.any()
    got = run(F32, late, PReg.full())
    assert got.poison[:4].all()
    assert not got.poison[8:].any()
    unsure = PReg(np.zeros(256, np.bool_), np.arange(256) == 252)
    assert run(F32, VReg.zeros(), unsure).poison[:4].all()
    ignored = PReg(np.zeros(256, np.bool_), np.arange(256) % 4 == 1)
    assert not run(F32, VReg.zeros(), ignored).poison.any()


def test_every_integer_format_has_a_sum() -> None:
    for fmt in FORMATS.values():
        if not fmt.is_float and fmt.bits >= 32:
            assert sum_format(fmt) is fmt
