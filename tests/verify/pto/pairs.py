"""Pairs of a VMI program and a VPTO program that is right for it, by the fact that they are about."""

from __future__ import annotations

from layoutsolver.mlir.types import ScalarType, parse_type
from tests.verify.pto.texts import function, pointers

ALL = {width: f'%m{width} = pto.pset_b{width} "PAT_ALL" : !pto.mask<b{width}>' for width in (8, 16, 32)}


def bits(element: str) -> int:
    """The width of an element type."""
    type_ = parse_type(element)
    assert isinstance(type_, ScalarType)
    assert type_.bits is not None
    return type_.bits


def reg(element: str) -> str:
    """The register type of an element type."""
    return f"!pto.vreg<{2048 // bits(element)}x{element}>"


def vec(count: int, element: str) -> str:
    """A logical vector type."""
    return f"!pto.vmi.vreg<{count}x{element}>"


def ptr(element: str) -> str:
    """A pointer into the unified buffer."""
    return f"!pto.ptr<{element}, ub>"


def vload(name: str, count: int, element: str, source: str = "p") -> str:
    """A logical load."""
    return f"%{name} = pto.vmi.vload %{source}[%c0] : {ptr(element)} -> {vec(count, element)}"


def vstore(name: str, count: int, element: str, target: str = "q") -> str:
    """A logical store."""
    return f"pto.vmi.vstore %{name}, %{target}[%c0] : {vec(count, element)}, {ptr(element)}"


def vlds(name: str, element: str, at: int = 0, dist: str = "", source: str = "p") -> str:
    """A load of a register."""
    attrs = f' {{dist = "{dist}"}}' if dist else ""
    return f"%{name} = pto.vlds %{source}[%c{at}]{attrs} : {ptr(element)} -> {reg(element)}"


def vsts(name: str, element: str, mask: str, at: int = 0, dist: str = "", target: str = "q") -> str:
    """A store of a register under the predicate `%mW`."""
    attrs = f' {{dist = "{dist}"}}' if dist else ""
    kind = f"!pto.mask<b{mask.lstrip('mt')}>"
    return f"pto.vsts %{name}, %{target}[%c{at}], %{mask}{attrs} : {reg(element)}, {ptr(element)}, {kind}"


def vcvt(name: str, source: str, before: str, after: str, attrs: str) -> str:
    """A conversion under a full predicate of the source width."""
    width = bits(before)
    return f"%{name} = pto.vcvt %{source}, %m{width} {{{attrs}}} : {reg(before)}, !pto.mask<b{width}> -> {reg(after)}"


def binary(op: str, name: str, lhs: str, rhs: str, element: str) -> str:
    """An operation on two registers under a full predicate."""
    width = bits(element)
    kind = reg(element)
    return f"%{name} = pto.{op} %{lhs}, %{rhs}, %m{width} : {kind}, {kind}, !pto.mask<b{width}> -> {kind}"


def interleave(op: str, low: str, high: str, lhs: str, rhs: str, element: str) -> str:
    """vintlv or vdintlv."""
    kind = reg(element)
    return f"%{low}, %{high} = pto.{op} %{lhs}, %{rhs} : {kind}, {kind} -> {kind}, {kind}"


def store_pair(low: str, high: str, element: str, dist: str, mask: int, at: int = 0) -> str:
    """vstsx2."""
    kind = reg(element)
    return (f'pto.vstsx2 %{low}, %{high}, %q[%c{at}], "{dist}", %m{mask} : {kind}, {kind}, {ptr(element)}, index, '
            f"!pto.mask<b{mask}>")  # fmt: skip


def load_pair(low: str, high: str, element: str, dist: str, at: int = 0) -> str:
    """vldsx2."""
    kind = reg(element)
    return f'%{low}, %{high} = pto.vldsx2 %p[%c{at}], "{dist}" : {ptr(element)}, index -> {kind}, {kind}'


def cast(count: int, before: str, after: str, attrs: str = "") -> str:
    """A load, a conversion and a store of VMI."""
    text = f" {{{attrs}}}" if attrs else ""
    return function(pointers(p=before, q=after), vload("x", count, before),
                    f"%y = pto.vmi.vcvt %x{text} : {vec(count, before)} -> {vec(count, after)}",
                    vstore("y", count, after))  # fmt: skip


