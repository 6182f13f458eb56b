"""Instructions of VPTO programs by pipe, counted in their texts, and what the released compiler takes."""

from __future__ import annotations

from collections import Counter

from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.reader import read
from layoutsolver.ops.registry import pto_specs
from layoutsolver.source import SourceFile
from layoutsolver_models.rules.vmi.row import PIPES as BY_MNEMONIC

PIPES = ("load", "execute", "store", "predicate")
BOUNDED = PIPES[:3]

Counts = dict[str, int]


def pipe_of(name: str) -> str:
    """The pipe of an instruction, by its plain name.

    >>> pipe_of("pset_b8"), pipe_of("vldsx2"), pipe_of("vcvt"), pipe_of("vbitcast"), pipe_of("castptr")
    ('predicate', 'load', 'execute', 'free', 'free')
    """
    known = BY_MNEMONIC.get(name) or BY_MNEMONIC.get(name.partition("_b")[0])
    if known is not None:
        return known
    spec = pto_specs().get(f"pto.{name}")
    return spec.rule if spec is not None and spec.rule in PIPES else "free"


def counted(instructions: dict[str, int]) -> Counts:
    """Instructions by pipe."""
    out = dict.fromkeys(PIPES, 0)
    for name, number in instructions.items():
        pipe = pipe_of(name)
        if pipe in out:
            out[pipe] += number
    return out


def executed(text: str) -> Counter[str]:
    """How often each instruction runs: loops as often as their bounds say, functions as they are called."""
    graph, _ = build_graph(read(SourceFile("lowered", text)))
    times = _times(graph)
    out: Counter[str] = Counter()
    for node in graph.ops:
        if node.name.startswith("pto.") and not node.name.startswith("pto.vmi."):
            function = graph.functions[node.function].symbol if node.function >= 0 else ""
            out[node.name.removeprefix("pto.")] += node.weight * times.get(function, 1)
    return out


def _times(graph: Graph) -> dict[str, int]:
    """How often each function that is called runs."""
    called: Counter[str] = Counter()
    symbols = set(graph.calls.values())

    def run(symbol: str, times: int) -> None:
        called[symbol] += times
        for index, callee in graph.calls.items():
            node = graph.ops[index]
            if node.function >= 0 and graph.functions[node.function].symbol == symbol:
                run(callee, times * node.weight)

    for function in graph.functions:
        if function.symbol not in symbols:
            run(function.symbol, 1)
    return dict(called)


def busiest(counts: Counts) -> int:
    """The load of the busiest bounded pipe."""
    return max(counts[pipe] for pipe in BOUNDED)
