"""Static memory placement: published instances beside MiniMalloc, and random ones of growing size.

python -m benchmarks.placement [--instances FOLDER] [--minimalloc BINARY] [--limit S] [--workers N] [--count N]

`FOLDER` holds tables named `NAME.CAPACITY.csv`, such as the challenging ones of MiniMalloc; `BINARY` is its program,
run on the same files in the same run. CPU seconds are of this process and its threads, or of the child process.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from layoutsolver.placement.csv import read_placement
from layoutsolver.source import SourceFile
from layoutsolver_models.placement.check import check_placement
from layoutsolver_models.placement.solve import solve_placement
from layoutsolver_models.problems.placement import PlacementProblem
from layoutsolver_models.solve.layout import Limits
from tests.support.placement_problems import random_problem


class Taken(NamedTuple):
    solved: bool
    wall: float
    cpu: float
    what: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=Path, default=None)
    parser.add_argument("--minimalloc", type=Path, default=None)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--count", type=int, default=2500, help="buffers of the smallest large random instance")
    options = parser.parse_args()
    import ortools.sat.python.cp_model  # noqa: F401 (loaded once, before anything is timed)

    limits = Limits(options.limit, options.workers, 1)
    if options.instances is not None:
        published(options.instances, options.minimalloc, limits)
    random_instances(options.count, limits)


def published(folder: Path, minimalloc: Path | None, limits: Limits) -> None:
    print("instance  buffers   ours s  (cpu)  by                              MiniMalloc s  (cpu)   ratio of cpu")
    sums = [0.0] * 4
    solved = [0, 0]
    for path in sorted(folder.glob("*.csv")):
        capacity = int(path.name.split(".")[-2])
        problem = read_placement(SourceFile(path.name, path.read_text()), capacity).problem
        own = ours(problem, limits)
        peer = theirs(minimalloc, path, capacity, limits.seconds) if minimalloc else Taken(False, 0.0, 0.0)
        for place, value in enumerate((own.wall, own.cpu, peer.wall, peer.cpu)):
            sums[place] += value
        solved[0] += own.solved
        solved[1] += peer.solved
        shown = f"{peer.wall:12.2f} ({peer.cpu:6.2f}) {peer.cpu / own.cpu:12.2f}" if minimalloc else ""
        name = path.name.split(".")[0]
        print(f"{name:8} {len(problem.buffers):8} {own.wall:8.2f} ({own.cpu:5.2f}) {own.what:32}{shown}", flush=True)
    print(f"ours: {solved[0]} solved, {sums[0]:.1f} s, {sums[1]:.1f} s of CPU")
    if minimalloc:
        print(f"MiniMalloc: {solved[1]} solved, {sums[2]:.1f} s, {sums[3]:.1f} s of CPU")


def random_instances(count: int, limits: Limits) -> None:
    print("\nbuffers  slack   ours s  (cpu)  by")
    for number in (count // 4, count // 2, count, 2 * count, 4 * count):
        for slack in (0.05, 0.20, 0.50):
            own = ours(random_problem(number, slack, number), limits)
            print(f"{number:7} {slack:6.0%} {own.wall:8.2f} ({own.cpu:5.2f}) {own.what}", flush=True)


def ours(problem: PlacementProblem, limits: Limits) -> Taken:
    taken = clocks(lambda: time.process_time())
    solution = solve_placement(problem, limits)
    wall, cpu = taken()
    found = solution.status in ("feasible", "optimal")
    if found and check_placement(problem, solution.offsets):
        sys.exit("a placement found is none")
    return Taken(found, wall, cpu, solution.method if found else solution.status)


def theirs(binary: Path, path: Path, capacity: int, limit: float | None) -> Taken:
    def children() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    with tempfile.NamedTemporaryFile(suffix=".csv") as out:
        command = [str(binary), f"--capacity={capacity}", f"--input={path}", f"--output={out.name}"]
        command += ["--validate", *([] if limit is None else [f"--timeout={limit}s"])]
        taken = clocks(children)
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        wall, cpu = taken()
    return Taken("PASS" in run.stderr, wall, cpu)


def clocks(cpu_clock: Callable[[], float]) -> Callable[[], tuple[float, float]]:
    wall, cpu = time.perf_counter(), cpu_clock()
    return lambda: (time.perf_counter() - wall, cpu_clock() - cpu)


if __name__ == "__main__":
    main()
