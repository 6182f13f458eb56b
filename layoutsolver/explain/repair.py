"""Repairs of an infeasible program: found as the cheapest changes, written as edits, and solved again before shown.

First only values near the conflicts may change; where that does not make the whole program work, all of it may.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from layoutsolver.diagnostics.diagnostic import Edit, Fix
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.pose.ave_repair import repair_space
from layoutsolver.pose.posed import Posed
from layoutsolver_models.cp.repair import cheapest_repairs
from layoutsolver_models.problems.repair import Repair
from layoutsolver_models.solve.conflict import Conflict
from layoutsolver_models.solve.layout import Limits

WHOLE = 400
"""A program with at most so many relations may be changed anywhere at once."""


@dataclass(frozen=True, slots=True)
class FoundRepair:
    """A repair that was written and solved again: the repair, its edits, what it does, and the repaired text.

    `dearer` are the extra instructions of its layouts, beyond those of the repair found along with it whose layouts
    cost least; `verified` says that the repaired program has run on the hardware model as the program should.
    """

    repair: Repair
    edits: tuple[Edit, ...]
    sentences: tuple[str, ...]
    text: str
    dearer: int = 0
    verified: bool = False

    @property
    def cost(self) -> int:
        """The extra instructions that the repaired program executes, as far as repairs differ in that."""
        return self.repair.cost + self.dearer

    def fix(self) -> Fix:
        """The repair as a diagnostic offers it."""
        return Fix("; ".join(self.sentences), self.edits, self.cost, self.verified)


def find_repairs(
    posed: Posed, conflicts: list[Conflict], most: int, limits: Limits, check: Callable[[str], bool]
) -> list[FoundRepair]:
    """Up to `most` repairs, cheapest first; `check` tells whether a repaired text has a solution.

    A repair that does not pass the check is dropped.
    """
    from layoutsolver.backends import load_backend

    backend = load_backend("ave")
    found: list[FoundRepair] = []
    for repair in _candidates(posed, conflicts, most, limits):
        written = backend.repair(posed, repair)
        text = apply_edits(posed.graph.module.source.text, written.edits)
        if check(text):
            found.append(FoundRepair(repair, tuple(written.edits), tuple(written.sentences), text))
    least = min((item.repair.total - item.repair.cost for item in found), default=0)
    return [replace(item, dearer=item.repair.total - item.repair.cost - least) for item in found]


def _candidates(posed: Posed, conflicts: list[Conflict], most: int, limits: Limits) -> list[Repair]:
    whole = len(posed.problem.relations) <= WHOLE
    if not whole:
        near = _near(posed, conflicts)
        found = cheapest_repairs(posed.problem, repair_space(posed, near), most, limits)
        if found:
            return [replace(repair, proved=False) for repair in found]
    return cheapest_repairs(posed.problem, repair_space(posed), most, limits)


def _near(posed: Posed, conflicts: list[Conflict]) -> set[int]:
    """The values that the conflicts' groups touch, and those that define them."""
    problem = posed.problem
    near: set[int] = set()
    for conflict in conflicts:
        for kind, index in conflict.groups:
            if kind == "relation":
                near.update(problem.relations[index].values)
            elif kind == "tie":
                near.update(problem.ties[index].values)
            elif kind == "pin":
                near.add(problem.pins[index].value)
            else:
                near.add(index)
    graph = posed.graph
    for value in list(near):
        op = graph.values[posed.value_of[value]].op
        if op >= 0:
            near.update(posed.number[operand] for operand in graph.ops[op].operands if operand in posed.number)
    return near
