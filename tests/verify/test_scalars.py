"""Scalars of a program: what each operation comes to, with its sign, its width, and where it means nothing."""

from __future__ import annotations

import math

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile
from layoutsolver.verify.operation import decode
from layoutsolver.verify.scalars import number_of, run_scalar
from layoutsolver.verify.values import Scalar, Value


def result(line: str, *constants: str, before: str = "") -> Scalar:
    """What a line comes to, its operands `%a`, `%b`, `%c` being constants (`5 : i32`), behind another line."""
    made = [f"  %{name} = arith.constant {text}\n" for name, text in zip("abc", constants, strict=False)]
    text = f"func.func @f() {{\n{''.join(made)}  {before}\n  %r = {line}\n  return\n}}\n"
    graph, found = build_graph(read(SourceFile("t.mlir", text)))
    assert not [item.message for item in found if item.severity == "error"]
    known: dict[int, Value] = {}
    for node in graph.ops:
        answer = run_scalar(decode(graph, node), known.__getitem__)
        if node.results and answer is not None:
            known[node.results[0]] = answer[0]
    (value,) = (value.index for value in graph.values if value.name == "%r")
    scalar = known[value]
    assert isinstance(scalar, Scalar)
    return scalar


def number(scalar: Scalar) -> int | None:
    return scalar.signed if scalar.defined else None


@pytest.mark.parametrize(
    ("name", "left", "right", "expected"),
    [
        ("addi", 100, 100, -56), ("subi", -128, 1, 127), ("muli", 16, 24, -128),
        ("andi", 12, 10, 8), ("ori", 12, 10, 14), ("xori", 12, 10, 6),
        ("maxsi", -1, 1, 1), ("minsi", -1, 1, -1), ("maxui", -1, 1, -1), ("minui", -1, 1, 1),
        ("divsi", -7, 2, -3), ("divsi", 7, -2, -3), ("divsi", -7, -2, 3), ("divsi", 7, 0, None),
        ("remsi", -7, 2, -1), ("remsi", 7, -2, 1), ("remsi", 7, 0, None),
        ("floordivsi", -7, 2, -4), ("ceildivsi", -7, 2, -3), ("ceildivsi", 7, 2, 4),
        ("divui", -7, 2, 124), ("remui", -6, 4, 2), ("ceildivui", -7, 2, 125), ("ceildivui", 1, 0, None),
        ("shli", 3, 5, 96), ("shli", 1, 7, -128), ("shli", 1, 8, None), ("shli", 1, -1, None),
        ("shrsi", -8, 1, -4), ("shrui", -8, 1, 124), ("shrui", -8, 0, -8), ("shrsi", -8, 8, None),
    ],
)  # fmt: skip
def test_bytes_wrap_and_what_means_nothing_is_not_determined(
    name: str, left: int, right: int, expected: int | None
) -> None:
    """248 = -8, 249 = -7, 250 = -6 without a sign."""
    assert number(result(f"arith.{name} %a, %b : i8", f"{left} : i8", f"{right} : i8")) == expected


@pytest.mark.parametrize(
    ("kinds", "left", "right"),
    [
        ("eq sle sge ule uge", 3, 3), ("ne slt sle ult ule", 2, 3), ("ne sgt sge ugt uge", 3, 2),
        ("ne slt sle ugt uge", -1, 1), ("ne sgt sge ult ule", 1, -1),
    ],
)  # fmt: skip
def test_integers_are_compared_with_their_sign_or_without(kinds: str, left: int, right: int) -> None:
    all_kinds = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
    holding = [
        kind for kind in all_kinds if result(f"arith.cmpi {kind}, %a, %b : i16", f"{left} : i16", f"{right} : i16").bits
    ]
    assert holding == kinds.split()


