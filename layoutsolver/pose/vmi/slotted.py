"""Which values may lie in slots of groups: those that group operations make or take."""

from __future__ import annotations

from layoutsolver.ops.registry import pto_specs
from layoutsolver.vmi.canonical import PREFIX
from layoutsolver.vmi.program import VmiProgram

FAMILIES = frozenset({"group_reduce", "group_slot_load", "group_broadcast", "group_store"})
"""The rule families whose rows have slots of groups on one side."""


def slotted(program: VmiProgram) -> frozenset[int]:
    """The numbers of the vectors that may be converted between slots and elements side by side.

    Besides what group operations make and take, these are vectors that are converted because their types say so.
    """
    specs, found = pto_specs(), set[int]()
    for op in program.ops:
        spec = specs.get(PREFIX + op.op)
        if spec is None:
            continue
        values = [value for value in (*op.vectors().values(), *op.results.values()) if not value.is_mask]
        groups = int(op.attrs.get("num_groups", op.attrs.get("group", 1)))
        if spec.rule in FAMILIES:
            found.update(value.number for value in values if value.lanes == groups)
        elif spec.rule == "identity" and any(value.layout.startswith("gs") for value in values):
            found.update(value.number for value in values)
    return frozenset(found)
