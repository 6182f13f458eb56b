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


Observer = Callable[[Event], None]
"""Takes an event; called from the solver's threads, one call at a time."""
