"""Which operations of a bank problem can be cut by the rows of their banks, where these are more than a bank has.

A move, a conversion or `relu` on rows can be done part by part. A product adds up rows, so its parts add up in one
accumulator. The transposition of 16 by K bytes gives rows that can be cut if the columns that it takes are: loads of
columns, which lie apart in memory. Source: buckyball 5.2, 7.1, 7.5, 8.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from layoutsolver.buckyball.ir import Op, Shape, shape_of
from layoutsolver.buckyball.roles import mnemonic, operands_by_role
from layoutsolver.pose.bank_memory import Memory
from layoutsolver_models.buckyball.tiles import LANE
from layoutsolver_models.problems.banks import Bank, BankOp, Chain
from layoutsolver_models.targets.bank_chip import ROW_BYTES, BankChip

Along = Literal["rows", "columns"]
"""What a part of a bank is of the matrix in it: some of its rows, or, row after row, some of its columns."""

BY_ROWS = frozenset({"fp2int", "int2fp", "relu"})
"""Operations each row of whose result needs the same row of their operand alone."""


def find_chains(
    ops: Sequence[BankOp], banks: Sequence[Bank], made_of: Sequence[Op], memory: Memory, chip: BankChip
) -> tuple[Chain, ...]:
    """The groups of operations around banks of too many rows that can be cut; `made_of` has the text's operations."""
    deep = {number for number, bank in enumerate(banks) if bank.rows > chip.bank_entries}
    groups = _groups(ops, deep)
    found = [_Chain(ops, banks, made_of, memory, chip, group, deep).run() for group in groups]
    return tuple(chain for chain in found if chain is not None)


def _groups(ops: Sequence[BankOp], deep: set[int]) -> list[list[int]]:
    """Operations that share deep banks, directly or through others."""
    groups: list[tuple[set[int], list[int]]] = []
    for number, op in enumerate(ops):
        touched = deep & {*op.reads, *op.writes}
        if not touched:
            continue
        joined = [group for group in groups if group[0] & touched]
        groups = [group for group in groups if not group[0] & touched]
        members = sorted([number, *(op for _, inside in joined for op in inside)])
        groups.append((touched.union(*(found for found, _ in joined)), members))
    return [members for _, members in groups]


class _Chain:
    def __init__(
        self, ops: Sequence[BankOp], banks: Sequence[Bank], made_of: Sequence[Op], memory: Memory,
        chip: BankChip, group: list[int], deep: set[int],
    ) -> None:  # fmt: skip
        self.ops, self.banks, self.made_of, self.memory, self.chip = ops, banks, made_of, memory, chip
        self.group = group
        self.deep = sorted({bank for op in group for bank in (*ops[op].reads, *ops[op].writes)} & deep)
        self.rows = max(banks[bank].rows for bank in self.deep)
        self.along: dict[int, Along] = {}
        self.packed: list[int] = []

    def run(self) -> Chain | None:
        """The chain, None if something in it cannot be cut."""
        regions = {self.ops[op].region for op in self.group} | {self.banks[bank].region for bank in self.deep}
        same = {self.banks[bank].rows for bank in self.deep} == {self.rows}
        if len(regions) > 1 or not same or self.rows % LANE or not all(self.fits(op) for op in self.group):
            return None
        return Chain(tuple(self.group), tuple(self.deep), self.rows, tuple(self.packed))

    def fits(self, number: int) -> bool:
        """Whether an operation can be done part by part; notes what its result is cut along."""
        op, made = self.ops[number], self.made_of[number]
        name = mnemonic(made)
        roles = operands_by_role(made) if name else {}
        count = roles.get("depth") or roles.get("iter")
        if count is None or self.memory.constant(count) != self.rows:
            return False
        if name in ("mvin", "mvout"):
            return self.move(number, name, made)
        source = self.along.get(op.reads[0])
        if name in BY_ROWS:
            return source is not None and self.note(op.writes[0], source)
        if name == "transpose":
            return self.chip.revision == "ERA" and source == "columns" and self.note(op.writes[0], "rows")
        if name == "mul_warp16":
            operands = [self.along.get(bank) for bank in op.reads[:2]]
            return operands == ["rows", "rows"] and op.writes[0] not in self.deep
        return False

    def note(self, bank: int, along: Along) -> bool:
        return bank in self.deep and self.along.setdefault(bank, along) == along

    def move(self, number: int, name: str, made: Op) -> bool:
        """Whole rows of a matrix, one a row of the bank; or a matrix of 16 rows that lie behind each other, loaded."""
        roles = operands_by_role(made)
        shape = shape_of(roles["memref"].type)
        stride = self.memory.constant(roles["stride"])
        bank = (*self.ops[number].reads, *self.ops[number].writes)[0]
        if shape is None or len(shape.dims) != 2 or shape.strides[1] != 1 or stride is None:
            return False
        lanes = ROW_BYTES * self.banks[bank].col // shape.element_bytes
        along = self.shaped(shape, lanes, stride)
        if along is None or name == "mvout":
            return along == "rows" == self.along.get(bank)
        if along == "columns":
            self.packed.append(number)
        return self.note(bank, along)

    def shaped(self, shape: Shape, lanes: int, stride: int) -> Along | None:
        if shape.dims == (self.rows, lanes) and shape.strides[0] == stride * lanes:
            return "rows"
        if shape.dims == (LANE, self.rows) and shape.strides[0] == self.rows and stride == 1 and lanes == LANE:
            return "columns"
        return None
