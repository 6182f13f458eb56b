"""Points of a program at which registers are live, and how many there may be."""

from __future__ import annotations

from typing import Literal, NamedTuple

from layoutsolver_models.problems.layout import Where
from layoutsolver_models.problems.record import as_json_object

RegisterKind = Literal["vector", "predicate"]

CONVERSION = -1
"""The variant of a pick that is a conversion."""


@as_json_object
class Pick(NamedTuple):
    """A part of a choice: that operation `number` runs in `variant`, or conversion `number` where that is -1."""

    number: int
    variant: int


Together = tuple[Pick, ...]
"""Picks that a choice has all of; none at all is always so."""


@as_json_object
class Held(NamedTuple):
    """Registers that are live at a point where a choice has all picks of one of `by`.

    `value` is the value that they hold, -1 where they are between instructions of one operation.
    """

    value: int
    registers: int
    by: tuple[Together, ...]


@as_json_object
class Capacity(NamedTuple):
    """A point: of the registers of a kind that are held there `limit` may be, if a choice has all picks of `when`.

    Each constraint of this kind is a group of its own, of kind capacity, under its `id`.
    """

    id: str
    kind: RegisterKind
    limit: int
    held: tuple[Held, ...]
    where: Where | None = None
    when: Together = ()


def is_met(together: Together, variants: tuple[tuple[int, ...], ...], conversions: tuple[int, ...]) -> bool:
    """Whether a choice has some picks."""
    return all(
        pick.number in conversions if pick.variant == CONVERSION else pick.variant in variants[pick.number]
        for pick in together
    )


def demand(capacity: Capacity, variants: tuple[tuple[int, ...], ...], conversions: tuple[int, ...] = ()) -> int:
    """The registers that are live at a point under a choice of variants and conversions; 0 if it is none of its own.

    >>> point = Capacity("k", "vector", 4, (Held(0, 2, ((Pick(0, 1),), (Pick(3, CONVERSION),))), Held(1, 1, ((),))))
    >>> demand(point, ((0,),)), demand(point, ((1,),)), demand(point, ((0,),), (3,))
    (1, 3, 3)
    """
    if not is_met(capacity.when, variants, conversions):
        return 0
    return sum(held.registers for held in capacity.held if any(is_met(one, variants, conversions) for one in held.by))
