"""`lower` and `verify` on programs of tiles and banks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.buckyball.support import product
from tests.cli.running import Run, write

STAGES = ("tile", "buckyball", "bank-ssa", "bank-ids", "wrapper", "intr", "llvm", "riscv")


@pytest.mark.parametrize("end", STAGES)
def test_every_stage_is_written_and_agrees_with_the_program(end: str, tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", product(16, 16, 16))
    out = tmp_path / "out"
    assert run("lower", file, "--to", end, "-o", str(out)).status == 0
    outcome = run("verify", file, str(out), "--rounds", "1", "--target", "buckyball")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.endswith("agree in 1 run, 3072 bytes compared\n")


def test_a_program_is_verified_against_what_it_is_lowered_to(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", product(16, 16, 16, op="tile"))
    assert "agrees with what it is lowered to in 2 runs" in run("verify", file, "--rounds", "2").out
    toy = run("verify", file, "--rounds", "1", "--target", "buckyball:toy")
    assert (toy.status, toy.err) == (0, "")


def test_messages_name_what_there_is(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", product(16, 16, 16, op="tile"))
    wrong = run("lower", file, "--to", "intr", "--target", "buckyball:brick")
    assert (wrong.status, wrong.out) == (2, "")
    assert "no chip `brick`: there are era-rtl, goban, pebble, seed, toy" in wrong.err
    assert "for `buckyball:NAME`, not for `vmi`" in run("lower", file, "--to", "intr", "--target", "vmi").err
    assert run("lower", file, "--to", "intr", "--solved").status == 2
    assert run("lower", file, "--to", "vpto", "--from", "tile").status == 2
    assert run("lower", file, "--to", "tile", "--from", "buckyball").status == 1
    assert run("lower", file, "--to", "intr", "--from", "linalg").status == 0


def test_a_text_that_is_broken_has_its_own_status(tmp_path: Path, run: Run) -> None:
    assert run("lower", write(tmp_path / "a.mlir", "func.func @f( {\n"), "--to", "intr").status == 3
    assert run("lower", write(tmp_path / "a.ll", "define void @f() {\n  what\n}\n"), "--to", "riscv").status == 3
    outcome = run("verify", write(tmp_path / "b.s", ".text\na:\na:\n"), "--target", "buckyball")
    assert (outcome.status, "LS1010" in outcome.err) == (3, True)


def test_several_programs_of_a_file_are_lowered_together(tmp_path: Path, run: Run) -> None:
    one, bad = product(16, 16, 16, op="tile"), product(16, 16, 20, op="buckyball")
    file = write(tmp_path / "in.mlir", f"{one}// -----\n{one}")
    outcome = run("lower", file, "--to", "buckyball", "--split-input-file")
    assert outcome.out.count("buckyball.matmul") == 2
    file = write(tmp_path / "in.mlir", f"{one}// -----\n{bad}")
    outcome = run("lower", file, "--to", "bank-ssa", "--split-input-file")
    assert (outcome.status, outcome.out) == (1, "")
    assert "LS1002" in outcome.err
