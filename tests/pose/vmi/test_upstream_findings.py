"""Programs that the released compiler refuses: its verdict, and the optimum that is found here, as their rows say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from layoutsolver.api import LowerOptions, lower
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.upstream.compat import upstream_of
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.run import verify_files
from tests.pose.vmi.kernels import layouts, solved

FOLDER = Path(__file__).parents[3] / "examples" / "upstream-findings" / "vmi"
REFUSED = (FOLDER / "README.md").read_text(encoding="utf-8").partition("\n## Refused")[2]
ROWS = re.findall(r"^\| \[(\w+)\]\(\1\.pto\) \| ([^|]*) \| [^|]* \| (\d+) \((.*?)\): (.*) \|$", REFUSED, re.MULTILINE)
KINDS = {"its output is invalid": "VERIFIER"}


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.pto").read_text(encoding="utf-8")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_compiler_refuses_what_has_layouts(row: tuple[str, str, str, str, str]) -> None:
    name, says, total, pipes, shown = row
    graph, diagnostics = build_graph(read(SourceFile(f"{name}.pto", text_of(name))))
    assert diagnostics == []
    assert upstream_of(graph).verdict.kind == KINDS.get(says, says)
    made, solution = solved(text_of(name), "total")
    assert (solution.total, solution.load[:3]) == (int(total), tuple(map(int, pipes.split(", "))))
    found = layouts(made, solution)
    parts = [part.rpartition(":") for part in f" {shown}".split(" %")[1:]]
    assert {f"%{value}" for value, _, _ in parts} == {value for value in found if value[0] == "%"}


UNSUPPORTED = {
    "saturation_of_signed_bytes": "si32 cannot be narrowed to si8 with saturation",
}


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.pto") if path.stem != "spread_slots"))
def test_what_is_written_here_is_right_or_refused(name: str) -> None:
    source = SourceFile(f"{name}.pto", text_of(name))
    result = lower(source, LowerOptions("vpto"))
    if name in UNSUPPORTED:
        assert result.text is None
        assert UNSUPPORTED[name] in result.diagnostics[0].message
        return
    assert result.text is not None
    said, found = verify_files(source, SourceFile(f"{name}.vpto", result.text), 4, 1)
    assert said == []
    assert found is not None
    assert found.ok, found.diagnostics


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.vpto")))
def test_what_the_compiler_takes_or_refuses_of_wrong_code(name: str) -> None:
    """Layouts in a text are refused at the border; all other programs pass to the end or to the last check."""
    graph, _ = build_graph(read(SourceFile(f"{name}.pto", text_of(name))))
    kinds = {"spread_slots": "VMI-PASS-INVARIANT"} | dict.fromkeys(
        ("compare_of_spread_lanes", "select_of_spread_lanes"), "VERIFIER"
    )
    assert upstream_of(graph).verdict.kind == kinds.get(name, "")


def test_every_program_is_listed() -> None:
    listed = {row[0] for row in ROWS} | {path.stem for path in FOLDER.glob("*.vpto")}
    assert listed == {path.stem for path in FOLDER.glob("*.pto")}