@pytest.mark.parametrize(
    ("kinds", "left", "right"),
    [
        ("true ord oeq oge ole ueq uge ule", "1.0", "1.0"),
        ("true ord oge ogt one uge ugt une", "2.0", "1.0"),
        ("true ord ole olt one ule ult une", "-2.0", "1.0"),
        ("true uno ueq uge ugt ule ult une", "0x7E00", "1.0"),
        ("true ord oeq oge ole ueq uge ule", "-0.0", "0.0"),
    ],
)
def test_floats_are_compared_ordered_or_not(kinds: str, left: str, right: str) -> None:
    ordered = [f"{order}{kind}" for order in "ou" for kind in ("eq", "ge", "gt", "le", "lt", "ne")]
    all_kinds = ("true", "false", "ord", "uno", *ordered)
    holding = [
        kind for kind in all_kinds if result(f"arith.cmpf {kind}, %a, %b : f16", f"{left} : f16", f"{right} : f16").bits
    ]
    assert holding == kinds.split()


@pytest.mark.parametrize(
    ("name", "left", "right", "expected"),
    [
        ("addf", "2048.0", "1.0", 2048.0), ("addf", "2050.0", "1.0", 2052.0), ("subf", "1.0", "3.0", -2.0),
        ("mulf", "3.0", "-0.5", -1.5), ("divf", "1.0", "3.0", 0.333251953125), ("divf", "-1.0", "0.0", -math.inf),
        ("maximumf", "1.0", "2.0", 2.0), ("minimumf", "1.0", "2.0", 1.0), ("maximumf", "0x7E00", "2.0", math.nan),
        ("minimumf", "2.0", "0x7E00", math.nan), ("maxnumf", "0x7E00", "2.0", 2.0), ("minnumf", "1.0", "2.0", 1.0),
    ],
)  # fmt: skip
def test_floats_are_rounded_once_to_nearest_even(name: str, left: str, right: str, expected: float) -> None:
    found = number_of(result(f"arith.{name} %a, %b : f16", f"{left} : f16", f"{right} : f16"))
    assert (math.isnan(found) and math.isnan(expected)) or found == expected


@pytest.mark.parametrize(
    ("name", "value", "source", "target", "expected"),
    [
        ("extsi", "-1", "i8", "i32", -1), ("extui", "-1", "i8", "i32", 255), ("extsi", "true", "i1", "i32", -1),
        ("extui", "true", "i1", "i32", 1), ("trunci", "511", "i32", "i8", -1), ("trunci", "256", "i32", "i8", 0),
        ("index_cast", "-1", "i32", "index", -1), ("index_castui", "-1", "i32", "index", 0xFFFFFFFF),
        ("fptosi", "3.75", "f32", "i32", 3), ("fptosi", "-3.75", "f32", "i32", -3),
        ("fptoui", "200.5", "f32", "i8", -56), ("bitcast", "1.0", "f32", "i32", 0x3F800000),
    ],
)  # fmt: skip
def test_casts_to_integers(name: str, value: str, source: str, target: str, expected: int) -> None:
    assert number(result(f"arith.{name} %a : {source} to {target}", f"{value} : {source}")) == expected


@pytest.mark.parametrize(
    ("name", "value", "source", "target", "expected"),
    [
        ("sitofp", "-1", "i8", "f32", -1.0), ("uitofp", "-1", "i8", "f32", 255.0), ("extf", "1.5", "f16", "f32", 1.5),
        ("truncf", "2049.0", "f32", "f16", 2048.0), ("truncf", "2051.0", "f32", "f16", 2052.0),
    ],
)  # fmt: skip
def test_casts_to_floats(name: str, value: str, source: str, target: str, expected: float) -> None:
    assert number_of(result(f"arith.{name} %a : {source} to {target}", f"{value} : {source}")) == expected


def test_a_sign_is_changed_and_one_of_two_is_selected() -> None:
    assert number_of(result("arith.negf %a : f32", "1.5 : f32")) == -1.5
    for flag, expected in (("true", 5), ("false", 7)):
        assert number(result("arith.select %a, %b, %c : i32", f"{flag} : i1", "5 : i32", "7 : i32")) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("arith.addi %x, %a : i32", None),
        ("arith.cmpi eq, %x, %x : i32", None),
        ("arith.extsi %x : i32 to i64", None),
        ("arith.select %c, %a, %x : i32", 7),
        ("arith.select %c, %x, %a : i32", None),
    ],
)
def test_what_is_not_determined_spreads_and_is_not_seen_where_it_is_not_selected(
    line: str, expected: int | None
) -> None:
    found = result(line, "7 : i32", "0 : i32", "true", before="%x = arith.divsi %a, %b : i32")
    assert number(found) == expected