_WIDEN = cast(128, "f16", "f32")
_NARROW = cast(256, "si32", "si16", 'saturate = "SAT"')
_F8 = cast(256, "f32", "f8E4M3FN", 'rounding = "R", saturate = "SAT"')
_SUM = function(
    pointers(p="f32", q="f32"), vload("x", 64, "f32"),
    "%m = pto.vmi.create_mask %c60 : index -> !pto.vmi.mask<64xpred>",
    f"%s = pto.vmi.vcadd %x, %m {{group = 8, reassoc}} : {vec(64, 'f32')}, !pto.vmi.mask<64xpred> -> {vec(8, 'f32')}",
    f"pto.vmi.vstore %s, %q[%c0] : {vec(8, 'f32')}, {ptr('f32')}",
)  # fmt: skip
_SCALE = function(
    pointers(p="bf16", q="bf16"),
    f"%s = pto.vmi.vload %p[%c0], %c1 {{group = 8}} : {ptr('bf16')} -> {vec(8, 'bf16')}",
    f"%b = pto.vmi.vbrc %s {{group = 8}} : {vec(8, 'bf16')} -> {vec(256, 'bf16')}", vstore("b", 256, "bf16"),
)  # fmt: skip
_TOTAL = function(
    pointers(p="f32", q="f32"), vload("x", 128, "f32"),
    '%m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<128xpred>',
    f"%s = pto.vmi.vcadd %x, %m {{reassoc}} : {vec(128, 'f32')}, !pto.vmi.mask<128xpred> -> {vec(1, 'f32')}",
    f"pto.vmi.vstore %s, %q[%c0], %c1 {{group = 1}} : {vec(1, 'f32')}, {ptr('f32')}",
)  # fmt: skip
_CHOICE = function(
    pointers(p="f16", q="f16"), vload("x", 100, "f16"), "%z = arith.constant 0.5 : f16",
    f"%b = pto.vmi.vbrc %z : f16 -> {vec(100, 'f16')}", '%all = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<100xpred>',
    f'%c = pto.vmi.vcmp %x, %b, %all {{cmp = "lt"}} : {vec(100, "f16")}, {vec(100, "f16")}, !pto.vmi.mask<100xpred> '
    "-> !pto.vmi.mask<100xpred>",
    f"%r = pto.vmi.vsel %c, %b, %x : !pto.vmi.mask<100xpred>, {vec(100, 'f16')}, {vec(100, 'f16')} "
    f"-> {vec(100, 'f16')}",
    vstore("r", 100, "f16"),
)  # fmt: skip
_ROWS = function(
    pointers(p="f32", q="f32"), f"%x = pto.vmi.vload %p[%c0], %c32 {{group = 8}} : {ptr('f32')} -> {vec(128, 'f32')}",
    vstore("x", 128, "f32"),
)  # fmt: skip
_BYTES = cast(256, "ui8", "ui32")
_F8_ATTRS = 'part = "{}", rnd = "R", sat = "SAT"'

