"""`python -m benchmarks.vmi_facts`: our VMI lowering beside the released compiler's, on `tests/data/vmi`.

Of every program that the compiler accepts: instructions on the load, execute and store pipe as often as they run, ours
counted in the text and the compiler's as measured, and whether the busiest pipe is better, equal or worse. All texts
are verified on the hardware model. A program leaves a choice if layouts can be chosen in more than one way. Of those
that the compiler refuses it is said whether there is a lowering here that verifies, else why not.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

from layoutsolver.api import LowerOptions, lower
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.pose import pose_vmi
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.run import verify_files
from layoutsolver_models.solve.selection import narrow
from tests.support.compare_vmi import DATA, FACTS, compare
from tests.support.vpto_counts import BOUNDED


def source_of(name: str) -> SourceFile:
    """One of the programs."""
    return SourceFile(name, (DATA / name).read_text(encoding="utf-8"))


def leaves_a_choice(name: str) -> bool:
    """Whether some operation can have other layouts once everything that follows from the rules is drawn."""
    graph, _ = build_graph(read(source_of(name)))
    problem = pose_vmi(graph).problem
    left = narrow(problem)
    return any(
        len({op.variants[number].layouts for number in numbers}) > 1
        for op, numbers in zip(problem.ops, left.variants, strict=True)
    )


def verified(name: str, rounds: int) -> str:
    """Empty if the program is lowered and does on the model what it says; else why not."""
    source = source_of(name)
    result = lower(source, LowerOptions("vpto"))
    if result.text is None:
        return next(item.message for item in result.diagnostics if item.severity == "error")
    said, found = verify_files(source, SourceFile(f"{name} (lowered)", result.text), rounds, 1, result.borders)
    wrong = [*said, *([] if found is None else found.diagnostics)]
    return next((f"WRONG: {item.message}" for item in wrong if item.severity == "error"), "")


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; 1 if an accepted program is not verified or worse."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args(argv)
    names = options.names or sorted(FACTS)
    accepted = [name for name in names if FACTS[name]["verdict"] == "ok"]
    verdicts: Counter[str] = Counter()
    chosen: Counter[str] = Counter()
    failed = 0
    print(f"{'program':34} {'ours: load execute store':26} {'compiler':20} {'choice':6} busiest pipe")
    for name in accepted:
        row, reason = compare(name), verified(name, options.rounds)
        choice = leaves_a_choice(name)
        failed += bool(reason)
        verdicts[row.verdict] += 1
        chosen[row.verdict] += choice
        mine = "-" if row.ours is None else " ".join(f"{row.ours[pipe]:6}" for pipe in BOUNDED)
        other = " ".join(f"{row.theirs[pipe]:6}" for pipe in BOUNDED)
        print(f"{name:34} {mine:26} {other:20} {'yes' if choice else 'no':6} {row.verdict} {reason}", flush=True)
    refused = [name for name in names if name not in accepted]
    solved = 0
    for name in refused:
        reason = verified(name, options.rounds)
        solved += not reason
        print(f"{name:34} refused by the compiler: {reason or 'lowered and verified here'}", flush=True)
    print(f"{len(accepted)} accepted, {len(accepted) - failed} lowered and verified here: {dict(verdicts)}")
    total = sum(chosen.values())
    share = f" ({chosen['better'] / total:.0%})" if total else ""
    print(f"{total} of these leave a choice: {dict(chosen)}; strictly better{share}")
    print(f"{len(refused)} refused by the compiler, {solved} of these lowered and verified here")
    return int(bool(failed or verdicts["worse"] or verdicts["not lowered"]))


if __name__ == "__main__":
    raise SystemExit(main())
