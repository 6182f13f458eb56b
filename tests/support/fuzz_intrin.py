"""Random programs lowered by the compiler and by us: `python -m tests.support.fuzz_intrin --count 1000`.

Each program is compared as the analyzer annotates it; then once more with casts in the place of what we refuse, so
that the rest of it is compared as well; then that text solved and lowered by both in one go.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from tests.support.compare_intrin import Comparison, compare_annotated, compare_solved, exemption, lowerable
from tests.support.compare_peer import program
from tests.support.peer import analyze, peer_path

STAGES = ("as annotated", "refused operations replaced", "replaced, solved and lowered in one go")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one seed gave: a comparison and the reason that excuses it, for each stage; empty without layouts."""

    seed: int
    stages: tuple[tuple[Comparison, str], ...] = ()


def examine(seed: int) -> Outcome:
    """Both tools on the program of a seed; every other seed is for an Ascend950."""
    answer = analyze(program(seed))
    if answer.verdict != "solved":
        return Outcome(seed)
    chip = "ascend950" if seed % 2 else ""
    text = answer.stdout
    replaced = lowerable(text, chip)
    found = [
        (text, compare_annotated(text, chip)),
        (replaced, compare_annotated(replaced, chip)),
        (replaced, compare_solved(replaced, chip)),
    ]
    reasons = [(row.name if (row := exemption(given, chip, item)) is not None else "") for given, item in found]
    return Outcome(seed, tuple((item, reason) for (_, item), reason in zip(found, reasons, strict=True)))


def main() -> int:
    """Print the figures; exit 1 if a difference has no reason, 2 if the compiler is not installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if peer_path() is None:
        print("the production compiler is not installed or does not run here", file=sys.stderr)
        return 2
    verdicts = [Counter[str]() for _ in STAGES]
    excused: Counter[str] = Counter()
    first: dict[tuple[str, str], str] = {}
    unsolved = unexplained = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for outcome in pool.map(examine, range(options.seed, options.seed + options.count), chunksize=5):
            unsolved += not outcome.stages
            for number, (item, reason) in enumerate(outcome.stages):
                verdicts[number][item.verdict] += 1
                if reason:
                    excused[f"{item.verdict}: {reason}"] += 1
                elif item.verdict not in ("equal", "both refuse"):
                    unexplained += 1
                    key = (item.verdict, item.detail[:80])
                    first.setdefault(key, f"seed {outcome.seed}, {STAGES[number]}: {item.verdict}: {item.detail}")
    print(f"{options.count} programs, {unsolved} of them without layouts")
    for stage, counts in zip(STAGES, verdicts, strict=True):
        print(f"{stage}: {dict(counts)}")
    print(f"with a reason: {dict(excused)}")
    print(f"unexplained: {unexplained}")
    for text in first.values():
        print(text)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
