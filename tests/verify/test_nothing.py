"""A file in which nothing can be run is not said to agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.cli.main import main

PRIVATE = "func.func private @f(%a: vector<64xf32>)\n"


@pytest.mark.parametrize("arguments", [["verify"], ["solve", "--verify"]])
def test_nothing_to_run_is_an_error(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.mlir"
    file.write_text(PRIVATE)
    assert main([*arguments, str(file)]) == 1
    captured = capsys.readouterr()
    assert "LS0704" in captured.err
    assert captured.out == ""
