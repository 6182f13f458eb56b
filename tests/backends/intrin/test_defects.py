"""What the production compiler is known to get wrong is said where it does, and nowhere else."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from layoutsolver.api import LowerOptions, SolveOptions, lower, solve
from layoutsolver.backends import load_lowering
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import compare_programs
from layoutsolver.verify.levels import border_layouts, read_program
from layoutsolver.verify.program import plain_program, solved_program
from layoutsolver.verify.run import verify
from layoutsolver_backends.intrin.defects import CALL_RESULT, DEFECTS
from tests.support.fuzz_verify import runnable_program

FOLDER = Path(__file__).parents[3] / "examples" / "upstream-findings"
CHIP = re.compile(r"^// passes: (?:plain|aligned), chip: (\w+)$", re.MULTILINE)
SHOWN = re.compile(r"upstream-findings/(\w+)\.mlir")

ELSEWHERE = {
    "lost_alignment": "an analysis of the compiler makes it, which is not part of what is written here",
    "packed_mask": "on this chip the same analysis makes it; without it the data are dense",
    "spread_twice": "the same analysis leads to it; without it the data are dense",
    "predicate_operand": "what is written here stores what was unpacked",
}
"""Findings that what is written here does not have, and why."""


def said(path: Path, compat: str) -> set[str]:
    """The findings that are named when a program is lowered."""
    return said_of(path.read_text(encoding="utf-8"), compat)


def said_of(text: str, compat: str) -> set[str]:
    found = CHIP.search(text)
    assert found is not None
    solving = SolveOptions(compat, chip=found[1])
    result = lower(SourceFile("a.mlir", text), LowerOptions(solving=solving))
    notes = [note for item in result.diagnostics if item.code == "LS0606" for note in item.notes]
    return {match[1] for note in notes if (match := SHOWN.search(note))}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.mlir")), ids=lambda path: path.stem)
def test_a_finding_is_named_where_it_is_written(path: Path) -> None:
    assert (path.stem in said(path, "upstream")) == (path.stem not in ELSEWHERE)
    assert said(path, "") == set()


def test_data_that_are_brought_together_are_not_called_dense() -> None:
    """Where the text asks for the distribution, what is spread is brought together, and only its mask is wrong."""
    text = (FOLDER / "packed_mask.mlir").read_text(encoding="utf-8")
    assert said_of(text, "upstream") == {"dense_data"}
    assert said_of(text.replace("<NORM_B8>", "<PK4_B32>"), "upstream") == {"packed_mask"}


def test_every_defect_has_a_program_that_shows_it() -> None:
    names = {path.stem for path in FOLDER.glob("*.mlir")}
    assert {defect.id for defect in (*DEFECTS, CALL_RESULT)} == names - (set(ELSEWHERE) - {"packed_mask"})


@pytest.mark.parametrize("dialect", ["1.2.0", "master"])
def test_nothing_wrong_is_written_in_silence(dialect: str) -> None:
    wrong = silent = 0
    for seed in range(40):
        chip = "ascend950" if seed % 2 else ""
        text = runnable_program(seed, 5)
        options = SolveOptions("upstream", chip=chip, conflicts=0, repairs=0)
        result = solve(SourceFile("p.mlir", text), options)
        if not result.ok or result.verdict != "solved" or result.posed is None or result.solution is None:
            continue
        made = load_lowering("ave-intrin").lower(result.posed, result.solution, dialect, False, True)
        if any(item.severity == "error" for item in made.diagnostics):
            continue
        written = read_program(SourceFile("l.mlir", apply_edits(text, made.edits)), options)
        assert written.program is not None
        laid_out = solved_program(result.posed, result.solution)
        border = border_layouts(written.program.graph, result.posed.graph, laid_out.layouts)
        found = replace(written.program, layouts={**written.program.layouts, **border})
        if compare_programs(plain_program(result.posed.graph), found, 2, lenient=True).ok:
            continue
        codes = {item.code for item in (*made.diagnostics, *result.diagnostics)}
        wrong += 1
        silent += not codes & {"LS0605", "LS0606", "LS0107"}
    assert (wrong >= 3, silent) == (True, 0)


PART = {part: f"part = #ave.vcvt_part_type<part_{part}>" for part in ("even", "odd")}


def round_trip(there: str, back: str, wide: str, narrow: str, lanes: int = 64, between: str = "") -> str:
    """Elements converted and converted back; the narrow ones lie apart. `V`, `N` and `M` stand for the types."""
    types = {"M": f"vector<{lanes}xi1>", "V": f"vector<{lanes}x{wide}>", "N": f"vector<{lanes}x{narrow}>"}
    memory = f"memref<256x{wide}, #hivm.address_space<ub>>"
    body = f"%t = ave.hir.{there}\n  {between}\n  %y = ave.hir.{back}"
    body = re.sub(r"\b[MVN]\b", lambda match: types[match[0]], body)
    return (
        f"func.func @f(%src: {memory}, %dst: {memory}) attributes {{hivm.vector_function}} {{\n"
        f"  %c0 = arith.constant 0 : index\n  %m = ave.hir.pge <ALL> : {types['M']}\n"
        f"  %x = ave.hir.vload <NORM> %src[%c0] : {memory} into {types['V']}\n  {body}\n"
        f"  ave.hir.masked_store <NORM_B{wide[1:]}> %dst[%c0], %m, %y : {memory}, {types['M']}, {types['V']}\n"
        "  return\n}\n"
    )


ROUND_TRIPS = {
    "vtruncf vextf": ("vtruncf %x, <rint>, false, <part_even>, %m : V, N, M", "vextf %t, <part_even>, %m : N, V, M",
                      "f32", "f16", 64),
    "vtrunci vextsi": (f"vtrunci %x, false, %m {{{PART['even']}}} : V, N, M",
                       f"vextsi %t, %m {{{PART['even']}}} : N, V, M", "i32", "i16", 64),
    "vtrunci vextui": ("vtrunci %x, false, %m {pp = #ave.vcvt_pp_type<pp0>} : V, N, M",
                       "vextui %t, %m {pp = #ave.vcvt_pp_type<pp0>} : N, V, M", "i32", "i8", 64),
    "vfptosi vsitofp": (f"vfptosi %x, <trunc>, %m {{{PART['even']}, sat = true}} : V, M, N",
                        f"vsitofp %t, %m {{{PART['even']}}} : N, M, V", "f32", "i16", 64),
    "vfptosi vsitofp of bytes": (f"vfptosi %x, <trunc>, %m {{{PART['even']}, sat = true}} : V, M, N",
                                 f"vsitofp %t, %m {{{PART['even']}}} : N, M, V", "f16", "i8", 128),
    "vfptoui vuitofp": ("vfptoui %x, <trunc>, false, <part_even>, %m : V, M, N",
                        "vuitofp %t, <part_even>, %m : N, M, V", "f16", "i8", 128),
}  # fmt: skip


def compat(text: str) -> tuple[set[str], bool]:
    """The operations that are said to have dense data, and whether the compiler's intrinsics do what is meant."""
    options = SolveOptions("upstream", chip="ascend950")
    result = lower(SourceFile("a.mlir", text), LowerOptions(solving=options))
    assert result.text is not None, [item.message for item in result.diagnostics]
    found = [item for item in result.diagnostics if item.code == "LS0606"]
    assert all("dense_data" in item.notes[0] for item in found)
    done = verify(SourceFile("a.mlir", text), options, other=SourceFile("b.mlir", result.text))
    return {item.message.split("`")[1] for item in found}, done.ok


