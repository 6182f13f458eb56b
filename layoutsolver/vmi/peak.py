"""The most registers of a kind that are live at once in a lowered program."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_models.problems.capacity import RegisterKind


class RegisterPeak(NamedTuple):
    """How many registers of a kind, at which operation of the text, and what is live there: names with their registers.

    `op` is -1 where none is ever live; `owner` is the choice of the solution that the instruction at the peak carries
    out, empty where control flow brings or takes the values.
    """

    kind: RegisterKind
    registers: int
    op: int
    owner: str
    live: tuple[tuple[str, int], ...]
