"""Two choices put together: where they differ in places that have nothing to do with each other, the better of each."""

from __future__ import annotations

from collections import defaultdict

from layoutsolver_models.problems.selection import SelectionProblem, evaluate, faults
from layoutsolver_models.solve.chosen import Chosen, better

SECONDS = 5.0
"""How long one mixture may be looked for."""


def mixed(problem: SelectionProblem, one: Chosen, other: Chosen) -> Chosen:
    """A choice that is as good as the better one of two, and better if places of the other make it so."""
    places = _places(problem, one, other)
    if not places:
        return one
    mine, theirs = _by_value(problem, one), _by_value(problem, other)
    deltas = [
        tuple(
            b - a for a, b in zip(_load(problem, one, place, mine), _load(problem, other, place, theirs), strict=True)
        )
        for place in places
    ]
    taken = _best_places(problem, one, deltas)
    ops = {op for number in taken for op in places[number]}
    touched = {value for op in ops for value in (*problem.ops[op].operands, *problem.ops[op].results)}
    variants = tuple(
        new if number in ops else old
        for number, (old, new) in enumerate(zip(one.variants, other.variants, strict=True))
    )
    kept = [number for number in one.conversions if problem.conversions[number].value not in touched]
    kept += [number for number in other.conversions if problem.conversions[number].value in touched]
    made = Chosen(variants, tuple(sorted(kept)))
    best = better(problem, one, other) or one
    return best if faults(problem, *made) else better(problem, best, made) or best


def _places(problem: SelectionProblem, one: Chosen, other: Chosen) -> list[list[int]]:
    """The operations in which two choices differ, those together that share a value or a setup."""
    parent: dict[int, int] = {}

    def root(op: int) -> int:
        while parent[op] != op:
            parent[op] = parent[parent[op]]
            op = parent[op]
        return op

    seen: dict[int | str, int] = {}
    ways = [_by_value(problem, one), _by_value(problem, other)]
    for number, op in enumerate(problem.ops):
        values = (*op.operands, *op.results)
        converted = any(ways[0].get(value) != ways[1].get(value) for value in values)
        if one.variants[number] == other.variants[number] and not converted:
            continue
        parent[number] = number
        taken = {*one.variants[number], *other.variants[number]}
        setups = {setup.name for variant in taken for setup in op.variants[variant].setups}
        links: list[int | str] = [*values, *sorted(setups)]
        for link in links:
            parent[root(seen.setdefault(link, number))] = root(number)
    groups: dict[int, list[int]] = defaultdict(list)
    for number in parent:
        groups[root(number)].append(number)
    return list(groups.values())


def _load(problem: SelectionProblem, chosen: Chosen, place: list[int], by_value: dict[int, list[int]]) -> list[int]:
    """What the operations of a place and the conversions around them put on each pipe, shared setups left aside."""
    load = [0] * len(problem.pipes)
    values: dict[int, None] = {}
    for number in place:
        op = problem.ops[number]
        values.update(dict.fromkeys((*op.operands, *op.results)))
        for variant in chosen.variants[number]:
            for pipe, cost in enumerate(op.variants[variant].cost):
                load[pipe] += op.weight * cost
    for value in values:
        for number in by_value.get(value, ()):
            way = problem.conversions[number]
            for pipe, cost in enumerate(way.cost):
                load[pipe] += way.weight * cost
    return load


def _by_value(problem: SelectionProblem, chosen: Chosen) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for number in chosen.conversions:
        found[problem.conversions[number].value].append(number)
    return found


def _best_places(problem: SelectionProblem, one: Chosen, deltas: list[tuple[int, ...]]) -> list[int]:
    """The places to take from the other choice so that the busiest pipe is least busy, then all of them."""
    from layoutsolver_models.cp.model import GroupedModel

    load = evaluate(problem, *one).load
    bounded = [number for number, pipe in enumerate(problem.pipes) if pipe in problem.bounded]
    model = GroupedModel()
    literals = [model.new_bool(f"place {number}") for number in range(len(deltas))]
    most = max(load[pipe] for pipe in bounded) + sum(abs(one) for delta in deltas for one in delta)
    busiest = model.new_integer("busiest", most)
    for pipe in bounded:
        terms = [(delta[pipe], literal) for delta, literal in zip(deltas, literals, strict=True) if delta[pipe]]
        model.at_most_integer(f"pipe {pipe}", terms, load[pipe], busiest)
    model.minimize_integer(busiest)
    answer = model.solve(SECONDS, 1, 1)
    if answer.status in ("optimal", "feasible"):
        model.limit_integer("busiest", busiest, answer.objective)
        sums = [sum(delta[pipe] for pipe in bounded) for delta in deltas]
        model.minimize([(one, literal) for one, literal in zip(sums, literals, strict=True) if one])
        model.hint(answer.true)
        last = model.solve(SECONDS, 1, 1)
        answer = last if last.status in ("optimal", "feasible") else answer
    return [number for number, literal in enumerate(literals) if literal in answer.true]
