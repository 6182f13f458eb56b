"""Random programs through both tools: `python -m tests.support.fuzz_peer --count 5000`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from tests.support.compare_peer import compare_costs, difference, ours, program
from tests.support.peer import peer_path
from tests.support.solving import solve_text


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one seed gave: our verdict, the difference if any, and how the costs compare."""

    seed: int
    verdict: str
    difference: str | None
    costs: str
    ours: int
    theirs: int


def examine(seed: int) -> Outcome:
    """Both tools on the program of a seed."""
    text = program(seed)
    found = difference(text)
    verdict = ours(solve_text(text, compat="upstream")).verdict
    costs = compare_costs(text)
    if costs is None:
        return Outcome(seed, verdict, found, "not both solved", 0, 0)
    if costs.theirs is None:
        return Outcome(seed, verdict, found, "their choice breaks our rules", costs.ours, 0)
    order = "lower" if costs.ours < costs.theirs else "equal" if costs.ours == costs.theirs else "HIGHER"
    return Outcome(seed, verdict, found, order, costs.ours, costs.theirs)


def main() -> int:
    """Print the figures; exit 1 if anything differs or costs more, 2 if the analyzer is not installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if peer_path() is None:
        print("the production analyzer is not installed or does not run here", file=sys.stderr)
        return 2
    verdicts: Counter[str] = Counter()
    costs: Counter[str] = Counter()
    totals = [0, 0]
    wrong: list[Outcome] = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for outcome in pool.map(examine, range(options.seed, options.seed + options.count), chunksize=20):
            verdicts[outcome.verdict] += 1
            costs[outcome.costs] += 1
            if outcome.costs in ("lower", "equal", "HIGHER"):
                totals[0] += outcome.ours
                totals[1] += outcome.theirs
            if outcome.difference is not None or outcome.costs == "HIGHER":
                wrong.append(outcome)
                print(outcome)
    print(f"{options.count} programs: verdicts {dict(verdicts)}")
    print(f"{len(wrong)} differences; cost against theirs {dict(costs)}, in all {totals[0]} against {totals[1]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
