"""`python -m tests.support.fuzz_fusion_plans`: the proved plan of random programs against all plans, one by one.

Each problem is solved with the limits of the chip and with tight ones. What the program then does is held against what
its plan promised: it may do less, never more.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from layoutsolver.api_fusion import FuseOptions, Place, applied, places, posed_block
from layoutsolver.fusion.code import Code, code_of, walk
from layoutsolver.fusion.elide import elide
from layoutsolver.fusion.plan import plan
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver_models.problems.fusion import FusionLimits
from layoutsolver_models.solve.fusion import solve_fusion
from layoutsolver_models.solve.fusion_all import best_by_enumeration
from layoutsolver_models.solve.fusion_plan import Clusters, fault, settle
from layoutsolver_models.solve.fusion_search import greedy
from tests.support.fusion_programs import random_program

TIGHT = FusionLimits(3, 2, 4)


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0, or 1 if a plan is not the best, is none, or does more than it promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--loops", type=int, default=5)
    options = parser.parse_args(argv)
    seen: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.count):
        code = plan(code_of(build_graph(read(str(random_program(seed, options.loops))))[0])).code
        for place, depth in places(code.items):
            if depth and any(above < depth for _, above in places(code.items)):
                continue  # lists inside of lists that are fused first are other lists then
            problem = posed_block(code, place, FuseOptions()).problem
            for name, posed in (("chip", problem), ("tight", problem._replace(limits=TIGHT))):
                found, best = solve_fusion(posed), best_by_enumeration(posed)
                wrong = fault(posed, found.clusters, found.keep)
                if found.status != "optimal" or found.cost.total != best.cost.total or wrong:
                    seen[f"{name}: wrong"] += 1
                    print(f"// seed {seed}, {name}: {found.status} {found.cost.total}, best {best.cost.total}, {wrong}")
                    continue
                seen[f"{name}: proved the best"] += 1
                by_greed = settle(posed, greedy(posed)).cost.total
                seen[f"{name}: better than greedy"] += found.cost.total < by_greed
                if name == "chip":
                    more = beyond(code, place, found.clusters)
                    seen["does what was promised"] += more == (0, 0)
                    seen["does less"] += max(more) <= 0 and more != (0, 0)
                    if max(more) > 0:
                        seen["does more"] += 1
                        print(f"// seed {seed}: loads {more[0]:+d}, stores {more[1]:+d} beside the promise")
    for name, number in sorted(seen.items()):
        print(f"{number:6} {name}")
    return int(any(seen[name] for name in ("chip: wrong", "tight: wrong", "does more")))


def beyond(code: Code, place: Place, clusters: Clusters) -> tuple[int, int]:
    """How many registers more than its plan counts a program loads and stores, of those that the plan counts."""
    posed = posed_block(code, place, FuseOptions())
    problem = posed.problem
    left = {item.node.index for item in walk(elide(applied(code, place, clusters)).code.items)}
    often = [*(loop.turns * loop.runs for loop in problem.loops), problem.runs]
    loads = sum(
        one.registers * often[one.loop] for one, node in zip(problem.loads, posed.loads, strict=True) if node in left
    )
    stores = sum(
        one.registers * often[one.loop] for one, node in zip(problem.stores, posed.stores, strict=True) if node in left
    )
    cost = settle(problem, clusters).cost
    return loads - cost.loads, stores - cost.stores


if __name__ == "__main__":
    sys.exit(main())
