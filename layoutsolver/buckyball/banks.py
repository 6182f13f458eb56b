"""The banks of a function: which there are, what touches each, and between which points each lives.

Operations are numbered as the text has them, parents first, so that a body lies between its loop and what follows.
Every operation on banks results in a bank that it was given; here such a name is the bank itself.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.buckyball.ir import Op, Value
from layoutsolver.buckyball.roles import bank_accesses, is_bank_op
from layoutsolver.source import Span


class BankError(Exception):
    """A program whose banks do not follow: a message and the place that it speaks of."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.span = span


class Buffer(NamedTuple):
    """A bank of the program: its name, how many physical banks it takes (row times col), its points.

    `alloc` and `release` are operations by number, release -1 where there is none; `uses` the numbers of those that
    read or write it, in order.
    """

    number: int
    name: str
    row: int
    col: int
    alloc: int
    release: int
    uses: tuple[int, ...]

    @property
    def size(self) -> int:
        """The physical banks that it takes."""
        return self.row * self.col


class Step(NamedTuple):
    """An operation of the function: its number, the number of the one around it (-1), the last one inside it.

    `reads` and `writes` are the buffers that it touches.
    """

    number: int
    op: Op
    parent: int
    last: int
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()


class BankProgram(NamedTuple):
    """A function with its buffers and operations; `handles` says which buffer a value stands for."""

    function: Op
    steps: tuple[Step, ...]
    buffers: tuple[Buffer, ...]
    handles: dict[Value, int]

    def interval(self, buffer: Buffer, step: int) -> int:
        """The operation at the nesting of the buffer's allocation in which a step lies."""
        parent = self.steps[buffer.alloc].parent
        at = step
        while self.steps[at].parent != parent:
            at = self.steps[at].parent
        return at


def bank_program(function: Op) -> BankProgram:
    """The banks of a function. Raises `BankError` for a handle that is none, and for one released twice."""
    return _Banks(function).build()


class _Banks:
    def __init__(self, function: Op) -> None:
        self.function = function
        self.ops: list[tuple[Op, int]] = []
        self.last: list[int] = []
        self.handles: dict[Value, int] = {}
        self.allocs: list[int] = []
        self.releases: dict[int, int] = {}
        self.uses: dict[int, list[int]] = {}
        self.touched: list[tuple[tuple[int, ...], tuple[int, ...]]] = []

    def build(self) -> BankProgram:
        for block in self.function.blocks:
            self.enter(block.ops, -1)
        steps = tuple(
            Step(number, op, parent, self.last[number], *self.touched[number])
            for number, (op, parent) in enumerate(self.ops)
        )
        buffers = tuple(self.buffer(number, at) for number, at in enumerate(self.allocs))
        return BankProgram(self.function, steps, buffers, self.handles)

    def buffer(self, number: int, at: int) -> Buffer:
        op = self.ops[at][0]
        row, col = op.number("row", 1), op.number("col", 1)
        if row <= 0 or col <= 0:
            raise BankError(f"a bank of {row} rows and {col} columns", op.span)
        return Buffer(
            number, op.result.name, row, col, at, self.releases.get(number, -1), tuple(self.uses.get(number, ()))
        )

    def enter(self, ops: list[Op], parent: int) -> None:
        for op in ops:
            number = len(self.ops)
            self.ops.append((op, parent))
            self.last.append(number)
            self.touched.append(((), ()))
            self.visit(op, number)
            if op.name == "scf.for":
                self.carry(op.operands[3:], op.blocks[0].arguments[1:])
            for block in op.blocks:
                self.enter(block.ops, number)
            if op.name == "scf.for" and op.blocks[0].ops and op.blocks[0].ops[-1].name == "scf.yield":
                self.carry(op.blocks[0].ops[-1].operands, op.results)
            self.last[number] = len(self.ops) - 1

    def carry(self, values: list[Value], into: list[Value]) -> None:
        for value, other in zip(values, into, strict=False):
            if value in self.handles:
                self.handles[other] = self.handles[value]

    def visit(self, op: Op, number: int) -> None:
        if op.name == "buckyball.bank_alloc":
            self.handles[op.result] = len(self.allocs)
            self.allocs.append(number)
        elif op.name == "buckyball.bank_release":
            buffer = self.of(op.operands[0], op)
            if buffer in self.releases:
                raise BankError(f"bank `%{op.operands[0].name}` is released twice", op.span)
            self.releases[buffer] = number
        elif is_bank_op(op):
            reads, writes = bank_accesses(op)
            touched = tuple(tuple(self.of(value, op) for value in values) for values in (reads, writes))
            self.touched[number] = (touched[0], touched[1])
            for buffer in dict.fromkeys((*touched[0], *touched[1])):
                if buffer in self.releases:
                    raise BankError(f"`{op.name}` uses a bank that was released", op.span)
                self.uses.setdefault(buffer, []).append(number)
            if op.results:
                self.handles[op.result] = touched[1][0] if touched[1] else touched[0][0]

    def of(self, value: Value, op: Op) -> int:
        known = self.handles.get(value)
        if known is None:
            raise BankError(f"`%{value.name}` is no bank that was allocated here", op.span)
        return known
