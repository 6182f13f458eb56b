"""Whatever layout a value is made in, what is written does what the program means."""

from __future__ import annotations

import pytest

from tests.pose.vmi.kernels import kernel, pointer, vreg
from tests.support.vmi_deep import deep_kernel
from tests.support.vmi_pins import with_each_layout


def mask(lanes: int) -> str:
    return f"!pto.vmi.mask<{lanes}xpred>"


def copied(element: str, lanes: int) -> str:
    v, p, m = vreg(lanes, element), pointer(element), mask(lanes)
    return kernel(
        f"%p: {p}, %q: {p}, %n: index", "%c0 = arith.constant 0 : index", f"%x = pto.vmi.vload %p[%c0] : {p} -> {v}",
        f"%m = pto.vmi.create_mask %n : index -> {m}", f"%k = pto.vmi.vnot %m : {m} -> {m}",
        f"%y = pto.vmi.vmax %x, %x, %m : {v}, {v}, {m} -> {v}", f"pto.vmi.vstore %x, %p[%c0] : {v}, {p}",
        f"pto.vmi.vstore %y, %q[%c0], %k : {v}, {p}, {m}",
    )  # fmt: skip


def spread_again(element: str, lanes: int) -> str:
    """The largest element, everywhere."""
    v, p, m, one = vreg(lanes, element), pointer(element), mask(lanes), vreg(1, element)
    return kernel(
        f"%p: {p}, %q: {p}, %n: index", "%c0 = arith.constant 0 : index", f"%x = pto.vmi.vload %p[%c0] : {p} -> {v}",
        f"%m = pto.vmi.create_mask %n : index -> {m}", f"%y = pto.vmi.vcmax %x, %m : {v}, {m} -> {one}",
        f"%z = pto.vmi.vbrc %y {{group = 1}} : {one} -> {v}", f"pto.vmi.vstore %z, %q[%c0] : {v}, {p}",
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [copied("f32", 16), copied("f16", 100), copied("ui8", 200), spread_again("f32", 4), spread_again("f16", 16)],
    ids=["words of half a register", "halves", "bytes", "four words spread", "halves spread"],
)
def test_each_layout_of_each_value_is_written_right(text: str) -> None:
    found = with_each_layout(text, 18)
    assert len({(one.value, one.layout) for one in found}) >= 4
    assert [one for one in found if one.said] == []


@pytest.mark.parametrize("seed", range(5))
def test_so_are_some_of_random_kernels(seed: int) -> None:
    assert [one for one in with_each_layout(deep_kernel(seed, 3), 4, seed) if one.said] == []
