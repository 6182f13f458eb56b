"""`python -m benchmarks.vmi_limits`: how many solves under limits of registers are decided, and how they grow.

Random kernels of all kinds are solved without limits, then within the registers of the chip, one vector register fewer
than they needed, three quarters of these, and one predicate register fewer. Decided is what is proved the best or to
have no layouts within 30 seconds. Then the chains and trees of `benchmarks.vmi` are solved within the chip's registers.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from benchmarks.vmi import LIMIT, SHAPES, SIZES
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.pose import PosedVmi, pose_vmi
from layoutsolver.source import SourceFile
from layoutsolver.vmi.within import Within, solve_within
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.targets.chip import RegisterLimits
from tests.support.vmi_wide import wide_kernel

CHIP = RegisterLimits(32, 8)
OBJECTIVES = ("pipes", "total", "registers")


def posed_of(text: str, objective: str = "pipes") -> PosedVmi:
    """The problem of a text."""
    return pose_vmi(build_graph(read(SourceFile("benchmark", text)))[0], objective)


def limits_of(free: Within) -> Iterator[RegisterLimits]:
    """The limits under which a kernel is solved again."""
    assert free.peaks is not None
    vectors, predicates = (peak.registers for peak in free.peaks)
    yield CHIP
    yield RegisterLimits(max(1, vectors - 1), CHIP.predicate)
    yield RegisterLimits(max(1, vectors * 3 // 4), CHIP.predicate)
    if predicates > 1:
        yield RegisterLimits(CHIP.vector, predicates - 1)


def kernels(count: int, size: int) -> None:
    """Solve random kernels, and print what is decided."""
    verdicts: Counter[str] = Counter()
    slowest = 0.0
    start = time.process_time()
    for seed in range(count):
        posed = posed_of(wide_kernel(seed, size), OBJECTIVES[seed % 3])
        free = solve_within(posed, Limits(seconds=LIMIT))
        for limits in limits_of(free) if free.peaks is not None else ():
            begun = time.process_time()
            found = solve_within(posed._replace(registers=limits), Limits(seconds=LIMIT))
            spent = time.process_time() - begun
            slowest = max(slowest, spent)
            decided = found.solution.status in ("optimal", "infeasible")
            verdicts[found.solution.status] += 1
            if not decided:
                print(f"seed {seed}, within {limits.vector},{limits.predicate}: {found.solution.status}", flush=True)
    solves = sum(verdicts.values())
    undecided = sum(verdicts.values()) - verdicts["optimal"] - verdicts["infeasible"]
    print(
        f"size {size}: {solves} solves, {verdicts['optimal']} optimal, {verdicts['infeasible']} infeasible, "
        f"{undecided} undecided; {time.process_time() - start:.1f} s of CPU, slowest {slowest:.1f}"
    )


def growth() -> None:
    """Print the table of chains and trees."""
    print(f"{'shape':6} {'ops':>6} {'limits':>7} {'CPU s':>7} {'answer':>11} {'busiest':>8} {'bound':>8}  live")
    for shape in ("chain", "tree"):
        for size in SIZES:
            posed = posed_of(SHAPES[shape](size))
            for limits in (None, CHIP):
                start = time.process_time()
                found = solve_within(posed._replace(registers=limits), Limits(seconds=LIMIT))
                live = "" if found.peaks is None else ", ".join(str(peak.registers) for peak in found.peaks)
                print(
                    f"{shape:6} {len(posed.problem.ops):6} {'chip' if limits else 'off':>7} "
                    f"{time.process_time() - start:7.1f} {found.solution.status:>11} {found.solution.busiest:8} "
                    f"{found.solution.bound:8}  {live}", flush=True,
                )  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=37, help="random kernels; each is solved up to four times")
    parser.add_argument("--size", type=int, default=8)
    parser.add_argument("--growth", action="store_true", help="chains and trees only")
    options = parser.parse_args(argv)
    if not options.growth:
        kernels(options.count, options.size)
    growth()


if __name__ == "__main__":
    main()
