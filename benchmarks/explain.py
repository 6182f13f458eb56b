"""`python -m benchmarks.explain`: conflicts in large programs, found and explained, in-process and as a whole process.

`first` is the time to one conflict, `all` to every one of them, both from a posed problem; `explain` is the whole
process of `layoutsolver explain`, `bare` the same without repairs.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from layoutsolver.api import pose
from layoutsolver.source import SourceFile
from layoutsolver_models.solve.conflict import find_conflicts
from layoutsolver_models.solve.layout import Limits

SIZES = ((400, 1), (4000, 1), (4000, 20), (16000, 1), (16000, 20))
"""Operations and independent conflicts of each program."""

_CLASH = """\
  %m{n} = ave.hir.pge <ALL> : vector<64xi1>
  %g{n} = ave.hir.scalar_broadcast %h : f16 -> vector<64xf16>
  %r{n} = ave.hir.vcmps <GT> %g{n}, %h, %m{n} : vector<64xf16>, f16, vector<64xi1> -> vector<64xi1>
  %w{n} = ave.hir.scalar_broadcast %t : f32 -> vector<64xf32>
  ave.hir.masked_store <NORM_B32> %d[%c0], %r{n}, %w{n} : memref<64xf32>, vector<64xi1>, vector<64xf32>
  %p{n} = ave.hir.pge <ALL> : vector<64xi1>
  %y{n}_0 = ave.hir.vload <NORM> %d[%c0] : memref<64xf32> into vector<64xf32>
"""


def clashing(ops: int, conflicts: int) -> str:
    """A program of about so many operations and so many conflicts that share nothing."""
    lines = ["func.func @f(%h: f16, %t: f32, %d: memref<64xf32>) {", "  %c0 = arith.constant 0 : index"]
    between = ops // conflicts - 8
    for n in range(conflicts):
        lines.append(_CLASH.format(n=n).rstrip("\n"))
        lines += [
            f"  %y{n}_{at + 1} = ave.hir.vadd %y{n}_{at}, %y{n}_{at}, %p{n} : vector<64xf32>, vector<64xi1>"
            for at in range(between)
        ]
        lines.append(
            f"  ave.hir.masked_store <NORM_B32> %d[%c0], %p{n}, %y{n}_{between} : "
            "memref<64xf32>, vector<64xi1>, vector<64xf32>"
        )
    return "\n".join([*lines, "  return", "}", ""])


def median(action: Callable[[], object], runs: int) -> float:
    """The median seconds of an action."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def explain(path: Path, *flags: str) -> str:
    """What `layoutsolver explain` prints about a file."""
    command = [sys.executable, "-m", "layoutsolver", "explain", str(path), *flags]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout


def main() -> int:
    """Print the table; exit 1 if a conflict is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    missing = False
    print(f"{'ops':>6} {'conflicts':>9} {'first':>9} {'all':>9} {'bare':>9} {'explain':>9} {'told':>5}")
    with tempfile.TemporaryDirectory() as folder:
        for ops, conflicts in SIZES:
            text = clashing(ops, conflicts)
            path = Path(folder) / "in.mlir"
            path.write_text(text, encoding="utf-8")
            posed = pose(SourceFile("in.mlir", text)).posed
            assert posed is not None
            first = median(partial(find_conflicts, posed.problem, 1, Limits()), runs)
            every = median(partial(find_conflicts, posed.problem, conflicts, Limits()), runs)
            bare = median(partial(explain, path, "--repairs", "0"), runs)
            whole = median(partial(explain, path), runs)
            told = explain(path).count("error[LS0101]")
            missing |= told != conflicts
            figures = " ".join(f"{1000 * seconds:6.0f} ms" for seconds in (first, every, bare, whole))
            print(f"{ops:6} {conflicts:9} {figures} {told:5}")
    return int(missing)


if __name__ == "__main__":
    sys.exit(main())
