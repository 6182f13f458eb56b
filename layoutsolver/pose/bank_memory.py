"""What the operations of a Buckyball function do to memory: which roots, which bytes, reads or writes.

A root is a function's argument or an allocation. Allocations are different memory from everything else; two arguments
may be the same one unless it is said that they are not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from layoutsolver.buckyball.ir import Op, Value, shape_of
from layoutsolver.buckyball.roles import instruction_of, operands_by_role
from layoutsolver_models.targets.bank_chip import ROW_BYTES

VIEWS = frozenset({
    "memref.subview", "memref.cast", "memref.collapse_shape", "memref.expand_shape", "memref.reinterpret_cast",
})  # fmt: skip
ALLOCATIONS = frozenset({"memref.alloc", "memref.alloca"})
PURE_PREFIXES = ("arith.", "math.")
PURE = VIEWS | ALLOCATIONS | {"memref.dim", "memref.extract_strided_metadata", "affine.apply",
                              "memref.extract_aligned_pointer_as_index"}  # fmt: skip


class Access(NamedTuple):
    """Bytes of a root that are read or written: `[low, high)`, all of it without them; root None: any memory."""

    root: Value | None
    writes: bool
    low: int | None = None
    high: int | None = None


def is_pure(op: Op) -> bool:
    """Whether an operation only computes: it may stand anywhere between its operands and its uses."""
    return (op.name in PURE or op.name.startswith(PURE_PREFIXES)) and not op.blocks


class Memory:
    """The roots of a function's memrefs and the constants that say which bytes an access has."""

    def __init__(self, function: Op, distinct_arguments: bool) -> None:
        self.made: dict[Value, Op] = {result: op for op in function.walk() for result in op.results}
        self.distinct = distinct_arguments

    def constant(self, value: Value) -> int | None:
        """The number that a value is, None if it is no constant."""
        op = self.made.get(value)
        if op is None or op.name != "arith.constant":
            return None
        text = op.attrs.get("value")
        word = str(text)
        return int(word) if word.lstrip("-").isdecimal() else None

    def root(self, value: Value) -> Value:
        """The memref of which a value is a view."""
        op = self.made.get(value)
        while op is not None and op.name in VIEWS:
            value = op.operands[0]
            op = self.made.get(value)
        return value

    def accesses(self, op: Op, columns: int = 0) -> list[Access]:
        """What an operation and everything in it does to memory; `columns` of the bank that a move fills or empties."""
        found = []
        for one in op.walk():
            found += self._own(one, columns)
        return found

    def _own(self, op: Op, columns: int) -> list[Access]:
        row = instruction_of(op)
        memrefs = [value for value in op.operands if value.type.startswith("memref")]
        if row is not None and row.dram:
            return [self._move(op, value, row.dram == "write", columns) for value in memrefs[:1]]
        if row is not None or op.name == "buckyball.fence" or is_pure(op):
            return []
        if op.name == "memref.load":
            return [Access(self.root(op.operands[0]), False)]
        if op.name in ("memref.store", "memref.dealloc"):
            return [Access(self.root(value), True) for value in memrefs]
        if op.name == "memref.copy" or op.name.startswith("linalg."):
            last = len(memrefs) - 1
            return [Access(self.root(value), place == last) for place, value in enumerate(memrefs)]
        if op.name.startswith(("scf.", "buckyball.bank_")) or op.name in ("func.return",):
            return []
        return [Access(None, True)]

    def _move(self, op: Op, memref: Value, writes: bool, columns: int) -> Access:
        """The bytes that a move touches, where its memref begins at a known place of its root."""
        roles = operands_by_role(op)
        depth, stride = (self.constant(roles[name]) for name in ("depth", "stride"))
        shape = shape_of(memref.type)
        root = self.root(memref)
        if None in (depth, stride) or shape is None or shape.offset is None or not columns:
            return Access(root, writes)
        assert depth is not None
        assert stride is not None
        outer = shape_of(root.type)
        if outer is None or outer.offset != 0:
            return Access(root, writes)
        low = shape.offset * shape.element_bytes
        return Access(root, writes, low, low + ((depth - 1) * stride + 1) * ROW_BYTES * columns)

    def conflict(self, one: Iterable[Access], other: Iterable[Access]) -> bool:
        """Whether two operations may touch the same bytes, one of them writing."""
        others = list(other)
        return any((a.writes or b.writes) and self._meet(a, b) for a in one for b in others)

    def _meet(self, one: Access, other: Access) -> bool:
        if one.root is None or other.root is None:
            return True
        if one.root is not other.root:
            fresh = [root in self.made and self.made[root].name in ALLOCATIONS for root in (one.root, other.root)]
            return not any(fresh) and not self.distinct
        if one.low is None or one.high is None or other.low is None or other.high is None:
            return True
        return one.low < other.high and other.low < one.high
