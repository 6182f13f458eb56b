"""Kernels lowered by one rule alone for some operation, whichever is the best, and run against what they mean."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from layoutsolver.mlir.edits import apply_edits
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from layoutsolver_backends.vpto.emission import emit
from layoutsolver_backends.vpto.lower import lower_vmi
from layoutsolver_models.problems.selection import SelectionSolution, Variant
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection
from tests.pose.vmi.kernels import posed
from tests.support.vpto_counts import PIPES


class Forced(NamedTuple):
    """What came of it: the variant that was taken, what is wrong (nothing if all is well), and the text.

    `miscounted` are operations and conversions that are written in other instructions than they were priced at.
    """

    variant: Variant
    said: tuple[str, ...]
    lowered: str
    miscounted: tuple[str, ...]


def rules_for(made: PosedVmi, op: str) -> tuple[str, ...]:
    """The rules that serve the operation of a name."""
    known = next(one for one in made.problem.ops if one.id.startswith(f"{op} "))
    return tuple(dict.fromkeys(variant.rule for variant in known.variants))


def forced(text: str, op: str, rule: str, rounds: int = 1) -> Forced | None:
    """What comes of a kernel whose operation of a name takes a rule; None if no layouts go with it."""
    made = posed(text)
    place, known = next((at, one) for at, one in enumerate(made.problem.ops) if one.id.startswith(f"{op} "))
    left = tuple(variant for variant in known.variants if variant.rule == rule)
    ops = (*made.problem.ops[:place], known._replace(variants=left), *made.problem.ops[place + 1 :])
    made = made._replace(problem=made.problem._replace(ops=ops, start=None))
    solution = solve_selection(made.problem, Limits(10.0))
    if solution.status not in ("optimal", "feasible"):
        return None
    lowered = lower_vmi(made, solution)
    wrong = [item for item in lowered.diagnostics if item.severity == "error"]
    written = apply_edits(text, lowered.edits)
    if not wrong:
        found = verify_pto(SourceFile("kernel.pto", text), SourceFile("kernel.vpto", written), rounds)
        wrong = [item for item in found.diagnostics if item.severity == "error"]
    said = tuple(f"{item.code} {item.message}" for item in wrong)
    return Forced(left[solution.variants[place][0]], said, written, _miscounted(made, solution))


def _miscounted(made: PosedVmi, solution: SelectionSolution) -> tuple[str, ...]:
    emission = emit(made, solution)
    found = {owner: Counter(dict.fromkeys(PIPES, 0)) for owner in emission.predicted}
    for _, one in emission.build.code.all():
        if one.counted and one.pipe in PIPES:
            found[one.owner][one.pipe] += one.occupies
    counts = {owner: tuple(counted[pipe] for pipe in PIPES) for owner, counted in found.items()}
    return tuple(
        f"{owner}: {counts[owner]}, not {cost}" for owner, cost in emission.predicted.items() if counts[owner] != cost
    )
