"""A choice to start from: variants picked one operation after the other, then again with a view to their users.

Nothing is proved of it; it is what large problems begin with, and what they fall back on.
"""

from __future__ import annotations

from collections import defaultdict

from layoutsolver_models.problems.selection import Cost, SelectionProblem, faults, paid_once
from layoutsolver_models.solve.chosen import Chosen

SWEEPS = 4
"""How often every operation picks again, knowing what the others have picked."""


def greedy_choice(problem: SelectionProblem, possible: list[list[int]], usable: list[int]) -> Chosen | None:
    """A choice with one variant for each operation, None if picking ends where an operand cannot be had."""
    picker = _Picker(problem, possible, usable)
    picked: list[int] | None = None
    for _ in range(SWEEPS):
        picked = picker.sweep()
    if picked is None:
        return None
    choice = Chosen(tuple((number,) for number in picked), picker.conversions(picked))
    return None if faults(problem, *choice) else choice


class _Picker:
    def __init__(self, problem: SelectionProblem, possible: list[list[int]], usable: list[int]) -> None:
        self.problem = problem
        self.possible = possible
        self.picked: list[int | None] = [None] * len(problem.ops)
        self.ways: dict[tuple[int, str, str], int] = {}
        self.reach: dict[tuple[int, str], set[str]] = defaultdict(set)
        for number in usable:
            way = problem.conversions[number]
            key = (way.value, way.before, way.after)
            known = self.ways.get(key)
            if known is None or sum(way.cost) < sum(problem.conversions[known].cost):
                self.ways[key] = number
            self.reach[way.value, way.before].add(way.after)
        self.made: list[str | None] = [None] * len(problem.values)
        self.asked: list[list[tuple[int, int]]] = [[] for _ in problem.values]
        for number, op in enumerate(problem.ops):
            for port, value in enumerate(op.operands):
                self.asked[value].append((number, port))

    def sweep(self) -> list[int] | None:
        """Let every operation pick its cheapest variant; None if one has none that the others leave it."""
        out: list[int] = []
        for number in range(len(self.problem.ops)):
            best = min(self.possible[number], key=lambda variant: self.price(number, variant))
            self.picked[number] = best
            op = self.problem.ops[number]
            layouts = op.variants[best].layouts[len(op.operands) :]
            for value, layout in zip(op.results, layouts, strict=True):
                self.made[value] = layout
            out.append(best)
        return out

    def price(self, number: int, variant: int) -> tuple[int, int]:
        """How many operands and users cannot be served, and what the variant and the conversions around it cost."""
        op = self.problem.ops[number]
        chosen = op.variants[variant]
        lost, spent = 0, op.weight * self.paid(chosen.cost) + self.paid(paid_once(chosen))
        for value, layout in zip(op.operands, chosen.layouts, strict=False):
            have = self.made[value]
            if have is not None and have != layout:
                way = self.ways.get((value, have, layout))
                lost += way is None
                spent += self.way_cost(way)
        for value, layout in zip(op.results, chosen.layouts[len(op.operands) :], strict=True):
            wanted: set[str] = set()
            for user, port in self.asked[value]:
                picked = self.picked[user]
                if picked is not None:
                    wanted.add(self.problem.ops[user].variants[picked].layouts[port])
                elif not any(
                    self.problem.ops[user].variants[other].layouts[port] in (layout, *self.reach[value, layout])
                    for other in self.possible[user]
                ):
                    lost += 1
            for other in wanted - {layout}:
                way = self.ways.get((value, layout, other))
                lost += way is None
                spent += self.way_cost(way)
        return lost, spent

    def paid(self, cost: Cost) -> int:
        return sum(one for pipe, one in zip(self.problem.pipes, cost, strict=False) if pipe in self.problem.bounded)

    def way_cost(self, way: int | None) -> int:
        return (
            0 if way is None else self.problem.conversions[way].weight * self.paid(self.problem.conversions[way].cost)
        )

    def conversions(self, picked: list[int]) -> tuple[int, ...]:
        """The conversions that the picked variants need."""
        needed: set[int] = set()
        for number, variant in enumerate(picked):
            op = self.problem.ops[number]
            for value, layout in zip(op.operands, op.variants[variant].layouts, strict=False):
                have = self.made[value]
                if have is not None and have != layout and (value, have, layout) in self.ways:
                    needed.add(self.ways[value, have, layout])
        return tuple(sorted(needed))
