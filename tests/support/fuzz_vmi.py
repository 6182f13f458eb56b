"""Random VMI kernels solved, lowered and run against what they mean.

Run as `python -m tests.support.fuzz_vmi --count 1000`. A mismatch fails, and so does a kernel that has layouts and
cannot be lowered, or of which it is not known in time whether it has any.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.pose import pose_vmi
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from layoutsolver.vmi.within import bounded, solve_within
from layoutsolver_backends.vpto.lower import lower_vmi
from layoutsolver_models.problems.selection_check import check_selection
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.targets.chip import RegisterLimits
from tests.support.vmi_deep import deep_kernel
from tests.support.vmi_programs import random_kernel, shrink
from tests.support.vmi_wide import wide_kernel


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a kernel: `verdict` is ok or what went wrong."""

    verdict: str
    said: tuple[str, ...] = ()
    lowered: str = ""


def prove(
    text: str, objective: str = "pipes", rounds: int = 2, seed: int = 1, registers: RegisterLimits | None = None
) -> Outcome:
    """Solve, lower and verify one kernel, within so many registers if given. Raises `ValueError` for no program."""
    source = SourceFile("kernel.pto", text)
    module = read(source)
    graph, errors = build_graph(module)
    if errors:
        raise ValueError(errors[0].message)
    posed = pose_vmi(graph, objective)
    if posed.diagnostics:
        return Outcome("no layouts", tuple(item.message for item in posed.diagnostics))
    broken = check_selection(posed.problem)
    if broken:
        return Outcome("broken problem", tuple(f"{place} {reason}" for place, reason in broken))
    if registers is not None:
        posed = bounded(posed, registers)
    within = solve_within(posed, Limits(20.0))
    solution = within.solution
    if solution.status not in ("optimal", "feasible"):
        return Outcome("no layouts" if solution.status == "infeasible" else "undecided", (solution.status,))
    if registers is not None and any(
        peak.registers > limit for peak, limit in zip(within.peaks or (), registers, strict=False)
    ):
        return Outcome("too many registers", (str(within.peaks),))
    lowered = lower_vmi(posed, solution)
    wrong = tuple(item.message for item in lowered.diagnostics if item.severity == "error")
    if wrong:
        return Outcome("not lowered", wrong)
    made = apply_edits(text, lowered.edits)
    found = verify_pto(source, SourceFile("kernel.vpto", made), rounds, seed)
    if found.ok:
        return Outcome("ok", (), made)
    reported = [item for item in found.diagnostics if item.severity == "error"]
    kind = "mismatch" if any(item.code in ("LS0701", "LS0707") for item in reported) else "stopped"
    return Outcome(kind, tuple(f"{item.code} {item.message}" for item in reported), made)


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0, or 1 if a kernel with layouts is not lowered, not run, or mismatches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=8)
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--narrow", action="store_true", help="leave out strange addresses, rows, shuffles, registers")
    kinds.add_argument("--deep", action="store_true", help="odd sizes, computed masks, calls, slots, states of masks")
    parser.add_argument("--objective", default="pipes")
    parser.add_argument("--registers", help="keep within so many vector and predicate registers, such as 8,4")
    parser.add_argument("--shrink", action="store_true", help="print the smallest program of the first failure")
    options = parser.parse_args(argv)
    registers = RegisterLimits(*map(int, options.registers.split(","))) if options.registers else None
    made = random_kernel if options.narrow else deep_kernel if options.deep else wide_kernel
    verdicts: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.count):
        text = made(seed, options.size)
        outcome = prove(text, options.objective, registers=registers)
        verdicts[outcome.verdict] += 1
        if outcome.verdict in ("ok", "no layouts"):
            continue
        print(f"// seed {seed}: {outcome.verdict}: {outcome.said[:1]}", flush=True)
        if options.shrink:
            small = shrink(
                text, partial(_is, verdict=outcome.verdict, objective=options.objective, registers=registers)
            )
            print(small, prove(small, options.objective, registers=registers).lowered, sep="\n")
            return 1
    for verdict, number in verdicts.most_common():
        print(f"{number:6} {verdict}")
    return int(any(verdict not in ("ok", "no layouts") for verdict in verdicts))


def _is(text: str, verdict: str, objective: str, registers: RegisterLimits | None) -> bool:
    try:
        return prove(text, objective, registers=registers).verdict == verdict
    except ValueError:
        return False


if __name__ == "__main__":
    sys.exit(main())
