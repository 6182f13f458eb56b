"""That computing narrow floats in float32 rounds as computing them in their own format: over all operands."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from layoutsolver_models.hardware import arithmetic as ar
from layoutsolver_models.hardware.convert import vcvt
from layoutsolver_models.hardware.formats import FORMATS, Format, Lanes
from layoutsolver_models.hardware.state import PReg, VReg

F32 = FORMATS["f32"]
FULL = PReg.full()
BYTES = ("f8E4M3FN", "f8E5M2")
UNARY = (ar.vabs, ar.vneg, ar.vrelu, ar.vexp, ar.vln, ar.vsqrt, ar.vrsqrt)
BINARY = (ar.vadd, ar.vsub, ar.vmul, ar.vdiv, ar.vmax, ar.vmin, ar.vabs_diff, ar.vprelu)


def registers(fmt: Format, bits: Lanes) -> list[VReg]:
    """The registers that hold these bit patterns one after the other."""
    lanes = bits.astype(fmt.storage).reshape(-1, fmt.lanes)
    return [VReg(np.ascontiguousarray(row).view(np.uint8)) for row in lanes]


def by_parts(fmt: Format, sources: list[VReg], compute: Callable[..., VReg]) -> VReg:
    """What the sequence of intrinsics makes: part by part in float32, joined by their bits."""
    total = np.zeros(256, np.uint8)
    for part in range(32 // fmt.bits):
        wide = [vcvt(fmt, F32, source, FULL, part=part) for source in sources]
        total |= vcvt(F32, fmt, compute(*wide), FULL, part=part).data
    return VReg(total)


@pytest.mark.parametrize("name", [*BYTES, "bf16"])
@pytest.mark.parametrize("function", UNARY, ids=lambda function: function.__name__)
def test_functions_of_one_operand(name: str, function: Callable[..., VReg]) -> None:
    fmt = FORMATS[name]
    for source in registers(fmt, np.arange(1 << fmt.bits)):
        wide = by_parts(fmt, [source], lambda one: function(F32, one, FULL))
        assert wide.data.tobytes() == function(fmt, source, FULL).data.tobytes()


@pytest.mark.parametrize("name", BYTES)
@pytest.mark.parametrize("function", BINARY, ids=lambda function: function.__name__)
def test_functions_of_two_operands(name: str, function: Callable[..., VReg]) -> None:
    fmt = FORMATS[name]
    every = registers(fmt, np.arange(256))[0]
    for byte in range(256):
        other = registers(fmt, np.full(256, byte))[0]
        wide = by_parts(fmt, [every, other], lambda one, two: function(F32, one, two, FULL))
        assert wide.data.tobytes() == function(fmt, every, other, FULL).data.tobytes()


def odd_sum(total: VReg, left: VReg, right: VReg) -> VReg:
    """`layoutsolver_backends.intrin.sound.lanes.rounded_to_odd`, on numbers."""
    a, b, c = (register.view(F32) for register in (total, left, right))
    with np.errstate(all="ignore"):
        product = b * c
        rounded = product + a
        back = rounded - product
        error = (product - (rounded - back)) + (a - back)
        bits = rounded.view(np.uint32).copy()
        inexact = ((error > 0) | (error < 0)) & (bits & 1 == 0)
        outward = (error > 0) == (rounded > 0)
    bits[inexact & outward] += np.uint32(1)
    bits[inexact & ~outward] -= np.uint32(1)
    return VReg(bits.view(np.uint8))


@pytest.mark.parametrize("name", BYTES)
def test_sums_of_products(name: str) -> None:
    fmt, rng = FORMATS[name], np.random.default_rng(5)
    for _ in range(400):
        sources = [registers(fmt, rng.integers(0, 256, 256))[0] for _ in range(3)]
        wide = by_parts(fmt, sources, odd_sum)
        assert wide.data.tobytes() == ar.vmula(fmt, sources[0], sources[1], sources[2], FULL).data.tobytes()


def test_sums_of_products_that_float32_alone_rounds_wrongly() -> None:
    fmt = FORMATS["f8E5M2"]
    below, left, right = 0x81, 0x75, 0x3E  # 1.25 times 1.5 is halfway between 1.75 and 2, and a little is taken off
    sources = [registers(fmt, np.full(256, byte))[0] for byte in (below, left, right)]
    plain = by_parts(fmt, sources, lambda acc, a, b: ar.vadd(F32, acc, ar.vmul(F32, a, b, FULL), FULL))
    exact = ar.vmula(fmt, sources[0], sources[1], sources[2], FULL)
    assert plain.data.tobytes() != exact.data.tobytes()
    assert by_parts(fmt, sources, odd_sum).data.tobytes() == exact.data.tobytes()
