"""Count the upstream verdicts on random programs.

Run as `python -m tests.support.fuzz_stats --count 1000 --seed 0`.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from layoutsolver.ops.ave import AVE_OPS
from tests.support import peer
from tests.support.ave_programs import sampled, sampling

OPS = tuple(spec.name for spec in AVE_OPS)
OTHERS = (
    "scf.for", "func.call", "vector.bitcast", "builtin.unrealized_conversion_cast", "arith.constant dense",
)  # fmt: skip
_OP = re.compile(r"\b(ave\.hir\.[\w.]+)")


def ops_of(text: str) -> set[str]:
    """Return the names of the ops that a program uses."""
    return set(_OP.findall(text)) | {name for name in OTHERS if name in text}


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0, 1 if a program was rejected or an op never used, 2 when the analyzer is not there."""
    parser = sampling(__doc__, count=1000, size=12, bias=0.5)
    parser.add_argument("--show", default="", help="print the programs with this verdict")
    options = parser.parse_args(argv)
    if peer.peer_path() is None:
        print("the ascendnpu-ir wheel is not installed or does not run here", file=sys.stderr)
        return 2
    begin = time.perf_counter()
    programs = dict(sampled(options))
    made = time.perf_counter()
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(peer.analyze, programs.values()))
    done = time.perf_counter()
    verdicts = Counter(result.verdict for result in results)
    used = Counter(name for text in programs.values() for name in ops_of(text))
    failing: Counter[str] = Counter()
    for (seed, text), result in zip(programs.items(), results, strict=True):
        failing[f"{result.verdict} {result.failing_op}"] += result.failing_op is not None
        if options.show and result.verdict == options.show:
            print(f"// seed {seed}\n{text}{result.stderr[:600]}\n")
    for verdict, number in verdicts.most_common():
        print(f"{verdict:10} {number:6} {100 * number / options.count:5.1f} %")
    for name in (*OPS, *OTHERS):
        print(f"{used[name]:6} {name}")
    for name, number in failing.most_common():
        print(f"{number:6} {name}" if number else "", end="\n" if number else "")
    lines = sum(text.count("\n") for text in programs.values()) / options.count
    print(f"{lines:.1f} lines a program, {1000 * (made - begin) / options.count:.2f} ms to make one")
    print(f"{1000 * (done - made) / options.count:.1f} ms a program to analyze (wall time, all workers)")
    missing = [name for name in OPS if not used[name]]
    if missing:
        print(f"never used: {', '.join(missing)}", file=sys.stderr)
    return 1 if verdicts["rejected"] or missing else 0


if __name__ == "__main__":
    sys.exit(main())
