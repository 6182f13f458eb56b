"""Banks as SSA values -> banks by their numbers. Source: buckyball 6.1.

`first_fit` is the released pass: the operations in the order of the text, each body once, every allocation at the
lowest place with so many free banks behind each other. A placement made elsewhere is written in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from layoutsolver.buckyball.banks import BankError, BankProgram, bank_program
from layoutsolver.buckyball.ir import Attr, Block, Op, Value
from layoutsolver.buckyball.passes.builder import I64, Builder, LowerError, Rewriter
from layoutsolver.buckyball.roles import instruction_of, is_bank_op
from layoutsolver_models.targets.bank_chip import BankChip

STRONGER = "`layoutsolver banks` looks for an order and places that fit, or proves that there are none"
"""What helps where first fit finds no room."""


def first_fit(program: BankProgram, chip: BankChip) -> dict[int, int]:
    """The number of each buffer's first bank, as the released pass gives them. Raises `LowerError`."""
    used = [False] * chip.bank_num
    at_alloc = {buffer.alloc: buffer for buffer in program.buffers}
    at_release = {buffer.release: buffer for buffer in program.buffers}
    bases: dict[int, int] = {}
    for step in program.steps:
        buffer = at_alloc.get(step.number)
        if buffer is not None:
            starts = range(chip.bank_num - buffer.size + 1)
            base = next((one for one in starts if not any(used[one : one + buffer.size])), None)
            if base is None:
                taken = sum(used)
                where = f"{buffer.size} in a row for `%{buffer.name}`, {taken} of {chip.bank_num} taken"
                message = f"assign-physical-banks: out of physical banks ({where})"
                raise LowerError("LS1005", message, step.op.span, STRONGER)
            bases[buffer.number] = base
            used[base : base + buffer.size] = [True] * buffer.size
        freed = at_release.get(step.number)
        if freed is not None:
            base = bases[freed.number]
            used[base : base + freed.size] = [False] * freed.size
    return bases


class LeftOut(NamedTuple):
    """Buffers that are not allocated, since they take over a bank, and buffers that are not released."""

    allocs: frozenset[int] = frozenset()
    releases: frozenset[int] = frozenset()


def assign(
    function: Op, chip: BankChip, bases: Mapping[int, int] | None = None, left_out: LeftOut | None = None
) -> None:
    """Rewrite a function in place, with the numbers given or those of `first_fit`. Raises `LowerError`."""
    try:
        program = bank_program(function)
    except BankError as error:
        raise LowerError("LS1005", f"assign-physical-banks: {error}", error.span) from None
    for buffer in program.buffers:
        if buffer.release < 0:
            span = program.steps[buffer.alloc].op.span
            message = f"assign-physical-banks: leaked virtual bank handles: `%{buffer.name}` is never released"
            raise LowerError("LS1005", message, span)
    chosen = first_fit(program, chip) if bases is None else bases
    for buffer in program.buffers:
        if chosen[buffer.number] > chip.vbank_upper:
            base, upper = chosen[buffer.number], chip.vbank_upper
            message = f"`%{buffer.name}` is put at bank {base}, instructions of `{chip.name}` reach {upper}"
            raise LowerError("LS1005", message, program.steps[buffer.alloc].op.span)
    _Assignment(program, chosen, chip, left_out or LeftOut()).run()


class _Assignment:
    def __init__(self, program: BankProgram, bases: Mapping[int, int], chip: BankChip, left_out: LeftOut) -> None:
        self.program, self.bases, self.chip, self.left_out = program, bases, chip, left_out
        self.by_handle = program.handles
        self.released = {program.steps[b.release].op: b.number for b in program.buffers}

    def run(self) -> None:
        names = {op.name for op in self.program.function.walk() if is_bank_op(op)}
        handlers = {
            **dict.fromkeys(names, self.bank_op),
            "buckyball.bank_alloc": self.alloc,
            "buckyball.bank_release": self.release,
            "scf.for": self.loop,
        }
        self.rewriter = Rewriter(self.program.function, handlers)
        self.rewriter.run()

    def number(self, build: Builder, value: Value) -> Value:
        return build.constant(self.bases[self.by_handle[value]], I64)

    def alloc(self, op: Op, build: Builder) -> None:
        row, col = op.number("row", 1), op.number("col", 1)
        attrs: dict[str, Attr] = {"alloc": True, "row": row, "col": col}
        if self.chip.accumulator == "mset_clear_bit" and self.reads_first(self.by_handle[op.result]):
            attrs["clear"] = True
        number = self.number(build, op.result)
        if self.by_handle[op.result] not in self.left_out.allocs:
            build.op("buckyball.mset", [number], attrs=attrs)
        self.rewriter.replaced[op.result] = number

    def reads_first(self, buffer: int) -> bool:
        """Whether what touches a bank first reads it, which is true of accumulators."""
        uses = self.program.buffers[buffer].uses
        return bool(uses) and buffer in self.program.steps[uses[0]].reads

    def release(self, op: Op, build: Builder) -> None:
        if self.released[op] not in self.left_out.releases:
            build.op("buckyball.mset", op.operands, attrs={"alloc": False, "row": 0, "col": 0})

    def bank_op(self, op: Op, build: Builder) -> None:
        build.add(op)
        if op.results:
            self.rewriter.replaced[op.result] = self.number(build, op.result)
        row = instruction_of(op)
        if self.chip.dialect == "new" and row is not None and row.mnemonic == "mvout":
            build.op("buckyball.fence", [])

    def loop(self, op: Op, build: Builder) -> None:
        """A loop without the banks that it carried: these have numbers now."""
        block = op.blocks[0]
        kept = [place for place, value in enumerate(op.results) if value not in self.by_handle]
        for place, (argument, result) in enumerate(zip(block.arguments[1:], op.results, strict=True)):
            if place not in kept:
                self.rewriter.replaced[argument] = self.number(build, argument)
                self.rewriter.replaced[result] = self.number(build, result)
        ending = block.ops[-1] if block.ops and block.ops[-1].name == "scf.yield" else None
        if ending is not None:
            ending.operands = [ending.operands[place] for place in kept]
        block.arguments = [block.arguments[0], *(block.arguments[1 + place] for place in kept)]
        op.operands = [*op.operands[:3], *(op.operands[3 + place] for place in kept)]
        op.results = [op.results[place] for place in kept]
        build.add(op)
        self.rewriter.block(block)


def without_double_fences(block: Block) -> None:
    """Take away fences that stand directly behind another one."""
    block.ops = [
        op for place, op in enumerate(block.ops)
        if op.name != "buckyball.fence" or place == 0 or block.ops[place - 1].name != "buckyball.fence"
    ]  # fmt: skip
    for op in block.ops:
        for inner in op.blocks:
            without_double_fences(inner)
