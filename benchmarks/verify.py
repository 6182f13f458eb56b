"""`python -m benchmarks.verify`: how many vector instructions a second the interpreters run, and programs are verified.

Figures are of processor time, the best of several runs, as the machine may have other things to do.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from benchmarks.kernels import KERNELS
from layoutsolver.api import LowerOptions, SolveOptions, lower, solve
from layoutsolver.source import SourceFile
from layoutsolver.verify.levels import read_program
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.machine import Machine
from layoutsolver.verify.memory import Inputs, make_inputs
from layoutsolver.verify.program import Program, plain_program, solved_program
from layoutsolver.verify.values import Elements
from tests.support.fuzz_verify import runnable_program, verify_program

CHIP = SolveOptions(chip="ascend950")


def programs_of(text: str) -> dict[str, Program]:
    """A program at each level."""
    result = solve(SourceFile("kernel.mlir", text), CHIP)
    lowered = lower(SourceFile("kernel.mlir", text), LowerOptions(dialect="master", solving=CHIP))
    assert result.posed is not None
    assert result.solution is not None
    assert lowered.text is not None
    intrinsics = read_program(SourceFile("lowered.mlir", lowered.text), CHIP).program
    assert intrinsics is not None
    return {
        "logical": plain_program(result.posed.graph),
        "physical": solved_program(result.posed, result.solution),
        "intrinsics": intrinsics,
    }


def run(program: Program, inputs: Inputs) -> None:
    """Run the program once."""
    function = program.graph.functions[0]
    unit = program.unit(LogicalMemory(inputs.memory, inputs.extents))
    arguments = [None if isinstance(given, Elements) else given for given in inputs.arguments]
    Machine(program.graph, unit, 1, operations=program.operations).run_function(function, arguments)


def best_time(action: Callable[[], object], runs: int) -> float:
    """The least processor time of several runs in seconds."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def interpreters(sizes: list[int], runs: int) -> None:
    """Print instructions a second for each kernel, level and size."""
    print(
        f"{'kernel':9} {'level':11}" + "".join(f"{f'{size} rows':>14}" for size in sizes) + "   instructions per second"
    )
    for name, kernel in KERNELS.items():
        known = [programs_of(kernel.program(size)) for size in sizes]
        for level in known[0]:
            figures = []
            for size, programs in zip(sizes, known, strict=True):
                program = programs[level]
                inputs = make_inputs(program.graph, program.graph.functions[0], 1, 0)
                seconds = best_time(lambda program=program, inputs=inputs: run(program, inputs), runs)
                figures.append(kernel.instructions * size / seconds)
            print(f"{name:9} {level:11}" + "".join(f"{figure:14,.0f}" for figure in figures), flush=True)


def random_programs(count: int) -> None:
    """Print how many random programs a second are solved and verified."""
    texts = [runnable_program(seed) for seed in range(count)]
    start, wall = time.process_time(), time.perf_counter()
    verdicts = [verify_program(text).verdict for text in texts]
    seconds, wall = time.process_time() - start, time.perf_counter() - wall
    solved = sum(verdict != "unsolved" for verdict in verdicts)
    print(
        f"{count} random programs, {solved} of them with layouts, solved and verified in {seconds:.1f} s "
        f"({wall:.1f} s of wall time): {count / seconds:.0f} a second, 2,000 in {2000 * seconds / count:.0f} s"
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=128, help="rows of the smallest size; there are two larger ones")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--programs", type=int, default=300)
    options = parser.parse_args()
    with np.errstate(all="ignore"):
        interpreters([options.rows, 2 * options.rows, 4 * options.rows], options.runs)
    random_programs(options.programs)


if __name__ == "__main__":
    main()
