"""Random programs without layouts, explained: `python -m tests.support.fuzz_explain --count 2000`."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from tests.support.compare_peer import program
from tests.support.explaining import explained, fault_of, lost, overlap
from tests.support.peer import analyze, peer_path
from tests.support.solving import solve_text


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one seed gave; `wrong` says what must never be."""

    seed: int
    infeasible: bool = False
    conflicts: int = 0
    minimal: int = 0
    repairs: int = 0
    accepted: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)


def examine(seed: int, compat: str, size: int, peer: bool) -> Outcome:
    """Explain the program of a seed and check all that is said."""
    text = program(seed, size)
    start = time.perf_counter()
    result = explained(text, compat)
    seconds = time.perf_counter() - start
    if result.posed is None or result.solution is None or result.solution.status != "infeasible":
        return Outcome(seed)
    if result.verdict not in ("", "no_solve"):
        return Outcome(seed)
    wrong = []
    problem = result.posed.problem
    faults = [fault_of(problem, conflict) for conflict in result.conflicts]
    wrong += [f"conflict: {fault}" for fault in faults if fault]
    if not result.conflicts:
        wrong.append("no conflict")
    if overlap(result.conflicts):
        wrong.append("conflicts share a group")
    accepted = 0
    costs = [found.cost for found in result.repairs]
    if costs != sorted(costs):
        wrong.append(f"repairs out of order: {costs}")
    if len({found.text for found in result.repairs}) < len(result.repairs):
        wrong.append("the same repair twice")
    for found in result.repairs:
        again = solve_text(found.text, compat)
        if not again.ok:
            wrong.append(f"a repair does not solve: {[item.message for item in again.diagnostics][:2]}")
        if gone := lost(text, found.text):
            wrong.append(f"a repair lost {gone}")
        if peer and compat:
            answer = analyze(found.text)
            accepted += answer.verdict == "solved"
            if answer.verdict != "solved":
                wrong.append(f"the analyzer: {answer.verdict} {answer.failing_op} {answer.stderr[:200]}")
    minimal = sum(conflict.minimal and not fault for conflict, fault in zip(result.conflicts, faults, strict=True))
    return Outcome(seed, True, len(result.conflicts), minimal, len(result.repairs), accepted, seconds, wrong)


def _star(arguments: tuple[int, str, int, bool]) -> Outcome:
    return examine(*arguments)


def main() -> int:
    """Print the figures; exit 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=12)
    parser.add_argument("--compat", choices=["upstream"], default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    peer = peer_path() is not None
    work = [(seed, options.compat, options.size, peer) for seed in range(options.seed, options.seed + options.count)]
    with ProcessPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(_star, work, chunksize=10))
    found = [outcome for outcome in outcomes if outcome.infeasible]
    times = sorted(outcome.seconds for outcome in found) or [0.0]
    repairs = sum(outcome.repairs for outcome in found)
    print(f"{len(outcomes)} programs, {len(found)} without layouts")
    print(f"{sum(outcome.conflicts for outcome in found)} conflicts, {sum(o.minimal for o in found)} of them minimal")
    print(f"{sum(o.conflicts > 0 and o.minimal == o.conflicts for o in found)} programs with minimal conflicts alone")
    print(f"{sum(outcome.repairs > 0 for outcome in found)} programs with a repair, {repairs} repairs")
    if options.compat and peer:
        print(f"{sum(outcome.accepted for outcome in found)} of {repairs} repairs accepted by the analyzer")
    print(f"p50 {1000 * times[len(times) // 2]:.0f} ms, p99 {1000 * times[int(len(times) * 0.99)]:.0f} ms")
    wrong = [outcome for outcome in found if outcome.wrong]
    kinds = Counter(text.split(":")[0] for outcome in wrong for text in outcome.wrong)
    for kind, number in kinds.most_common():
        print(f"WRONG {number:5} {kind}")
    for outcome in wrong[:20]:
        print(f"seed {outcome.seed}: {'; '.join(outcome.wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
