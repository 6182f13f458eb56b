"""The way from `linalg` to registers: every stage does what the one before means."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from layoutsolver.buckyball.banks import bank_program
from layoutsolver.buckyball.lowering import lower_text
from layoutsolver.buckyball.passes.assign import first_fit
from layoutsolver.buckyball.passes.builder import LowerError
from layoutsolver.buckyball.passes.pipeline import stage_of
from layoutsolver.buckyball.stages import STAGES
from layoutsolver.source import SourceFile
from layoutsolver.verify.buckyball import reference
from layoutsolver.verify.buckyball.compare import compare_codes
from layoutsolver_models.buckyball.encoding import RS2, decode
from layoutsolver_models.targets.bank_chip import BankChip, load_bank_chip
from tests.buckyball.support import ERA_RTL, SEED, TOY, Run, bits, code_of, lowered, product
from tests.buckyball.test_read_write import PROGRAMS
from tests.models.hardware.buckyball.golden import chip as emulator
from tests.models.hardware.buckyball.golden import golden


def agrees(expected: str, found: str, chip: BankChip, rounds: int = 1) -> None:
    done = compare_codes(code_of(expected), code_of(found), chip, rounds, 1)
    assert [(item.message, item.notes) for item in done.diagnostics] == []
    assert done.runs == rounds


@pytest.mark.parametrize("chip", [SEED, TOY, ERA_RTL], ids=lambda chip: str(chip.name))
def test_any_two_stages_leave_the_same_memory(chip: BankChip) -> None:
    forms = {"linalg": product(4, 17, 20, (0, 40, 0))}
    for end in STAGES[1:]:
        forms[end] = lowered(forms["linalg"], end, chip)
        assert stage_of(code_of(forms[end])) == end
    for left, right in combinations(STAGES, 2):
        agrees(forms[left], forms[right], chip)


@pytest.mark.parametrize("start", STAGES[1:-1])
@pytest.mark.parametrize("chip", [SEED, TOY], ids=lambda chip: str(chip.name))
def test_entering_at_a_stage_gives_what_going_all_the_way_gives(start: str, chip: BankChip) -> None:
    text = product(16, 32, 48)
    assert lowered(lowered(text, start, chip), "intr", chip) == lowered(text, "intr", chip)


MIXED = """\
func.func @mixed(%A: memref<2x17x20xf32>, %B: memref<2x20x9xf32>, %C: memref<2x17x9xf32>, %D: memref<33x20xi8>,
    %E: memref<20x33xi8>, %F: memref<1x4x4x2xf32>, %G: memref<3x3x2x8xf32>, %H: memref<1x2x2x8xf32>) {
  linalg.batch_matmul ins(%A, %B : memref<2x17x20xf32>, memref<2x20x9xf32>) outs(%C : memref<2x17x9xf32>)
  linalg.transpose ins(%D : memref<33x20xi8>) outs(%E : memref<20x33xi8>) permutation = [1, 0]
  linalg.conv_2d_nhwc_hwcf ins(%F, %G : memref<1x4x4x2xf32>, memref<3x3x2x8xf32>) outs(%H : memref<1x2x2x8xf32>)
  return
}
"""


@pytest.mark.parametrize("chip", [SEED, load_bank_chip("pebble")], ids=lambda chip: str(chip.name))
def test_a_program_of_all_kinds_is_entered_at_every_stage(chip: BankChip) -> None:
    """Transposes and convolutions are tiles until there are banks, beside products that are matrices already."""
    whole = {end: lower_text(SourceFile("a", MIXED), chip, end).text or "" for end in STAGES}
    for start in STAGES[1:-1]:
        entered = lower_text(SourceFile("a", whole[start]), chip, "intr", start)
        assert entered.text == whole["intr"], start
        assert stage_of(code_of(whole[start])) == start
    agrees(MIXED, whole["intr"], chip)
    tiles = lowered(convolution(inner=2, size=4, channels=8), "buckyball")
    assert lower_text(SourceFile("a", tiles), SEED, "intr", "buckyball").text
    tiled = product(16, 16, 16, op="tile")
    refused = lower_text(SourceFile("a", tiled), SEED, "intr", "buckyball")
    assert [item.code for item in refused.diagnostics] == ["LS1009"]


SHAPES = [(16, 16, 16), (16, 16, 64), (64, 64, 16), (1, 96, 128), (127, 127, 17), (1, 10, 84), (1, 120, 256)]


@pytest.mark.parametrize("sizes", SHAPES)
def test_shapes_of_the_tile_table_come_to_the_quantised_product(sizes: tuple[int, int, int]) -> None:
    m, n, k = sizes
    choose = np.random.default_rng(m + n + k)
    a, b = (choose.uniform(-2, 2, dims).astype(np.float32) for dims in ((m, k), (k, n)))
    run = Run(lowered(product(m, n, k), "intr"), [a, b, np.ones((m, n), np.float32)])
    assert np.array_equal(bits(run.output(2)), bits(reference.tiled(a, b, SEED)))
    assert np.array_equal(run.output(0), a)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert np.abs(run.output(2) - exact).max() < 2.0 * k / 60


def test_steps_of_k_add_up_and_tiles_of_n_are_split() -> None:
    text = product(5, 40, 1100)
    tiles = lowered(text, "buckyball")
    assert "memref<16x368xf32" in tiles  # 1104 is three times 368
    assert "linalg.add" in tiles
    agrees(text, lowered(text, "wrapper"), SEED)
    bare = product(16, 16, 1040, op="tile")
    assert "Pad" not in lowered(bare, "buckyball")
    agrees(bare, lowered(bare, "wrapper"), SEED)


@pytest.mark.parametrize("pitch", [36, 40, 48])
def test_chunks_of_a_whose_rows_no_stride_reaches_are_packed(pitch: int) -> None:
    text = product(16, 16, 32, (pitch, 0, 0), op="buckyball").replace("buckyball.matmul", "buckyball.matrix_matmul")
    found = lowered(text, "wrapper", TOY)
    assert ("aPacked" in found) is (pitch % 16 != 0)
    agrees(text, found, TOY)


def test_newer_revisions_have_a_fence_behind_each_way_to_memory() -> None:
    text = (PROGRAMS / "seed_listing.mlir").read_text(encoding="utf-8").replace("  buckyball.fence\n", "")
    newer, older = (chip._replace(bank_num=19, vbank_upper=18) for chip in (TOY, SEED))
    assert lowered(text, "bank-ids", newer).count("buckyball.fence") == 1
    assert "buckyball.fence" not in lowered(text, "bank-ids", older)


@pytest.mark.parametrize("seed", range(10))
def test_random_shapes_and_pitches_come_to_the_quantised_product(seed: int) -> None:
    choose = random.Random(seed)
    sizes = [choose.choice([choose.randint(1, 120), 16 * choose.randint(1, 5)]) for _ in range(3)]
    m, n, k = sizes
    pitches = tuple(width + choose.choice([0, 16, choose.randint(1, 40)]) for width in (k, n, n))
    chip = choose.choice([SEED, TOY, ERA_RTL])
    text = product(m, n, k, (pitches[0], pitches[1], pitches[2]))
    agrees(text, lowered(text, choose.choice(STAGES[3:]), chip), chip)


# -- the recorded trace -------------------------------------------------------------------------------------------

GOLDEN = next(case for case in golden()["programs"] if case["note"] == "one-tile trace")


def test_one_tile_is_the_recorded_trace_and_leaves_the_recorded_bits() -> None:
    """Section 11 of the specification, on the numbers that the emulator was given."""
    a, b, c = (np.frombuffer(bytes.fromhex(GOLDEN[name]), np.float32) for name in ("A_hex", "B_hex", "C_tile_hex"))
    chip = emulator("ERA")
    text = lowered(product(16, 16, 64, op="buckyball"), "wrapper", chip)
    run = Run(text, [a.reshape(16, 64), b.reshape(64, 16), np.zeros((16, 16), np.float32)], chip)
    assert np.array_equal(bits(run.output(2)), bits(c.reshape(16, 16)))
    found = [row for row in run.trace if row[0] != "mvin"]
    recorded = [(name, int(left, 16), int(right, 16)) for name, left, right in GOLDEN["trace"]]
    assert [row[:2] for row in run.trace] == [row[:2] for row in recorded]
    for mine, theirs in zip(found, [row for row in recorded if row[0] != "mvin"], strict=True):
        if mine[0] != "mvout":
            assert mine == theirs
    strides = [[decode(RS2["mvin"], row[2])["stride"] for row in rows if row[0].startswith("mv")]
               for rows in (run.trace, recorded)]  # fmt: skip
    assert strides[0] == strides[1] == [1, 1, 1]
    machine = run.interpreter.machine
    assert (machine.instructions, machine.cycles) == (GOLDEN["instruction_count"], GOLDEN["sum_of_latencies"])


# -- first fit ----------------------------------------------------------------------------------------------------


def bases(text: str, chip: BankChip) -> dict[str, int]:
    program = bank_program(code_of(text).functions[0])
    return {program.buffers[number].name: base for number, base in first_fit(program, chip).items()}


def test_first_fit_gives_the_bases_of_the_released_pass() -> None:
    peaks = golden()["bank_peaks"]
    tile = lowered(product(16, 16, 64), "bank-ssa")
    assert bases(tile, SEED) == peaks["era_code_first_fit"]["bases"]
    newer = bases(lowered(product(16, 16, 64), "bank-ssa", TOY), TOY)
    assert newer == peaks["new_toy_first_fit"]["bases"]
    found = bases(lowered(convolution(channels=16), "bank-ssa"), SEED)
    assert found == peaks["era_conv_first_fit"]["bases"]


def test_first_fit_refuses_the_listing_of_the_seed_at_its_last_bank() -> None:
    text = (PROGRAMS / "seed_listing.mlir").read_text(encoding="utf-8")
    program = bank_program(code_of(text).functions[0])
    assert sum(buffer.size for buffer in program.buffers) == golden()["bank_peaks"]["seed_literal_first_fit_16"][
        "peak_needed"
    ]  # fmt: skip
    with pytest.raises(LowerError, match=r"out of physical banks \(4 in a row for `%cFp32`, 15 of 16 taken\)") as found:
        first_fit(program, SEED)
    assert text[found.value.span.start :].startswith("buckyball.bank_alloc {col = 4 : i64}\n  %a0")
    assert len(first_fit(program, SEED._replace(bank_num=19))) == 7


# -- convolutions and transposes ----------------------------------------------------------------------------------


def convolution(batches: int = 1, channels: int = 32, size: int = 8, kernel: int = 3, inner: int = 16) -> str:
    out = size - kernel + 1
    a, b = f"memref<{batches}x{size}x{size}x{inner}xf32>", f"memref<{kernel}x{kernel}x{inner}x{channels}xf32>"
    c = f"memref<{batches}x{out}x{out}x{channels}xf32>"
    return f"func.func @conv(%A: {a}, %B: {b}, %C: {c}) {{\n  tile.tile_conv2d %A %B %C : {a} {b} {c}\n  return\n}}\n"


FULL = {"size": 20, "inner": 8, "channels": 4}
"""All windows together take more than a bank."""


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"channels": 20, "batches": 2},
        {"size": 20, "kernel": 1, "inner": 4},
        {"size": 5, "inner": 3, "kernel": 2},
        FULL,
    ],
)
def test_convolutions_come_to_the_quantised_one(changes: dict[str, int]) -> None:
    text = convolution(**changes)
    found = lowered(text, "wrapper")
    assert "buckyball.im2col" in found
    agrees(text, found, SEED)


def test_a_convolution_is_that_of_numpy_but_for_quantising() -> None:
    choose = np.random.default_rng(3)
    source = choose.uniform(-1, 1, (1, 8, 8, 16)).astype(np.float32)
    kernel = choose.uniform(-1, 1, (3, 3, 16, 32)).astype(np.float32)
    run = Run(lowered(convolution(), "intr"), [source, kernel, np.zeros((1, 6, 6, 32), np.float32)])
    windows = np.lib.stride_tricks.sliding_window_view(source[0], (3, 3), axis=(0, 1))
    exact = np.einsum("hwcij,ijco->hwo", windows.astype(np.float64), kernel.astype(np.float64))
    assert np.abs(run.output(2)[0] - exact).max() < 0.3
    assert np.abs(exact).max() > 4


LAYOUTS = {
    "nhwc_hwcf": ("1x6x6x16", "3x3x16x8", "1x4x4x8"),
    "nhwc_fhwc": ("1x6x6x16", "8x3x3x16", "1x4x4x8"),
    "nchw_fchw": ("1x16x6x6", "8x16x3x3", "1x8x4x4"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_convolutions_of_linalg_in_every_layout(layout: str) -> None:
    a, b, c = (f"memref<{shape}xf32>" for shape in LAYOUTS[layout])
    attributes = "{dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}"
    text = (
        f"func.func @conv(%A: {a}, %B: {b}, %C: {c}) {{\n  %z = arith.constant 0.0 : f32\n"
        f"  linalg.fill ins(%z : f32) outs(%C : {c})\n"
        f"  linalg.conv_2d_{layout} {attributes} ins(%A, %B : {a}, {b}) outs(%C : {c})\n  return\n}}\n"
    )
    agrees(text, lowered(text, "bank-ids"), SEED)
    strided = text.replace("strides = dense<1>", "strides = dense<2>")
    assert f"linalg.conv_2d_{layout}" in lowered(strided, "tile")


@pytest.mark.parametrize(
    ("chip", "element", "dims", "on_banks"),
    [
        (SEED, "i8", (16, 16), True), (SEED, "i8", (35, 20), True), (SEED, "f32", (16, 32), False),
        (TOY, "i8", (33, 16), True), (TOY, "f32", (20, 30), True), (TOY, "i32", (16, 48), True),
    ],
)  # fmt: skip
def test_a_transpose_goes_where_the_unit_can_do_it(
    chip: BankChip, element: str, dims: tuple[int, int], on_banks: bool
) -> None:
    rows, columns = dims
    a, b = f"memref<{rows}x{columns}x{element}>", f"memref<{columns}x{rows}x{element}>"
    text = (
        f"func.func @turn(%A: {a}, %B: {b}) {{\n"
        f"  linalg.transpose ins(%A : {a}) outs(%B : {b}) permutation = [1, 0]\n  return\n}}\n"
    )
    found = lowered(text, "wrapper", chip)
    assert ("buckyball.transpose" in found) is on_banks
    if on_banks:
        modes = {"seed": "%c0_i64", "toy": {"i8": "%c8_i64"}.get(element, "%c32_i64")}
        assert f", {modes[chip.name]} : i64" in next(line for line in found.splitlines() if "ball.transpose" in line)
    agrees(text, found, chip, rounds=2)


# -- defects and facts of the production compiler -----------------------------------------------------------------

UPSTREAM_ORDER = """\
func.func @product(%A: memref<16x64xf32, strided<[128, 1]>>, %B: memref<64x16xf32>, %C: memref<16x16xf32>) {
  LOADS
  buckyball.matmul %A %B %C : memref<16x64xf32, strided<[128, 1]>> memref<64x16xf32> memref<16x16xf32>
  return
}
"""


def test_a_tile_of_a_moved_as_if_it_were_contiguous_is_caught() -> None:
    """The released expansion moves A with stride 1 whatever its pitch; all-ones tests do not see it."""
    expected = product(16, 16, 64, (128, 0, 0), op="buckyball")
    right = lowered(expected, "bank-ssa")
    assert "memref.copy" in right
    copied = next(line for line in right.splitlines() if "memref.copy" in line)
    packed = next(word for word in copied.replace(",", " ").split() if word.startswith("%aPacked"))
    tile = next(word for word in copied.replace(",", " ").split() if word.startswith("%aTile"))
    kind = "memref<16x64xf32, strided<[128, 1], offset: ?>>"
    lines = [line for line in right.splitlines() if "memref.copy" not in line and "aPacked" not in line.split("=")[0]]
    wrong = "\n".join(lines).replace(packed, tile).replace("memref<16x64xf32>", kind).replace(
        f"  memref.dealloc {tile} : {kind}\n", ""
    )  # fmt: skip
    agrees(expected, right, SEED)
    done = compare_codes(code_of(expected), code_of(wrong + "\n"), SEED, 1, 1)
    (found,) = done.diagnostics
    assert found.code == "LS0707"
    assert "elements differ" in found.message
    ones = [np.ones((16, 128), np.float32), np.ones((64, 16), np.float32), np.zeros((16, 16), np.float32)]
    assert (
        Run(wrong.replace("memref<16x64xf32, strided<[128, 1]>>", "memref<16x128xf32>"), ones).output(2) == 64
    ).all()


@pytest.mark.parametrize(
    ("m", "n", "k"), [(16, 16, 64), (64, 64, 16), (1, 96, 128), (127, 127, 17), (1, 10, 84), (16, 16, 1024)]
)
def test_all_ones_come_to_exactly_k(m: int, n: int, k: int) -> None:
    ones = [np.ones((m, k), np.float32), np.ones((k, n), np.float32), np.zeros((m, n), np.float32)]
    assert (Run(lowered(product(m, n, k), "wrapper"), ones).output(2) == k).all()


def test_the_expansion_of_one_tile_has_the_stated_depths_and_order() -> None:
    text = lowered(product(16, 16, 64, op="buckyball"), "bank-ssa")
    ops = [line.split("= ")[-1].split()[0].removeprefix("buckyball.bank_") for line in text.splitlines()
           if "buckyball.bank_" in line and "alloc" not in line and "release" not in line]  # fmt: skip
    assert ops == ["mvin", "mvin", "fp2int", "fp2int", "transpose", "mul_warp16", "int2fp", "mvout"]


def test_strides_are_in_rows_of_the_bank() -> None:
    wide = lowered(product(64, 64, 16), "wrapper")
    values = [np.ones((64, 16), np.float32), np.ones((16, 64), np.float32), np.zeros((64, 64), np.float32)]
    run = Run(wide, values)
    strides = {decode(RS2["mvin"], row[2])["stride"] for row in run.trace if row[0] == "mvin"}
    assert strides == {1, 4}
    assert {decode(RS2["mvout"], row[2])["stride"] for row in run.trace if row[0] == "mvout"} == {4}


@pytest.mark.parametrize(
    ("text", "end", "chip", "code", "message"),
    [
        (product(1, 96, 128, op="buckyball"), "bank-ssa", "seed", "LS1002", "M = 1, no multiple of 16"),
        (product(16, 16, 2048, op="buckyball"), "bank-ssa", "seed", "LS1002", "needs more than the 1024 rows"),
        (product(16, 16, 32, (0, 20, 0), op="buckyball"), "bank-ssa", "seed", "LS1002", "rows of B lie 20 elements"),
        (
            product(16, 16, 16).replace("x16xf32>, %B", "x16xf16>, %B"),
            "tile",
            "seed",
            "LS0203",
            "used as `memref<16x16xf32>`",
        ),
        (convolution(), "bank-ssa", "goban", "LS1004", "`im2col`, `vec`, which `goban` does not have"),
        (convolution(), "bank-ssa", "toy", "LS1004", "stays on the processor of `toy`"),
        (convolution(size=40, inner=16), "bank-ssa", "seed", "LS1002", "W*C = 640 is not in 1 to 255"),
        (
            convolution(size=35, inner=7, kernel=20),
            "bank-ssa",
            "seed",
            "LS1002",
            "KH*KW*C rows: 44800 bytes, a bank has",
        ),
    ],
)
def test_what_cannot_be_lowered_is_named_with_its_place(
    text: str, end: str, chip: str, code: str, message: str
) -> None:
    found = lower_text(SourceFile("test.mlir", text), load_bank_chip(chip), end)
    assert found.text is None
    errors = [item for item in found.diagnostics if item.severity == "error"]
    assert errors[0].code == code
    assert message in errors[0].message
    assert errors[0].primary is not None


def test_numbers_of_the_reference_are_within_what_quantising_can_do() -> None:
    from layoutsolver_models.hardware.buckyball.banks import Fault

    choose = np.random.default_rng(1)
    a, b = (choose.uniform(-2, 2, (16, 16)).astype(np.float32) for _ in range(2))
    found: Any = reference.product(a, b, SEED)
    scale = np.full(16, 63.5, np.float32)
    reference.check_exact(found, a, b, scale, scale)
    found[3, 4] += 3
    with pytest.raises(Fault, match="further from the exact one"):
        reference.check_exact(found, a, b, scale, scale)
