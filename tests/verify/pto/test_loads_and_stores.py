"""Every distribution of VPTO's loads and stores against the formula of the document, on every byte."""

from __future__ import annotations

import numpy as np
import pytest

from layoutsolver.verify.pto.program import StoppedError
from layoutsolver_models.hardware.formats import Flags
from layoutsolver_models.hardware.state import Bytes
from tests.verify.pto.pairs import ALL, ptr, reg
from tests.verify.pto.texts import function, leave, pointers

RNG = np.random.default_rng(11)
MEMORY: Bytes = RNG.integers(1, 255, size=1024, dtype=np.uint8)
EMPTY: Bytes = np.zeros(1024, np.uint8)
TYPES = {1: "ui8", 2: "ui16", 4: "ui32"}
BYTE = np.arange(256)


def loaded(dist: str, element: str) -> Bytes:
    """The register that a load makes, stored as it is."""
    width = {"ui8": 8, "ui16": 16, "ui32": 32}[element]
    text = function(
        pointers(p=element, q=element), ALL[width],
        f'%x = pto.vlds %p[%c0] {{dist = "{dist}"}} : {ptr(element)} -> {reg(element)}',
        f"pto.vsts %x, %q[%c0], %m{width} : {reg(element)}, {ptr(element)}, !pto.mask<b{width}>",
    )  # fmt: skip
    return leave(text, MEMORY, EMPTY)[1][:256]


def lanes(width: int, count: int = 512) -> Bytes:
    """The elements of so many bytes in memory, as rows of bytes."""
    return MEMORY[: width * count if width * count <= 1024 else 1024].reshape(-1, width)


