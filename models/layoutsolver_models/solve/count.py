"""Counts the solutions of a layout problem exactly: part by part, with big integers, without listing them."""

from __future__ import annotations

from dataclasses import dataclass

from layoutsolver_models.problems.layout import LayoutProblem
from layoutsolver_models.solve.bucket import CountLimitError, Factor, count_assignments
from layoutsolver_models.solve.compiled import Compiled, compile_problem
from layoutsolver_models.solve.components import Component, solutions, split
from layoutsolver_models.solve.layout import ENUMERATED
from layoutsolver_models.solve.propagate import propagate


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


def _eliminate(compiled: Compiled, component: Component, state: list[int]) -> int:
    factors = [_factor(compiled, relation, state) for relation in component.relations]
    covered = {index for scope, _ in factors for index in scope}
    factors += [
        ((index,), {(bit,): 1 for bit in _bits(state[index])}) for index in component.classes if index not in covered
    ]
    return count_assignments(factors, component.classes)


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


__all__ = ["Count", "CountLimitError", "count_solutions"]
