"""Operations on banks of too many rows, written as the parts into which a solution cuts them.

The first part is the operation itself with fewer rows; the others are operations of their own on banks of their own. A
part of a matrix in memory is a view of some of its rows, or of some of its columns: more of these than a row of a bank
holds lie apart, and are copied behind each other first.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

from layoutsolver.buckyball.ir import Block, Op, Value, memref_text, shape_of, static_dims
from layoutsolver.buckyball.passes.builder import I64, Builder, Rewriter, dense
from layoutsolver.buckyball.roles import operands_by_role
from layoutsolver_models.banks.split import added
from layoutsolver_models.buckyball.tiles import LANE
from layoutsolver_models.problems.banks import BankProblem, Split


class Parts(NamedTuple):
    """What a cut makes: the operations and banks behind those of the problem, and what the function begins with.

    A bank is its handle and its allocation.
    """

    ops: list[Op]
    banks: list[tuple[Value, Op]]
    head: list[Op]


class Cutter:
    """Cuts chains of a function. `made` has what each value is the result of; views of memory are added to it.

    New operations stand in the block of the old one, behind all others: who builds the block anew orders them.
    """

    def __init__(self, function: Op, made: dict[Value, Op]) -> None:
        self.rewriter = Rewriter(function, {})
        self.made = made
        self.block_of: dict[Op, Block] = {}
        for op in function.walk():
            for block in op.blocks:
                self.block_of.update(dict.fromkeys(block.ops, block))

    def cut(self, problem: BankProblem, split: Split, ops: list[Op], handles: list[Value]) -> Parts:
        """Cut a chain. `ops` and `handles` are as the problem counts them; the operations become first parts."""
        chain, self.parts = problem.chains[split.chain], split.parts
        self.starts = [0, *accumulate(split.parts)]
        self.copies: dict[tuple[int, int], Op] = {}
        self.head: list[Op] = []
        banks = {
            (bank, part): self.fresh_bank(handles[bank], part)
            for part in range(1, len(split.parts)) for bank in chain.banks
        }  # fmt: skip
        of_part: dict[tuple[int, int], Op] = {}
        for number in chain.ops:
            whole = ops[number]
            for part in range(1, len(split.parts)):
                own = {handles[bank]: banks[bank, part][0] for bank in chain.banks}
                results = [Value(I64, f"{result.name}_{part}") for result in whole.results]
                operands = [own.get(value, value) for value in whole.operands]
                of_part[number, part] = Op(whole.name, operands, results, dict(whole.attrs), span=whole.span)
                self.block_of[of_part[number, part]] = self.block_of[whole]
            of_part[number, 0] = whole
            for part in range(len(split.parts)):
                self.resize(of_part[number, part], number, part, number in chain.packed)
        made = []
        for one in added(problem, chain, split.parts):
            if one.op < 0:
                made.append(Op("buckyball.fence", span=ops[chain.ops[0]].span))
            else:
                op = (self.copies if one.copies else of_part)[one.op, one.part]
                self.block_of[ops[one.op]].ops.append(op)
                made.append(op)
        constants = list(self.rewriter.constants.values())
        self.rewriter.constants = {}
        return Parts(made, list(banks.values()), [*constants, *self.head])

    def fresh_bank(self, handle: Value, part: int) -> tuple[Value, Op]:
        """A bank for a part, and its allocation."""
        old = self.made[handle]
        fresh = Value(handle.type, f"{handle.name}_{part}")
        alloc = self.made[fresh] = Op(old.name, [], [fresh], dict(old.attrs), span=old.span)
        return fresh, alloc

    def resize(self, op: Op, number: int, part: int, packed: bool) -> None:
        """Let an operation work on the rows of a part."""
        build = Builder(self.rewriter, self.block_of[op], op.span)
        roles = list(operands_by_role(op))
        count = roles.index("depth" if "depth" in roles else "iter")
        start, size = self.starts[part], self.parts[part]
        op.operands[count] = build.constant(size, I64)
        if "memref" not in roles:
            return
        place = roles.index("memref")
        memref = op.operands[place]
        shape = shape_of(memref.type)
        assert shape is not None
        height, width = static_dims(shape)
        if not packed:
            op.operands[place] = self.view(build, memref, [start, 0], [size, width])
            return
        columns = self.view(build, memref, [0, start], [height, size])
        if size == LANE:
            op.operands[place] = columns
            op.operands[roles.index("stride")] = build.constant(width // LANE, I64)
            return
        text = memref_text(dense((height, size), shape.element, shape.element_bytes))
        behind = Op("memref.alloca", [], [Value(text, f"{memref.name}Part")], span=op.span)
        self.head.append(behind)
        self.copies[number, part] = Op("memref.copy", [columns, behind.result], span=op.span)
        op.operands[place] = behind.result

    def view(self, build: Builder, memref: Value, offsets: list[Value | int], sizes: list[int]) -> Value:
        """A part of a memref; it stands with what only computes until it is needed."""
        found = build.subview(memref, offsets, sizes, f"{memref.name}Part")
        self.made[found] = build.into.ops[-1]
        return found
