"""Names of operations in dialects that are known whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.api import graph_of, read_source
from layoutsolver.cli.main import main
from layoutsolver.source import SourceFile

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("right", "wrong"), [("scf.for", "scf.fr"), ("func.func", "func.fun"), ("scf.for", "scf.loop")]
)
@pytest.mark.parametrize("name", ["examples/quantised_softmax.mlir", "examples/fp4_dequant.pto"])
def test_a_misspelt_loop_or_function_is_named(right: str, wrong: str, name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8").replace(right, wrong)
    _, found = graph_of(read_source(SourceFile(name, text)))
    said = [item for item in found if item.code == "LS0208"]
    assert [item.message for item in said] == [f"there is no operation `{wrong}`"]
    assert said[0].primary is not None


@pytest.mark.parametrize("verb", [["solve"], ["verify"], ["lower", "--to", "vpto"], ["fuse"]])
def test_no_verb_goes_on_with_it(verb: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.pto"
    file.write_text((ROOT / "examples" / "fp4_dequant.pto").read_text(encoding="utf-8").replace("scf.for", "scf.fr"))
    assert main([*verb, str(file)]) == 1
    captured = capsys.readouterr()
    assert "LS0208" in captured.err
    assert captured.out == ""


def test_all_examples_have_known_names() -> None:
    for path in (ROOT / "examples").rglob("*"):
        if path.suffix in (".mlir", ".pto", ".vpto"):
            _, found = graph_of(read_source(SourceFile(path.name, path.read_text(encoding="utf-8"))))
            assert [item.message for item in found if item.code == "LS0208"] == [], path.name
