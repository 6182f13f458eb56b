"""Vectors of any length put together by turns and taken apart, run lane by lane."""

from __future__ import annotations

import pytest

from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from tests.pose.vmi.kernels import kernel, pointer, vreg
from tests.support.fuzz_vmi import prove

LENGTHS: dict[str, tuple[int, ...]] = {
    "ui8": (1, 2, 100, 129, 257, 300), "!pto.f4E2M1x2": (3, 200), "f8E4M3FN": (128, 255), "f16": (7, 65, 96, 192, 384),
    "f32": (1, 31, 33, 62, 64, 65, 100, 130, 192, 512),
}  # fmt: skip
"""Parts of a register, one and more, some full, of as many registers as can be and others, even and odd."""


def by_turns(op: str, element: str, lanes: int) -> str:
    v, p, m = vreg(lanes, element), pointer(element), f"!pto.vmi.mask<{lanes}xpred>"
    return kernel(
        f"%a: {p}, %b: {p}, %c: {p}, %d: {p}", "%c0 = arith.constant 0 : index",
        f"%x = pto.vmi.load %a[%c0] : {p} -> {v}", f"%y = pto.vmi.load %b[%c0] : {p} -> {v}",
        f'%m = pto.vmi.pset "PAT_ALL" : {m}',
        f"%l, %h = pto.vmi.{op} %x, %y, %m : {v}, {v}, {m} -> {v}, {v}",
        f"pto.vmi.store %l, %c[%c0] : {v}, {p}", f"pto.vmi.store %h, %d[%c0] : {v}, {p}",
    )  # fmt: skip


@pytest.mark.parametrize("op", ["vintlv", "vdintlv"])
@pytest.mark.parametrize(("element", "lanes"), [(name, count) for name, counts in LENGTHS.items() for count in counts])
def test_both_halves_are_right(op: str, element: str, lanes: int) -> None:
    outcome = prove(by_turns(op, element, lanes), rounds=1)
    assert outcome.verdict == "ok", outcome.said


def test_one_lane_of_a_half_that_is_not_moved_is_noticed() -> None:
    text = by_turns("vdintlv", "f16", 90)
    lowered = prove(text, rounds=1).lowered
    assert "arith.constant 90 : i32" in lowered
    changed = lowered.replace("arith.constant 90 : i32", "arith.constant 89 : i32")
    assert not verify_pto(SourceFile("a.pto", text), SourceFile("b.vpto", changed), 1, 1).ok
