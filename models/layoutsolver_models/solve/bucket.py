"""How many assignments satisfy tables over variables: bucket elimination (Dechter 1999), with big integers."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

TABLE_LIMIT = 1_000_000
"""Entries of the largest intermediate table that variable elimination may make."""

Factor = tuple[tuple[int, ...], dict[tuple[int, ...], int]]
"""Variables, and how often each assignment of them occurs; those that are not listed do not."""


class CountLimitError(Exception):
    """The structure of a part needs larger intermediate tables than `TABLE_LIMIT` allows."""


def count_assignments(factors: Iterable[Factor], variables: Iterable[int]) -> int:
    """The assignments of the variables, each as often as the product of its entries; each variable is in a factor.

    The variable with the fewest neighbours goes first. Raises `CountLimitError`.
    """
    by_variable: dict[int, dict[int, Factor]] = {variable: {} for variable in variables}
    neighbours: dict[int, set[int]] = {variable: set() for variable in by_variable}
    scalar = 1
    number = 0
    for factor in factors:
        if not factor[0]:
            scalar *= factor[1].get((), 0)
        for variable in factor[0]:
            by_variable[variable][number] = factor
            neighbours[variable].update(factor[0])
        number += 1
    heap = [(len(near), variable) for variable, near in neighbours.items()]
    heapq.heapify(heap)
    while heap:
        size, chosen = heapq.heappop(heap)
        if chosen not in neighbours or len(neighbours[chosen]) != size:
            continue
        bucket = by_variable.pop(chosen)
        near = neighbours.pop(chosen) - {chosen}
        joined: Factor | None = None
        for key, factor in bucket.items():
            joined = factor if joined is None else join(joined, factor)
            for variable in factor[0]:
                if variable != chosen:
                    del by_variable[variable][key]
        if joined is None:
            return 0
        scope, table = sum_out(joined, chosen)
        for variable in near:
            neighbours[variable] |= near
            neighbours[variable].discard(chosen)
            heapq.heappush(heap, (len(neighbours[variable]), variable))
        if scope:
            for variable in scope:
                by_variable[variable][number] = (scope, table)
            number += 1
        else:
            scalar *= table.get((), 0)
    return scalar


def join(left: Factor, right: Factor) -> Factor:
    """The assignments that agree with both factors. Raises `CountLimitError`."""
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


def sum_out(factor: Factor, index: int) -> Factor:
    """A factor without one of its variables."""
    place = factor[0].index(index)
    table: dict[tuple[int, ...], int] = {}
    for key, number in factor[1].items():
        rest = key[:place] + key[place + 1 :]
        table[rest] = table.get(rest, 0) + number
    return factor[0][:place] + factor[0][place + 1 :], table
