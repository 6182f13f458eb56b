"""Programs with their banks placed: the levels of the specification, run on the hardware model, and random programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.buckyball.banking import BankOptions, bank_text
from layoutsolver.buckyball.lowering import lower_text
from layoutsolver.buckyball.usage import bank_usage, usage_text
from layoutsolver.source import SourceFile
from layoutsolver.verify.buckyball.compare import compare_codes
from layoutsolver_models.banks.solve import solve_banks
from layoutsolver_models.problems.banks import BankModel, Level, Split
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.targets.bank_chip import load_bank_chip
from tests.buckyball.support import product
from tests.support.bank_programs import (
    WIDE,
    code_of,
    deep_problems_with,
    least_peak,
    problems_with,
    random_bank_program,
    random_deep_program,
)

SEED = load_bank_chip("seed")
LISTING = (Path(__file__).parent / "programs" / "seed_listing.mlir").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("level", "bank_num", "peak"),
    [("liveness", 16, 9), ("reorder", 8, 8), ("coalesce", 6, 6), ("elide", 6, 6), ("overlap", 16, 0), ("spill", 6, 6)],
)
@pytest.mark.parametrize("model", ["contiguous", "hw_mapped"])
def test_the_listing_of_the_seed_runs_alike_at_every_level(
    level: Level, bank_num: int, peak: int, model: BankModel
) -> None:
    chip = SEED._replace(bank_num=bank_num)
    placed = bank_text(SourceFile("a.mlir", LISTING), chip, BankOptions(level, model))
    assert placed.text is not None
    (found,) = placed.functions
    assert found.solution.status == "optimal"
    assert peak in (0, found.solution.peak)
    compared = compare_codes(code_of(LISTING), code_of(placed.text), chip, 3, 1)
    assert compared.diagnostics == []
    usage, said = bank_usage(code_of(placed.text), chip)
    assert model == "hw_mapped" or (said == [] and usage[0].peak <= bank_num and usage[0].leaked == 0)


PARTLY = """\
func.func @m(%A: memref<64x16xf32>, %B: memref<16x16xf32>, %C: memref<64x16xf32>, %D: memref<32x16xf32>, %s: i64) {
  %n = arith.constant 16 : i64
  %h = arith.constant 32 : i64
  %k = arith.constant 64 : i64
  %u = arith.constant 1 : i64
  %p = buckyball.bank_alloc {col = 4 : i64}
  %q = buckyball.bank_alloc {col = 4 : i64}
  %p1 = buckyball.bank_mvin %A %p %k %u : memref<64x16xf32> i64 i64 i64
  %p2 = buckyball.bank_mvout %C %p1 %k %u : memref<64x16xf32> i64 i64 i64
  buckyball.fence
  %q1 = buckyball.bank_mvin %B %q %n %u : memref<16x16xf32> i64 i64 i64
  %q2 = buckyball.bank_mvout %D %q1 %h %u : memref<32x16xf32> i64 i64 i64
  buckyball.fence
  buckyball.bank_release %p : i64
  buckyball.bank_release %q : i64
  return
}
"""


@pytest.mark.parametrize(("rows", "msets"), [(16, 2), (32, 4)])
def test_an_allocation_stays_where_rows_are_used_that_nothing_overwrites(rows: int, msets: int) -> None:
    """Rows behind those that are loaded are zero, as long as the bank is a fresh one."""
    text = PARTLY.replace("memref<32x16xf32>", f"memref<{rows}x16xf32>").replace("constant 32", f"constant {rows}")
    placed = bank_text(SourceFile("a.mlir", text), SEED, BankOptions("elide"))
    assert placed.text is not None
    assert placed.text.count("buckyball.mset") == msets
    assert compare_codes(code_of(text), code_of(placed.text), SEED, 2, 1).diagnostics == []


LOOP = """\
func.func @loop(%A: memref<16x16xf32>, %B: memref<16x16xf32>, %C: memref<16x16xf32>, %s: i64) {
  %n = arith.constant 16 : i64
  %u = arith.constant 1 : i64
  %z = arith.constant 0 : i64
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i3 = arith.constant 3 : index
  %acc = buckyball.bank_alloc {col = 4 : i64}
  %bF = buckyball.bank_alloc {col = 4 : i64}
  %b8 = buckyball.bank_alloc
  %bL = buckyball.bank_mvin %B %bF %n %u : memref<16x16xf32> i64 i64 i64
  %bQ = buckyball.bank_fp2int %bL %b8 %n %s : i64 i64 i64 i64
  %out = scf.for %i = %i0 to %i3 step %i1 iter_args(%c = %acc) -> (i64) {
    %aF = buckyball.bank_alloc {col = 4 : i64}
    %a8 = buckyball.bank_alloc
    %aT = buckyball.bank_alloc
    %aL = buckyball.bank_mvin %A %aF %n %u : memref<16x16xf32> i64 i64 i64
    %aQ = buckyball.bank_fp2int %aL %a8 %n %s : i64 i64 i64 i64
    %aR = buckyball.bank_transpose %aQ %aT %n %z : i64 i64 i64 i64
    %c2 = buckyball.bank_mul_warp16 %aR %bQ %c %n %z : i64 i64 i64 i64 i64
    buckyball.bank_release %aL : i64
    buckyball.bank_release %aQ : i64
    buckyball.bank_release %aR : i64
    scf.yield %c2 : i64
  }
  %cF = buckyball.bank_alloc {col = 4 : i64}
  %d = buckyball.bank_int2fp %out %cF %n %s : i64 i64 i64 i64
  %e = buckyball.bank_mvout %C %d %n %u : memref<16x16xf32> i64 i64 i64
  buckyball.fence
  buckyball.bank_release %bL : i64
  buckyball.bank_release %bQ : i64
  buckyball.bank_release %out : i64
  buckyball.bank_release %e : i64
  return
}
"""


@pytest.mark.parametrize(("level", "peak"), [("placement", 15), ("liveness", 10), ("reorder", 10), ("elide", 10)])
def test_banks_around_a_loop_live_through_it(level: Level, peak: int) -> None:
    placed = bank_text(SourceFile("a.mlir", LOOP), SEED, BankOptions(level))
    assert placed.text is not None, placed.diagnostics
    (found,) = placed.functions
    assert (found.solution.status, found.solution.peak) == ("optimal", peak)
    assert compare_codes(code_of(LOOP), code_of(placed.text), SEED, 3, 1).diagnostics == []


@pytest.mark.parametrize(("distinct", "costs"), [(False, [33]), (True, [])])
def test_a_spilled_program_runs_alike(distinct: bool, costs: list[int]) -> None:
    """The source may be the memory of an output; where arguments are different memory, another order is enough."""
    text = (
        "func.func @s(%A: memref<16x16xf32>, %C: memref<16x16xf32>, %D: memref<16x16xf32>, %s: i64) {\n"
        "  %n = arith.constant 16 : i64\n  %u = arith.constant 1 : i64\n  %z = arith.constant 0 : i64\n"
        + "".join(f"  %{name} = buckyball.bank_alloc{col}\n" for name, col in (
            ("f", " {col = 4 : i64}"), ("p", ""), ("q", ""), ("c", " {col = 4 : i64}"), ("d", " {col = 4 : i64}")))
        + "  %f1 = buckyball.bank_mvin %A %f %n %u : memref<16x16xf32> i64 i64 i64\n"
        "  %p1 = buckyball.bank_fp2int %f1 %p %n %s : i64 i64 i64 i64\n"
        "  %q1 = buckyball.bank_transpose %p1 %q %n %z : i64 i64 i64 i64\n"
        "  %c1 = buckyball.bank_mul_warp16 %q1 %p1 %c %n %z : i64 i64 i64 i64 i64\n"
        "  %d1 = buckyball.bank_int2fp %c1 %d %n %s : i64 i64 i64 i64\n"
        "  %e1 = buckyball.bank_mvout %C %d1 %n %u : memref<16x16xf32> i64 i64 i64\n"
        "  %e2 = buckyball.bank_mvout %D %f1 %n %u : memref<16x16xf32> i64 i64 i64\n  buckyball.fence\n"
        + "".join(f"  buckyball.bank_release %{name} : i64\n" for name in "fpqcd")
        + "  return\n}\n"
    )  # fmt: skip
    chip = SEED._replace(bank_num=6)
    assert bank_text(SourceFile("a.mlir", text), chip, BankOptions("elide")).text is None
    placed = bank_text(SourceFile("a.mlir", text), chip, BankOptions("spill", distinct_arguments=distinct))
    assert placed.text is not None, placed.diagnostics
    (found,) = placed.functions
    assert [spill.cost for spill in found.solution.spills] == costs
    assert compare_codes(code_of(text), code_of(placed.text), chip, 3, 1).diagnostics == []


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_have_the_peak_of_brute_force_and_run_alike(seed: int) -> None:
    text = random_bank_program(seed)
    assert problems_with(text, WIDE, seed) == []
    (found,) = bank_text(SourceFile("random.mlir", text), WIDE, BankOptions()).functions
    assert found.solution.peak == least_peak(found.problem, in_place=True)
    assert solve_banks(found.problem, "reorder").peak == least_peak(found.problem, in_place=False)


@pytest.mark.parametrize("seed", [3, 8])
def test_programs_on_more_rows_than_banks_have_are_cut_and_run_alike(seed: int) -> None:
    assert deep_problems_with(seed, brute=False) == []


def test_a_product_of_more_rows_than_a_bank_is_cut_and_equal_to_its_quantised_definition() -> None:
    """Inside loops, with rows that lie apart; the parts of the matrix of 16 rows are packed."""
    chip = SEED._replace(bank_entries=32)
    text = product(16, 16, 64, (0, 80, 48), op="buckyball")
    placed = bank_text(SourceFile("a.mlir", text), chip, BankOptions("split"))
    assert placed.text is not None, placed.diagnostics
    (found,) = placed.functions
    assert (found.solution.status, found.solution.splits) == ("optimal", (Split(0, (32, 32)),))
    assert placed.text.count("memref.copy") == 2
    assert compare_codes(code_of(text), code_of(placed.text), chip, 3, 1).diagnostics == []


def test_a_cut_that_forgets_a_part_is_seen_by_the_model() -> None:
    chip = WIDE._replace(bank_entries=16)
    text = random_deep_program(3)
    placed = bank_text(SourceFile("a.mlir", text), chip, BankOptions("split")).text or ""
    lines = placed.splitlines(keepends=True)
    place = max(number for number, line in enumerate(lines) if "bank_mul_warp16" in line)
    broken = "".join(lines[:place] + lines[place + 1 :])
    assert [item.code for item in compare_codes(code_of(text), code_of(broken), chip, 1, 1).diagnostics] == ["LS0707"]


UNUSED = """\
func.func @f(%A: memref<16x16xf32>, %C: memref<16x16xf32>) {
  %n = arith.constant 16 : i64
  %u = arith.constant 1 : i64
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %b = buckyball.bank_alloc {col = 4 : i64}
  %c = buckyball.bank_alloc {col = 4 : i64}
  %d = buckyball.bank_alloc {col = 4 : i64}
  %b1 = buckyball.bank_mvin %A %b %n %u : memref<16x16xf32> i64 i64 i64
  %b2 = buckyball.bank_mvout %C %b1 %n %u : memref<16x16xf32> i64 i64 i64
  %r = scf.for %i = %i0 to %i1 step %i1 iter_args(%h = %d) -> (i64) {
    scf.yield %h : i64
  }
  buckyball.fence
  buckyball.bank_release %b : i64
  buckyball.bank_release %c : i64
  buckyball.bank_release %r : i64
  return
}
"""
IDLE = "func.func @f() {\n  %b = buckyball.bank_alloc\n  buckyball.bank_release %b : i64\n  return\n}\n"


@pytest.mark.parametrize(("level", "msets"), [("placement", 6), ("liveness", 4), ("elide", 4), ("overlap", 4)])
def test_banks_that_nothing_uses_are_not_allocated_unless_they_are_handed_on(level: Level, msets: int) -> None:
    placed = bank_text(SourceFile("a.mlir", UNUSED), SEED, BankOptions(level))
    assert placed.text is not None, placed.diagnostics
    assert (placed.text.count("buckyball.mset"), placed.functions[0].solution.status) == (msets, "optimal")
    assert compare_codes(code_of(UNUSED), code_of(placed.text), SEED, 1, 1).diagnostics == []
    idle = bank_text(SourceFile("a.mlir", IDLE), SEED, BankOptions(level))
    assert idle.text is not None
    assert idle.text.count("buckyball.mset") == (2 if level == "placement" else 0)


MSETS = """\
func.func @m(%A: memref<16x16xf32>) {{
  %n = arith.constant 16 : i64
  %b = arith.constant {bank} : i64
  %o = arith.constant 5 : i64
{body}  return
}}
"""
SET = "  buckyball.mset %{name} {{alloc = true, row = 1 : i64, col = {col} : i64}} : i64\n"
FREE = "  buckyball.mset %{name} {{alloc = false, row = 0 : i64, col = 0 : i64}} : i64\n"
MOVE = "  buckyball.mvin %A %b %n %n : memref<16x16xf32> i64 i64 i64\n"


@pytest.mark.parametrize(
    ("bank", "body", "words"),
    [
        (2, SET.format(name="b", col=4) + MOVE + FREE.format(name="b"), ""),
        (2, SET.format(name="b", col=4) + SET.format(name="b", col=4) + FREE.format(name="b"), "allocated twice"),
        (2, SET.format(name="b", col=4) + SET.format(name="o", col=1) + FREE.format(name="b") + FREE.format(name="o"),
         "overlap bank 2"),
        (2, FREE.format(name="b"), "released, but not allocated"),
        (2, SET.format(name="b", col=1), "never released"),
        (14, SET.format(name="b", col=4) + FREE.format(name="b"), "outside the 16"),
        (2, MOVE, "used, but not allocated"),
        (2, SET.format(name="b", col=0) + FREE.format(name="b"), "0 columns"),
    ],
)  # fmt: skip
def test_numbered_banks_are_checked(bank: int, body: str, words: str) -> None:
    usage, said = bank_usage(code_of(MSETS.format(bank=bank, body=body.replace("{{", "{").replace("}}", "}"))), SEED)
    assert [words in item.message for item in said[:1]] == [True] * bool(words)
    assert len(said) <= 2
    assert usage[0].function == "m"


def numbered(bank: int, body: str) -> str:
    return MSETS.format(bank=bank, body=body.replace("{{", "{").replace("}}", "}"))


def test_banks_that_hardware_maps_are_checked_by_how_many_there_are() -> None:
    chip = SEED._replace(bank_num=5)
    one, other = (SET.format(name=name, col=4) for name in "bo")
    frees = FREE.format(name="b") + FREE.format(name="o")
    text = numbered(4, SET.format(name="b", col=4) + SET.format(name="o", col=1) + frees)
    assert [item.message for item in bank_usage(code_of(text), chip)[1]] == [
        "banks 4 to 7 are outside the 5 of `seed`", "banks 5 to 5 are outside the 5 of `seed`",
        "banks 5 to 5 overlap bank 4, which is allocated here",
    ]  # fmt: skip
    usage, said = bank_usage(code_of(text), chip, "hw_mapped")
    assert (said, usage[0].peak) == ([], 5)
    _, said = bank_usage(code_of(numbered(4, one + other + frees)), chip, "hw_mapped")
    assert [item.message for item in said] == ["8 banks are allocated here, `seed` has 5"]
    _, said = bank_usage(code_of(numbered(4, one + FREE.format(name="b"))), chip._replace(vbank_upper=3), "hw_mapped")
    assert [item.message for item in said] == ["banks 4 to 4 are outside the 5 of `seed`"]


def test_instructions_as_registers_use_banks_that_are_allocated() -> None:
    """Every operand in its field; the newer spelling too."""
    for chip in (SEED, load_bank_chip("toy")):
        text = lower_text(SourceFile("a.mlir", product(16, 16, 16)), chip, "intr").text or ""
        usage, said = bank_usage(code_of(text), chip)
        assert (said, usage[0].leaked) == ([], 0)
        lines = text.splitlines(keepends=True)
        sets = [place for place, line in enumerate(lines) if "buckyball.intr.mset" in line]
        for place in sets[:5]:
            code = code_of("".join(lines[:place] + lines[place + 1 :]))
            assert any("is used, but not allocated here" in item.message for item in bank_usage(code, chip)[1])


def test_the_report_is_that_of_the_released_checker() -> None:
    body = SET.format(name="b", col=4) + MOVE + FREE.format(name="b")
    usage, _ = bank_usage(code_of(MSETS.format(bank=2, body=body.replace("{{", "{").replace("}}", "}"))), SEED)
    assert usage_text(usage[0], SEED, verbose=True).splitlines() == [
        "[bank-usage] m peak=4/16 alloc=1 release=1 leaked=0",
        "evt=0 alloc b2 row=1 col=4 cur=4/16",
        "evt=1 release b2 row=0 col=0 cur=0/16",
    ]


def test_a_program_whose_makespan_ends_the_solver_under_probing_is_solved() -> None:
    """The least time within five banks; the solver's own check of its presolve failed here."""
    placed = bank_text(SourceFile("a.mlir", random_bank_program(687)), WIDE, BankOptions("reorder"))
    (found,) = placed.functions
    assert (found.solution.status, found.solution.peak) == ("optimal", least_peak(found.problem, in_place=False))


