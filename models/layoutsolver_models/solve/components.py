"""Parts of a propagated problem that have nothing to do with each other, and their solutions one by one."""

from __future__ import annotations

from collections.abc import Iterator

from layoutsolver_models.solve.compiled import Compiled
from layoutsolver_models.solve.propagate import propagate, undo


class Component:
    """Classes with more than one layout left that relations connect, and those relations."""

    __slots__ = ("classes", "relations")

    def __init__(self, classes: list[int] | None = None, relations: list[int] | None = None) -> None:
        self.classes: list[int] = [] if classes is None else classes
        self.relations: list[int] = [] if relations is None else relations


def split(compiled: Compiled, state: list[int]) -> list[Component]:
    """The components of the classes that are still open, in the order of their first class."""
    seen = [False] * len(state)
    used = [False] * len(compiled.scopes)
    out: list[Component] = []
    for first, mask in enumerate(state):
        if seen[first] or mask & (mask - 1) == 0:
            continue
        component = Component()
        seen[first] = True
        stack = [first]
        while stack:
            index = stack.pop()
            component.classes.append(index)
            for relation in compiled.touching[index]:
                if used[relation]:
                    continue
                used[relation] = True
                component.relations.append(relation)
                for other in compiled.scopes[relation]:
                    if not seen[other] and state[other] & (state[other] - 1):
                        seen[other] = True
                        stack.append(other)
        component.classes.sort()
        component.relations.sort()
        out.append(component)
    return out


def solutions(
    compiled: Compiled, component: Component, state: list[int], order: list[int] | None = None, nodes: int = 0
) -> Iterator[list[int] | None]:
    """Each assignment of the component's classes (masks with one bit, in the order of `component.classes`).

    `order` is the order in which open classes are decided (default: as listed), layouts being tried from the lowest
    bit up; a class that propagation decided is passed over. With `nodes` > 0 the search yields None and ends once
    it has tried that many decisions. `state` is as before when the iterator ends.
    """
    sequence = component.classes if order is None else order
    trail: list[tuple[int, int]] = []
    tried = 0
    position = 0
    stack: list[tuple[int, int, int]] = []
    while True:
        while position < len(sequence) and state[sequence[position]] & (state[sequence[position]] - 1) == 0:
            position += 1
        if position == len(sequence):
            yield [state[index] for index in component.classes]
        else:
            stack.append((position, state[sequence[position]], len(trail)))
        while stack:
            position, left, mark = stack.pop()
            undo(state, trail, mark)
            if left == 0:
                continue
            bit = left & -left
            stack.append((position, left ^ bit, mark))
            tried += 1
            if nodes and tried > nodes:
                undo(state, trail, 0)
                yield None
                return
            index = sequence[position]
            trail.append((index, state[index]))
            state[index] = bit
            if propagate(compiled, state, compiled.touching[index], trail) < 0:
                break
        else:
            undo(state, trail, 0)
            return
