"""Fusion regions on the model: values that leave them, tiles that share memory, and what is open of masks."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.inputs import make_inputs
from layoutsolver.verify.pto.program import Options, load_program
from layoutsolver.verify.pto.run import verify_files
from layoutsolver.verify.vmi.readings import READINGS, Reading
from tests.support.fusion_text import F32, PTR, TILE, binary, kernel, load, scaled, store
from tests.verify.pto.texts import codes, compare, notes

GLOBAL = "memref<8x64xf32, #pto.address_space<gm>>"
EXAMPLE = Path(__file__).parents[3] / "examples" / "column_softmax.pto"


PLAIN = kernel(load("%x", "%a"), binary("%y", "vadd", "%x", "%x"), store("%y", "%b"))


@pytest.mark.parametrize("opening", ["%y = pto.fusion_region {", '%y = "pto.fusion_region"() ({'])
def test_a_value_that_a_region_yields_is_its_result(opening: str) -> None:
    closing = f"}} : {F32}" if "()" not in opening else f"}}) : () -> {F32}"
    region = kernel(
        opening, load("%x", "%a"), binary("%z", "vadd", "%x", "%x"), f"pto.yield(%z) : ({F32}) -> ()", closing,
        store("%y", "%b"),
    )  # fmt: skip
    assert compare(PLAIN, region).ok
    other = region.replace("pto.yield(%z)", "pto.yield(%x)")
    assert codes(compare(PLAIN, other)) == ["LS0707"]


def test_an_empty_region_in_both_forms() -> None:
    body = [load("%x", "%a"), binary("%y", "vadd", "%x", "%x"), store("%y", "%b")]
    custom = kernel("pto.fusion_region {", *body, "pto.yield() : () -> ()", "}")
    generic = kernel('"pto.fusion_region"() ({', *body, "pto.yield() : () -> ()", "}) : () -> ()")
    assert compare(PLAIN, custom).ok
    assert compare(custom, generic).ok
    without = custom.replace(store("%y", "%b"), "")
    assert codes(compare(custom, without)) == ["LS0707"]


def test_tiles_at_one_address_are_one_memory_whatever_their_type() -> None:
    again = kernel(
        "%same = arith.constant 2048 : i64",
        "%tile_q = pto.pointer_cast(%same) : memref<16x128xbf16, #pto.address_space<vec>>",
        f"%q = pto.castptr %tile_q : memref<16x128xbf16, #pto.address_space<vec>> -> {PTR}",
        load("%x", "%a"), binary("%y", "vadd", "%x", "%x"), store("%y", "%q"),
    )  # fmt: skip
    assert compare(PLAIN, again).ok
    elsewhere = again.replace("%same = arith.constant 2048", "%same = arith.constant 4096")
    assert set(codes(compare(PLAIN, elsewhere))) == {"LS0707"}


def test_a_tile_elsewhere_than_in_the_unified_buffer_is_refused() -> None:
    cast = "%tile_b = pto.pointer_cast(%at_b) : "
    elsewhere = PLAIN.replace(cast + TILE, cast + GLOBAL)
    found = compare(PLAIN, elsewhere.replace(f"%tile_b : {TILE}", f"%tile_b : {GLOBAL}"))
    assert codes(found) == ["LS0703"]


def test_a_loop_around_a_region_with_a_carried_value() -> None:
    plain = kernel(
        load("%x", "%a"),
        f"%r = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %x) -> ({F32}) {{",
        "%o = arith.muli %i, %c64 : index", load("%v", "%a", "%o"), binary("%t", "vadd", "%s", "%v"),
        f"scf.yield %t : {F32}", "}", store("%r", "%b"),
    )  # fmt: skip
    inside = plain.replace(load("%x", "%a"), "pto.fusion_region {\n" + load("%x", "%a")).replace(
        store("%r", "%b"), store("%r", "%b") + "\npto.yield() : () -> ()\n}"
    )
    assert compare(plain, inside).ok
    assert codes(compare(plain, inside.replace("%c8 step", "%c1 step"))) == ["LS0707"]


PARTIAL = kernel(load("%x", "%a"), store("%x", "%b", mask="%half"))


def test_a_partial_store_that_fills_in_zeros_is_told_from_one_that_does_not() -> None:
    merging = kernel(load("%x", "%a"), store("%x", "%b", mask="%half", attrs=' {pmode = "merge"}'))
    found = compare(PARTIAL, merging)
    assert codes(found) == ["LS0707"]
    assert any("zeros are stored" in note for note in notes(found))
    assert compare(PARTIAL, PARTIAL).ok
    assert compare(merging, merging).ok


def test_what_a_mask_leaves_out_of_a_result_is_read_in_both_ways() -> None:
    kept = kernel(load("%x", "%a"), scaled("%y", "%x", "%half"), store("%y", "%b"))
    zero = kernel(load("%x", "%a"), scaled("%y", "%x", "%half", ' {pmode = "zero"}'), store("%y", "%b"))
    found = compare(kept, zero)
    assert codes(found) == ["LS0707"]
    assert any("sources pass" in note for note in notes(found))
    dropped = kernel(load("%x", "%a"), binary("%y", "vadd", "%x", "%x", "%half"), store("%y", "%b"))
    full = kernel(load("%x", "%a"), binary("%y", "vadd", "%x", "%x"), store("%y", "%b"))
    assert codes(compare(dropped, full)) == ["LS0707"]
    assert compare(dropped, dropped).ok


def test_only_readings_that_matter_are_run() -> None:
    assert compare(PLAIN, PLAIN).runs == 4
    assert compare(PARTIAL, PARTIAL).runs == 8
    both = kernel(load("%x", "%a"), scaled("%y", "%x", "%half"), store("%y", "%b", mask="%half"))
    assert compare(both, both).runs == 16


@pytest.mark.parametrize(("reading", "expected"), [(READINGS[0], "kept"), (READINGS[1], "zero")])
def test_bytes_behind_a_partial_store(reading: Reading, expected: str) -> None:
    found = load_program(SourceFile("k.pto", PARTIAL))
    inputs = make_inputs(found.graph, found.graph.functions[0], 1, 0)
    before = inputs.allocations[0].memory.data()[2048 + 128 : 2048 + 256]
    after = found.run(found.graph.functions[0], inputs, Options(reading=reading)).ram.memories[0].data()
    assert (after[2048 + 128 : 2048 + 256] == (before if expected == "kept" else 0)).all()
    assert before.any()


def test_the_softmax_runs_and_is_right() -> None:
    source = SourceFile(EXAMPLE.name, EXAMPLE.read_text(encoding="utf-8"))
    said, found = verify_files(source, source, 2, 1)
    assert said == []
    assert found is not None
    assert found.ok
