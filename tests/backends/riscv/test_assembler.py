"""The assembly is taken by GNU as, and its disassembler reads the words back that the encoding gives."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from layoutsolver_models.buckyball.encoding import fields_of, word
from layoutsolver_models.targets.bank_chip import load_bank_chip
from tests.buckyball.support import ERA_RTL, SEED, TOY, lowered, product
from tests.buckyball.test_path import convolution
from tests.buckyball.test_text_stages import SCALARS
from tests.models.hardware.buckyball.golden import golden

AS, OBJDUMP = "riscv64-linux-gnu-as", "riscv64-linux-gnu-objdump"
pytestmark = pytest.mark.skipif(
    shutil.which(AS) is None or shutil.which(OBJDUMP) is None, reason="binutils-riscv64-linux-gnu is not installed"
)
_WORD = re.compile(r"^\s*[0-9a-f]+:\s+([0-9a-f]{8})\s", re.MULTILINE)


def assembled(text: str, folder: Path) -> list[int]:
    """The words of four bytes that the disassembler reads back."""
    (folder / "a.s").write_text(text, encoding="utf-8")
    options = ["-march=rv64imafd", "-mno-relax"]
    subprocess.run([AS, *options, "a.s", "-o", "a.o"], cwd=folder, check=True, capture_output=True)
    shown = subprocess.run([OBJDUMP, "-d", "a.o"], cwd=folder, check=True, capture_output=True, text=True)
    return [int(found, 16) for found in _WORD.findall(shown.stdout)]


def test_the_recorded_words_come_out_of_the_assembler(tmp_path: Path) -> None:
    rows = golden()["words"]
    text = "\n".join([".text", *(row["text"] for row in rows), ""])
    assert assembled(text, tmp_path) == [int(row["word"], 16) for row in rows]


@pytest.mark.parametrize(
    ("text", "chip"),
    [
        (product(20, 40, 50), SEED),
        (product(16, 16, 48), TOY),
        (product(1, 16, 300), ERA_RTL),
        (convolution(), SEED),
        (product(17, 20, 40), load_bank_chip("goban")),
        (convolution(size=5, inner=2), load_bank_chip("pebble")),
    ],
)
def test_a_lowered_program_is_assembled_and_read_back_to_its_words(text: str, chip: Any, tmp_path: Path) -> None:
    written = lowered(text, "riscv", chip)
    codes = [int(code) for code in re.findall(r"\.insn r 0x7b, 3, (\d+), x0, t0, t1", written)]
    assert len(codes) >= 20
    found = [one for one in assembled(written, tmp_path) if fields_of(one) is not None]
    assert found == [word(code, 5, 6) for code in codes]


def test_everything_that_the_processor_does_is_assembled(tmp_path: Path) -> None:
    assert len(assembled(lowered(SCALARS, "riscv"), tmp_path)) > 300
