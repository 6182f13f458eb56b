"""Points of a program at which registers are live, and how many there may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from layoutsolver_models.problems.layout import Where
from layoutsolver_models.problems.record import as_json_object

if TYPE_CHECKING:
    from layoutsolver_models.problems.selection import SelectionOp, SelectionValue

RegisterKind = Literal["vector", "predicate"]


@as_json_object
class Live(NamedTuple):
    """A value that may be live at a point.

    It takes the registers of each layout in which one of `users` takes it, and of each in which one of `makers` makes
    it; both are operations by number. `registers` are those by layout, as the value lists its layouts.
    """

    value: int
    users: tuple[int, ...]
    makers: tuple[int, ...]
    registers: tuple[int, ...]


@as_json_object
class Sequence(NamedTuple):
    """Registers that the instructions of a choice need at a point: of an operation's variant, or of a conversion.

    Which one it is, is the `variant` of operation `number`, or the conversion `number` where that is -1.
    """

    number: int
    variant: int
    registers: int


@as_json_object
class Capacity(NamedTuple):
    """A point: of the registers of a kind that its values and sequences take there may be `limit`.

    Each constraint of this kind is a group of its own, of kind capacity, under its `id`.
    """

    id: str
    kind: RegisterKind
    limit: int
    live: tuple[Live, ...]
    where: Where | None = None
    sequences: tuple[Sequence, ...] = ()


class Held(NamedTuple):
    """A value in a layout that is live at a point, and its registers."""

    value: int
    layout: str
    registers: int


def held_at(
    capacity: Capacity,
    values: tuple[SelectionValue, ...],
    ops: tuple[SelectionOp, ...],
    variants: tuple[tuple[int, ...], ...],
) -> list[Held]:
    """What is live at a point under a choice of variants."""
    found: list[Held] = []
    for live in capacity.live:
        layouts: dict[str, None] = {}
        for numbers, makes in ((live.users, False), (live.makers, True)):
            for number in numbers:
                layouts.update(dict.fromkeys(layouts_of(ops[number], live.value, variants[number], makes)))
        known = values[live.value].layouts
        found += [
            Held(live.value, layout, live.registers[place]) for place, layout in enumerate(known) if layout in layouts
        ]
    return found


def layouts_of(op: SelectionOp, value: int, variants: tuple[int, ...], makes: bool) -> list[str]:
    """The layouts in which an operation takes a value, or makes it, in some of its variants."""
    first, ports = (len(op.operands), op.results) if makes else (0, op.operands)
    places = [first + place for place, port in enumerate(ports) if port == value]
    return [op.variants[number].layouts[place] for number in variants for place in places]


def demand(
    capacity: Capacity,
    values: tuple[SelectionValue, ...],
    ops: tuple[SelectionOp, ...],
    variants: tuple[tuple[int, ...], ...],
    conversions: tuple[int, ...] = (),
) -> int:
    """The registers that are live at a point under a choice of variants and conversions."""
    between = sum(
        sequence.registers
        for sequence in capacity.sequences
        if (sequence.number in conversions if sequence.variant < 0 else sequence.variant in variants[sequence.number])
    )
    return between + sum(held.registers for held in held_at(capacity, values, ops, variants))
