"""Shapes and vectors that the production compiler's own tests have, and what comes of them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from layoutsolver.buckyball.lowering import lower_text
from layoutsolver.source import SourceFile
from layoutsolver_models.buckyball.encoding import registers, rs1, rs2
from layoutsolver_models.hardware.buckyball.dram import BASE, Dram
from layoutsolver_models.hardware.buckyball.machine import Machine
from layoutsolver_models.targets.bank_chip import load_bank_chip
from tests.buckyball.support import SEED, TOY, Run, lowered, product
from tests.models.hardware.buckyball.golden import chip

GOBAN = load_bank_chip("goban")


def test_a_k_of_two_tiles_has_loops_a_partial_buffer_and_a_sum() -> None:
    text = lowered(product(16, 16, 2048, op="tile"), "buckyball", SEED._replace(tile_depth=128))
    order = [text.index(part) for part in ("scf.for %m", "scf.for %n", "memref.alloc()", "scf.for %k",
                                           "buckyball.matmul", "linalg.add", "memref.dealloc")]  # fmt: skip
    assert order == sorted(order)
    assert "memref<16x1024xf32" in text
    assert "memref<16x16xf32>\n" in text
    assert re.search(r"scf\.for %k = %c0 to %c2048 step %c1024", text)


def test_a_convolution_of_ones_is_eight() -> None:
    a, b, c = "memref<1x4x1x8xf32>", "memref<1x1x8x6xf32>", "memref<1x4x1x6xf32>"
    text = (
        f"func.func @conv(%A: {a}, %B: {b}, %C: {c}) {{\n  %z = arith.constant 0.0 : f32\n"
        f"  linalg.fill ins(%z : f32) outs(%C : {c})\n"
        f"  linalg.conv_2d_nhwc_hwcf ins(%A, %B : {a}, {b}) outs(%C : {c})\n  return\n}}\n"
    )
    assert "tile.tile_conv2d" in lowered(text, "tile")
    ones = [np.ones(dims, np.float32) for dims in ((1, 4, 1, 8), (1, 1, 8, 6), (1, 4, 1, 6))]
    assert (Run(lowered(text, "wrapper"), ones).output(2) == 8).all()


def test_an_im2col_with_nine_operands_becomes_its_intrinsic() -> None:
    names = ", ".join(f"%n{number}: i64" for number in range(7))
    fields = " ".join(f"%n{number}" for number in range(7))
    text = (
        f"func.func @f({names}) {{\n  %p = buckyball.bank_alloc\n  %q = buckyball.bank_alloc\n"
        f"  %r = buckyball.bank_im2col %p %q {fields} : {' '.join(['i64'] * 9)}\n"
        "  buckyball.bank_release %p : i64\n  buckyball.bank_release %r : i64\n  return\n}\n"
    )
    found = lowered(text, "intr")
    assert '"buckyball.intr.im2col"(' in found
    assert "bank_" not in found
    assert registers("im2col", {"in": 5, "out": 6, "krow": 3, "kcol": 3, "inrow": 8, "incol": 128, "startrow": 0,
                                "startcol": 0, "colStep": 16})[0] == rs1(5, bank2=6)  # fmt: skip


UNITS = {
    "bank_transpose %p %q %n %n": (TOY, 49), "bank_fp2int %p %q %n %s": (TOY, 51), "bank_int2fp %p %q %n %s": (TOY, 52),
    "bank_int32_to_int8 %p %q %n %s": (TOY, 52), "bank_matrix %p %q %r %s": (GOBAN, 65),
}  # fmt: skip


@pytest.mark.parametrize("operation", UNITS)
def test_units_of_the_newer_compiler_share_one_intrinsic(operation: str) -> None:
    chip_, funct7 = UNITS[operation]
    text = (
        "func.func @f(%n: i64) {\n  %s = arith.constant 268501008 : i64\n"
        + "".join(f"  %{name} = buckyball.bank_alloc\n" for name in "pqr")
        + f"  %x = buckyball.{operation} : i64 i64 i64 i64\n"
        + "".join(f"  buckyball.bank_release %{name} : i64\n" for name in "pqr")
        + "  return\n}\n"
    )
    found = lowered(text, "intr", chip_)
    assert f"{{funct7 = {funct7} : i32}}" in found
    assert ("268501008" in found) is (operation.endswith("%s") and "int32_to_int8" not in operation)
    assert (str(4294967296 + 268501008) in found) is ("int32_to_int8" in operation)


def test_a_unit_that_a_chip_lacks_is_an_error_at_the_operation() -> None:
    bank = "func.func @f(%n: i64) {\n  %r = buckyball.bank_matrix %n %n %n %n : i64 i64 i64 i64\n  return\n}\n"
    (item,) = lower_text(SourceFile("a.mlir", bank), TOY, "wrapper").diagnostics
    assert (item.code, "needs the unit `matrix`, which `toy`" in item.message) == ("LS1004", True)
    (item,) = lower_text(SourceFile("a.mlir", bank), SEED, "intr").diagnostics
    assert (item.code, "how the older unit is configured" in item.message) == ("LS1003", True)
    text = "func.func @f(%n: i64) {\n  buckyball.relu %n, %n, %n, %n : i64\n  return\n}\n"
    for name, lacks in (("seed", False), ("toy", False), ("pebble", True), ("goban", True)):
        found = lower_text(SourceFile("a.mlir", text), load_bank_chip(name), "intr")
        said = f"`buckyball.relu` needs the unit `relu`, which `{name}` does not have"
        assert [(item.code, item.message) for item in found.diagnostics] == [("LS1004", said)] * lacks


def test_an_accumulator_is_cleared_as_the_chip_can() -> None:
    text = product(16, 16, 32, op="buckyball")
    loaded = lowered(text, "wrapper", TOY)
    assert loaded.count("buckyball.mvin") == 3
    assert "clear" not in loaded
    bit = TOY._replace(accumulator="mset_clear_bit")
    cleared = lowered(text, "wrapper", bit)
    assert cleared.count("clear = true") == 1
    assert f"constant {0xC81} : i64" in lowered(text, "intr", bit)
    choose = np.random.default_rng(4)
    values = [choose.uniform(-1, 1, dims).astype(np.float32) for dims in ((16, 32), (32, 16), (16, 16))]
    expected = Run(loaded, values, TOY).output(2)
    assert np.array_equal(Run(cleared, values, bit).output(2), expected)
    without = bit._replace(accumulator="mset_zero", mset_clears=False)
    with pytest.raises(Exception, match="nothing has cleared or written"):
        Run(lowered(text, "wrapper", without), values, without)


def test_moves_with_different_strides_touch_their_rows_alone() -> None:
    machine = Machine(chip("NEW"), Dram(0x4000, tracked=False))
    machine.dram.data[:0x1000] = np.arange(0x1000) % 251
    machine.dram.data[0x1000:] = 0xA5
    machine.execute(32, 0, 0x421)
    machine.execute(33, rs1(0, iterations=4), rs2("mvin", address=BASE, stride=3))
    machine.execute(16, rs1(0, iterations=4), rs2("mvout", address=BASE + 0x1000, stride=5))
    rows = machine.dram.data[0x1000:0x1200].reshape(-1, 16)
    for number, row in enumerate(rows):
        source = machine.dram.data[48 * (number // 5) : 48 * (number // 5) + 16]
        assert np.array_equal(row, source if number % 5 == 0 and number < 20 else np.full(16, 0xA5))


VECTORS: list[tuple[list[int], list[int]]] = [
    ([-1000, -512, -255, -5, -3, -1, 0, 1, 3, 5, 127, 253, 255, 257, 1000, 2],
     [-128, -128, -128, -2, -2, 0, 0, 0, 2, 2, 64, 126, 127, 127, 127, 1]),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), VECTORS)
def test_integers_become_bytes_under_a_scale_of_a_half(given: list[int], expected: list[Any]) -> None:
    machine = Machine(chip("NEW"), Dram(64), strict=False)
    machine.execute(32, 0, 0x481)
    machine.execute(32, 8, 0x421)
    machine.banks.write(0, np.array([given], np.int32).view(np.uint8))
    machine.execute(52, *registers("int32_to_int8", {"in": 0, "out": 8, "iter": 1, "scale": 0x3F000000}))
    assert machine.banks.read(8, 1).view(np.int8)[0].tolist() == expected
