"""`python -m benchmarks.vmi`: seconds to a proved optimum for VMI chains and trees, with growth.

Each program converts between widths, computes and stores, so that every vector has a choice. Where 30 seconds are not
enough, the gap of the first objective is printed, and how many objectives are proved.
"""

from __future__ import annotations

import random
import time

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.pose import pose_vmi
from layoutsolver.source import SourceFile
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection

SIZES = (100, 1000, 5000)
LIMIT = 30.0
_CASTS = {"f32": ("f16", "f8E4M3FN"), "f16": ("f32", "f8E4M3FN"), "f8E4M3FN": ("f32",)}
_BITS = {"f32": 32, "f16": 16, "f8E4M3FN": 8}


def program(n: int, tree: bool, seed: int = 1) -> str:
    """About `n` operations: one chain, or a tree in which values are taken again."""
    rng = random.Random(seed)
    elements = ("f32", "f16", "f8E4M3FN")
    arguments = ", ".join(f"%{name}: !pto.ptr<{name}, ub>" for name in elements)
    lines: list[str] = []
    live: list[tuple[str, str, int]] = []
    for number in range(n):
        kind = rng.random()
        if not live or (tree and kind < 0.15):
            element, lanes = rng.choice(elements), rng.choice((128, 256))
            lines.append(
                f"%v{number} = pto.vmi.vload %{element}[%o] : !pto.ptr<{element}, ub> -> "
                f"!pto.vmi.vreg<{lanes}x{element}>"
            )
            live.append((f"%v{number}", element, lanes))
            continue
        name, element, lanes = rng.choice(live[-8:]) if tree else live[-1]
        type_ = f"!pto.vmi.vreg<{lanes}x{element}>"
        if kind < 0.25:
            lines.append(f"pto.vmi.vstore {name}, %{element}[%o] : {type_}, !pto.ptr<{element}, ub>")
        elif kind < 0.55 and _BITS[element] > 8:
            lines.append(f"%v{number} = pto.vmi.vadd {name}, {name} : {type_}, {type_} -> {type_}")
            live.append((f"%v{number}", element, lanes))
        else:
            to = rng.choice(_CASTS[element])
            attrs = ' {saturate = "SAT"}' if _BITS[to] < _BITS[element] else ""
            lines.append(f"%v{number} = pto.vmi.vcvt {name}{attrs} : {type_} -> !pto.vmi.vreg<{lanes}x{to}>")
            live.append((f"%v{number}", to, lanes))
    body = "\n".join(lines)
    return f"func.func @f({arguments}, %o: index) {{\n{body}\n  return\n}}\n"


def main() -> None:
    """Print the table."""
    print(f"{'shape':6} {'n':>6} {'pose s':>8} {'solve s':>8} {'busiest':>8} {'gap':>6} {'proved':>7}")
    for shape in ("chain", "tree"):
        for n in SIZES:
            text = program(n, shape == "tree")
            start = time.perf_counter()
            graph, _ = build_graph(read(SourceFile("benchmark.pto", text)))
            posed = pose_vmi(graph)
            middle = time.perf_counter()
            solution = solve_selection(posed.problem, Limits(LIMIT))
            end = time.perf_counter()
            gap = "" if not solution.busiest else f"{(solution.busiest - solution.bound) / solution.busiest:.1%}"
            print(
                f"{shape:6} {n:6} {middle - start:8.2f} {end - middle:8.2f} {solution.busiest:8} {gap:>6} "
                f"{len(solution.proved)}/{len(posed.problem.objective):<5}", flush=True,
            )  # fmt: skip


if __name__ == "__main__":
    main()
