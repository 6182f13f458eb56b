"""Count the upstream verdicts on random programs.

Run as `python -m tests.support.fuzz_stats --count 1000 --seed 0`.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.support import peer
from tests.support.ave_programs import random_program

OPS = tuple(
    f"ave.hir.{name}"
    for name in (
        "vload", "masked_store", "store_with_stride", "unaligned.masked.store", "vgather",
        "vscatter", "pge", "plt", "pltm", "broadcast", "scalar_broadcast", "vector_broadcast",
        "vci", "vsel", "vcmp", "vcmps", "vabs", "vneg", "vnot", "vexp", "vsqrt", "vrsqrt", "vln",
        "vrelu", "vadd", "vsub", "vmul", "vdiv", "vdivf", "vdivfhp", "vmod", "vmodui", "vmax",
        "vmin", "vsmax", "vsmin", "vumax", "vumin", "vand", "vor", "vxor", "vabs_diff", "vsadd",
        "vssub", "vrnd", "vprelu", "vexpdif", "vshl", "vshr", "vadds", "vmuls", "vlrelus", "vmaxs",
        "vmins", "vsmaxs", "vsmins", "vumaxs", "vumins", "vshls", "vshrs", "vmula", "mull",
        "reduction", "vextf", "vextsi", "vextui", "vtrunci", "vtruncf", "vfptosi", "vfptoui",
        "vsitofp", "vuitofp", "vtrc", "vintlv", "vdintlv", "vpack", "vunpack", "vslide", "preg.not",
        "preg.and", "preg.or", "preg.xor", "preg.cast", "vector.layout_cast", "membar",
    )
)  # fmt: skip
OTHERS = (
    "scf.for", "func.call", "vector.bitcast", "builtin.unrealized_conversion_cast", "arith.constant dense",
)  # fmt: skip
_OP = re.compile(r"\b(ave\.hir\.[\w.]+)")


def ops_of(text: str) -> set[str]:
    """Return the names of the ops that a program uses."""
    return set(_OP.findall(text)) | {name for name in OTHERS if name in text}


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0, 1 if a program was rejected or an op never used, 2 when the analyzer is not there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=12)
    parser.add_argument("--bias", type=float, default=0.5)
    parser.add_argument("--show", default="", help="print the programs with this verdict")
    options = parser.parse_args(argv)
    if peer.peer_path() is None:
        print("the ascendnpu-ir wheel is not installed or does not run here", file=sys.stderr)
        return 2
    seeds = range(options.seed, options.seed + options.count)
    begin = time.perf_counter()
    texts = [random_program(random.Random(seed), options.size, feasible_bias=options.bias) for seed in seeds]
    made = time.perf_counter()
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(peer.analyze, texts))
    done = time.perf_counter()
    verdicts = Counter(result.verdict for result in results)
    used = Counter(name for text in texts for name in ops_of(text))
    failing: Counter[str] = Counter()
    for seed, text, result in zip(seeds, texts, results, strict=True):
        failing[f"{result.verdict} {result.failing_op}"] += result.failing_op is not None
        if options.show and result.verdict == options.show:
            print(f"// seed {seed}\n{text}{result.stderr[:600]}\n")
    for verdict, number in verdicts.most_common():
        print(f"{verdict:10} {number:6} {100 * number / options.count:5.1f} %")
    for name in (*OPS, *OTHERS):
        print(f"{used[name]:6} {name}")
    for name, number in failing.most_common():
        print(f"{number:6} {name}" if number else "", end="\n" if number else "")
    lines = sum(text.count("\n") for text in texts) / options.count
    print(f"{lines:.1f} lines a program, {1000 * (made - begin) / options.count:.2f} ms to make one")
    print(f"{1000 * (done - made) / options.count:.1f} ms a program to analyze (wall time, all workers)")
    missing = [name for name in OPS if not used[name]]
    if missing:
        print(f"never used: {', '.join(missing)}", file=sys.stderr)
    return 1 if verdicts["rejected"] or missing else 0


if __name__ == "__main__":
    sys.exit(main())