@pytest.mark.parametrize("name", ROUND_TRIPS)
def test_conversions_move_what_lies_side_by_side_unless_they_name_another_part(name: str) -> None:
    text = round_trip(*ROUND_TRIPS[name])
    assert compat(text) == (set(), True)
    other = text.replace("part_even", "part_odd").replace("pp0", "pp1")
    assert compat(other) == ({f"ave.hir.{op}" for op in name.split()[:2]}, False)


def test_a_conversion_of_equal_width_has_a_mask_for_data_that_lie_apart() -> None:
    there, back, wide, narrow, lanes = ROUND_TRIPS["vtruncf vextf"]
    whole = "%i = ave.hir.vfptosi %t, <trunc>, %m {sat = true} : N, M, vector<64xi16>\n"
    again = "  %r = ave.hir.vsitofp %i, %m {rnd = #hivm.round_mode<rint>} : vector<64xi16>, M, N"
    text = round_trip(there, back.replace("%t", "%r"), wide, narrow, lanes, whole + again)
    assert compat(text) == ({"ave.hir.vfptosi", "ave.hir.vsitofp"}, False)


DISTRIBUTIONS = {  # elements, lanes, what governs them, patterns of a load and of a store that spread and gather them
    "half of the bytes": ("i8", 128, "f16", "UNPK_B8", "PK_B16"),
    "a quarter of the bytes": ("i8", 64, "f32", "UNPK4_B8", "PK4_B32"),
    "half of the words": ("f16", 64, "f32", "UNPK_B16", "PK_B32"),
}


