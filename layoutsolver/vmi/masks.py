"""Which masks are known to have every bit set."""

from __future__ import annotations

from layoutsolver.vmi.program import Constant, Operand, Outside, VmiProgram, VmiValue


def is_full(program: VmiProgram, mask: VmiValue) -> bool:
    """Whether every bit of a mask is known to be set: it is made of a constant that covers all lanes."""
    mask = program.values[mask.number]
    if mask.op < 0:
        return False
    op = program.ops[mask.op]
    if op.op == "create_mask":
        active = constant_of(program, op.operands.get("active_lanes"))
        return active is not None and active >= mask.lanes
    if op.op == "create_group_mask":
        active = constant_of(program, op.operands.get("active_elems_per_group"))
        return active is not None and active >= int(op.attrs["group_size"])
    if op.op == "constant_mask":
        return str(op.attrs.get("value", "")).replace(" ", "").startswith(("dense<true>", "dense<1>"))
    return False


def constant_of(program: VmiProgram, operand: Operand | None) -> int | None:
    """The number that an operand is, None if it is not known."""
    if isinstance(operand, Constant):
        return operand.value
    if isinstance(operand, Outside):
        return program.graph.constants.get(operand.value)
    return None
