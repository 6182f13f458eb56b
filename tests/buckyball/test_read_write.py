"""Programs are written as they were read, and what is not known is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.buckyball.banks import BankError, bank_program
from layoutsolver.buckyball.program import read_program
from layoutsolver.buckyball.write import write_code
from layoutsolver.source import SourceFile
from layoutsolver_models.targets.bank_chip import BankChipError, bank_chip_names, chip_of, load_bank_chip

PROGRAMS = Path(__file__).parent / "programs"
SURROUNDING, BANKS = ((PROGRAMS / f"{name}.mlir").read_text(encoding="utf-8") for name in ("surrounding", "banks"))


@pytest.mark.parametrize("text", [SURROUNDING, BANKS])
def test_a_program_is_written_as_it_was_read(text: str) -> None:
    read = read_program(SourceFile("a.mlir", text))
    assert read.diagnostics == []
    assert read.code is not None
    assert write_code(read.code) == text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%v = vector.load %A[%n] : memref<16x16xf32>, vector<4xf32>", "`vector.load` is not known on the way"),
        ("buckyball.smatmul %A %A %A : memref<16x16xf32>", "`buckyball.smatmul` is of a later revision"),
        ('%v = "arith.addi"(%n, %n) : (i64, i64) -> i64', "`arith.addi` in the generic form"),
        ("%b = buckyball.bank_alloc {cols = 4 : i64}", "`buckyball.bank_alloc` has no attribute `cols`"),
        ("%b = buckyball.bank_alloc {col = four}", "`buckyball.bank_alloc` needs a number `col`"),
        ("buckyball.intr.custom %n, %n : i64, i64", "`buckyball.intr.custom` needs a number `funct7`"),
    ],
)
def test_what_is_not_known_is_named_with_its_line(line: str, message: str) -> None:
    text = f"func.func @f(%A: memref<16x16xf32>, %n: i64) {{\n  {line}\n  return\n}}\n"
    read = read_program(SourceFile("a.mlir", text))
    (found,) = read.diagnostics
    assert message in found.message
    assert (found.code, read.code) == ("LS1001", None)
    assert found.primary is not None
    assert found.primary.source.position(found.primary.span.start).line == 2


@pytest.mark.parametrize(
    "line",
    [
        "%x = memref.load %A[%i, %i] : memref<16x8xf32>",
        "memref.store %f, %A[%i, %i] : memref<16x8xf32>",
        "linalg.fill ins(%f : f64) outs(%A : memref<16x16xf32>)",
        "linalg.matmul ins(%A, %A : memref<16x16xf32>, memref<16x8xf32>) outs(%A : memref<16x16xf32>)",
        "linalg.matmul ins(%A, %A : memref<16x16xf32>, memref<16x16xf32>) outs(%A : memref<8x16xf32>)",
        "%x = memref.subview %A[0, 0] [8, 8] [1, 1] : memref<8x8xf32> to memref<8x8xf32>",
    ],
)
def test_types_that_are_not_those_of_the_values_are_named(line: str) -> None:
    text = f"func.func @f(%A: memref<16x16xf32>, %i: index, %f: f32) {{\n  {line}\n  return\n}}\n"
    (found,) = read_program(SourceFile("a.mlir", text)).diagnostics
    assert found.code == "LS0203"


def test_a_function_has_its_banks_with_their_points() -> None:
    code = read_program(SourceFile("a.mlir", BANKS.replace("  buckyball.mset", "  //"))).code
    assert code is not None
    program = bank_program(code.functions[0])
    first, second = program.buffers
    assert (first.name, first.size, first.alloc, first.release, first.uses) == ("a4", 4, 0, 4, (1, 3))
    assert (second.name, second.size, second.alloc, second.release, second.uses) == ("a1", 1, 2, 7, (3, 5, 6))
    assert (program.steps[3].reads, program.steps[3].writes) == ((0,), (1,))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("buckyball.bank_release %n : i64", "is no bank"),
        ("%b = buckyball.bank_alloc\nbuckyball.bank_release %b : i64\nbuckyball.bank_release %b : i64", "twice"),
        ("%b = buckyball.bank_alloc {col = 0 : i64}", "0 columns"),
        (
            "%b = buckyball.bank_alloc\nbuckyball.bank_release %b : i64\n"
            "%c = buckyball.bank_mvin %A %b %n %n : memref<16x16xf32> i64 i64 i64",
            "was released",
        ),
    ],
)
def test_banks_that_do_not_follow_are_refused(lines: str, message: str) -> None:
    text = f"func.func @f(%A: memref<16x16xf32>, %n: i64) {{\n{lines}\nreturn\n}}\n"
    code = read_program(SourceFile("a.mlir", text)).code
    assert code is not None
    with pytest.raises(BankError, match=message):
        bank_program(code.functions[0])


def test_a_chip_without_a_unit_does_not_have_its_instruction() -> None:
    chips = {name: load_bank_chip(name) for name in bank_chip_names()}
    assert {name for name, chip in chips.items() if not chip.has("mul_warp16")} == {"pebble", "goban"}
    assert {name for name, chip in chips.items() if not chip.has("im2col")} == {"goban"}
    assert all(chip.has("mvin") and chip.has("fence") for chip in chips.values())
    assert {name: chip.bank_num for name, chip in chips.items()} == {
        "seed": 16, "toy": 16, "pebble": 16, "goban": 20, "era-rtl": 32,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rounding": "up"}, "`rounding` is one of"),
        ({"units": {"vec": 63}}, "no unit `vec` with funct7 63"),
        ({"bank_num": 0}, "`bank_num` is 0"),
        ({"vbank_upper": 1024}, "`vbank_upper` is 1024"),
        ({"extra": 1}, "missing or unknown: extra"),
    ],
)
def test_a_chip_file_that_cannot_be_is_refused(change: dict[str, object], message: str) -> None:
    data = {**load_bank_chip("seed")._asdict(), **change}
    with pytest.raises(BankChipError, match=message):
        chip_of("x", data)
