"""The most registers of a kind that are live at once in a lowered program."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_models.problems.capacity import RegisterKind


class Span(NamedTuple):
    """A live register: whose instruction makes it, and whose instructions use it later.

    They are named as the choices that they carry out: `4.1` for the second variant of canonical operation 4,
    `conversion 7`, and for what control flow brings or takes `value 3`, the value.
    """

    maker: str
    users: tuple[str, ...]


class RegisterPeak(NamedTuple):
    """How many registers of a kind, at which operation of the text, and what is live there: names with their registers.

    `op` is -1 where none is ever live; `spans` are the registers that are live there.
    """

    kind: RegisterKind
    registers: int
    op: int
    live: tuple[tuple[str, int], ...]
    spans: tuple[Span, ...]