@pytest.mark.parametrize("width", [1, 2, 4])
def test_loads_of_every_width(width: int) -> None:
    element, bits, count = TYPES[width], 8 * width, 256 // width
    rows = lanes(width, count)
    zero = np.zeros((count, width), np.uint8)
    half = rows[: count // 2]
    assert loaded("NORM", element).tolist() == rows.ravel().tolist()
    assert loaded(f"BRC_B{bits}", element).tolist() == np.tile(rows[0], count).tolist()
    unpacked = zero.copy()
    unpacked[::2] = half
    assert loaded(f"UNPK_B{bits}", element).tolist() == unpacked.ravel().tolist()
    assert loaded("BRC_BLK", element).tolist() == np.tile(MEMORY[:32], 8).tolist()
    if width < 4:
        assert loaded(f"US_B{bits}", element).tolist() == np.repeat(half, 2, axis=0).ravel().tolist()
        kept = loaded(f"DS_B{bits}", element)
        assert kept[:128].tolist() == rows[::2].ravel().tolist()
        assert set(kept[128:].tolist()) == {0xEE}
    if width > 1:
        assert loaded(f"E2B_B{bits}", element).tolist() == np.repeat(rows[:8], count // 8, axis=0).ravel().tolist()
    else:
        quarters = zero.copy()
        quarters[::4, 0] = MEMORY[:64]
        assert loaded("UNPK4", element).tolist() == quarters.ravel().tolist()


@pytest.mark.parametrize(("dist", "unit"), [("DINTLV_B8", 1), ("DINTLV_B16", 2), ("DINTLV_B32", 4), ("BDINTLV", 32)])
def test_pair_loads_take_turns(dist: str, unit: int) -> None:
    element = TYPES.get(unit, "ui16")
    width = 8 * (unit if unit < 32 else 2)
    text = function(
        pointers(p=element, q=element), ALL[width],
        f'%x, %y = pto.vldsx2 %p[%c0], "{dist}" : {ptr(element)}, index -> {reg(element)}, {reg(element)}',
        *(f"pto.vsts %{name}, %q[%c{at * 8 // width}], %m{width} : {reg(element)}, {ptr(element)}, !pto.mask<b{width}>"
          for name, at in (("x", 0), ("y", 256))),
    )  # fmt: skip
    rows = MEMORY[:512].reshape(-1, unit)
    wanted = np.concatenate([rows[::2].ravel(), rows[1::2].ravel()])
    assert leave(text, MEMORY, EMPTY)[1][:512].tolist() == wanted.tolist()


def stored(dist: str, element: str, mask: int, on: Flags) -> Bytes:
    """What a store leaves of the first 256 bytes of memory, under a predicate that is loaded from memory."""
    bits = np.zeros(256, np.bool_)
    bits[:: mask // 8] = on
    packed = np.concatenate([np.packbits(bits, bitorder="little"), np.zeros(224, np.uint8)])
    kind = f"!pto.mask<b{mask}>"
    text = function(
        pointers(p=element, q=element, m="ui8"),
        f'%m = pto.plds %m_[%c0], "NORM" : {ptr("ui8")}, index -> {kind}'.replace("%m_", "%m0"),
        f"%x = pto.vlds %p[%c0] : {ptr(element)} -> {reg(element)}",
        f'pto.vsts %x, %q[%c0], %m {{dist = "{dist}"}} : {reg(element)}, {ptr(element)}, {kind}',
    ).replace("%m: ", "%m0: ")  # fmt: skip
    return leave(text, MEMORY, EMPTY, packed)[1]


@pytest.mark.parametrize(
    ("dist", "element", "mask", "step", "kept"),
    [("NORM_B8", "ui8", 8, 1, 1), ("NORM_B16", "ui16", 16, 2, 2), ("NORM_B32", "ui32", 32, 4, 4),
     ("PK_B16", "ui8", 16, 2, 1), ("PK_B32", "ui16", 32, 4, 2), ("PK4_B32", "ui8", 32, 4, 1)],
)  # fmt: skip
def test_stores_write_active_lanes_only(dist: str, element: str, mask: int, step: int, kept: int) -> None:
    on = RNG.integers(2, size=2048 // mask).astype(np.bool_)
    rows = MEMORY[:256].reshape(-1, step)[:, :kept]
    wanted = np.zeros(1024, np.uint8)
    wanted[: rows.size] = (rows * on[:, None]).ravel()
    assert stored(dist, element, mask, on).tolist() == wanted.tolist()


def test_a_store_of_low_words_is_certain_where_both_readings_of_its_predicate_agree() -> None:
    on = np.arange(64) < 40
    found = stored("PK_B64", "ui32", 32, on)
    words = MEMORY[:256].reshape(-1, 8)[:, :4]
    assert found[:80].tolist() == words[:20].ravel().tolist()
    assert set(found[80:128].tolist()) == {0xEE}
    assert not found[128:].any()


@pytest.mark.parametrize("width", [1, 2, 4])
def test_a_store_of_one_element_ignores_its_predicate(width: int) -> None:
    found = stored(f"1PT_B{8 * width}", TYPES[width], 8 * width, np.zeros(256 // width, np.bool_))
    assert found[:width].tolist() == MEMORY[:width].tolist()
    assert not found[width:].any()


def blocks(element: str, bits: int, pattern: str) -> str:
    """A load of blocks from every second one, stored to every third one from the second on."""
    return function(
        pointers(p=element, q=element), f'%m = pto.pset_b{bits} "{pattern}" : !pto.mask<b{bits}>',
        "%one = arith.constant 1 : i16", "%two = arith.constant 2 : i16", "%three = arith.constant 3 : i16",
        "%zero = arith.constant 0 : i16", ALL[bits],
        f"%x = pto.vsldb %p, %two, %zero, %m : {ptr(element)}, i16, i16, !pto.mask<b{bits}> -> {reg(element)}",
        f"pto.vsstb %x, %q, %three, %one, %m{bits} : {reg(element)}, {ptr(element)}, i16, i16, !pto.mask<b{bits}>",
    )  # fmt: skip


@pytest.mark.parametrize(("element", "bits"), [("ui8", 8), ("ui16", 16), ("ui32", 32)])
def test_blocks_have_strides(element: str, bits: int) -> None:
    found = leave(blocks(element, bits, "PAT_ALL"), MEMORY, EMPTY)[1].reshape(-1, 32)
    assert found[1:25:3].tolist() == MEMORY.reshape(-1, 32)[:16:2].tolist()
    rest = np.delete(found, np.arange(1, 25, 3), axis=0)
    assert not rest.any()


def test_blocks_under_a_narrow_predicate_are_certain_where_both_readings_agree() -> None:
    """PAT_VL8 of 16-bit lanes is half of block 0 by lanes, and blocks 0 to 3 by blocks."""
    found = leave(blocks("ui16", 16, "PAT_VL8"), MEMORY, EMPTY)[1].reshape(-1, 32)[1:25:3]
    assert found[0, :16].tolist() == MEMORY[:16].tolist()
    assert set(found[0, 16:].tolist()) == {0xEE}
    assert set(found[1:4].ravel().tolist()) == {0xEE}
    assert not found[4:].any()


@pytest.mark.parametrize(
    ("line", "what"),
    [(f"%x = pto.vlds %p[%c4] : {ptr('ui32')} -> {reg('ui32')}", "misaligned"),
     (f"%x = pto.vlds %p[%c200] : {ptr('ui32')} -> {reg('ui32')}", "out of range"),
     (f'%x = pto.vlds %p[%c4] {{dist = "E2B_B32"}} : {ptr("ui32")} -> {reg("ui32")}', "misaligned"),
     (f'%x, %y = pto.vldsx2 %p[%c136], "DINTLV_B32" : {ptr("ui32")}, index -> {reg("ui32")}, {reg("ui32")}',
      "out of range")],
)  # fmt: skip
def test_accesses_that_the_hardware_refuses(line: str, what: str) -> None:
    with pytest.raises(StoppedError, match=what) as stopped:
        leave(function(pointers(p="ui32"), line), MEMORY)
    assert stopped.value.diagnostic.code == "LS0702"


@pytest.mark.parametrize(
    ("line", "what"),
    [(f'%x = pto.vlds %p[%c0] {{dist = "UNPK_B8"}} : {ptr("ui32")} -> {reg("ui32")}', "for elements of 8 bits"),
     (f'%x = pto.vlds %p[%c0] {{dist = "SPLT2CHN_B16"}} : {ptr("ui16")} -> {reg("ui16")}', "not documented"),
     ('%x = pto.pset_b32 "PAT_H" : !pto.mask<b32>', "documents disagree"),
     (f"%x, %y = pto.vcbmax %v, %m : {reg('ui32')}, !pto.mask<b32> -> {reg('ui32')}, !pto.mask<b32>",
      "cannot be run"),
     (f"%x = pto.vadd %v, %v, %m : {reg('ui32')}, {reg('ui32')}, !pto.mask<b32> -> {reg('ui32')}\n"
      f"  %h = pto.vbitcast %v : {reg('ui32')} -> {reg('ui16')}\n"
      f"  %y = pto.vadd %h, %h, %m : {reg('ui16')}, {reg('ui16')}, !pto.mask<b32> -> {reg('ui16')}",
      "granularity b32")],
)  # fmt: skip
def test_what_is_not_documented_is_named(line: str, what: str) -> None:
    text = function(pointers(p="ui32" if "16>" not in line else "ui16"), '%m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>',
                    "%zero = arith.constant 0 : i32", f"%v = pto.vbr %zero : i32 -> {reg('ui32')}", line)  # fmt: skip
    with pytest.raises(StoppedError, match=what) as stopped:
        leave(text, MEMORY)
    assert stopped.value.diagnostic.code == "LS0703"
    assert stopped.value.diagnostic.primary is not None


def test_unaligned_streams() -> None:
    text = function(
        pointers(p="ui32", q="ui32"), "%three = arith.constant 3 : i32", "%sixty = arith.constant 60 : i32",
        f"%s = pto.addptr %p, %c3 : {ptr('ui32')} -> {ptr('ui32')}",
        f"%a = pto.vldas %s : {ptr('ui32')} -> !pto.align",
        f"%x, %a2, %s2 = pto.vldus %s, %a, %c64 : {ptr('ui32')}, !pto.align, index -> {reg('ui32')}, !pto.align, "
        f"{ptr('ui32')}",
        f"%y, %a3 = pto.vldus %s2, %a2 : {ptr('ui32')}, !pto.align -> {reg('ui32')}, !pto.align",
        f"%t = pto.addptr %q, %c1 : {ptr('ui32')} -> {ptr('ui32')}", "%b = pto.init_align : !pto.align",
        f"%b2, %t2 = pto.vstus %b, %three, %x, %t : !pto.align, i32, {reg('ui32')}, {ptr('ui32')} -> !pto.align, "
        f"{ptr('ui32')}",
        f"%b3, %t3 = pto.vstus %b2, %sixty, %y, %t2 : !pto.align, i32, {reg('ui32')}, {ptr('ui32')} -> !pto.align, "
        f"{ptr('ui32')}",
        f"pto.vstar %b3, %t3 : !pto.align, {ptr('ui32')}",
    )  # fmt: skip
    found = leave(text, MEMORY, EMPTY)[1]
    wanted = np.zeros(1024, np.uint8)
    wanted[4:16], wanted[16:256] = MEMORY[12:24], MEMORY[268:508]
    assert found.tolist() == wanted.tolist()
