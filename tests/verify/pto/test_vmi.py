"""What VMI operations compute, element by element, against numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from layoutsolver.ops.vmi import VMI_OPS
from layoutsolver.verify.pto.program import StoppedError
from layoutsolver.verify.vmi.unit import HANDLERS, OPEN
from layoutsolver_models.hardware.state import Bytes
from tests.verify.pto.pairs import ptr, vec
from tests.verify.pto.texts import function, leave, pointers

RNG = np.random.default_rng(5)
Array = npt.NDArray[Any]
COUNT = 100
"""No whole number of registers of any type."""

DTYPES: dict[str, Any] = {"f32": np.float32, "f16": np.float16, "si32": np.int32, "ui32": np.uint32, "si16": np.int16,
                          "ui16": np.uint16, "si8": np.int8, "ui8": np.uint8, "i32": np.uint32}  # fmt: skip
MASK = "!pto.vmi.mask<100xpred>"
TAIL = f"%m = pto.vmi.create_mask %c77 : index -> {MASK}"
ON = np.arange(COUNT) < 77


def filled(element: str, low: int = -50, high: int = 50) -> Array:
    """Small numbers of a type."""
    values = RNG.integers(low, high, 2048)
    return (values / 4 if element[0] == "f" else np.abs(values) if element[0] == "u" else values).astype(
        DTYPES[element]
    )


def computed(element: str, result: str, *lines: str, a: Array, b: Array, count: int = COUNT) -> Array:
    """What lines make of the vectors `%a` and `%b`, as `%r`."""
    vector = vec(COUNT, element)
    text = function(
        pointers(p=element, q=element, out=result),
        f"%a = pto.vmi.vload %p[%c0] : {ptr(element)} -> {vector}",
        f"%b = pto.vmi.vload %q[%c0] : {ptr(element)} -> {vector}", *lines,
        f"pto.vmi.vstore %r, %out[%c0] : {vec(count, result)}, {ptr(result)}",
    )  # fmt: skip
    found = leave(text, _bytes(a), _bytes(b), np.zeros(8192, np.uint8))[2]
    made: Array = found.view(DTYPES[result])[:count]
    return made


def _bytes(values: Array) -> Bytes:
    return np.ascontiguousarray(values).view(np.uint8)


BINARY: list[tuple[str, Callable[[Array, Array], Array], str]] = [
    ("vadd", lambda a, b: a + b, "f32 f16 si32 ui16 si8"), ("vsub", lambda a, b: a - b, "f32 si16 ui8"),
    ("vmul", lambda a, b: a * b, "f32 si32 ui16"), ("vdiv", lambda a, b: a / b, "f32"),
    ("vmax", np.maximum, "f32 si32 ui32 si8"), ("vmin", np.minimum, "f16 si16 ui8"),
    ("vand", lambda a, b: a & b, "ui16"),
    ("vor", lambda a, b: a | b, "si32"), ("vxor", lambda a, b: a ^ b, "ui8"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "formula", "element"), [(n, f, e) for n, f, es in BINARY for e in es.split()])
def test_operations_on_two_vectors(name: str, formula: Callable[[Array, Array], Array], element: str) -> None:
    a, b = filled(element), filled(element)
    b[b == 0] = 1
    kind = vec(COUNT, element)
    wanted = formula(a[:COUNT], b[:COUNT]).astype(DTYPES[element])
    found = computed(element, element, f"%r = pto.vmi.{name} %a, %b : {kind}, {kind} -> {kind}", a=a, b=b)
    assert found.tolist() == wanted.tolist()
    masked = computed(element, element, TAIL, f'%r = pto.vmi.{name} %a, %b, %m {{pmode = "zero"}} : {kind}, {kind}, '
                      f"{MASK} -> {kind}", a=a, b=b)  # fmt: skip
    assert masked.tolist() == np.where(ON, wanted, 0).astype(DTYPES[element]).tolist()


def test_merging_leaves_inactive_elements_open() -> None:
    a, kind = filled("ui8"), vec(COUNT, "ui8")
    found = computed("ui8", "ui8", TAIL, f'%r = pto.vmi.vadd %a, %b, %m {{pmode = "merge"}} : {kind}, {kind}, {MASK} '
                     f"-> {kind}", a=a, b=a)  # fmt: skip
    assert set(found[77:].tolist()) == {0xEE}


@pytest.mark.parametrize(
    ("line", "formula"),
    [("%r = pto.vmi.vadds %a, %s, %m : V, f32, M -> V", lambda a, b: np.where(ON, a + 2.5, 0)),
     ("%r = pto.vmi.vmuls %a, %s, %m : V, f32, M -> V", lambda a, b: np.where(ON, a * 2.5, 0)),
     ("%r = pto.vmi.vmaxs %a, %s, %m : V, f32, M -> V", lambda a, b: np.where(ON, np.maximum(a, 2.5), 0)),
     ("%r = pto.vmi.vneg %a : V -> V", lambda a, b: -a), ("%r = pto.vmi.vabs %a : V -> V", lambda a, b: np.abs(a)),
     ("%r = pto.vmi.vrelu %a : V -> V", lambda a, b: np.maximum(a, 0)),
     ("%r = pto.vmi.vmula %a, %b, %b : V, V, V -> V", lambda a, b: a + b * b),
     ("%r = pto.vmi.fma %a, %b, %b : V, V, V -> V", lambda a, b: a * b + b),
     ('%r = "pto.vmi.vaxpy"(%a, %b, %s, %m) : (V, V, f32, M) -> V', lambda a, b: np.where(ON, a * 2.5 + b, 0)),
     ('%c = pto.vmi.vcmp %a, %b, %m {cmp = "lt"} : V, V, M -> M\n  %r = pto.vmi.vsel %c, %a, %b : M, V, V -> V',
      lambda a, b: np.where(ON & (a < b), a, b)),
     ('%c = pto.vmi.cmpf "oge", %a, %b : V, V -> M\n  %n = pto.vmi.mask_not %c : M -> M\n'
      "  %r = pto.vmi.select %n, %a, %b : M, V, V -> V", lambda a, b: np.where(a < b, a, b)),
     ("%l, %r = pto.vmi.vintlv %a, %b, %m : V, V, M -> V, V", lambda a, b: np.stack([a[50:], b[50:]], 1).ravel()),
     ("%r, %h = pto.vmi.vdintlv %a, %b, %m : V, V, M -> V, V", lambda a, b: np.concatenate([a, b])[::2]),
     ('%r = "pto.vmi.constant"() {value = dense<1.5> : vector<100xf32>} : () -> V', lambda a, b: np.full(100, 1.5)),
     ("%r = pto.vmi.vbrc %s : f32 -> V", lambda a, b: np.full(100, 2.5)),
     ('%r = pto.vmi.vci %s {order = "DESC"} : f32 -> V', lambda a, b: 2.5 - np.arange(100)),
     ("%g = pto.vmi.vload %p[%c3], %c7 {group = 5} : P -> !pto.vmi.vreg<5xf32>\n"
      "  %r = pto.vmi.vbrc %g {group = 5} : !pto.vmi.vreg<5xf32> -> V", None),
     ("%r = pto.vmi.vload %p[%c1], %c30 {group = 10} : P -> V", None),
     ('%r = pto.vmi.vload %p[%c9] {dist_mode = "brc"} : P -> V', None),
     ('%h, %r = pto.vmi.vload %p[%c0] {dist_mode = "dintlv"} : P -> V, V', None)],
)  # fmt: skip
def test_operations_on_floats(line: str, formula: Callable[[Array, Array], Array] | None) -> None:
    a, b = filled("f32"), filled("f32")
    text = line.replace("V", vec(COUNT, "f32")).replace("M", MASK).replace(" P ", f" {ptr('f32')} ")
    found = computed("f32", "f32", TAIL, "%s = arith.constant 2.5 : f32", text, a=a, b=b)
    if formula is not None:
        wanted = formula(a[:COUNT], b[:COUNT])
    elif "brc" in line and "dist" in line:
        wanted = np.full(COUNT, a[9])
    elif "dintlv" in line:
        wanted = a[1 : 2 * COUNT : 2]
    elif "group = 5" in line:
        wanted = np.repeat(a[3 + 7 * np.arange(5)], 20)
    else:
        wanted = np.concatenate([a[1 + 30 * row : 11 + 30 * row] for row in range(10)])
    assert found.tolist() == wanted.astype(np.float32).tolist()


@pytest.mark.parametrize("kind", ["add", "max", "min"])
@pytest.mark.parametrize("element", ["f32", "si32", "ui16", "f16"])
@pytest.mark.parametrize("groups", [1, 5, 20])
def test_reductions(kind: str, element: str, groups: int) -> None:
    a = filled(element, 1, 9)
    attrs = f"group = {groups}" + ", reassoc" * (kind == "add" and element[0] == "f")
    line = f"%r = pto.vmi.vc{kind} %a, %m {{{attrs}}} : {vec(COUNT, element)}, {MASK} -> {vec(groups, element)}"
    on = np.arange(COUNT) % (COUNT // groups) < 3
    mask = (f"%m = pto.vmi.create_group_mask %c3 {{num_groups = {groups}, group_size = {COUNT // groups}}} "
            f": index -> {MASK}")  # fmt: skip
    found = computed(element, element, mask, line, a=a, b=a, count=groups)
    rows = a[:COUNT].reshape(groups, -1)[:, on[: COUNT // groups]]
    formula: Any = {"add": np.sum, "max": np.max, "min": np.min}[kind]
    assert found.tolist() == formula(rows, axis=1).astype(DTYPES[element]).tolist()


@pytest.mark.parametrize(
    ("source", "target", "attrs", "formula"),
    [("f16", "f32", "", lambda a: a), ("f32", "si16", '{rounding = "F", saturate = "SAT"}', np.floor),
     ("si32", "f32", "", lambda a: a), ("ui8", "ui32", "", lambda a: a), ("si8", "si32", "", lambda a: a),
     ("ui32", "ui8", '{saturate = "SAT"}', lambda a: np.minimum(a, 255)),
     ("ui32", "ui8", '{saturate = "NOSAT"}', lambda a: a % 256)],
)  # fmt: skip
def test_conversions(source: str, target: str, attrs: str, formula: Callable[[Array], Array]) -> None:
    a = filled(source, -400, 400) if source != "ui8" else filled(source)
    line = f"%r = pto.vmi.vcvt %a {attrs} : {vec(COUNT, source)} -> {vec(COUNT, target)}"
    found = computed(source, target, line, a=a, b=a)
    assert found.tolist() == formula(a[:COUNT].astype(np.float64)).astype(DTYPES[target]).tolist()


def test_gathers_and_scatters() -> None:
    data, order = filled("f32"), RNG.permutation(COUNT).astype(np.uint32)
    text = function(
        pointers(p="f32", i="ui32", q="f32"), TAIL,
        f"%o = pto.vmi.vload %i[%c0] : {ptr('ui32')} -> {vec(COUNT, 'ui32')}",
        f"%a = pto.vmi.vgather %p, %o, %m : {ptr('f32')}, {vec(COUNT, 'ui32')}, {MASK} -> {vec(COUNT, 'f32')}",
        f"pto.vmi.vscatter %a, %q, %o, %m : {vec(COUNT, 'f32')}, {ptr('f32')}, {vec(COUNT, 'ui32')}, {MASK}",
    )  # fmt: skip
    found = leave(text, _bytes(data), _bytes(order), np.zeros(1024, np.uint8))[2].view(np.float32)
    wanted = np.zeros(256, np.float32)
    wanted[order[:77]] = data[order[:77]]
    assert found.tolist() == wanted.tolist()


CONTROL = """
func.func private @double(%x: V) -> V {
  %y = pto.vmi.vadd %x, %x : V, V -> V
  return %y : V
}
func.func @k(%p: !pto.ptr<si32, ub>, %q: !pto.ptr<si32, ub>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %yes = arith.constant true
  %x = pto.vmi.vload %p[%c0] : !pto.ptr<si32, ub> -> V
  %a = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %x) -> (V) {
    %t = pto.vmi.vadd %s, %x : V, V -> V
    scf.yield %t : V
  }
  %b = scf.if %yes -> (V) {
    %d = func.call @double(%a) : (V) -> V
    scf.yield %d : V
  } else {
    scf.yield %x : V
  }
  %n, %w = scf.while (%k = %i0, %v = %b) : (i32, V) -> (i32, V) {
    %go = arith.cmpi slt, %k, %i2 : i32
    scf.condition(%go) %k, %v : i32, V
  } do {
  ^bb0(%k: i32, %v: V):
    %l = arith.addi %k, %i1 : i32
    %u = pto.vmi.vadd %v, %x : V, V -> V
    scf.yield %l, %u : i32, V
  }
  %e = scf.index_switch %c3 -> V
  case 1 {
    scf.yield %x : V
  }
  case 3 {
    %f = pto.vmi.vadd %w, %x : V, V -> V
    scf.yield %f : V
  }
  default {
    scf.yield %w : V
  }
  cf.cond_br %yes, ^then(%e : V), ^other