CONV = """\
func.func @conv(%i: memref<1x8x8x16xf32>, %f: memref<3x3x16x32xf32>, %o: memref<1x6x6x32xf32>) {
  tile.tile_conv2d %i %f %o : memref<1x8x8x16xf32> memref<3x3x16x32xf32> memref<1x6x6x32xf32>
  return
}
"""


@pytest.mark.parametrize(
    ("text", "peaks"),
    [
        (product(16, 16, 64), {"first_fit": 11, "liveness": 9, "reorder": 8, "elide": 6}),
        (product(20, 33, 17), {"first_fit": 11, "elide": 6}),
        (CONV, {"first_fit": 10, "elide": 7}),
    ],
)
def test_what_is_lowered_needs_as_many_banks_as_the_specification_says(text: str, peaks: dict[Level, int]) -> None:
    """First fit as in 4.6 and 5.3; from there down as in 8.4, in loops and between operations of the processor."""
    source = SourceFile("a.mlir", text)
    lowered = code_of(lower_text(source, SEED, "bank-ssa").text or "")
    for level, peak in peaks.items():
        placed = bank_text(source, SEED, BankOptions(level))
        assert placed.text is not None
        assert placed.functions[0].solution.peak == peak
        assert compare_codes(lowered, code_of(placed.text), SEED, 1, 1).diagnostics == []


