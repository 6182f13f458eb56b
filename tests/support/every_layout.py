"""Every assignment of layouts to a small program, run on the hardware model: is what the solver finds all there is?

Run as `python -m tests.support.every_layout --count 2000`. The solver must find layouts if and only if some assignment
that the layout rules allow runs right, whatever lies in a register besides the elements of its vector, and however a
mask comes out: what is right for some numbers alone does not count.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from unittest.mock import patch

from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.ave import PoseOptions, pose_ave
from layoutsolver.pose.posed import Posed
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import check_solution
from layoutsolver.verify.operation import Get, Operation, Run
from layoutsolver.verify.physical import Physical
from layoutsolver.verify.values import Value
from layoutsolver_models.hardware.state import VReg
from layoutsolver_models.problems.layout import LayoutProblem, LayoutSolution
from layoutsolver_models.solve.layout import solve_layout
from tests.support.fuzz_verify import runnable_program

MOST = 3000
"""Programs with more combinations than this are left out."""


def posed_of(text: str, sound: bool) -> Posed | None:
    """The layout problem of a text, with or without the lane rules; None if the text has errors."""
    graph, found = build_graph(read(SourceFile("small.mlir", text)))
    posed = pose_ave(graph, PoseOptions(sound=sound))
    errors = [item for item in [*found, *posed.diagnostics] if item.severity == "error"]
    return None if errors else posed


def assignments(problem: LayoutProblem) -> Iterator[LayoutSolution]:
    """All solutions of a problem, by trying everything."""
    for layouts in product(*(value.domain for value in problem.values)):
        if any(len({layouts[value] for value in tie.values}) > 1 for tie in problem.ties):
            continue
        if any(layouts[pin.value] != pin.layout for pin in problem.pins):
            continue
        rows = []
        for relation in problem.relations:
            wanted = tuple(layouts[value] for value in relation.values)
            table = problem.tables[relation.table].rows
            rows.append([number for number, row in enumerate(table) if row.layouts == wanted])
        for chosen in product(*rows):
            yield LayoutSolution("optimal", layouts, chosen)


def combinations(problem: LayoutProblem) -> int:
    """How many combinations of layouts there are, whether they fit or not."""
    count = 1
    for value in problem.values:
        count *= len(value.domain)
    return count


def judged(text: str, rounds: int = 4) -> tuple[str, list[Diagnostic]]:
    """`same` if the solver and trying everything agree that there are layouts or none; else what is wrong."""
    if "<ALLF>" in text or "ave.pge_pattern<ALLF>" in text:
        return "left out: a mask that is never set", []
    loose, sound = posed_of(text, sound=False), posed_of(text, sound=True)
    if loose is None or sound is None:
        return "left out: errors", []
    if not loose.problem.values or combinations(loose.problem) > MOST:
        return "left out: large or empty", []
    answer = solve_layout(sound.problem)
    if answer.layouts:
        result = check_solution(sound, answer, rounds)
        if any(item.code != "LS0701" for item in result.diagnostics):
            return f"left out: {result.diagnostics[0].code}", []
        return ("same: layouts" if result.ok else "wrong though solved"), result.diagnostics
    for solution in assignments(loose.problem):
        result = check_solution(loose, solution, rounds)
        if any(item.code != "LS0701" for item in result.diagnostics):
            return f"left out: {result.diagnostics[0].code}", []
        if result.ok and is_right(loose, solution):
            names = zip(loose.problem.values, solution.layouts, strict=True)
            return "refused though right: " + " ".join(f"{value.id}={layout}" for value, layout in names), []
    return "same: none", []


def is_right(posed: Posed, solution: LayoutSolution) -> bool:
    """Whether a program runs right on many numbers, with nothing in registers but the elements."""
    prepare = Physical.prepare

    def elements_alone(self: Physical, op: Operation) -> Run:
        run = prepare(self, op)

        def run_and_forget(get: Get) -> list[Value]:
            made = run(get)
            for number, (value, held) in enumerate(zip(op.node.results, made, strict=False)):
                if isinstance(held, VReg):
                    made[number] = self.enter(value, self.leave(value, held, op.vector(value)))
            return made

        return run_and_forget

    with patch.object(Physical, "prepare", elements_alone):
        return check_solution(posed, solution, rounds=40).ok


def main(argv: Sequence[str] | None = None) -> int:
    """Print the counts; 1 if the solver and trying everything differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=2)
    options = parser.parse_args(argv)
    verdicts: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.count):
        text = runnable_program(seed, options.size)
        verdict, found = judged(text)
        verdicts[verdict.partition(": %")[0]] += 1
        if not verdict.startswith(("same", "left out")):
            print(f"// seed {seed}: {verdict}\n{text}")
            for item in found:
                print(f"//   {item.code} {item.message} {item.notes}")
    for verdict, number in verdicts.most_common():
        print(f"{number:6} {verdict}")
    return 1 if any(not verdict.startswith(("same", "left out")) for verdict in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
