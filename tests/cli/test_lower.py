"""`layoutsolver lower` as a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import INFEASIBLE, PROGRAM, Run, write


def test_the_lowered_program_is_the_answer(tmp_path: Path, run: Run) -> None:
    answer = run("lower", write(tmp_path / "k.mlir", PROGRAM), "--to", "ave-intrin")
    assert answer.status == 0
    assert answer.out.startswith("// a byte is widened and stored\nfunc.func @f(")
    assert "ave.hir." not in answer.out
    assert "vldsx1.v256s8" in answer.out


def test_all_parts_of_a_file_are_lowered_or_none(tmp_path: Path, run: Run) -> None:
    both = run(
        "lower", write(tmp_path / "k.mlir", f"{PROGRAM}// -----\n{PROGRAM}"), "--to", "ave-intrin", "--split-input-file"
    )
    assert both.out.count("// -----") == 1
    assert both.out.count("vldsx1.v256s8") == 2
    text = f"{PROGRAM}// -----\n{INFEASIBLE}"
    one = run("lower", write(tmp_path / "k.mlir", text), "--to", "ave-intrin", "--split-input-file")
    assert (one.status, one.out) == (1, "")


def test_the_dialect_decides(tmp_path: Path, run: Run) -> None:
    path = write(tmp_path / "k.mlir", PROGRAM)
    common = ("lower", path, "--to", "ave-intrin", "--target", "ave:ascend950", "--compat", "upstream")
    assert run(*common).out != run(*common, "--dialect", "master").out


def test_output_goes_to_a_file(tmp_path: Path, run: Run) -> None:
    target = tmp_path / "out.mlir"
    answer = run("lower", write(tmp_path / "k.mlir", PROGRAM), "--to", "ave-intrin", "-o", str(target))
    assert (answer.status, answer.out) == (0, "")
    assert "vldsx1.v256s8" in target.read_text(encoding="utf-8")


@pytest.mark.parametrize("given", [(), ("--to", "riscv"), ("--to", "ave-intrin", "--dialect", "2")])
def test_form_and_dialect_have_to_be_known(given: tuple[str, ...], tmp_path: Path, run: Run) -> None:
    assert run("lower", write(tmp_path / "k.mlir", PROGRAM), *given).status == 2


def test_what_cannot_be_read_has_status_3(tmp_path: Path, run: Run) -> None:
    assert run("lower", write(tmp_path / "k.mlir", "func.func @f( {"), "--to", "ave-intrin").status == 3
    assert run("lower", str(tmp_path / "missing"), "--to", "ave-intrin").status == 3


def test_what_has_no_intrinsic_has_status_1(tmp_path: Path, run: Run) -> None:
    text = PROGRAM.replace(
        "ave.hir.masked_store <NORM_B8> %a[%c0], %m, %x", "ave.hir.unaligned.masked.store %a[%c0], %m, %x"
    )
    common = ("lower", write(tmp_path / "k.mlir", text), "--to", "ave-intrin", "--solved")
    answer = run(*common, "--compat", "upstream")
    assert (answer.status, answer.out) == (1, "")
    assert "LS0601" in answer.err
    assert run(*common).status == 0
