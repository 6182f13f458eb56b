"""Operations on the elements that a mask picks, and selections by index, of any length, run lane by lane."""

from __future__ import annotations

import pytest

from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from tests.pose.vmi.kernels import bits_of, kernel, pointer, vreg
from tests.support.fuzz_vmi import prove

ELEMENTS = ("ui8", "f16", "f32")
FULL = {element: 2048 // bits_of(element) for element in ELEMENTS}
SIZES = [(element, lanes) for element, full in FULL.items() for lanes in (1, full - 3, full + 5, 2 * full)]


def mask(lanes: int) -> str:
    return f"!pto.vmi.mask<{lanes}xpred>"


def picked(element: str, lanes: int, *lines: str, by: str = "compared") -> str:
    """A kernel with %x of memory, a mask %m of what is less than in other memory, or of a number; `{i}` are counts."""
    v, p, m, bits = vreg(lanes, element), pointer(element), mask(lanes), bits_of(element)
    compare = 'cmpf "olt"' if element[0] == "f" else 'cmpi "ult"'
    known = {"v": v, "p": p, "m": m, "i": vreg(lanes, f"i{bits}"), "q": pointer(f"i{bits}")}
    return kernel(
        f"%a: {p}, %b: {p}, %c: {p}, %d: {known['q']}, %f: {p}, %g: {p}, %n: index", "%c0 = arith.constant 0 : index",
        f"%x = pto.vmi.load %a[%c0] : {p} -> {v}", f"%y = pto.vmi.load %b[%c0] : {p} -> {v}",
        f"%m = pto.vmi.{compare}, %x, %y : {v}, {v} -> {m}" if by == "compared" else f'%m = pto.vmi.{by} : {m}',
        *(line.format(**known) for line in lines),
    )  # fmt: skip


COMPRESSED = ("%z = pto.vmi.compress %x, %m : {v}, {m} -> {v}", "pto.vmi.store %z, %c[%c0] : {v}, {p}")
STREAMED = ("pto.vmi.compress_store %x, %f[%c0], %m : {v}, {p}, {m}",)
COUNTED = ("%h = pto.vmi.active_prefix_index %m : {m} -> {i}", "pto.vmi.store %h, %d[%c0] : {i}, {q}")
SPREAD = ("%e = pto.vmi.expand_load %b[%c0], %m, %x : {p}, {m}, {v} -> {v}", "pto.vmi.store %e, %g[%c0] : {v}, {p}")


@pytest.mark.parametrize(("element", "lanes"), SIZES)
def test_each_length_is_right(element: str, lanes: int) -> None:
    outcome = prove(picked(element, lanes, *COMPRESSED, *STREAMED, *COUNTED, *SPREAD), rounds=1)
    assert outcome.verdict == "ok", outcome.said


@pytest.mark.parametrize("count", [255, 256, 257])
def test_bytes_of_which_all_of_a_register_are_picked_are_brought_together(count: int) -> None:
    outcome = prove(picked("ui8", 300, *COMPRESSED, by=f'pge "PAT_VL{count}"'), rounds=1)
    assert outcome.verdict == "ok", outcome.said


@pytest.mark.parametrize("element", ELEMENTS)
def test_the_last_bit_of_a_register_counts_for_the_next(element: str) -> None:
    full = FULL[element]
    outcome = prove(picked(element, full + 5, *COUNTED, *SPREAD, by=f'pge "PAT_VL{full + 2}"'), rounds=1)
    assert outcome.verdict == "ok", outcome.said


def test_three_registers_are_brought_together_and_what_is_not_moved_is_noticed() -> None:
    text = picked("f32", 190, *COMPRESSED)
    outcome = prove(text, rounds=1)
    assert outcome.verdict == "ok", outcome.said
    for said, other in (('"lt" : !pto.vreg<64xui32>', '"le" : !pto.vreg<64xui32>'),
                        ("arith.constant 62 : i32", "arith.constant 63 : i32")):  # fmt: skip
        assert said in outcome.lowered
        changed = outcome.lowered.replace(said, other)
        assert not verify_pto(SourceFile("a.pto", text), SourceFile("b.vpto", changed), 2, 1).ok


@pytest.mark.parametrize("lanes", [100, 300])
def test_samples_behind_the_last_are_not_counted(lanes: int) -> None:
    text = picked(
        "ui8", lanes, f"%r = pto.vmi.load %e[%c0] : {pointer('ui16')} -> {vreg(256, 'ui16')}",
        f"%h = pto.vmi.vdhist %r, %x, %m : {vreg(256, 'ui16')}, {{v}}, {{m}} -> {vreg(256, 'ui16')}",
        "%k = pto.vmi.vnot %m : {m} -> {m}",
        f"%z = pto.vmi.vdhist %h, %x, %k : {vreg(256, 'ui16')}, {{v}}, {{m}} -> {vreg(256, 'ui16')}",
        f"pto.vmi.store %z, %e[%c0] : {vreg(256, 'ui16')}, {pointer('ui16')}",
    ).replace("%n: index", f"%e: {pointer('ui16')}")  # fmt: skip
    outcome = prove(text, rounds=1)
    assert outcome.verdict == "ok", outcome.said
    assert "pto.pand" in outcome.lowered


def test_bytes_of_three_registers_are_brought_together_in_lanes_of_16_bits() -> None:
    outcome = prove(picked("ui8", 513, *COMPRESSED), rounds=1)
    assert outcome.verdict == "ok", outcome.said
    assert "pto.vsqz" in outcome.lowered
    assert "!pto.vreg<256xui8>, !pto.mask<b8>" not in outcome.lowered.partition("pto.vsqz")[2]


def test_streams_one_behind_the_other_keep_their_own_lengths() -> None:
    """The third one stores what the first one stored, and a loop stores the same again."""
    text = picked(
        "f32", 64, '%k = pto.vmi.pge "PAT_VL7" : {m}', *STREAMED,
        "pto.vmi.compress_store %x, %b[%c0], %k : {v}, {p}, {m}", "%c1 = arith.constant 1 : index",
        "%c4 = arith.constant 4 : index", "%c64 = arith.constant 64 : index",
        "scf.for %t = %c0 to %c4 step %c1 {{", "%o = arith.muli %t, %c64 : index",
        "pto.vmi.compress_store %x, %c[%o], %m : {v}, {p}, {m}",
        "pto.vmi.compress_store %y, %b[%o], %k : {v}, {p}, {m}", "}}",
    )  # fmt: skip
    outcome = prove(text)
    assert outcome.verdict == "ok", outcome.said
    changed = outcome.lowered.replace('pto.sprclr "AR"\n', "\n")
    assert not verify_pto(SourceFile("a.pto", text), SourceFile("b.vpto", changed), 1, 1).ok


SELECTED = ("%z = pto.vmi.vselr %x, %i : {v}, {i} -> {v}", "pto.vmi.store %z, %c[%c0] : {v}, {p}")


@pytest.mark.parametrize("order", ["ASC", "DESC"])
@pytest.mark.parametrize(("element", "lanes"), [("ui8", 20), ("ui8", 500), ("f16", 129), ("f32", 63),
                                                ("f32", 130), ("f32", 256)])  # fmt: skip
def test_elements_are_selected_from_all_registers(element: str, lanes: int, order: str) -> None:
    bits = bits_of(element)
    base = 0 if order == "ASC" else min(lanes, 1 << bits) - 1
    index = base - (1 << bits) if base >> (bits - 1) else base
    text = picked(
        element, lanes, f"%s = arith.constant {index} : i{bits}",
        f'%i = pto.vmi.vci %s {{{{order = "{order}"}}}} : i{bits} -> {{i}}', *SELECTED, by='pset "PAT_ALL"',
    )  # fmt: skip
    outcome = prove(text, rounds=1)
    assert outcome.verdict == "ok", outcome.said


def test_a_register_that_is_not_selected_from_is_noticed() -> None:
    text = picked("f32", 130, "%i = pto.vmi.load %d[%c0] : {q} -> {i}", *SELECTED, by='pset "PAT_ALL"')
    outcome = prove(text, rounds=1)
    assert outcome.verdict == "ok", outcome.said
    text = picked("f32", 130, "%s = arith.constant 0 : i32", "%i = pto.vmi.vci %s : i32 -> {i}", *SELECTED)
    lowered = prove(text, rounds=1).lowered
    for said, other in (("arith.constant 128 : i32", "arith.constant 127 : i32"),
                        ("arith.constant 63 : i32", "arith.constant 31 : i32")):  # fmt: skip
        assert said in lowered
        assert not verify_pto(SourceFile("a.pto", text), SourceFile("b.vpto", lowered.replace(said, other)), 1, 1).ok


@pytest.mark.parametrize(("element", "lanes", "indices"), [
    ("si32", 256, [at % 2 * 128 + 104 + at // 8 for at in range(192)]),
    ("ui8", 400, [at * 131 % 400 for at in range(40)]), ("f16", 300, [at % 3 * 100 + at // 3 for at in range(150)]),
    ("f8E4M3FN", 300, [299 - at % 2 * 280 for at in range(9)]),
])  # fmt: skip
def test_elements_of_registers_that_come_up_by_turns_are_brought_together(
    element: str, lanes: int, indices: list[int]
) -> None:
    to, type_, shown = vreg(len(indices), element), vreg(lanes, element), ", ".join(map(str, indices))
    memory = pointer(element)
    text = kernel(
        f"%a: {memory}, %b: {memory}", "%c0 = arith.constant 0 : index",
        f"%x = pto.vmi.load %a[%c0] : {memory} -> {type_}", f"%y = pto.vmi.shuffle %x[[{shown}]] : {type_} -> {to}",
        f"pto.vmi.store %y, %b[%c0] : {to}, {memory}",
    )  # fmt: skip
    outcome = prove(text, rounds=1)
    assert outcome.verdict == "ok", outcome.said
