"""Random programs through the production compiler, its intrinsics run: `python -m tests.support.fuzz_readback`.

Each program goes through the passes without and with the analysis of alignments; every other one is for an Ascend950.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from tests.support.fuzz_verify import runnable_program
from tests.support.peer import peer_path
from tests.support.readback import Readback, read_back


def examine(job: tuple[int, int]) -> tuple[int, Readback, Readback]:
    """A seed, and what came of its program without and with the analysis of alignments."""
    seed, size = job
    text = runnable_program(seed, size)
    return seed, read_back(text, seed % 2 == 1, False), read_back(text, seed % 2 == 1, True)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures; exit 1 if a difference has no name, 2 if the compiler is not installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=4, help="the smaller, the more programs are comparable")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(argv)
    if peer_path() is None:
        print("the production compiler is not installed or does not run here", file=sys.stderr)
        return 2
    verdicts: Counter[tuple[bool, str, str]] = Counter()
    reasons: Counter[tuple[str, str]] = Counter()
    programs: Counter[str] = Counter()
    first: dict[str, int] = {}
    unexplained: list[int] = []
    jobs = [(seed, options.size) for seed in range(options.seed, options.seed + options.count)]
    with ProcessPoolExecutor(options.jobs) as pool:
        for seed, *both in pool.map(examine, jobs, chunksize=5):
            for aligned, one in enumerate(both):
                verdicts[bool(aligned), one.verdict, one.against] += 1
                reasons.update((one.against, reason) for reason in one.reasons)
                first.setdefault(f"{one.verdict} {one.against}", seed)
            if any(one.verdict == "differs" for one in both):
                unexplained.append(seed)
            for against in {one.against for one in both if one.compared}:
                programs[against] += 1
    for (is_aligned, verdict, against), number in sorted(verdicts.items(), key=lambda item: (item[0][0], -item[1])):
        seed = first[f"{verdict} {against}"]
        print(f"{number:6} {'aligned' if is_aligned else 'plain  '} {verdict} {against} (seed {seed})")
    for (against, reason), number in reasons.most_common():
        print(f"{number:6} explained by {reason}, against {against}")
    print(f"{options.count} programs; compared with the program: {programs['the program']}, "
          f"only with the layouts: {programs['the layouts']}")  # fmt: skip
    print(f"{len(unexplained)} programs with differences that nothing explains: {unexplained}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
