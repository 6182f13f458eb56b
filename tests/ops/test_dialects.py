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


@pytest.mark.parametrize(
    ("right", "wrong", "name"),
    [
        ("ave.hir.vexp", "ave.hir.vepx", "examples/quantised_softmax.mlir"),
        ("pto.vmi.vcvt", "pto.vmi.vcvtt", "examples/fp4_dequant.pto"),
        ("buckyball.matmul", "buckyball.matmull", "examples/one_tile.mlir"),
    ],
)
def test_a_misspelt_operation_is_all_that_is_said(right: str, wrong: str, name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8").replace(right, wrong)
    _, found = graph_of(read_source(SourceFile(name, text)))
    assert {(item.code, item.severity, item.message) for item in found} == {
        ("LS0208", "error", f"there is no operation `{wrong}`")
    }
    assert found[0].notes == (f"is `{right}` meant?",)


@pytest.mark.parametrize(("right", "wrong"), [("pto.castptr", "pto.castprt"), ("arith.constant", "arith.constnat")])
def test_a_name_that_is_like_a_known_one_is_doubted(right: str, wrong: str) -> None:
    name = "examples/fp4_dequant.pto"
    text = (ROOT / name).read_text(encoding="utf-8").replace(right, wrong)
    _, found = graph_of(read_source(SourceFile(name, text)))
    said = [item for item in found if item.code == "LS0208"]
    assert {(item.severity, item.notes[0]) for item in said} == {("warning", f"is `{right}` meant?")}
    assert len(said) == text.count(wrong)


@pytest.mark.parametrize(
    "name", ["pto.tadd", "pto.mscatter", "llvm.intr.fmaa", "buckyball.smatmul", "mine.castprt", "arith.quantise"]
)
def test_a_name_that_may_be_one_is_not_doubted(name: str) -> None:
    _, found = graph_of(read_source(SourceFile("a", f'func.func @f() {{\n  "{name}"() : () -> ()\n  return\n}}\n')))
    assert found == []