PAIRS: dict[str, tuple[str, str]] = {
    "widening by parts and an interleaving store": (_WIDEN, function(
        pointers(p="f16", q="f32"), ALL[16], ALL[32], vlds("x", "f16"),
        vcvt("e", "x", "f16", "f32", 'part = "EVEN"'),
        vcvt("o", "x", "f16", "f32", 'part = "ODD"'),
        store_pair("e", "o", "f32", "INTLV_B32", 32))),
    "widening of spread lanes": (_WIDEN, function(
        pointers(p="f16", q="f32"), ALL[16], ALL[32], vlds("x", "f16", 0, "UNPK_B16"), vlds("y", "f16", 64, "UNPK_B16"),
        vcvt("a", "x", "f16", "f32", 'part = "EVEN"'),
        vcvt("b", "y", "f16", "f32", 'part = "EVEN"'),
        vsts("a", "f32", "m32"), vsts("b", "f32", "m32", 64))),
    "narrowing of even and odd registers": (_NARROW, function(
        pointers(p="si32", q="si16"), ALL[32], ALL[16], load_pair("a", "b", "si32", "DINTLV_B32"),
        load_pair("c", "d", "si32", "DINTLV_B32", 128),
        vcvt("e", "a", "si32", "si16", 'part = "EVEN", sat = "SAT"'),
        vcvt("f", "b", "si32", "si16", 'part = "ODD", sat = "SAT"'),
        vcvt("g", "c", "si32", "si16", 'part = "EVEN", sat = "SAT"'),
        vcvt("h", "d", "si32", "si16", 'part = "ODD", sat = "SAT"'),
        binary("vor", "r", "e", "f", "si16"), binary("vor", "s", "g", "h", "si16"),
        vsts("r", "si16", "m16"), vsts("s", "si16", "m16", 128))),
    "narrowing to four parts with packing stores": (_F8, function(
        pointers(p="f32", q="f8E4M3FN"), ALL[32], ALL[16], load_pair("a", "b", "f32", "DINTLV_B32"),
        load_pair("c", "d", "f32", "DINTLV_B32", 128), ALL[8],
        vcvt("e", "a", "f32", "f8E4M3FN", _F8_ATTRS.format("P0")),
        vcvt("f", "b", "f32", "f8E4M3FN", _F8_ATTRS.format("P2")),
        vcvt("g", "c", "f32", "f8E4M3FN", _F8_ATTRS.format("P0")),
        vcvt("h", "d", "f32", "f8E4M3FN", _F8_ATTRS.format("P2")),
        binary("vor", "r", "e", "f", "f8E4M3FN"), binary("vor", "s", "g", "h", "f8E4M3FN"),
        vsts("r", "f8E4M3FN", "m16", 0, "PK_B16"), vsts("s", "f8E4M3FN", "m16", 128, "PK_B16"))),
    "sums of blocks": (_SUM, function(
        pointers(p="f32", q="f32"), '%t32 = pto.pset_b32 "PAT_VL8" : !pto.mask<b32>',
        "%k = arith.constant 60 : i32", "%n, %left = pto.plt_b32 %k : i32 -> !pto.mask<b32>, i32", vlds("x", "f32"),
        f"%s = pto.vcgadd %x, %n : {reg('f32')}, !pto.mask<b32> -> {reg('f32')}", vsts("s", "f32", "t32"))),
    "scales spread by a load, one register for both parts": (_SCALE, function(
        pointers(p="bf16", q="bf16"), ALL[16], vlds("s", "bf16", 0, "E2B_B16"),
        store_pair("s", "s", "bf16", "INTLV_B16", 16))),
    "scales spread by index": (_SCALE, function(
        pointers(p="bf16", q="bf16"), ALL[16], '%t16 = pto.pset_b16 "PAT_VL8" : !pto.mask<b16>',
        "%zero = arith.constant 0 : i16", "%five = arith.constant 5 : i16", "%four = arith.constant 4 : i16",
        f"%s = pto.vsldb %p, %zero, %zero, %t16 : {ptr('bf16')}, i16, i16, !pto.mask<b16> -> {reg('bf16')}",
        f"%i = pto.vci %zero : i16 -> {reg('ui16')}",
        f"%j = pto.vshrs %i, %five, %m16 : {reg('ui16')}, i16, !pto.mask<b16> -> {reg('ui16')}",
        f"%k = pto.vadds %j, %four, %m16 : {reg('ui16')}, i16, !pto.mask<b16> -> {reg('ui16')}",
        f"%a = pto.vselr %s, %j : {reg('bf16')}, {reg('ui16')} -> {reg('bf16')}",
        f"%b = pto.vselr %s, %k : {reg('bf16')}, {reg('ui16')} -> {reg('bf16')}",
        vsts("a", "bf16", "m16"), vsts("b", "bf16", "m16", 128))),
    "a sum of two registers in any order": (_TOTAL, function(
        pointers(p="f32", q="f32"), ALL[32], '%t32 = pto.pset_b32 "PAT_VL1" : !pto.mask<b32>', vlds("x", "f32"),
        vlds("y", "f32", 64), binary("vadd", "z", "x", "y", "f32"),
        f"%s = pto.vcadd %z, %m32 : {reg('f32')}, !pto.mask<b32> -> {reg('f32')}",
        vsts("s", "f32", "t32", 0, "1PT_B32"))),
    "a choice under a tail": (_CHOICE, function(
        pointers(p="f16", q="f16"), ALL[16], "%k = arith.constant 100 : i32",
        "%t16, %left = pto.plt_b16 %k : i32 -> !pto.mask<b16>, i32", "%z = arith.constant 0.5 : f16", vlds("x", "f16"),
        f"%b = pto.vdup %z, %m16 : f16, !pto.mask<b16> -> {reg('f16')}",
        f'%c = pto.vcmp %x, %b, %m16, "lt" : {reg("f16")}, {reg("f16")}, !pto.mask<b16> -> !pto.mask<b16>',
        f"%r = pto.vsel %b, %x, %c : {reg('f16')}, {reg('f16')}, !pto.mask<b16> -> {reg('f16')}",
        vsts("r", "f16", "t16"))),
    "rows in blocks": (_ROWS, function(
        pointers(p="f32", q="f32"), ALL[32], "%four = arith.constant 4 : i16", "%zero = arith.constant 0 : i16",
        "%one = arith.constant 1 : i16", "%two = arith.constant 2 : i16",
        f"%x = pto.vsldb %p, %four, %zero, %m32 : {ptr('f32')}, i16, i16, !pto.mask<b32> -> {reg('f32')}",
        f"%y = pto.vsldb %p, %four, %one, %m32 : {ptr('f32')}, i16, i16, !pto.mask<b32> -> {reg('f32')}",
        f"pto.vsstb %x, %q, %two, %zero, %m32 : {reg('f32')}, {ptr('f32')}, i16, i16, !pto.mask<b32>",
        f"pto.vsstb %y, %q, %two, %one, %m32 : {reg('f32')}, {ptr('f32')}, i16, i16, !pto.mask<b32>")),
    "bytes to words by parts": (_BYTES, function(
        pointers(p="ui8", q="ui32"), ALL[8], ALL[32], vlds("x", "ui8"),
        *(vcvt(f"p{k}", "x", "ui8", "ui32", f'part = "P{k}"') for k in range(4)),
        interleave("vintlv", "a", "b", "p0", "p2", "ui32"), interleave("vintlv", "c", "d", "p1", "p3", "ui32"),
        store_pair("a", "c", "ui32", "INTLV_B32", 32), store_pair("b", "d", "ui32", "INTLV_B32", 32, 128))),
}  # fmt: skip
