"""Pages of parts of files."""

from __future__ import annotations

from pathlib import Path

from layoutsolver.cli.main import main
from layoutsolver.service.examples import CONFLICT


def test_lines_are_numbered_as_in_the_file(tmp_path: Path) -> None:
    file, out = tmp_path / "a.mlir", tmp_path / "out.html"
    file.write_text("// one\n// -----\n" + CONFLICT)
    assert main(["report", str(file), "--split-input-file", "-o", str(out)]) == 1
    text = out.read_text(encoding="utf-8")
    assert f"<span class=number>{2 + len(CONFLICT.splitlines())}</span><span class=code>}}</span>" in text
    line = next(each for each in text.split('<div class="line') if "error[LS0101]" in each)
    assert "store_with_stride" in line.partition("</span><span class=code>")[2].partition("</span>")[0]
