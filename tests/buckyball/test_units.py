"""What the units of the newer chips do: products of the matrix unit, windows of planes, relu."""

from __future__ import annotations

import random

import numpy as np
import pytest

from layoutsolver.buckyball.banking import BankOptions, bank_text
from layoutsolver.buckyball.lowering import lower_text
from layoutsolver.buckyball.stages import ALL_STAGES
from layoutsolver.source import SourceFile
from layoutsolver.verify.buckyball import planes, reference
from layoutsolver.verify.buckyball.compare import compare_forms
from layoutsolver.verify.buckyball.forms import read_form
from layoutsolver.verify.buckyball.interpreter import Stopped
from layoutsolver_models.targets.bank_chip import BankChip, load_bank_chip
from tests.buckyball.support import SEED, TOY, Run, bits, lowered, product
from tests.buckyball.test_path import convolution

PEBBLE, GOBAN = load_bank_chip("pebble"), load_bank_chip("goban")
MATRIX = pytest.mark.parametrize("chip", [PEBBLE, GOBAN], ids=lambda chip: str(chip.name))


def agree(text: str, other: str, chip: BankChip, rounds: int = 1) -> None:
    forms = [read_form(SourceFile("test", one)).form for one in (text, other)]
    assert forms[0] is not None
    assert forms[1] is not None
    done = compare_forms(forms[0], forms[1], chip, rounds, 1)
    assert [(item.message, item.notes) for item in done.diagnostics] == []
    assert done.runs == rounds


# -- products of the matrix unit ----------------------------------------------------------------------------------


@MATRIX
@pytest.mark.parametrize("end", ALL_STAGES[1:])
def test_products_of_the_matrix_unit_are_the_same_at_every_stage(chip: BankChip, end: str) -> None:
    text = product(5, 17, 40, (48, 0, 0))
    agree(text, lowered(text, end, chip), chip)


@MATRIX
@pytest.mark.parametrize("seed", range(4))
def test_products_of_any_shape_come_to_the_quantised_product(chip: BankChip, seed: int) -> None:
    choose = random.Random(seed)
    m, n, k = choose.randint(1, 60), choose.randint(1, 60), choose.choice([16, choose.randint(1, 300), 1040])
    draw = np.random.default_rng(seed)
    a, b = (draw.uniform(-2, 2, dims).astype(np.float32) for dims in ((m, k), (k, n)))
    text = lowered(product(m, n, k), "intr", chip)
    run = Run(text, [a, b, np.ones((m, n), np.float32)], chip)
    assert np.array_equal(bits(run.output(2)), bits(reference.tiled(a, b, chip)))
    names = {name for name, _, _ in run.trace}
    assert {"matrix", "fp2int", "int2fp"} <= names
    assert not names & {"mul_warp16", "transpose"}
    assert np.abs(run.output(2) - a.astype(np.float64) @ b).max() < 2.0 * k / 60


@MATRIX
def test_blocks_of_a_lie_behind_each_other_and_banks_stay_below_eight(chip: BankChip) -> None:
    run = Run(lowered(product(16, 16, 64), "wrapper", chip), [np.ones((16, 64), np.float32),
              np.ones((64, 16), np.float32), np.zeros((16, 16), np.float32)], chip)  # fmt: skip
    assert (run.output(2) == 64).all()
    config = [register for name, _, register in run.trace if name == "matrix"]
    assert config == [16 | 16 << 12 | 64 << 24]
    assert all(register & 0x3FF < 8 for _, register, _ in run.trace)
    (found,) = bank_text(SourceFile("a", product(16, 16, 64)), chip, BankOptions()).functions
    assert (found.solution.status, found.solution.peak) == ("optimal", 6)
    cycles = {op.name: op.latency for op in found.problem.ops}
    assert cycles["buckyball.bank_matrix"] == 16 * 16 * 64 // 16 + 16 * 16 // 2


