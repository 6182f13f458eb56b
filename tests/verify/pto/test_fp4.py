"""The conversion of packed FP4 pairs: which parts go with which load, and what is said of the wrong ones."""

from __future__ import annotations

import pytest

from tests.verify.pto.texts import codes, compare, function, notes, pointers

F4, BF = "!pto.f4E2M1x2", "!pto.bf16x2"
ARGUMENTS = pointers(src=F4, dst=BF)
BYTES, HALVES, PAIRS = f"!pto.vreg<256x{F4}>", "!pto.vreg<128xbf16>", f"!pto.vreg<64x{BF}>"
VMI = function(
    ARGUMENTS,
    f"%x = pto.vmi.vload %src[%c0] : !pto.ptr<{F4}, ub> -> !pto.vmi.vreg<128x{F4}>",
    f"%y = pto.vmi.vcvt %x : !pto.vmi.vreg<128x{F4}> -> !pto.vmi.vreg<128x{BF}>",
    f"pto.vmi.vstore %y, %dst[%c0] : !pto.vmi.vreg<128x{BF}>, !pto.ptr<{BF}, ub>",
)
MASKS = ('%m8 = pto.pset_b8 "PAT_ALL" : !pto.mask<b8>', '%m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>')


def load(name: str, at: int, dist: str) -> str:
    return f'%{name} = pto.vlds %src[%c{at}] {{dist = "{dist}"}} : !pto.ptr<{F4}, ub> -> {BYTES}'


def convert(name: str, source: str, part: str) -> tuple[str, str]:
    return (f'%h{name} = pto.vcvt %{source}, %m8 {{part = "{part}"}} : {BYTES}, !pto.mask<b8> -> {HALVES}',
            f"%{name} = pto.vbitcast %h{name} : {HALVES} -> {PAIRS}")  # fmt: skip


def store(name: str, at: int) -> str:
    return f"pto.vsts %{name}, %dst[%c{at}], %m : {PAIRS}, !pto.ptr<{BF}, ub>, !pto.mask<b32>"


def interleaved(first: str, second: str, element: str = PAIRS) -> str:
    casts = ""
    if element != PAIRS:
        casts = "b"
    both = f"%{first}{casts}, %{second}{casts}"
    return f"%l{casts}, %u{casts} = pto.vintlv {both} : {element}, {element} -> {element}, {element}"


def from_unpacked(first: str, second: str) -> str:
    return function(ARGUMENTS, *MASKS, load("x", 0, "UNPK_B8"), *convert("p", "x", first), *convert("q", "x", second),
                    interleaved("p", "q"), store("l", 0), store("u", 64))  # fmt: skip


FROM_QUARTERS = function(
    ARGUMENTS, *MASKS, load("x", 0, "UNPK4"), load("y", 64, "UNPK4"), *convert("p", "x", "P0"),
    *convert("q", "y", "P0"), store("p", 0), store("q", 64),
)  # fmt: skip


@pytest.mark.parametrize("text", [FROM_QUARTERS, from_unpacked("P0", "P2")])
def test_parts_that_fit_the_load_are_right(text: str) -> None:
    found = compare(VMI, text)
    assert found.ok, found.diagnostics
    assert found.runs == 4


def test_consecutive_parts_of_an_unpacking_load_lose_every_second_pair() -> None:
    found = compare(VMI, from_unpacked("P0", "P1"))
    assert set(codes(found)) == {"LS0707"}
    assert "64 of 128 pairs of `%src` never reach memory: 1, 3, 5, 7, 9, 11, 13, 15, …" in notes(found)
    blamed = [label for item in found.diagnostics for label in item.secondary if "P1" in label.text]
    assert blamed
    assert blamed[0].text == "part P1 reads only lanes that a load has filled in"
    line = blamed[0].source.position(blamed[0].span.start).line
    assert 'part = "P1"' in blamed[0].source.line_text(line)


def test_a_pair_is_interleaved_as_a_whole() -> None:
    """Interleaving at 16 bits would take pairs apart."""
    text = from_unpacked("P0", "P2")
    text = text.replace("%p = pto.vbitcast %hp", "%p_ = pto.vbitcast %hp").replace(
        "%q = pto.vbitcast %hq", "%q_ = pto.vbitcast %hq"
    )
    text = text.replace(f"pto.vintlv %p, %q : {PAIRS}, {PAIRS} -> {PAIRS}, {PAIRS}",
                        f"pto.vintlv %hp, %hq : {HALVES}, {HALVES} -> {HALVES}, {HALVES}")  # fmt: skip
    text = text.replace("%l, %u =", "%l_, %u_ =")
    casts = f"  %l = pto.vbitcast %l_ : {HALVES} -> {PAIRS}\n  %u = pto.vbitcast %u_ : {HALVES} -> {PAIRS}\n"
    text = text.replace("  pto.vsts %l,", f"{casts}  pto.vsts %l,")
    assert "LS0707" in codes(compare(VMI, text))


def test_half_of_the_input_left_out_is_named() -> None:
    text = function(ARGUMENTS, *MASKS, load("x", 0, "UNPK4"), *convert("p", "x", "P0"), store("p", 0), store("p", 64))
    found = compare(VMI, text)
    assert "64 of 128 pairs of `%src` never reach memory: 64, 65, 66, 67, 68, 69, 70, 71, …" in notes(found)
