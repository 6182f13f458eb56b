"""VPTO's instructions on registers and predicates, as text, against the formulas of the documents in numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from layoutsolver.verify.pto.program import StoppedError
from tests.verify.pto.pairs import ALL, bits, ptr, reg
from tests.verify.pto.texts import function, leave, pointers

RNG = np.random.default_rng(9)
Array = npt.NDArray[Any]
DTYPES: dict[str, Any] = {"f32": np.float32, "f16": np.float16, "si32": np.int32, "ui32": np.uint32, "si16": np.int16,
                          "ui16": np.uint16, "si8": np.int8, "ui8": np.uint8}  # fmt: skip


def filled(element: str) -> Array:
    """A register of small numbers."""
    values = RNG.integers(-40, 40, 2048 // bits(element))
    return (values / 4 if element[0] == "f" else np.abs(values) if element[0] == "u" else values).astype(
        DTYPES[element]
    )


def made(element: str, *lines: str, result: str = "", a: Array, b: Array) -> Array:
    """The register `%r` that lines make of `%a` and `%b`, under `%m` (even lanes), `%m8`, `%m16` and `%m32` (all)."""
    target = result or element
    width, out = bits(element), bits(target)
    on = np.zeros(256, np.bool_)
    on[:: width // 4] = True
    text = function(
        pointers(p=element, o=element, k="ui8", q=target), ALL[8], ALL[16], ALL[32],
        f'%m = pto.plds %k[%c0], "NORM" : {ptr("ui8")}, index -> !pto.mask<b{width}>',
        f"%a = pto.vlds %p[%c0] : {ptr(element)} -> {reg(element)}",
        f"%b = pto.vlds %o[%c0] : {ptr(element)} -> {reg(element)}",
        *(line.replace("V", reg(element)).replace("M", f"!pto.mask<b{width}>") for line in lines),
        f"pto.vsts %r, %q[%c0], %m{out} : {reg(target)}, {ptr(target)}, !pto.mask<b{out}>",
    )  # fmt: skip
    packed = np.packbits(on, bitorder="little")
    given = [np.ascontiguousarray(values).view(np.uint8) for values in (a, b)]
    return leave(text, *given, packed, np.zeros(256, np.uint8))[3].view(DTYPES[target])


def even(values: Array) -> Array:
    """The values in even lanes, zero in odd ones."""
    return np.where(np.arange(values.size) % 2 == 0, values, 0)


BINARY = "%r = pto.{} %a, %b, %m : V, V, M -> V"
UNARY = "%r = pto.{} %a, %m : V, M -> V"
SCALAR = "%s = arith.constant {} : {}\n  %r = pto.{} %a, %s, %m : V, {}, M -> V"
CASES: list[tuple[str, str, Callable[[Array, Array], Array]]] = [
    *((BINARY.format(name), element, formula) for name, elements, formula in (
        ("vadd", "f32 f16 si32 ui8", lambda a, b: even(a + b)), ("vsub", "f32 si16", lambda a, b: even(a - b)),
        ("vmul", "f16 si16", lambda a, b: even(a * b)), ("vmax", "f32 si8 ui16", lambda a, b: even(np.maximum(a, b))),
        ("vmin", "f32 si32", lambda a, b: even(np.minimum(a, b))), ("vand", "ui16", lambda a, b: even(a & b)),
        ("vor", "f32", lambda a, b: even(a.view(np.uint32) | b.view(np.uint32)).astype(np.uint32).view(np.float32)),
        ("vxor", "si32", lambda a, b: even(a ^ b)),
        ("vprelu", "f32", lambda a, b: even(np.where(a >= 0, a, a * b))),
    ) for element in elements.split()),
    *((UNARY.format(name), element, formula) for name, elements, formula in (
        ("vabs", "f32 si16", lambda a, b: even(np.abs(a))), ("vneg", "f16 si32", lambda a, b: even(-a)),
        ("vrelu", "f32 si32", lambda a, b: even(np.maximum(a, 0))), ("vnot", "ui8", lambda a, b: even(~a)),
        ("vexp", "f32", lambda a, b: even(np.exp(a.astype(np.float64)))),
        ("vsqz", "ui16", lambda a, b: np.concatenate([a[::2], 0 * a[::2]])),
    ) for element in elements.split()),
    (SCALAR.format("1.5", "f32", "vadds", "f32"), "f32", lambda a, b: even(a + np.float32(1.5))),
    (SCALAR.format("2", "i16", "vshls", "i16"), "si16", lambda a, b: even(a << 2)),
    (SCALAR.format("1", "i16", "vshrs", "i16"), "si32", lambda a, b: even(a >> 1)),
    (SCALAR.format("1", "i16", "vshrs", "i16"), "ui8", lambda a, b: even(a >> 1)),
    (SCALAR.format("0.5", "f32", "vlrelu", "f32"), "f32", lambda a, b: even(np.where(a >= 0, a, a / 2))),
    ("%r = pto.vmula %a, %a, %b, %m : V, V, V, M -> V", "f32", lambda a, b: even(a + a * b)),
    ("%r = pto.vmadd %a, %a, %b, %m : V, V, V, M -> V", "f32", lambda a, b: even(a * a + b)),
    ("%s = arith.constant 0.5 : f32\n  %r = pto.vaxpy %a, %b, %s, %m : V, V, f32, M -> V", "f32",
     lambda a, b: even(a / 2 + b)),
    ("%r = pto.vdup %a, %m {position = \"HIGHEST\"} : V, M -> V", "ui16", lambda a, b: even(np.full(128, a[127]))),
    ("%r = pto.vdup %a, %m {position = \"LOWEST\"} : V, M -> V", "f32", lambda a, b: even(np.full(64, a[0]))),
    ("%s = arith.constant 9 : i32\n  %r = pto.vci %s {order = \"DESC\"} : i32 -> V", "si32",
     lambda a, b: 9 - np.arange(64)),
    ("%r, %h = pto.vintlv %a, %b : V, V -> V, V", "ui16", lambda a, b: np.stack([a, b], 1).ravel()[:128]),
    ("%l, %r = pto.vintlv %a, %b : V, V -> V, V", "f32", lambda a, b: np.stack([a, b], 1).ravel()[64:]),
    ("%l, %r = pto.vdintlv %a, %b : V, V -> V, V", "ui8", lambda a, b: np.concatenate([a, b])[1::2]),
    ("%c = pto.vcmp %a, %b, %m, \"ge\" : V, V, M -> M\n  %r = pto.vsel %a, %b, %c : V, V, M -> V", "si16",
     lambda a, b: np.where((a >= b) & (np.arange(128) % 2 == 0), a, b)),
    ("%s = arith.constant 3.0 : f32\n  %c = pto.vcmps %a, %s, %m, \"ne\" : V, f32, M -> M\n"
     "  %r = pto.vsel %a, %b, %c : V, V, M -> V", "f32",
     lambda a, b: np.where((a != 3) & (np.arange(64) % 2 == 0), a, b)),
    ("%r = pto.vtrc %a, %m32, \"F\" : V, M -> V", "f32", lambda a, b: np.floor(a)),
    ("%r = pto.vexpdif %a, %b, %m32, \"ODD\" : V, V, M -> V", "f32",
     lambda a, b: np.exp(a.astype(np.float64) - b.astype(np.float64))),
]  # fmt: skip


@pytest.mark.parametrize(("line", "element", "formula"), CASES)
def test_instructions(line: str, element: str, formula: Callable[[Array, Array], Array]) -> None:
    a, b = filled(element), filled(element)
    with np.errstate(over="ignore"):
        wanted = formula(a, b).astype(DTYPES[element])
    assert np.array_equal(made(element, line, a=a, b=b), wanted, equal_nan=element[0] == "f")


@pytest.mark.parametrize(
    ("line", "element", "result", "formula"),
    [('%r = pto.vpack %a, "HIGHER" : V -> R', "ui32", "ui16", lambda a: np.concatenate([0 * a, a])),
     ('%r = pto.vpack %a, "LOWER" : V -> R', "ui16", "ui8", lambda a: np.concatenate([a, 0 * a])),
     ("%r = pto.vzunpack %a, %c1 : V -> R", "ui8", "ui16", lambda a: a[128:]),
     ("%r = pto.vsunpack %a, %c0 : V -> R", "si16", "si32", lambda a: a[:64]),
     ("%r = pto.vusqz %a, %m : V, M -> V", "si32", "si32", lambda a: (np.arange(64) + 1) // 2),
     ("%r = pto.vcadd %a, %m : V, M -> R", "si16", "si32",
      lambda a: np.concatenate([[a[::2].sum(dtype=np.int32)], np.zeros(63, np.int32)])),
     ("%r = pto.vcgmax %a, %m : V, M -> V", "f32", "f32",
      lambda a: np.concatenate([a.reshape(8, 8)[:, ::2].max(axis=1), np.zeros(56, np.float32)])),
     ('%s = arith.constant 1.0 : f32\n  %r = pto.vmulscvt %a, %s, %m32, "R", "ODD" : V, f32, M -> R', "f32", "f16",
      lambda a: np.stack([0 * a, a], 1).ravel()),
     ('%r = pto.vexpdif %a, %b, %m16, "ODD" : V, V, M -> R', "f16", "f32", None)],
)  # fmt: skip
def test_instructions_that_change_the_type(
    line: str, element: str, result: str, formula: Callable[[Array], Array] | None
) -> None:
    a, b = filled(element), filled(element)
    found = made(element, line.replace("R,", reg(result) + ",").replace("-> R", f"-> {reg(result)}"), result=result,
                 a=a, b=b)  # fmt: skip
    odd = np.exp(a[1::2].astype(np.float64) - b[1::2].astype(np.float64))
    wanted = odd if formula is None else formula(a)
    assert found.tolist() == wanted.astype(DTYPES[result]).tolist()


PREDICATES: list[tuple[str, Callable[[Array, Array], Array], int]] = [
    ("%r = pto.pand %x, %y, %m8 : M8, M8, M8 -> M8", lambda x, y: x & y, 8),
    ("%r = pto.por %x, %y, %m8 : M8, M8, M8 -> M8", lambda x, y: x | y, 8),
    ('%g = pto.pge_b8 "PAT_M3" : M8\n  %r = pto.pxor %x, %y, %g : M8, M8, M8 -> M8',
     lambda x, y: (x ^ y) & (np.arange(256) % 3 == 0), 8),
    ("%r = pto.pnot %x, %y : M8, M8 -> M8", lambda x, y: ~x & y, 8),
    ('%g = pto.pge_b8 "PAT_M4" : M8\n  %r = pto.psel %x, %y, %g : M8, M8, M8 -> M8',
     lambda x, y: np.where(np.arange(256) % 4 == 0, x, y), 8),
    ('%r = pto.ppack %x, "HIGHER" : M8 -> M8', lambda x, y: np.concatenate([0 * x[::2], x[::2]]), 8),
    ('%r = pto.punpack %x, "HIGHER" : M8 -> M16', lambda x, y: np.stack([x[128:], 0 * x[128:]], 1).ravel(), 16),
    ("%l, %r = pto.pintlv_b16 %x, %y : M16, M16 -> M16, M16",
     lambda x, y: np.stack([x.reshape(-1, 2), y.reshape(-1, 2)], 1).reshape(2, -1)[1], 16),
    ("%r, %h = pto.pdintlv_b32 %x, %y : M32, M32 -> M32, M32",
     lambda x, y: np.concatenate([x, y]).reshape(-1, 2, 4)[:, 0].ravel(), 32),
    ("%n = arith.constant 2 : i16\n  %b = arith.constant 150 : i32\n  %r = pto.pltm_b32 %n, %b : i16, i32 -> M32",
     lambda x, y: np.repeat(np.arange(64) < 22, 4) & (np.arange(256) % 4 == 0), 32),
    ('%r = pto.pge_b16 "PAT_M3" : M16', lambda x, y: (np.arange(256) % 6 == 0), 16),
]  # fmt: skip


@pytest.mark.parametrize(("line", "formula", "width"), PREDICATES)
def test_predicates(line: str, formula: Callable[[Array, Array], Array], width: int) -> None:
    x, y = (RNG.integers(2, size=256).astype(np.bool_) for _ in range(2))
    typed = line.replace("M8", "!pto.mask<b8>").replace("M16", "!pto.mask<b16>").replace("M32", "!pto.mask<b32>")
    kind = next(f"!pto.mask<b{w}>" for w in (16, 32, 8) if f"_b{w} %x" in line or w == 8)
    text = function(
        pointers(p="ui8", o="ui8", q="ui8"), ALL[8], ALL[16], ALL[32],
        f'%x = pto.plds %p[%c0], "NORM" : {ptr("ui8")}, index -> {kind}',
        f'%y = pto.plds %o[%c0], "NORM" : {ptr("ui8")}, index -> {kind}', typed,
        f'pto.psts %r, %q[%c0], "NORM" : !pto.mask<b{width}>, {ptr("ui8")}, index',
    )  # fmt: skip
    packed = [np.packbits(flags, bitorder="little") for flags in (x, y)]
    found = np.unpackbits(leave(text, *packed, np.zeros(32, np.uint8))[2], bitorder="little")
    assert found.tolist() == formula(x, y).astype(np.uint8).tolist()


@pytest.mark.parametrize(
    ("store", "load", "wanted"),
    [('"PK"', '"US"', lambda x: np.repeat(x[::2], 2)), ('"NORM"', '"NORM"', lambda x: x)],
)  # fmt: skip
def test_predicates_in_memory(store: str, load: str, wanted: Callable[[Array], Array]) -> None:
    x = RNG.integers(2, size=256).astype(np.uint8)
    kind = "!pto.mask<b8>"
    text = function(
        pointers(p="ui8", q="ui8"), f'%x = pto.plds %p[%c0], "NORM" : {ptr("ui8")}, index -> {kind}',
        f"pto.psti %x, %q[%c2], {store} : {kind}, {ptr('ui8')}, index",
        f"%y = pto.pldi %q[%c2], {load} : {ptr('ui8')}, index -> {kind}",
        f'pto.psts %y, %q[%c0], "NORM" : {kind}, {ptr("ui8")}, index',
    )  # fmt: skip
    found = leave(text, np.packbits(x, bitorder="little"), np.zeros(128, np.uint8))[1][:32]
    assert np.unpackbits(found, bitorder="little").tolist() == wanted(x).tolist()


def test_what_a_squeeze_keeps_is_streamed() -> None:
    text = function(
        pointers(p="ui32", q="ui32"), '%m = pto.pset_b32 "PAT_M3" : !pto.mask<b32>', '%a = pto.init_align : !pto.align',
        'pto.sprclr "AR"', f"%x = pto.vlds %p[%c0] : {ptr('ui32')} -> {reg('ui32')}",
        f"%s = pto.vsqz %x, %m : {reg('ui32')}, !pto.mask<b32> -> {reg('ui32')}",
        f'%b = pto.vstur %a, %s, %q, "POST_UPDATE" : !pto.align, {reg("ui32")}, {ptr("ui32")} -> !pto.align',
        f'%c = pto.vstur %b, %s, %q, "POST_UPDATE" : !pto.align, {reg("ui32")}, {ptr("ui32")} -> !pto.align',
        f"pto.vstar %c, %q : !pto.align, {ptr('ui32')}",
    )  # fmt: skip
    data = RNG.integers(1000, size=64).astype(np.uint32)
    found = leave(text, data.view(np.uint8), np.zeros(512, np.uint8))[1].view(np.uint32)
    assert found[:44].tolist() == [*data[::3], *data[::3]]
    assert not found[44:].any()


def test_a_stream_without_a_squeeze_is_named() -> None:
    text = function(
        pointers(p="ui32"), "%a = pto.init_align : !pto.align",
        f"%x = pto.vlds %p[%c0] : {ptr('ui32')} -> {reg('ui32')}",
        f'%b = pto.vstur %a, %x, %p, "POST_UPDATE" : !pto.align, {reg("ui32")}, {ptr("ui32")} -> !pto.align',
    )  # fmt: skip
    with pytest.raises(StoppedError, match="there was none"):
        leave(text, np.zeros(256, np.uint8))
