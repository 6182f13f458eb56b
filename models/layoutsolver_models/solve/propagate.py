"""Propagation to a fixpoint: every relation keeps only the layouts that one of its rows still supports."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from layoutsolver_models.solve.compiled import Compiled


class Removal(NamedTuple):
    """Relation `relation` took `removed` (a mask) from class `index`."""

    index: int  # type: ignore[assignment]  # hides the method of tuples
    removed: int
    relation: int


def propagate(
    compiled: Compiled,
    state: list[int],
    queue: Iterable[int],
    trail: list[tuple[int, int]] | None = None,
    removals: list[Removal] | None = None,
) -> int:
    """Narrow `state` in place from the queued relations on; -1, or the relation that has no row left.

    `trail` receives `(class, mask before)` for undoing, `removals` the reason of each narrowing.
    """
    work = deque(queue)
    waiting = set(work)
    scopes, variants, touching = compiled.scopes, compiled.variants, compiled.touching
    memo, revise = compiled.memo, compiled.revise
    while work:
        relation = work.popleft()
        waiting.discard(relation)
        scope = scopes[relation]
        masks = tuple([state[index] for index in scope])
        variant = variants[relation]
        left = memo.get((variant, masks))
        if left is None:
            left = revise(variant, masks)
        if left == masks:
            continue
        for index, before, after in zip(scope, masks, left, strict=True):
            if after == before:
                continue
            if trail is not None:
                trail.append((index, before))
            if removals is not None:
                removals.append(Removal(index, before & ~after, relation))
            state[index] = after
            if after == 0:
                return relation
            for other in touching[index]:
                if other != relation and other not in waiting:
                    waiting.add(other)
                    work.append(other)
    return -1


def undo(state: list[int], trail: list[tuple[int, int]], mark: int) -> None:
    """Take back what the trail recorded behind `mark`."""
    while len(trail) > mark:
        index, before = trail.pop()
        state[index] = before
