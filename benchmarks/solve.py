"""`python -m benchmarks.solve`: ours beside the released analyzer, whole process and in-process, with growth.

Each figure is the median of several runs; `ratio` is their whole process over ours.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.programs import SHAPES
from layoutsolver.api import annotate, solve
from layoutsolver.source import SourceFile
from tests.support.peer import peer_path

SIZES = {
    "chain": ((1000, 4000, 16000, 64000), 64000),
    "pairs": ((8, 10, 12, 100, 1000, 10000), 12),
    "dangling": ((8, 10, 12, 100, 1000, 10000), 12),
    "gathers": ((4, 8, 16, 64, 256, 1024), 8),
}
"""Per shape: the sizes for ours, and the largest for the analyzer."""


def median_time(action: Callable[[], object], budget: float = 4.0) -> float:
    """The median seconds of an action over up to five runs, fewer if they take long."""
    times: list[float] = []
    while len(times) < 5 and (not times or sum(times) < budget):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def run(command: list[str], bytecode: Path | None = None) -> None:
    """Run a command; its output is dropped, its failure is ours.

    Python keeps its bytecode in `bytecode`, as it does for every installed package, whatever the caller's settings are.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if bytecode is not None:
        environment["PYTHONPYCACHEPREFIX"] = str(bytecode)
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only sizes below 5,000")
    quick = parser.parse_args().quick
    peer = peer_path()
    print(f"{'shape':9} {'n':>6} {'theirs s':>9} {'ours s':>8} {'in-process s':>12} {'ratio':>7} {'per op us':>9}")
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "bytecode"
        run([sys.executable, "-m", "layoutsolver", "--version"], cache)
        for shape, (sizes, largest) in SIZES.items():
            for n in sizes:
                if quick and n >= 5000:
                    continue
                text = SHAPES[shape](n)
                path = Path(folder) / f"{shape}{n}.mlir"
                path.write_text(text, encoding="utf-8")
                command = [sys.executable, "-m", "layoutsolver", "solve", str(path)]
                ours = median_time(lambda command=command: run(command, cache))
                inside = median_time(lambda text=text: annotate(solve(SourceFile("b", text))))
                theirs = None
                if peer is not None and n <= largest:
                    theirs = median_time(lambda path=path: run([str(peer), "-analyze-vector-layout", str(path)]))
                ratio = "" if theirs is None else f"{theirs / ours:.2f}"
                shown = "" if theirs is None else f"{theirs:.3f}"
                per_op = inside / (text.count("ave.hir.") or 1) * 1e6
                print(f"{shape:9} {n:6} {shown:>9} {ours:8.3f} {inside:12.4f} {ratio:>7} {per_op:9.1f}", flush=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory of a child process: {peak:.0f} MB")


if __name__ == "__main__":
    main()
