"""Counts the solutions of a layout problem exactly: part by part, with big integers, without listing them."""

from __future__ import annotations

from dataclasses import dataclass

from layoutsolver_models.problems.layout import LayoutProblem
from layoutsolver_models.solve.compiled import Compiled, compile_problem
from layoutsolver_models.solve.components import Component, solutions, split
from layoutsolver_models.solve.layout import ENUMERATED
from layoutsolver_models.solve.propagate import propagate

TABLE_LIMIT = 1_000_000
"""Entries of the largest intermediate table that variable elimination may make."""


class CountLimitError(Exception):
    """The structure of a part needs larger intermediate tables than `TABLE_LIMIT` allows."""


@dataclass(frozen=True, slots=True)
class Count:
    """The number of solutions in all, and of each part that has more than one."""

    total: int
    parts: tuple[int, ...]


def count_solutions(problem: LayoutProblem) -> Count:
    """How many assignments of layouts satisfy the problem.

    Raises `CountLimitError` where a part is too entangled to be counted.
    """
    compiled = compile_problem(problem)
    state = list(compiled.start)
    if 0 in state or propagate(compiled, state, range(len(compiled.scopes))) >= 0:
        return Count(0, ())
    parts: list[int] = []
    total = 1
    for component in split(compiled, state):
        number = _count_component(compiled, component, state)
        parts.append(number)
        total *= number
    return Count(total, tuple(parts))


def _count_component(compiled: Compiled, component: Component, state: list[int]) -> int:
    number = 0
    for masks in solutions(compiled, component, state, nodes=ENUMERATED):
        if masks is None:
            return _eliminate(compiled, component, state)
        number += 1
    return number


Factor = tuple[tuple[int, ...], dict[tuple[int, ...], int]]


def _eliminate(compiled: Compiled, component: Component, state: list[int]) -> int:
    """Bucket elimination (Dechter 1999), the class with the fewest neighbours first."""
    factors = [_factor(compiled, relation, state) for relation in component.relations]
    open_classes = set(component.classes)
    covered = {index for scope, _ in factors for index in scope}
    factors += [((index,), {(bit,): 1 for bit in _bits(state[index])}) for index in open_classes - covered]
    scalar = 1
    while open_classes:
        neighbours: dict[int, set[int]] = {index: set() for index in open_classes}
        for scope, _ in factors:
            for index in scope:
                neighbours[index].update(scope)
        chosen = min(sorted(open_classes), key=lambda index: len(neighbours[index]))
        open_classes.discard(chosen)
        bucket = [factor for factor in factors if chosen in factor[0]]
        factors = [factor for factor in factors if chosen not in factor[0]]
        joined = bucket[0]
        for factor in bucket[1:]:
            joined = _join(joined, factor)
        scope, table = _sum_out(joined, chosen)
        if scope:
            factors.append((scope, table))
        else:
            scalar *= table.get((), 0)
    return scalar


def _bits(mask: int) -> list[int]:
    return [1 << place for place in range(mask.bit_length()) if mask >> place & 1]


def _factor(compiled: Compiled, relation: int, state: list[int]) -> Factor:
    scope = compiled.scopes[relation]
    keep = [place for place, index in enumerate(scope) if state[index] & (state[index] - 1)]
    table: dict[tuple[int, ...], int] = {}
    for _, bits in compiled.tables[compiled.variants[relation]]:
        if all(bit & state[index] for bit, index in zip(bits, scope, strict=True)):
            table[tuple(bits[place] for place in keep)] = 1
    return tuple(scope[place] for place in keep), table


def _join(left: Factor, right: Factor) -> Factor:
    shared = [index for index in right[0] if index in left[0]]
    left_at = [left[0].index(index) for index in shared]
    right_at = [right[0].index(index) for index in shared]
    extra = [place for place, index in enumerate(right[0]) if index not in left[0]]
    grouped: dict[tuple[int, ...], list[tuple[tuple[int, ...], int]]] = {}
    for key, number in right[1].items():
        tail = (tuple(key[place] for place in extra), number)
        grouped.setdefault(tuple(key[place] for place in right_at), []).append(tail)
    table: dict[tuple[int, ...], int] = {}
    for key, number in left[1].items():
        for rest, other in grouped.get(tuple(key[place] for place in left_at), ()):
            table[key + rest] = number * other
            if len(table) > TABLE_LIMIT:
                raise CountLimitError(f"a part needs tables of more than {TABLE_LIMIT} entries")
    return left[0] + tuple(right[0][place] for place in extra), table


def _sum_out(factor: Factor, index: int) -> Factor:
    place = factor[0].index(index)
    table: dict[tuple[int, ...], int] = {}
    for key, number in factor[1].items():
        rest = key[:place] + key[place + 1 :]
        table[rest] = table.get(rest, 0) + number
    return factor[0][:place] + factor[0][place + 1 :], table