def test_the_mode_of_the_matrix_unit_is_that_of_the_operation() -> None:
    text = lowered(product(16, 16, 16), "buckyball", GOBAN).replace("ws = false", "ws = true")
    assert f"constant {16 | 16 << 12 | 16 << 24 | 1 << 36} : i64" in lowered(text, "bank-ssa", GOBAN)
    (found,) = bank_text(SourceFile("a", text), GOBAN, BankOptions("liveness")).functions
    assert [op.latency for op in found.problem.ops if "matrix" in op.name] == [16 * 16 * 16 // 16 + 16 * 16]


def test_a_product_needs_one_of_two_units() -> None:
    without = GOBAN._replace(units={name: code for name, code in GOBAN.units.items() if name != "matrix"})
    found = lower_text(SourceFile("a", product(16, 16, 16)), without, "bank-ssa")
    assert [(item.code, item.message) for item in found.diagnostics] == [
        ("LS1004", "`buckyball.matrix_matmul` needs the unit `vec`, which `goban` does not have")
    ]


# -- planes -------------------------------------------------------------------------------------------------------

PLANES = [
    {"size": 8, "kernel": 3, "inner": 3, "channels": 20, "batches": 2},
    {"size": 34, "kernel": 3, "inner": 1, "channels": 3},
    {"size": 7, "kernel": 7, "inner": 2, "channels": 16},
    {"size": 9, "kernel": 1, "inner": 2, "channels": 1},
]  # fmt: skip


@pytest.mark.parametrize("shape", PLANES)
def test_convolutions_by_planes_come_to_the_quantised_one(shape: dict[str, int]) -> None:
    text = convolution(**shape)
    for end in ("buckyball", "wrapper"):
        agree(text, lowered(text, end, PEBBLE), PEBBLE)


def test_a_convolution_by_planes_is_the_same_behind_mlir_and_needs_six_banks() -> None:
    text = convolution(size=5, kernel=2, inner=2, channels=4)
    for end in ("llvm", "riscv"):
        agree(text, lowered(text, end, PEBBLE), PEBBLE)
    (found,) = bank_text(SourceFile("a", text), PEBBLE, BankOptions()).functions
    assert (found.solution.status, found.solution.peak) == ("optimal", 6)


def test_a_convolution_by_planes_is_that_of_numpy_but_for_quantising() -> None:
    draw = np.random.default_rng(3)
    source = draw.uniform(-1, 1, (1, 12, 12, 3)).astype(np.float32)
    kernel = draw.uniform(-1, 1, (3, 3, 3, 18)).astype(np.float32)
    text = lowered(convolution(size=12, inner=3, channels=18), "intr", PEBBLE)
    run = Run(text, [source, kernel, np.zeros((1, 10, 10, 18), np.float32)], PEBBLE)
    windows = np.lib.stride_tricks.sliding_window_view(source[0], (3, 3), axis=(0, 1))
    exact = np.einsum("hwcij,ijco->hwo", windows.astype(np.float64), kernel.astype(np.float64))
    assert np.abs(run.output(2)[0] - exact).max() < 0.2
    assert np.abs(exact).max() > 3
    assert np.array_equal(bits(run.output(2)), bits(planes.convolution(source, kernel, PEBBLE)))


def test_a_convolution_beside_a_matrix_is_entered_where_that_stands() -> None:
    m, a, b, c = "memref<16x16xf32>", "memref<1x4x4x2xf32>", "memref<3x3x2x8xf32>", "memref<1x2x2x8xf32>"
    text = (
        f"func.func @both(%M: {m}, %N: {m}, %O: {m}, %A: {a}, %B: {b}, %C: {c}) {{\n"
        f"  buckyball.matrix_matmul %M %N %O : {m} {m} {m}\n  tile.tile_conv2d %A %B %C : {a} {b} {c}\n  return\n}}\n"
    )
    found = lowered(text, "wrapper", PEBBLE)
    assert found.count("buckyball.matrix ") == 2
    agree(text, found, PEBBLE)


def test_windows_with_strides_and_padding_come_to_the_quantised_product() -> None:
    p, k, c = "memref<16x12xf32>", "memref<9x16xf32>", "memref<49x16xf32>"
    fields = "{inSize = 12 : i64, ksize = 3 : i64, n = 5 : i64, stride = 2 : i64, padding = 1 : i64}"
    text = f"func.func @f(%p: {p}, %k: {k}, %c: {c}) {{\n  buckyball.im2col_matmul %p %k %c {fields} : {p} {k} {c}\n" \
           "  return\n}\n"  # fmt: skip
    with_two = text.replace("memref<49x16xf32>", "memref<36x16xf32>")
    agree(with_two, lowered(with_two, "wrapper", PEBBLE), PEBBLE, 2)
    assert "results of 36x16" in lower_text(SourceFile("a", text), PEBBLE, "wrapper").diagnostics[0].message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (convolution(size=12, kernel=9, inner=1, channels=4), "square kernels up to 7, not planes of 12 by 12"),
        (convolution(size=12, inner=1).replace("1x12x12", "1x12x9").replace("1x10x10", "1x10x7"), ""),
        (convolution(size=12, inner=1).replace("3x3x1", "3x1x1").replace("1x10x10", "1x10x12"), "kernels of 3 by 1"),
        (convolution(size=12, inner=1).replace("3x3x1", "3x3x2"), "shapes mismatch"),
    ],
)
def test_planes_that_the_unit_does_not_take_are_named(text: str, message: str) -> None:
    found = lower_text(SourceFile("a", text), PEBBLE, "wrapper")
    if message:
        assert [item.code for item in found.diagnostics] == ["LS1002"]
        assert message in found.diagnostics[0].message
    else:
        assert found.text is not None
        agree(text, found.text, PEBBLE)


# -- relu ---------------------------------------------------------------------------------------------------------


def relu(rows: int, columns: int, pitch: int = 0, body: str = "arith.maxsi %x, %z : i8") -> str:
    strided = f", strided<[{pitch}, 1]>" if pitch else ""
    a, b = f"memref<{rows}x{columns}xi8{strided}>", f"memref<{rows}x{columns}xi8>"
    maps = "affine_map<(i, j) -> (i, j)>"
    return (
        f"func.func @relu(%A: {a}, %B: {b}) {{\n  %z = arith.constant 0 : i8\n"
        f"  linalg.generic {{indexing_maps = [{maps}, {maps}], iterator_types = [\"parallel\", \"parallel\"]}} "
        f"ins(%A : {a}) outs(%B : {b}) {{\n  ^bb0(%x: i8, %y: i8):\n    %p = {body}\n    linalg.yield %p : i8\n  }}\n"
        "  return\n}\n"
    )  # fmt: skip


