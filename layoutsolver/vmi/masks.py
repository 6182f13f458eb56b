"""Which masks are known to have every bit set."""

from __future__ import annotations

from layoutsolver.vmi.program import Constant, Operand, Outside, VmiOp, VmiProgram, VmiValue


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


def known_bits(program: VmiProgram, op: VmiOp) -> tuple[bool, ...] | None:
    """The bits of a mask that an operation makes of numbers, None if a number is not known."""
    lanes = op.results["result"].lanes
    if op.op == "constant_mask":
        return _dense(str(op.attrs.get("value", "")), lanes)
    size = lanes if op.op == "create_mask" else int(op.attrs["group_size"])
    active = constant_of(program, op.operands.get("active_lanes", op.operands.get("active_elems_per_group")))
    return None if active is None else tuple(number % size < active for number in range(lanes))


def _dense(text: str, lanes: int) -> tuple[bool, ...] | None:
    """The bits that a dense attribute tells, None if it tells another number of them."""
    body = text.strip().removeprefix("dense<").partition(">")[0].strip()
    bits = tuple(word.strip() in ("true", "1") for word in body.strip("[]").split(","))
    return bits * lanes if len(bits) == 1 else bits if len(bits) == lanes else None
