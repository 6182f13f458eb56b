"""How often operations run: the loops around them, and the calls of the functions in which they stand."""

from __future__ import annotations

from layoutsolver.graph.build import MOST_RUNS
from layoutsolver.graph.model import Graph


def calls_of(graph: Graph) -> list[int]:
    """How often each function of a graph runs: as often as it is called, once if nobody calls it.

    What calls itself counts as if it did not.
    """
    calls: dict[str, list[int]] = {}
    for index, symbol in graph.calls.items():
        calls.setdefault(symbol, []).append(index)
    times: dict[int, int] = {-1: 1}

    def of(function: int) -> int:
        if function not in times:
            times[function] = 1
            callers = [graph.ops[index] for index in calls.get(graph.functions[function].symbol, ())]
            times[function] = min(sum(node.weight * of(node.function) for node in callers) or 1, MOST_RUNS)
        return times[function]

    return [of(number) for number in range(len(graph.functions))]


def runs_of(graph: Graph) -> list[int]:
    """How often each operation of a graph runs."""
    times = [*calls_of(graph), 1]  # the last one for what stands in no function
    return [min(node.weight * times[node.function], MOST_RUNS) for node in graph.ops]
