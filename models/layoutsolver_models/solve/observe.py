"""Hearing of a solve while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple


class Event(NamedTuple):
    """A better solution or a better bound of the part that is being solved; both numbers are the latest ones.

    `objective` is None before there is a solution.
    """

    kind: Literal["solution", "bound"]
    objective: int | None
    bound: int

    @property
    def gap(self) -> float | None:
        """How far the solution can be from the best one, relative to it; None before there is a solution.

        >>> Event("bound", 10, 8).gap
        0.2
        """
        if self.objective is None:
            return None
        return (self.objective - self.bound) / max(abs(self.objective), 1)


Observer = Callable[[Event], None]
"""Takes an event; called from the solver's threads, one call at a time."""
