"""Programs of fusion regions for tests."""

from __future__ import annotations

from pathlib import Path

from layoutsolver.fusion.code import Code, code_of
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile

PROGRAMS = Path(__file__).parent / "programs"


def code(text: str, name: str = "<test>") -> Code:
    """The items of a text without faults."""
    module = read(SourceFile(name, text))
    graph, found = build_graph(module)
    assert not [*module.diagnostics, *found]
    return code_of(graph)


def program(name: str) -> str:
    """The text of a program of this folder."""
    return (PROGRAMS / name).read_text(encoding="utf-8")