def tiles(count: int) -> str:
    """Tiles one after another, each with a fence behind it, into outputs of their own."""
    outs = ", ".join(f"%C{n}: memref<16x16xf32>" for n in range(count))
    lines = [f"func.func @tiles(%A: memref<16x16xf32>, %B: memref<16x16xf32>, {outs}, %s: i64) {{"]
    lines += [f"  %c{value} = arith.constant {value} : i64" for value in (0, 1, 16)]
    move, four, five = "memref<16x16xf32> i64 i64 i64", "i64 i64 i64 i64", "i64 i64 i64 i64 i64"
    for n in range(count):
        for name, wide in (("aF", 1), ("bF", 1), ("a8", 0), ("b8", 0), ("aT", 0), ("cI", 1), ("cF", 1)):
            lines.append(f"  %{name}{n} = buckyball.bank_alloc" + " {col = 4 : i64}" * wide)
        lines += [
            f"  %a{n}1 = buckyball.bank_mvin %A %aF{n} %c16 %c1 : {move}",
            f"  %b{n}1 = buckyball.bank_mvin %B %bF{n} %c16 %c1 : {move}",
            f"  %a{n}2 = buckyball.bank_fp2int %a{n}1 %a8{n} %c16 %s : {four}",
            f"  %b{n}2 = buckyball.bank_fp2int %b{n}1 %b8{n} %c16 %s : {four}",
            f"  %a{n}3 = buckyball.bank_transpose %a{n}2 %aT{n} %c16 %c0 : {four}",
            f"  %c{n}1 = buckyball.bank_mul_warp16 %a{n}3 %b{n}2 %cI{n} %c16 %c0 : {five}",
            f"  %c{n}2 = buckyball.bank_int2fp %c{n}1 %cF{n} %c16 %s : {four}",
            f"  %c{n}3 = buckyball.bank_mvout %C{n} %c{n}2 %c16 %c1 : {move}",
            "  buckyball.fence",
        ]
        lines += [f"  buckyball.bank_release %{name}{n} : i64" for name in ("aF", "bF", "a8", "b8", "aT", "cI", "cF")]
    return "\n".join([*lines, "  return", "}", ""])


def test_tiles_overlap_where_no_fence_is_needed_between_them() -> None:
    """Two tight tiles fit into 16 banks; where arguments may be the same memory, the fence between them stays."""
    source = SourceFile("a.mlir", tiles(2))
    found = {}
    for distinct in (False, True):
        placed = bank_text(source, SEED, BankOptions("overlap", distinct_arguments=distinct, limits=Limits(60)))
        assert placed.text is not None, placed.diagnostics
        found[distinct] = placed.functions[0].solution
        assert compare_codes(code_of(source.text), code_of(placed.text), SEED, 2, 1).diagnostics == []
        assert placed.text.count("buckyball.fence") == (1 if distinct else 2)
    assert found[True].makespan < found[False].makespan
    assert found[True].peak <= 16
    assert (found[False].dropped_fences, len(found[True].dropped_fences)) == ((), 1)