@pytest.mark.parametrize(("rows", "columns", "pitch"), [(3, 32, 0), (7, 30, 0), (3, 48, 64), (1030, 16, 0)])
@pytest.mark.parametrize("chip", [SEED, TOY], ids=lambda chip: str(chip.name))
def test_relu_of_bytes_goes_to_its_unit(chip: BankChip, rows: int, columns: int, pitch: int) -> None:
    text = relu(rows, columns, pitch)
    found = lowered(text, "wrapper", chip)
    assert found.count("buckyball.relu") == 1 + (rows > 1024)
    agree(text, found, chip, 2)


@pytest.mark.parametrize("end", ["bank-ssa", "bank-ids", "intr", "llvm", "riscv"])
def test_relu_is_the_same_at_every_stage_and_with_a_processor_alone(end: str) -> None:
    text = relu(5, 20)
    agree(text, lowered(text, end), SEED)
    unit = {"bank-ssa": "bank_relu", "bank-ids": "bank_relu", "intr": "intr.relu", "llvm": "bb.relu"}.get(
        end, "bb_relu"
    )
    assert unit in lowered(text, end)
    assert unit not in lowered(text, end, GOBAN)
    agree(text, lowered(text, end, GOBAN), GOBAN)


@pytest.mark.parametrize("body", ["arith.maxsi %x, %x : i8", "arith.minsi %x, %z : i8", "arith.maxsi %y, %z : i8"])
def test_what_is_no_relu_stays_with_the_processor(body: str) -> None:
    text = relu(3, 32, 0, body)
    assert "buckyball" not in lowered(text, "wrapper")
    one = text.replace("constant 0 : i8", "constant 1 : i8").replace(body, "arith.maxsi %x, %z : i8")
    assert "buckyball" not in lowered(one, "wrapper")


def test_an_operand_and_a_result_lie_as_their_own_maps_say() -> None:
    """Rows less a row, written by columns: no map stands for another, and nothing but the result is written."""
    whole, row, turned = "memref<3x4xf32>", "memref<4xf32>", "memref<4x3xf32>"
    maps = ", ".join(f"affine_map<(i, j) -> ({used})>" for used in ("i, j", "j", "j, i"))
    text = (
        f"func.func @f(%A: {whole}, %b: {row}, %C: {turned}) {{\n"
        f'  linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}} '
        f"ins(%A, %b : {whole}, {row}) outs(%C : {turned}) {{\n"
        "  ^bb0(%x: f32, %y: f32, %z: f32):\n    %p = arith.subf %x, %y : f32\n    linalg.yield %p : f32\n  }\n"
        "  return\n}\n"
    )
    a, b = np.arange(12, dtype=np.float32).reshape(3, 4), np.array([100, 200, 300, 400], np.float32)
    run = Run(text, [a, b, np.zeros((4, 3), np.float32)])
    assert (run.output(0) == a).all()
    assert (run.output(1) == b).all()
    assert (run.output(2) == (a - b).T).all()


def reduced(
    body: str, result: str = "i", iterators: str = '"parallel", "reduction"', output: str = "memref<3xf32>"
) -> str:
    """A `linalg.generic` over three rows of four whose result lies as `result` says."""
    return (
        f"func.func @f(%A: memref<3x4xf32>, %C: {output}) {{\n"
        f"  linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ({result})>], "
        f"iterator_types = [{iterators}]}} ins(%A : memref<3x4xf32>) outs(%C : {output}) {{\n"
        f"  ^bb0(%x: f32, %z: f32):\n    {body}\n    linalg.yield %p : f32\n  }}\n  return\n}}\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (reduced("%p = arith.divf %x, %z : f32"), "reduces by more than one operation"),
        (reduced("%p = arith.addf %z, %z : f32"), "reduces by more than one operation"),
        (reduced("%p = arith.addf %x, %x : f32"), "reduces nothing"),
        (
            reduced("%p = arith.addf %x, %z : f32", "j, i", '"reduction", "reduction"', "memref<4x3xf32>"),
            "is transposed",
        ),
    ],
)
def test_reductions_of_another_kind_are_not_run(text: str, said: str) -> None:
    shape = (4, 3) if "memref<4x3xf32>" in text else (3,)
    with pytest.raises(Stopped, match=said):
        Run(text, [np.ones((3, 4), np.float32), np.ones(shape, np.float32)])


def test_a_reduction_is_added_to_what_is_there() -> None:
    a, c = np.arange(12, dtype=np.float32).reshape(3, 4), np.array([100, 200, 300], np.float32)
    assert (Run(reduced("%p = arith.addf %x, %z : f32"), [a, c]).output(1) == c + a.sum(axis=1)).all()
