"""The programs of `tests/data/vmi` with what the released compiler made of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.upstream.assign import Snapshot
from layoutsolver.source import SourceFile

FOLDER = Path(__file__).parents[2] / "data" / "vmi"
FACTS: dict[str, dict[str, Any]] = json.loads((FOLDER / "facts.json").read_text(encoding="utf-8"))


def graph_of(name: str) -> Graph:
    """The graph of one of the programs; what is wrong with it is left to others."""
    source = SourceFile(name, (FOLDER / name).read_text(encoding="utf-8"))
    return build_graph(read(source))[0]


def named(graph: Graph, shot: Snapshot) -> dict[str, str]:
    """The layouts of a snapshot by the names of values, several of one value in order."""
    out: dict[str, set[str]] = {}
    for value, texts in shot.layouts.items():
        out.setdefault(graph.values[value].name, set()).update(texts)
    return {name: " | ".join(sorted(texts)) for name, texts in out.items()}


def ordered(layouts: dict[str, str]) -> dict[str, str]:
    """Layouts as the facts have them, several of one value in order."""
    return {name: " | ".join(sorted(text.split(" | "))) for name, text in layouts.items()}
