"""Accesses of vectors that fill no whole number of registers, run on the model against what they mean."""

from __future__ import annotations

import pytest

from layoutsolver.api import LowerOptions, lower
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from layoutsolver.verify.result import Verification
from tests.backends.vpto.test_addresses import BITS, program, ptr, vreg


def masked_load(element: str, lanes: int, at: str) -> str:
    v, m = vreg(lanes, element), f"!pto.vmi.mask<{lanes}xpred>"
    return program(
        element, f"%y = pto.vmi.vload %q[%c0] : {ptr(element)} -> {v}", f"%m = pto.vmi.create_mask %n : index -> {m}",
        f"%x = pto.vmi.masked_load %p[{at}], %m, %y : {ptr(element)}, {m}, {v} -> {v}",
        f"pto.vmi.vstore %x, %q[%c0] : {v}, {ptr(element)}",
    )  # fmt: skip


def written(text: str) -> str:
    result = lower(SourceFile("f.pto", text), LowerOptions("vpto"))
    assert result.text is not None, [item.message for item in result.diagnostics]
    return result.text


def run(text: str, lowered: str, size: int = 65536) -> Verification:
    """What comes of two runs with so many bytes behind `%p`."""
    return verify_pto(SourceFile("f.pto", text), SourceFile("f.vpto", lowered), 2, 1, {"%p": size})


LOADED = {
    "whole blocks": ("f32", 96, "%c0", "vlds vsldb"),
    "whole blocks of bytes": ("ui8", 32, "%c0", "vsldb"),
    "whole blocks of half words": ("f16", 208, "%c128", "vlds vsldb"),
    "the last register once more": ("f32", 100, "%c0", "vlds vldus vselr"),
    "the last bytes once more": ("i8", 300, "%c0", "vlds vldus vselr"),
    "a stream": ("f16", 200, "%c3", "vldus vselr"),
    "blocks at an odd place": ("f32", 96, "%c1", "vldus vselr"),
    "a few words": ("f32", 12, "%c1", "vgather2_bc"),
    "a few half words": ("f16", 50, "%c0", "vgather2"),
    "a few bytes": ("ui8", 100, "%c0", "vgather2 vpack"),
    "many bytes": ("i8", 200, "%c5", "vgather2 vdintlv"),
}
"""Elements, how many, where, and the instructions that load them."""


@pytest.mark.parametrize("name", LOADED)
def test_masked_loads_read_their_elements_and_nothing_behind(name: str) -> None:
    element, lanes, at, instructions = LOADED[name]
    text = masked_load(element, lanes, at)
    lowered = written(text)
    for instruction in instructions.split():
        assert f"pto.{instruction} " in lowered, lowered
    found = run(text, lowered)
    assert found.ok, [item.message for item in found.diagnostics]
    exact = (lanes + int(at[2:])) * BITS[element] // 8
    first_alone = text.replace("create_mask %n", "create_mask %c1")
    assert run(first_alone, written(first_alone), exact).ok
    assert not run(first_alone, written(first_alone), exact - 1).ok


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("whole blocks", '"PAT_VL4"', '"PAT_VL3"'),
        ("the last register once more", "arith.constant 36 : index", "arith.constant 35 : index"),
        ("the last register once more", "arith.constant 28 : i32", "arith.constant 27 : i32"),
        ("many bytes", "arith.constant 133 : index", "arith.constant 132 : index"),
        ("a few bytes", '"LOWER"', '"HIGHER"'),
    ],
)
def test_a_register_that_lacks_an_element_is_found(name: str, before: str, after: str) -> None:
    element, lanes, at, _ = LOADED[name]
    text = masked_load(element, lanes, at)
    lowered = written(text)
    assert before in lowered, lowered
    assert not run(text, lowered.replace(before, after)).ok
