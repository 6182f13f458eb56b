"""A choice of the problem from the states of its variables."""

from __future__ import annotations

from collections.abc import Sequence

from layoutsolver_models.elimination.states import States, Vector
from layoutsolver_models.elimination.weights import weigh
from layoutsolver_models.solve.chosen import Chosen


def choice_from(states: States, chosen: Sequence[int], levels: Sequence[Vector]) -> Chosen | None:
    """The variants and the conversions that states stand for; None where they tell too little, or nothing converts.

    Conversions are the cheapest by the weights of the levels, one after the other.
    """
    variants = tuple(known.sets[state] for known, state in zip(states.ops, chosen, strict=False))
    if not all(variants):
        return None
    problem = states.problem
    made: list[dict[str, None]] = [{} for _ in problem.values]
    asked: list[dict[str, None]] = [{} for _ in problem.values]
    for op, some in zip(problem.ops, variants, strict=True):
        for one in some:
            layouts = op.variants[one].layouts
            asking = zip(op.operands, layouts, strict=False)
            making = zip(op.results, layouts[len(op.operands) :], strict=True)
            for pairs, into in ((asking, asked), (making, made)):
                for value, layout in pairs:
                    into[value][layout] = None
    taken: list[int] = []
    for value, known in states.values.items():
        place = {layout: number for number, layout in enumerate(known.layouts)}
        for layout in asked[value]:
            if layout in made[value]:
                continue
            ways = [way for before in made[value] for way in known.ways.get((place[before], place[layout]), ())]
            if not ways:
                return None
            taken.append(min(([weigh(way.cost, level) for level in levels], way.number) for way in ways)[1])
    return Chosen(variants, tuple(sorted(taken)))
