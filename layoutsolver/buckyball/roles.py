"""The operands of table operations by role, and what an operation on banks reads and writes."""

from __future__ import annotations

from layoutsolver.buckyball.ir import Op, Value
from layoutsolver.ops.assembly import compile_assembly
from layoutsolver.ops.buckyball import BANK, BUCKYBALL
from layoutsolver.ops.registry import find_spec
from layoutsolver_models.buckyball.instructions import ALIASES, INSTRUCTIONS, Instruction


def operands_by_role(op: Op) -> dict[str, Value]:
    """The operands of an operation that has a table row, by role."""
    spec = find_spec(op.name)
    assert spec is not None, op.name
    if spec.assembly == "generic":
        return dict(zip((role.name for role in spec.operands), op.operands, strict=True))
    for form in spec.assembly.split(" | "):
        roles = [argument for action, argument in compile_assembly(form) if action == "use"]
        if len(roles) == len(op.operands):
            return dict(zip(roles, op.operands, strict=True))
    raise AssertionError(op.name)


def mnemonic(op: Op) -> str:
    """The instruction that an operation on banks becomes, by its own name; empty if it is none.

    >>> mnemonic(Op("buckyball.bank_quant")), mnemonic(Op("buckyball.mvin")), mnemonic(Op("scf.for"))
    ('fp2int', 'mvin', '')
    """
    if not op.name.startswith(BUCKYBALL):
        return ""
    name = op.name.removeprefix(BANK) if op.name.startswith(BANK) else op.name.removeprefix(BUCKYBALL)
    name = ALIASES.get(name, name)
    return name if name in INSTRUCTIONS else ""


def instruction_of(op: Op) -> Instruction | None:
    """The row of the instruction that an operation on banks becomes."""
    return INSTRUCTIONS.get(mnemonic(op))


def is_bank_op(op: Op) -> bool:
    """Whether an operation moves or computes on banks by their handles: allocation and release do not."""
    return op.name.startswith(BANK) and instruction_of(op) is not None


def bank_accesses(op: Op) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """The bank handles that an operation reads and those that it writes."""
    row = instruction_of(op)
    assert row is not None
    by_role = operands_by_role(op)
    return tuple(by_role[role] for role in row.reads), tuple(by_role[role] for role in row.writes)
