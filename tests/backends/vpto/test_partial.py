"""Accesses of vectors that fill no whole number of registers, run on the model against what they mean."""

from __future__ import annotations

import random

import pytest

from layoutsolver.api import LowerOptions, lower
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from layoutsolver.verify.result import Verification
from tests.backends.vpto.test_addresses import BITS, program, ptr, rows, spread, vreg


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
    "bytes that are floats": ("f8E4M3FN", 100, "%c0", "castptr vgather2 vpack"),
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


GROUPED = {
    "in step": (rows("f32", 72, 3, "%c40", "%c40"), "vlds vsel vsts pxor"),
    "in step, of half words": (rows("f16", 120, 5, "%c40", "%c40"), "vlds vsel vsts pxor"),
    "without gaps": (rows("f32", 72, 3, "%c40", "%c24"), "vlds vsts"),
    "out of step": (rows("f32", 300, 4, "%c128", "%c128"), "vldus vsel vselr vstus"),
    "one over the other": (rows("ui8", 300, 3, "%c40", "%c128"), "vldus vselr vsel vstus"),
    "at any stride": (rows("f16", 300, 12, "%s", "%s"), "vldus vselr vsel vstus"),
    "of three words": (rows("f32", 96, 32, "%c5", "%c40"), "vgather2_bc vmuls vscatter"),
    "of three bytes": (rows("i8", 300, 100, "%c5", "%c3"), "vgather2 vmuls"),
    "of five half words": (rows("f16", 200, 40, "%c24", "%c24"), "vgather2 vmuls vscatter"),
    "of blocks": (rows("f16", 160, 10, "%c128", "%c40"), "vsldb"),
    "of blocks of words": (rows("f32", 24, 3, "%c24", "%c24"), "vsldb vsstb"),
    "of one element, spread": (spread("f32", 7, 7, "%c1"), "vlds"),
    "of 25 half words, spread": (spread("f16", 100, 4, "%c1", "%c3"), "vldus vmuls vselr"),
    "of three words, spread": (spread("f32", 12, 4, "%c1"), "vlds vmuls vselr"),
    "of two words, spread": (spread("f32", 300, 150, "%c1"), "vldas vldus vselr"),
    "of six half words, spread": (spread("f16", 240, 40, "%c1", "%c3"), "vldus vmuls vadds vselr"),
    "of three bytes, spread": (spread("ui8", 300, 100, "%c1"), "vgather2 vmuls"),
    "of more than a register, spread": (spread("f32", 200, 2, "%s"), "vlds vsel"),
}
"""Rows, and scalars, for groups whose sizes divide no register, and instructions that move them."""


@pytest.mark.parametrize("name", GROUPED)
def test_groups_of_any_size_are_brought_to_their_places(name: str) -> None:
    text, instructions = GROUPED[name]
    lowered = written(text)
    for instruction in instructions.split():
        assert f"pto.{instruction}" in lowered, (instruction, lowered)
    found = run(text, lowered)
    assert found.ok, [item.message for item in found.diagnostics]


@pytest.mark.parametrize(
    "name", ["out of step", "of three words", "of blocks of words", "of three words, spread", "of two words, spread"]
)
def test_so_they_are_in_memory_of_a_shape(name: str) -> None:
    text, instructions = GROUPED[name]
    text = text.replace(ptr("f32"), "memref<4x4096xf32, #pto.address_space<vec>>")
    text = text.replace("%p[%c0]", "%p[%c3]") if name != "of blocks of words" else text
    lowered = written(text)
    assert "pto.castptr" in lowered
    for instruction in instructions.split():
        assert f"pto.{instruction}" in lowered or instruction == "vlds"
    found = run(text, lowered)
    assert found.ok, [item.message for item in found.diagnostics]


