from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import FREE, INFEASIBLE, PROGRAM, UB, Run, write

MASKS = f"""\
func.func @f(%src: memref<256xf16, {UB}>, %dst: memref<256xf16, {UB}>) {{
  %c0 = arith.constant 0 : index
  %yes = arith.constant true
  %x = ave.hir.vload <NORM> %src[%c0] : memref<256xf16, {UB}> into vector<64xf16>
  %m = ave.hir.scalar_broadcast %yes : i1 -> vector<64xi1>
  ave.hir.masked_store <NORM_B16> %dst[%c0], %m, %x : memref<256xf16, {UB}>, vector<64xi1>, vector<64xf16>
  return
}}
"""


def test_a_program_that_agrees_says_how_much_was_compared(tmp_path: Path, run: Run) -> None:
    path = write(tmp_path / "k.mlir", PROGRAM)
    outcome = run("verify", path, "--rounds", "2")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == f"{path}: agrees with the layouts solved here in 2 runs, 128 bytes compared\n"


def test_a_program_that_differs_fails(tmp_path: Path, run: Run) -> None:
    assert run("verify", write(tmp_path / "k.mlir", MASKS)).status == 0
    outcome = run("verify", write(tmp_path / "k.mlir", MASKS), "--compat", "upstream")
    assert (outcome.status, outcome.out) == (1, "")
    assert "error[LS0701]" in outcome.err


def test_a_program_without_layouts_is_explained(tmp_path: Path, run: Run) -> None:
    outcome = run("verify", write(tmp_path / "k.mlir", INFEASIBLE))
    assert outcome.status == 1
    assert "LS0101" in outcome.err


@pytest.mark.parametrize("compat", [(), ("--compat", "upstream")])
def test_solve_writes_what_was_verified(compat: tuple[str, ...], tmp_path: Path, run: Run) -> None:
    path = write(tmp_path / "k.mlir", FREE)
    assert run("solve", path, "--verify", *compat).out == run("solve", path, *compat).out


def test_solve_writes_nothing_where_verifying_fails(tmp_path: Path, run: Run) -> None:
    path, out = write(tmp_path / "k.mlir", MASKS), tmp_path / "out.mlir"
    assert run("solve", path, "--compat", "upstream", "-o", str(out)).status == 0
    out.unlink()
    outcome = run("solve", path, "--compat", "upstream", "--verify", "-o", str(out))
    assert outcome.status == 1
    assert "error[LS0701]" in outcome.err
    assert not out.exists()


def test_two_forms_of_a_program_are_compared(tmp_path: Path, run: Run) -> None:
    path, solved = write(tmp_path / "k.mlir", PROGRAM), str(tmp_path / "solved.mlir")
    assert run("solve", path, "-o", solved).status == 0
    outcome = run("verify", path, solved, "--rounds", "2")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == f"{path} and {solved}: agree in 2 runs, 128 bytes compared\n"
    alone = run("verify", solved, "--rounds", "1")
    assert alone.out == f"{solved}: agrees with its layouts as written in 1 run, 64 bytes compared\n"


def test_parts_of_two_files_are_compared_one_by_one(tmp_path: Path, run: Run) -> None:
    one, two = write(tmp_path / "one.mlir", PROGRAM), write(tmp_path / "two.mlir", f"{PROGRAM}// -----\n{PROGRAM}")
    assert run("verify", two, two, "--split-input-file", "--rounds", "1").out.count("agree in 1 run") == 2
    outcome = run("verify", one, two, "--split-input-file")
    assert outcome.status == 2
    assert "differ in their number of parts" in outcome.err


def test_a_second_file_that_cannot_be_read_is_an_input_error(tmp_path: Path, run: Run) -> None:
    path = write(tmp_path / "k.mlir", PROGRAM)
    assert run("verify", path, str(tmp_path / "none.mlir")).status == 3
    assert run("verify", path, write(tmp_path / "broken.mlir", "func.func @f() {")).status == 3
    assert run("verify", "-", "-").status == 2