def copied(element: str, lanes: int, other: str, load: str, store: str, between: str = "") -> str:
    """Elements copied under a mask of wider ones, through `between`, which makes `%y` of `%x`."""
    bits, mask, data = element[1:], f"vector<{lanes}xi1>", f"vector<{lanes}x{element}>"
    narrow, wide = (f"memref<256x{one}, #hivm.address_space<ub>>" for one in (element, other))
    stored, named = "%y" if between else "%x", store or f"NORM_B{bits}"
    return f"""\
func.func @f(%a: {wide}, %src: {narrow}, %dst: {narrow}) attributes {{hivm.vector_function}} {{
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : {mask}
  %w = ave.hir.vload <NORM> %a[%c0] : {wide} into vector<{lanes}x{other}>
  ave.hir.masked_store <NORM_B{other[1:]}> %a[%c0], %m, %w : {wide}, {mask}, vector<{lanes}x{other}>
  %x = ave.hir.vload <{load or "NORM"}> %src[%c0] : {narrow} into {data}
{between}  ave.hir.masked_store <{named}> %dst[%c0], %m, {stored} : {narrow}, {mask}, {data}
  return
}}
"""


def dense(text: str) -> list[str]:
    """The operations that are said to have dense data, in order."""
    result = lower(SourceFile("a.mlir", text), LowerOptions(solving=SolveOptions("upstream", chip="ascend950")))
    assert result.text is not None, [item.message for item in result.diagnostics]
    found = [item for item in result.diagnostics if item.code == "LS0606" and "dense_data" in item.notes[0]]
    return [item.message.split("`")[1].removeprefix("ave.hir.") for item in found]


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_accesses_that_name_their_distribution_have_it(name: str) -> None:
    element, lanes, other, load, store = DISTRIBUTIONS[name]
    assert dense(copied(element, lanes, other, "", "")) == ["vload", "masked_store"]
    assert dense(copied(element, lanes, other, load, "")) == ["masked_store"]
    assert dense(copied(element, lanes, other, "", store)) == ["vload"]
    assert dense(copied(element, lanes, other, load, store)) == []


def test_operations_between_dense_accesses_have_dense_data_as_well() -> None:
    element, lanes, other, _, _ = DISTRIBUTIONS["half of the bytes"]
    type_ = f"vector<{lanes}x{element}>"
    unchanged = (
        "  %y, %z = ave.hir.vintlv %x, %x {layout_change = #ave<layout_change UNCHANGED>} "
        f": {type_}, {type_}\n"
    )  # fmt: skip
    ramp = (
        f"  %k = arith.constant 1 : i8\n  %y = ave.hir.vci %k, <INCREASE> : i8, {type_}\n"
    )  # fmt: skip
    masked = f"  %y = ave.hir.vabs %x, %m : {type_}, vector<{lanes}xi1>\n"
    for between, named in ((unchanged, "vintlv"), (ramp, "vci"), (masked, "vabs")):
        assert named in dense(copied(element, lanes, other, "", "", between))