@pytest.mark.parametrize("seed", range(6))
def test_so_are_groups_of_sizes_that_chance_has_picked(seed: int) -> None:
    rng = random.Random(seed)
    element, size, at = rng.choice(("f32", "f16", "ui8")), rng.randrange(1, 70), rng.choice(("%c0", "%c3", "%c24"))
    groups, block = rng.randrange(1, 300 // size + 1), 256 // BITS[element]
    lanes, stride = size * groups, rng.choice((size, size + 1, size + block, 3 * block))
    v, memory = vreg(lanes, element), ptr(element)
    text = program(
        element, f"%d = arith.constant {stride} : index",
        f"%m = pto.vmi.create_mask %n : index -> !pto.vmi.mask<{lanes}xpred>",
        f"%x = pto.vmi.group_load %p[{at}], %d {{num_groups = {groups}}} : {memory} -> {v}",
        f"%y = pto.vmi.group_broadcast_load %p[{at}], %d {{num_groups = {groups}}} : {memory} -> {v}",
        f"%z = pto.vmi.masked_load %p[{at}], %m, %y : {memory}, !pto.vmi.mask<{lanes}xpred>, {v} -> {v}",
        f"pto.vmi.group_store %x, %q[%c0], %d {{num_groups = {groups}}} : {v}, {memory}",
        f"pto.vmi.vstore %z, %p[%c0] : {v}, {memory}",
    )  # fmt: skip
    found = run(text, written(text))
    assert found.ok, [item.message for item in found.diagnostics]


def blocks(lanes: int, stride: str, repeat: str) -> str:
    v, m = vreg(lanes, "f16"), f"!pto.vmi.mask<{lanes}xpred>"
    return program(
        "f16", "%k1 = arith.constant 1 : i16", "%k3 = arith.constant 3 : i16",
        "%d = arith.index_cast %s : index to i16",
        f"%v = pto.vmi.vload %p[%c0] : {ptr('f16')} -> {v}", f"%m = pto.vmi.create_mask %n : index -> {m}",
        f"pto.vmi.stride_store %v, %q[%c128], {stride}, {repeat}, %m : {v}, {ptr('f16')}, i16, i16, {m}",
    )  # fmt: skip


@pytest.mark.parametrize(("stride", "repeat"), [("%k3", "%k1"), ("%d", "%k1"), ("%d", "%d"), ("%k3", "%d")])
def test_blocks_of_part_of_a_register_are_stored_at_any_stride(stride: str, repeat: str) -> None:
    text = blocks(100, stride, repeat)
    lowered = written(text)
    assert lowered.count("pto.vsts ") == 7
    assert run(text, lowered).ok
    assert not run(text, lowered.replace("pto.pxor", "pto.por")).ok


def test_blocks_of_a_second_register_lie_nowhere_that_is_known() -> None:
    result = lower(SourceFile("f.pto", blocks(160, "%k3", "%k1")), LowerOptions("vpto"))
    assert result.text is None
    (said,) = result.diagnostics
    assert said.message == "VMI-UNSUPPORTED: no layout serves `stride_store` here"
    assert any("no document says where the blocks of a second one lie" in note for note in said.notes)


@pytest.mark.parametrize("masked", [False, True])
def test_four_parts_are_put_together_where_the_first_has_a_register_more(masked: bool) -> None:
    v, m = vreg(257, "f32"), "!pto.vmi.mask<257xpred>"
    last = f", %m : {v}, {ptr('f32')}, {m}" if masked else f" : {v}, {ptr('f32')}"
    text = program(
        "f32",
        f'%v = pto.vmi.vload %p[%c0] {{layoutsolver.hint = "d4!"}} : {ptr("f32")} -> {v}',
        f"%m = pto.vmi.create_mask %n : index -> {m}",
        f"pto.vmi.vstore %v, %q[%c0]{last}",
    )
    result = lower(SourceFile("f.pto", text), LowerOptions("vpto"))
    assert result.text is not None, [item.message for item in result.diagnostics]
    assert result.text.count("pto.vintlv") == 4
    assert run(text, result.text).ok


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("in step", "pto.pxor", "pto.por"),
        ("in step", "arith.constant 48 : i32", "arith.constant 49 : i32"),
        ("of three words", "arith.constant 37 : i32", "arith.constant 38 : i32"),
        ("of blocks", '"PAT_VL2"', '"PAT_VL1"'),
    ],
)
def test_rows_at_other_places_are_found(name: str, before: str, after: str) -> None:
    text, _ = GROUPED[name]
    lowered = written(text)
    assert before in lowered, lowered
    assert not run(text, lowered.replace(before, after)).ok


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