^other:
  cf.br ^end(%x : V)
^then(%g: V):
  %h = pto.vmi.vadd %g, %x : V, V -> V
  cf.br ^end(%h : V)
^end(%r: V):
  pto.vmi.vstore %r, %q[%c0] : V, !pto.ptr<si32, ub>
  return
}
""".replace("V", vec(64, "si32"))


def test_control_flow_and_calls() -> None:
    """x becomes 4 x, 8 x, 10 x, 11 x, 12 x."""
    from layoutsolver.source import SourceFile
    from layoutsolver.verify.pto.compare import verify_pto

    data = filled("si32")
    straight = function(
        pointers(p="si32", q="si32"), "%z = arith.constant 12 : si32".replace("si32", "i32"),
        f"%x = pto.vmi.vload %p[%c0] : {ptr('si32')} -> {vec(64, 'si32')}",
        f"%t = pto.vmi.vbrc %z : i32 -> {vec(64, 'si32')}",
        f"%r = pto.vmi.vmul %x, %t : {vec(64, 'si32')}, {vec(64, 'si32')} -> {vec(64, 'si32')}",
        f"pto.vmi.vstore %r, %q[%c0] : {vec(64, 'si32')}, {ptr('si32')}",
    )  # fmt: skip
    assert data.size
    found = verify_pto(SourceFile("a.pto", CONTROL), SourceFile("b.pto", straight))
    assert found.ok, found.diagnostics
    wrong = verify_pto(SourceFile("a.pto", CONTROL), SourceFile("b.pto", straight.replace(" 12 ", " 13 ")))
    assert not wrong.ok


@pytest.mark.parametrize(
    ("line", "what"),
    [("%r = pto.vmi.vgatherb %p, %i, %m : P, I, M -> V", "documents disagree"),
     ("%r = arith.negf %a : V", "what `arith.negf` does is not known here"),
     ('%h = pto.vmi.vcvt %a {rounding = "H", saturate = "SAT"} : V -> !pto.vmi.vreg<100xf16>', "not documented"),
     ('%h = pto.vmi.vcvt %a {rounding = "H", saturate = "SAT"} : V -> !pto.vmi.vreg<100x!pto.hif8>', "not documented"),
     ("%r = func.call @elsewhere(%a) : (V) -> V", "has no body")],
)  # fmt: skip
def test_what_cannot_be_run_is_named(line: str, what: str) -> None:
    text = line.replace("V", vec(COUNT, "f32")).replace("M", MASK).replace(" P,", f" {ptr('f32')},")
    text = text.replace("I,", vec(COUNT, "ui32") + ",")
    given = "" if "%r" in text else f"%r = pto.vmi.vneg %a : {vec(COUNT, 'f32')} -> {vec(COUNT, 'f32')}"
    index = f"%i = pto.vmi.vci %z : i32 -> {vec(COUNT, 'ui32')}"
    with pytest.raises(StoppedError, match=what):
        computed(
            "f32", "f32", TAIL, "%z = arith.constant 0 : i32", index, text, given, a=filled("f32"), b=filled("f32")
        )


def test_every_operation_is_run_or_open_for_a_reason() -> None:
    names = {spec.name.removeprefix("pto.vmi.") for spec in VMI_OPS}
    assert names - set(HANDLERS) == set(OPEN)
