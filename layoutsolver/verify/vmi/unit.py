"""Runs VMI operations, surface and legacy, on logical vectors, which know no layout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from layoutsolver.verify.operation import Operation
from layoutsolver.verify.pto.ram import Ram
from layoutsolver.verify.pto.sums import Sums
from layoutsolver.verify.pto.values import Get, PtoValue
from layoutsolver.verify.vmi.casts import CASTS
from layoutsolver.verify.vmi.create import CREATE
from layoutsolver.verify.vmi.elementwise import ELEMENTWISE
from layoutsolver.verify.vmi.groups import GROUPS
from layoutsolver.verify.vmi.memory import MEMORY
from layoutsolver.verify.vmi.operands import Call
from layoutsolver.verify.vmi.readings import Masks
from layoutsolver.verify.vmi.rearrange import REARRANGE

HANDLERS: dict[str, Callable[[Call], list[PtoValue]]] = {
    **CREATE, **ELEMENTWISE, **CASTS, **GROUPS, **MEMORY, **REARRANGE,
}  # fmt: skip
"""The operations by their names."""

OPEN: dict[str, str] = {"vgatherb": "documents disagree on whether it gathers bytes or blocks"}
"""The operations that are known but not run, and why."""


@dataclass(slots=True)
class VmiUnit:
    """The logical unit; `sums` says how sums of floats are made, `masks` what becomes of what masks leave out."""

    ram: Ram
    sums: Sums = field(default_factory=Sums)
    masks: Masks = field(default_factory=Masks)

    def run(self, op: Operation, get: Get) -> list[PtoValue]:
        """The results of an operation that there is. Raises CannotRunError for one that is open, and HardwareFault."""
        handler = HANDLERS.get(op.name)
        if handler is None:
            raise op.fail(f"cannot be run: {OPEN[op.name]}")
        try:
            return handler(Call(op, get, self))
        except (ValueError, TypeError) as error:
            raise op.fail(f"has no such form: {error}") from None
