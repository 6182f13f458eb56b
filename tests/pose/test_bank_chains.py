"""What can be done in parts of fewer rows, and what cannot."""

from __future__ import annotations

import pytest

from layoutsolver.pose.banks import pose_banks
from layoutsolver_models.banks.split import ways
from layoutsolver_models.problems.banks import BankProblem
from layoutsolver_models.targets.bank_chip import load_bank_chip
from tests.support.bank_programs import code_of

SEED = load_bank_chip("seed")._replace(bank_entries=32)

TEXT = """\
func.func @f(%A: memref<16x64xf32>, %B: memref<64x16xf32>, %C: memref<16x16xf32>, %s: i64) {
  %k = arith.constant 64 : i64
  %n = arith.constant 16 : i64
  %one = arith.constant 1 : i64
  %z = arith.constant 0 : i64
  %aF = buckyball.bank_alloc {col = 4 : i64}
  %bF = buckyball.bank_alloc {col = 4 : i64}
  %a8 = buckyball.bank_alloc
  %b8 = buckyball.bank_alloc
  %aT = buckyball.bank_alloc
  %c = buckyball.bank_alloc {col = 4 : i64}
  %a0 = buckyball.bank_mvin %A %aF %k %one : memref<16x64xf32> i64 i64 i64
  %b0 = buckyball.bank_mvin %B %bF %k %one : memref<64x16xf32> i64 i64 i64
  %a1 = buckyball.bank_fp2int %a0 %a8 %k %s : i64 i64 i64 i64
  %b1 = buckyball.bank_fp2int %b0 %b8 %k %s : i64 i64 i64 i64
  %a2 = buckyball.bank_transpose %a1 %aT %k %z : i64 i64 i64 i64
  %c1 = buckyball.bank_mul_warp16 %a2 %b1 %c %k %z : i64 i64 i64 i64 i64
  %c2 = buckyball.bank_mvout %C %c1 %n %one : memref<16x16xf32> i64 i64 i64
  buckyball.fence
"""
END = "".join(f"  buckyball.bank_release %{name} : i64\n" for name in ("aF", "bF", "a8", "b8", "aT", "c"))


def posed(text: str) -> BankProblem:
    code = code_of(text + END + "  return\n}\n")
    return pose_banks(code, code.functions[0], SEED).problem


def test_a_product_is_one_chain_from_its_loads_to_its_sum() -> None:
    problem = posed(TEXT)
    assert problem.bank_entries == 32
    assert [bank.rows for bank in problem.banks] == [64, 64, 64, 64, 64, 16]
    assert [tuple(chain) for chain in problem.chains] == [((0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 4), 64, (0,))]


def test_where_no_bank_is_too_deep_there_is_nothing_to_cut() -> None:
    assert posed(TEXT.replace("constant 64", "constant 32")).chains == ()


def test_chains_that_share_no_bank_are_apart() -> None:
    """A load that is stored again, beside the product."""
    text = TEXT.replace("memref<16x16xf32>, %s", "memref<16x16xf32>, %D: memref<64x16xf32>, %s")
    moves = (
        "  %d = buckyball.bank_alloc {col = 4 : i64}\n"
        "  %d0 = buckyball.bank_mvin %B %d %k %one : memref<64x16xf32> i64 i64 i64\n"
        "  %d1 = buckyball.bank_mvout %D %d0 %k %one : memref<64x16xf32> i64 i64 i64\n"
        "  buckyball.bank_release %d1 : i64\n"
    )
    chains = posed(text.replace("  buckyball.fence\n", "  buckyball.fence\n" + moves)).chains
    assert [(chain.ops, chain.banks, chain.packed) for chain in chains] == [
        ((0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 4), (0,)), ((8, 9), (6,), ()),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%a1 %aT %k", "%a1 %aT %n"),  # only part of a bank is transposed
        ("bank_mul_warp16 %a2 %b1", "bank_mul_warp16 %a1 %b1"),  # columns instead of rows are multiplied
        ("bank_transpose %a1", "bank_transpose %b1"),  # rows instead of columns are transposed
        ("%A %aF %k %one : memref<16x64xf32>", "%A %aF %k %n : memref<16x64xf32>"),  # rows that are not as apart
        ("%B %bF %k %one", "%B %bF %k %n"),
        ("%b0 %b8 %k", "%b0 %b8 %x"),  # a count that is not known
        (
            "buckyball.bank_mvout %C %c1 %n %one : memref<16x16xf32>",
            "buckyball.bank_mvout %A %a0 %k %one : memref<16x64xf32>",
        ),
    ],
)
def test_what_cannot_be_done_in_parts_is_no_chain(old: str, new: str) -> None:
    text = TEXT.replace("%s: i64)", "%s: i64, %x: i64)")
    assert old in text
    assert posed(text).chains != ()
    assert ways(posed(text.replace(old, new))) == []


def test_rows_count_as_instructions_take_them() -> None:
    """Narrow banks are converted four rows at a time, and a sum has 16 rows whatever K is."""
    text = TEXT.replace("bank_fp2int %b0 %b8 %k", "bank_relu %b0 %bF %n").split("  %a2 =")[0]
    problem = posed(text)
    assert problem.banks[1].rows == 64, "relu takes 64 bytes of one column at a time"
    narrow = TEXT.replace("{col = 4 : i64}", "").split("  %a2 =")[0].replace("%k %s", "%n %s")
    assert [bank.rows for bank in posed(narrow).banks[2:4]] == [64, 64]


def test_what_lies_in_another_region_is_no_chain() -> None:
    """The sum is made in a loop around which its operands live."""
    line = "  %c1 = buckyball.bank_mul_warp16 %a2 %b1 %c %k %z : i64 i64 i64 i64 i64\n"
    loop = "  %i = arith.constant 0 : index\n  %j = arith.constant 1 : index\n  scf.for %n0 = %i to %j step %j {\n"
    text = TEXT.replace(line, loop + line + "  }\n").replace("%C %c1 %n", "%C %c %n")
    assert ways(posed(text)) == []


def test_the_newer_unit_transposes_other_shapes_and_is_not_cut() -> None:
    code = code_of(TEXT.replace("constant 0 ", "constant 8 ") + END + "  return\n}\n")
    newer = pose_banks(code, code.functions[0], load_bank_chip("toy")._replace(bank_entries=32)).problem
    assert ways(newer) == []
