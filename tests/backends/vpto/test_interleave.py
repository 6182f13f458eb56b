"""Vectors of any length put together by turns and taken apart, run lane by lane."""

from __future__ import annotations

import pytest

from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from tests.pose.vmi.kernels import kernel, pointer, vreg
from tests.support.fuzz_vmi import prove

LENGTHS: dict[str, tuple[int, ...]] = {
    "ui8": (1, 100, 300), "!pto.f4E2M1x2": (3,), "f8E4M3FN": (255,), "f16": (65, 96, 192),
    "f32": (31, 33, 100, 130, 384),
}  # fmt: skip
"""Parts of a register, one and more, some full, of as many registers as can be and others, even and odd."""


def by_turns(element: str, lanes: int, *ops: str) -> str:
    v, p, m = vreg(lanes, element), pointer(element), f"!pto.vmi.mask<{lanes}xpred>"
    lines = [
        line
        for op in ops
        for line in (
            f"%{op}l, %{op}h = pto.vmi.{op} %x, %y, %m : {v}, {v}, {m} -> {v}, {v}",
            f"pto.vmi.store %{op}l, %{op}low[%c0] : {v}, {p}", f"pto.vmi.store %{op}h, %{op}high[%c0] : {v}, {p}",
        )
    ]  # fmt: skip
    memory = "".join(f", %{op}low: {p}, %{op}high: {p}" for op in ops)
    return kernel(
        f"%a: {p}, %b: {p}{memory}", "%c0 = arith.constant 0 : index", f"%x = pto.vmi.load %a[%c0] : {p} -> {v}",
        f"%y = pto.vmi.load %b[%c0] : {p} -> {v}", f'%m = pto.vmi.pset "PAT_ALL" : {m}', *lines,
    )  # fmt: skip


@pytest.mark.parametrize(("element", "lanes"), [(name, count) for name, counts in LENGTHS.items() for count in counts])
def test_both_halves_are_right(element: str, lanes: int) -> None:
    outcome = prove(by_turns(element, lanes, "vintlv", "vdintlv"), rounds=1)
    assert outcome.verdict == "ok", outcome.said


def test_one_lane_of_a_half_that_is_not_moved_is_noticed() -> None:
    text = by_turns("f16", 90, "vdintlv")
    lowered = prove(text, rounds=1).lowered
    assert "arith.constant 90 : i32" in lowered
    changed = lowered.replace("arith.constant 90 : i32", "arith.constant 89 : i32")
    assert not verify_pto(SourceFile("a.pto", text), SourceFile("b.vpto", changed), 1, 1).ok
