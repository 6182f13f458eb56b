"""Operations whose operands, results or types do not fit are named before anything relies on them."""

from __future__ import annotations

import pytest

from layoutsolver.buckyball.program import read_program
from layoutsolver.source import SourceFile
from tests.support.fuzz_buckyball import check_broken, check_product, originals

WRONG = {
    "%v = arith.addi %n : i64": "has 1 operand, not 2",
    "%v = arith.addi %f, %f : f32": "has values of types f32",
    "%v = arith.addf %n, %n : i64": "has values of types i64",
    "%v = arith.constant 1.5 : i64": "gives `1.5` as a constant of type `i64`",
    "%v = arith.constant dense<1> : vector<4xi32>": "as a constant of type",
    "%v = arith.cmpi eq, %f, %f : f32": "compares f32",
    "%v = arith.select %n, %f, %f : f32": "chooses by `i64`",
    "%v = arith.bitcast %f : f32 to i64": "does not go from `f32` to `i64`",
    "%v = arith.index_cast %f : f32 to i64": "does not go from `f32` to `i64`",
    "%v = math.absf %n : i64": "one type of floats",
    "memref.dealloc %f : f32": "takes a memref",
    "memref.copy %A, %B : memref<16x16xf32> to memref<4x4xf32>": "memrefs of different sizes",
    "%v = memref.load %A[%i] : memref<16x16xf32>": "needs 2 indices",
    "memref.store %n, %A[%i, %i] : memref<16x16xf32>": "moves an element of `f32`",
    "%v = memref.subview %A[0] [4] [1] : memref<16x16xf32> to memref<4xf32>": "needs 2 offsets",
    "%v = memref.subview %A[0, 0] [4, 4] [1, 1] : memref<16x16xf32> to memref<8x4xf32>": "has other sizes",
    "%v = memref.collapse_shape %A [[1, 0]] : memref<16x16xf32> into memref<256xf32>": "does not join",
    "%v = memref.collapse_shape %S [[0, 1]] : memref<4x4xf32, strided<[16, 1]>> into memref<16xf32>": "do not lie",
    "linalg.fill ins(%n : i64) outs(%A : memref<16x16xf32>)": "fills `f32` by `i64`",
    "linalg.add ins(%A, %B : memref<16x16xf32>, memref<4x4xf32>) outs(%A : memref<16x16xf32>)": "memrefs of one size",
    "linalg.matmul ins(%A : memref<16x16xf32>) outs(%A : memref<16x16xf32>)": "has 2 operands, not 3",
    "linalg.transpose ins(%A : memref<16x16xf32>) outs(%B : memref<4x4xf32>) permutation = [1, 0]": "other sizes",
    "linalg.transpose ins(%A : memref<16x16xf32>) outs(%A : memref<16x16xf32>) permutation = [1, 1]": "a permutation",
    "%v = buckyball.bank_mvin %n %n %n %n : i64 i64 i64 i64": "takes `memref` as a memref",
    "buckyball.fp2int %n, %n, %n, %f : i64": "takes `scale` as an i64, not `f32`",
    "%v = buckyball.bank_alloc {col = 32 : i64}": "has col = 32",
    '"buckyball.intr.mvin"(%n) : (i64) -> ()': "expected 2 operands",
}


@pytest.mark.parametrize("line", WRONG)
def test_what_does_not_fit_is_named(line: str) -> None:
    arguments = "%A: memref<16x16xf32>, %B: memref<4x4xf32>, %S: memref<4x4xf32, strided<[16, 1]>>"
    text = f"func.func @f({arguments}, %n: i64, %i: index, %f: f32) {{\n  {line}\n  return\n}}\n"
    read = read_program(SourceFile("a.mlir", text))
    assert read.code is None
    assert any(WRONG[line] in item.message for item in read.diagnostics)
    assert all(item.primary is not None for item in read.diagnostics)


@pytest.mark.parametrize(
    ("maps", "arguments", "yields"),
    [
        ("(i, j) -> (i, j)>, affine_map<(i, j) -> (i, i)", "%x: f32, %y: f32", "%x : f32"),
        ("(i, j) -> (i, j)>, affine_map<(i, j) -> (i)", "%x: f32, %y: f32", "%x : f32"),
        ("(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)", "%x: f32, %y: i8", "%x : f32"),
        ("(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)", "%x: f32, %y: f32", "%x, %y : f32, f32"),
        ("(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j)", "%x: f32, %y: f32", "%x : f32"),
    ],
)
def test_generic_operations_whose_parts_do_not_belong_together(maps: str, arguments: str, yields: str) -> None:
    text = (
        "func.func @f(%A: memref<16x16xf32>) {\n"
        f"  linalg.generic {{indexing_maps = [affine_map<{maps}>], iterator_types = []}}"
        " ins(%A : memref<16x16xf32>) outs(%A : memref<16x16xf32>) {\n"
        f"  ^bb0({arguments}):\n    linalg.yield {yields}\n  }}\n  return\n}}\n"
    )
    (found,) = read_program(SourceFile("a.mlir", text)).diagnostics
    assert (found.code, found.message.startswith("`linalg.generic` ")) == ("LS1002", True)


def test_broken_programs_are_named() -> None:
    texts = originals()
    assert [found for seed in range(250) if (found := check_broken(seed, texts))] == []


@pytest.mark.parametrize("seed", range(900, 905))
def test_random_products_are_right(seed: int) -> None:
    assert check_product(seed, largest=64) == ""
