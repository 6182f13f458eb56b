"""Kernels lowered and run with each layout that a value of theirs may be made in, not only those that are the best."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from layoutsolver.mlir.edits import apply_edits
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from layoutsolver_backends.vpto.lower import lower_vmi
from layoutsolver_models.problems.selection import SelectionProblem
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection
from tests.pose.vmi.kernels import posed


class Pinned(NamedTuple):
    """What came of a kernel with a value made in a layout: `said` is empty if it does what it means."""

    value: str
    layout: str
    said: tuple[str, ...]


def with_each_layout(text: str, most: int = 0, seed: int = 0, only: str = "") -> list[Pinned]:
    """What comes of a kernel with each layout of each value that has a solution, or with so many random ones.

    With `only`, those of the value of that name.
    """
    made = posed(text, valid=False)
    if made.diagnostics:
        return []
    pins = [pin for pin in _pins(made.problem) if only in ("", made.problem.values[pin[0]].id)]
    random.Random(seed).shuffle(pins)
    out: list[Pinned] = []
    for value, layout in pins[: most or len(pins)]:
        problem = made.problem._replace(pins=(*made.problem.pins, (value, layout)), start=None)
        solution = solve_selection(problem, Limits(10.0))
        if solution.status not in ("optimal", "feasible"):
            continue
        lowered = lower_vmi(made._replace(problem=problem), solution)
        wrong = [item for item in lowered.diagnostics if item.severity == "error"]
        if not wrong:
            found = verify_pto(
                SourceFile("kernel.pto", text), SourceFile("kernel.vpto", apply_edits(text, lowered.edits)), 1
            )
            wrong = [item for item in found.diagnostics if item.severity == "error"]
        out.append(Pinned(problem.values[value].id, layout, tuple(f"{item.code} {item.message}" for item in wrong)))
    return out


def _pins(problem: SelectionProblem) -> Iterator[tuple[int, str]]:
    """The layouts in which values may be made that no pin fixes."""
    fixed = {value for value, _ in problem.pins}
    for op in problem.ops:
        for place, value in enumerate(op.results, len(op.operands)):
            if value not in fixed:
                yield from dict.fromkeys((value, variant.layouts[place]) for variant in op.variants)
