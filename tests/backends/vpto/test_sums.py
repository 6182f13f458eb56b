"""Sums over lanes are made of the elements that the instruction set adds: integers, f16 and f32."""

from __future__ import annotations

import pytest

from layoutsolver.api import LowerOptions, lower
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.source import SourceFile
from layoutsolver.verify.run import verify
from tests.backends.vpto.test_addresses import program, ptr, vreg


def reduced(element: str, lanes: int, groups: int, op: str = "vcadd") -> SourceFile:
    v, m = vreg(lanes, element), f"!pto.vmi.mask<{lanes}xpred>"
    reassoc = ", reassoc" if op == "vcadd" else ""
    text = program(
        element,
        f"%x = pto.vmi.vload %p[%c0] : {ptr(element)} -> {v}",
        f"%m = pto.vmi.create_mask %n : index -> {m}",
        f"%r = pto.vmi.{op} %x, %m {{group = {groups}{reassoc}}} : {v}, {m} -> {vreg(groups, element)}",
        f"pto.vmi.vstore %r, %q[%c0] : {vreg(groups, element)}, {ptr(element)}",
    )
    return SourceFile("f.pto", text)


def said(source: SourceFile) -> list[Diagnostic]:
    return lower(source, LowerOptions("vpto")).diagnostics


@pytest.mark.parametrize(("lanes", "groups"), [(128, 8), (128, 1), (256, 2), (100, 1), (96, 2)])
def test_sums_of_bf16_are_refused_with_what_there_is(lanes: int, groups: int) -> None:
    source = reduced("bf16", lanes, groups)
    (found,) = said(source)
    assert (found.code, found.severity) == ("LS0802", "error")
    wanted = "`vcadd` adds lanes of integers, f16 or f32, not of bf16: convert to f32 before"
    assert any(wanted in note for note in found.notes)
    assert found.primary is not None
    assert source.text[found.primary.span.start :].startswith("pto.vmi.vcadd")
    assert [item.code for item in verify(source).diagnostics] == ["LS0802"]


@pytest.mark.parametrize(("lanes", "groups"), [(128, 32), (64, 16), (100, 50)])
def test_sums_of_bf16_are_made_where_registers_are_added_to_each_other(lanes: int, groups: int) -> None:
    source = reduced("bf16", lanes, groups)
    assert said(source) == []
    assert [item.code for item in verify(source).diagnostics] == []


@pytest.mark.parametrize("element", ["f16", "f32", "i32", "i16"])
def test_sums_of_other_elements_are_written(element: str) -> None:
    assert said(reduced(element, 128, 8)) == []


@pytest.mark.parametrize("op", ["vcmax", "vcmin"])
def test_extremes_of_bf16_are_written(op: str) -> None:
    assert said(reduced("bf16", 128, 8, op)) == []
