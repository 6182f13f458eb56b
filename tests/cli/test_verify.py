from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.cli.progress import Progress
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


CLASH = (Path(__file__).parents[2] / "examples" / "shared_mask.mlir").read_text(encoding="utf-8")


def test_a_repair_is_written_once_it_was_run(tmp_path: Path, run: Run) -> None:
    path = write(tmp_path / "k.mlir", CLASH)
    outcome = run("solve", path, "--repair", "--verify", "--layouts")
    assert outcome.status == 0
    assert "run on the hardware model, it does what the program says: 4 runs" in outcome.err
    assert outcome.out == run("solve", path, "--repair", "--layouts").out
    alone = run("verify", write(tmp_path / "repaired.mlir", outcome.out))
    assert "agrees with its layouts as written" in alone.out


def test_a_repair_that_does_not_do_what_the_program_says_is_not_written(tmp_path: Path, run: Run) -> None:
    path, out = write(tmp_path / "k.mlir", f"{CLASH}{MASKS}"), tmp_path / "out.mlir"
    assert run("solve", path, "--compat", "upstream", "--repair", "-o", str(out)).status == 0
    out.unlink()
    outcome = run("solve", path, "--compat", "upstream", "--repair", "--verify", "-o", str(out))
    assert outcome.status == 1
    assert "error[LS0701]" in outcome.err
    assert "it does not do what the program says" in outcome.err
    assert not out.exists()


def test_progress_is_shown_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    progress = Progress("k.mlir")
    progress(1, 4)
    now = 121.0
    progress(2, 4)
    progress(3, 4)
    progress.close()
    assert capsys.readouterr().err == "k.mlir: 2 of 4 runs\n"


def test_progress_on_a_terminal_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress = Progress("k.mlir")
    progress(1, 4)
    assert capsys.readouterr().err == ""
    now = 2.0
    progress(2, 4)
    progress.close()
    assert capsys.readouterr().err == "\rk.mlir: 2 of 4 runs\r                   \r"
