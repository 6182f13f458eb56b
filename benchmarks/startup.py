"""`python -m benchmarks.startup`: how long the command takes before it does anything."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.solve import median_time, run

EXAMPLE = Path(__file__).parents[1] / "examples" / "quantised_softmax.mlir"


def main() -> None:
    """Print the table, each line as a multiple of an empty Python process."""
    commands = {
        "python -c pass": ["-c", "pass"],
        "layoutsolver --version": ["-m", "layoutsolver", "--version"],
        "layoutsolver --help": ["-m", "layoutsolver", "--help"],
        "layoutsolver solve (30 operations)": ["-m", "layoutsolver", "solve", str(EXAMPLE)],
        "import ortools.sat.python.cp_model": ["-c", "import ortools.sat.python.cp_model"],
    }
    print(f"{'command':36} {'s':>6} {'x floor':>8}")
    with tempfile.TemporaryDirectory() as folder:
        floor = 0.0
        for name, arguments in commands.items():
            seconds = median_time(lambda arguments=arguments: run([sys.executable, *arguments], Path(folder)))
            floor = floor or seconds
            print(f"{name:36} {seconds:6.3f} {seconds / floor:8.1f}")


if __name__ == "__main__":
    main()
