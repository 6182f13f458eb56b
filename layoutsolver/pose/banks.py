"""A function of bank SSA -> its bank problem: operations on banks, what else touches memory, what must stay in order.

Source: buckyball 8.1, 8.3, 8.4.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.buckyball.banks import BankProgram, Buffer, Step, bank_program
from layoutsolver.buckyball.ir import Code, Op, Value
from layoutsolver.buckyball.roles import instruction_of, is_bank_op, mnemonic, operands_by_role
from layoutsolver.pose.bank_chains import find_chains
from layoutsolver.pose.bank_memory import Access, Memory, is_pure
from layoutsolver.source import SourceFile
from layoutsolver_models.buckyball.encoding import RS2, decode
from layoutsolver_models.buckyball.instructions import INSTRUCTIONS, latency, matrix_latency, square_latency
from layoutsolver_models.buckyball.rows import fills_rows, rows_touched
from layoutsolver_models.buckyball.tiles import LANE
from layoutsolver_models.problems.banks import Bank, BankModel, BankOp, BankProblem, Before, Reason, Region
from layoutsolver_models.problems.layout import Where
from layoutsolver_models.targets.bank_chip import BankChip

FENCE = "buckyball.fence"
ENDS = ("func.return", "scf.yield")
SETS = ("buckyball.bank_alloc", "buckyball.bank_release")


class PosedBanks(NamedTuple):
    """A problem with the program that it was made of.

    `items` has the step of each operation, `leaving` whether it is the end of that step's region.
    """

    problem: BankProblem
    program: BankProgram
    items: tuple[int, ...]
    leaving: tuple[bool, ...]


def pose_banks(
    code: Code, function: Op, chip: BankChip, model: BankModel = "contiguous", distinct_arguments: bool = False
) -> PosedBanks:
    """The problem of one function. Raises `BankError` for handles that do not follow."""
    return _Posing(code.source, bank_program(function), chip, model, distinct_arguments).run()


class _Posing:
    def __init__(
        self, source: SourceFile, program: BankProgram, chip: BankChip, model: BankModel, distinct: bool
    ) -> None:
        self.source, self.program, self.chip, self.model = source, program, chip, model
        self.memory = Memory(program.function, distinct)
        self.items: list[int] = []
        self.leaving: list[bool] = []
        self.ops: list[BankOp] = []
        self.regions: list[Region] = []
        self.accesses: list[list[Access]] = []
        self.makers: dict[Value, set[int]] = {}
        self.needed: list[set[int]] = []
        self.region_of_step: dict[int, int] = {-1: -1}

    def run(self) -> PosedBanks:
        step = 0
        while step < len(self.program.steps):
            step = self.enter(step, -1)
        orders, banks = self.orders(), self.banks()
        problem = BankProblem(
            tuple(self.ops), tuple(banks), tuple(orders),
            tuple(self.program.steps[i].last if out else i for i, out in zip(self.items, self.leaving, strict=True)),
            tuple(self.regions), self.chip.bank_num, self.chip.vbank_upper, self.model, self.chip.mset_clears,
            self.loose_fences(), self.chip.bank_entries,
            find_chains(self.ops, banks, [self.program.steps[item].op for item in self.items], self.memory, self.chip),
        )  # fmt: skip
        return PosedBanks(problem, self.program, tuple(self.items), tuple(self.leaving))

    # -- operations -------------------------------------------------------------------------------------------

    def enter(self, number: int, region: int) -> int:
        """Take a step and all in it; the number of the step behind them."""
        step = self.program.steps[number]
        op = step.op
        behind = step.last + 1
        if op.name in SETS or op.name in ENDS or is_pure(op):
            self.flow(op)
            return behind
        if op.blocks and any(one.name in SETS or is_bank_op(one) or one.name == FENCE for one in op.walk()):
            made = BankOp(op.name, "", 0, region=region, where=self.where(op))
            entered = self.add(number, made._replace(reads=self.carried(op)), [], op, within=False)
            inner = len(self.regions)
            self.regions.append(Region(entered, -1, region))
            self.region_of_step[number] = inner
            at = number + 1
            while at <= step.last:
                at = self.enter(at, inner)
            left = self.add(number, made, [], op, leaving=True, within=False)
            self.regions[inner] = Region(entered, left, region)
            return behind
        if is_bank_op(op):
            self.add(number, self.bank_op(op, step.reads, step.writes, region), self.moves(op, step), op)
        elif op.name == FENCE:
            self.add(number, BankOp(op.name, "", 1, region=region, where=self.where(op)), [], op)
        else:
            accesses = self.memory.accesses(op)
            made = BankOp(op.name, "", 0, self.carried(op), region=region, where=self.where(op))
            self.add(number, made, accesses, op)
        return behind

    def carried(self, op: Op) -> tuple[int, ...]:
        """The banks that an operation hands on, and that nothing uses: it is all that keeps them alive."""
        found = {self.program.handles[value] for value in op.operands if value in self.program.handles}
        return tuple(sorted(number for number in found if not self.program.buffers[number].uses))

    def add(
        self, step: int, made: BankOp, accesses: list[Access], op: Op, leaving: bool = False, within: bool = True
    ) -> int:
        number = len(self.ops)
        self.ops.append(made)
        self.items.append(step)
        self.leaving.append(leaving)
        self.accesses.append(accesses)
        self.needed.append(self.sources(op, within))
        for result in op.results:
            if result not in self.program.handles:
                self.makers[result] = {number}
        return number

    def flow(self, op: Op) -> None:
        """What only computes hands on which operations its operands come from."""
        sources = self.sources(op, within=False)
        for result in op.results:
            if sources and result not in self.program.handles:
                self.makers[result] = sources

    def sources(self, op: Op, within: bool) -> set[int]:
        """The operations whose results an operation needs, or with `within` one inside it."""
        ops = op.walk() if within else [op]
        return {maker for one in ops for value in one.operands for maker in self.makers.get(value, ())}

    def moves(self, op: Op, step: Step) -> list[Access]:
        """What a move does to memory, with the columns of its bank."""
        banks = (*step.reads, *step.writes)
        return self.memory.accesses(op, self.program.buffers[banks[0]].col if banks else 0)

    def bank_op(self, op: Op, reads: tuple[int, ...], writes: tuple[int, ...], region: int) -> BankOp:
        name = mnemonic(op)
        row = INSTRUCTIONS[name]
        pairs: tuple[tuple[int, int], ...] = ()
        if row.in_place and reads and writes:
            one, other = self.program.buffers[reads[0]], self.program.buffers[writes[0]]
            if one.number != other.number and (one.row, one.col) == (other.row, other.col):
                pairs = ((one.number, other.number),)
        loads = writes[0] if name == "mvin" and writes else -1
        accumulates = bool(set(reads) & set(writes)) and name == "mul_warp16"
        return BankOp(
            op.name, row.unit, self.cycles(op, name), reads, writes, accumulates, pairs, region, loads, self.where(op)
        )

    def cycles(self, op: Op, name: str) -> int:
        """The latency; as if a bank were full where a count is not constant."""
        roles = operands_by_role(op)
        count = self.count(op)
        size = 0
        if name == "transpose":
            size = 8 if self.chip.revision == "ERA" else self.memory.constant(roles.get("mode", op.operands[-1])) or 8
        elif name == "matrix":
            size = self.matrix(self.memory.constant(roles["config"]))
        return max(1, latency(name, count, size, self.chip.revision))

    def matrix(self, config: int | None) -> int:
        """The latency of the matrix unit: that of full operands where the sizes are not constant."""
        sizes = {} if config is None else decode(RS2["matrix"], config)
        m, n, k = (sizes.get(name, 0) for name in "mnk")
        return matrix_latency(m, n, k, bool(sizes["mode"])) if m else square_latency(LANE)

    def count(self, op: Op) -> int:
        roles = operands_by_role(op)
        value = roles.get("depth") or roles.get("iter")
        known = None if value is None else self.memory.constant(value)
        return self.chip.bank_entries if known is None else known

    def where(self, op: Op) -> Where:
        place = self.source.position(op.span.start)
        return Where(op.span.start, op.span.end, place.line, place.column)

    # -- banks ------------------------------------------------------------------------------------------------

    def banks(self) -> list[Bank]:
        steps = self.program.steps
        made = []
        for buffer in self.program.buffers:
            alloc = steps[buffer.alloc]
            rows = [self.rows(steps[use], buffer.number) for use in buffer.uses]
            release = buffer.release if buffer.release >= 0 else len(steps)
            made.append(
                Bank(
                    buffer.name, buffer.row, buffer.col, buffer.alloc, release, max(rows, default=1),
                    self.region_of_step.get(alloc.parent, -1), self.where(alloc.op), self.filled(buffer),
                )
            )  # fmt: skip
        return made

    def rows(self, step: Step, buffer: int) -> int:
        """The rows of a bank that an operation touches."""
        row = instruction_of(step.op)
        assert row is not None
        roles = operands_by_role(step.op)
        touched = [role for role in (*row.reads, *row.writes) if self.program.handles[roles[role]] == buffer]
        count, columns = self.count(step.op), self.columns(step)
        found = [rows_touched(row.mnemonic, role, count, columns, self.chip.revision) for role in touched]
        return max(self.chip.bank_entries if rows is None else rows for rows in found)

    def columns(self, step: Step) -> tuple[int, int]:
        """The columns of the first bank that an operation touches, reads first, and of the last one."""
        first, last = (*step.reads, *step.writes)[0], (*step.reads, *step.writes)[-1]
        return self.program.buffers[first].col, self.program.buffers[last].col

    def filled(self, buffer: Buffer) -> int:
        """The rows that the first operation on a bank overwrites, in all columns."""
        if not buffer.uses:
            return 0
        step = self.program.steps[buffer.uses[0]]
        row = instruction_of(step.op)
        assert row is not None
        whole = buffer.number in step.writes and fills_rows(row.mnemonic, self.columns(step), self.chip.revision)
        return self.rows(step, buffer.number) if whole else 0

    # -- orders -----------------------------------------------------------------------------------------------

    def orders(self) -> list[Before]:
        """Pairs that must keep their order, each with its reason, without those that follow from others."""
        found: dict[tuple[int, int], Reason] = {}
        for then, op in enumerate(self.ops):
            for first in self.needed[then]:
                if first != then:
                    found.setdefault((first, then), "value")
            for first in range(then):
                reason = self.reason(first, then, self.ops[first], op)
                if reason is not None:
                    found.setdefault((first, then), reason)
        for region in self.regions:
            found.setdefault((region.enter, region.leave), "value")
        return [Before(first, then, why) for (first, then), why in sorted(found.items())]

    def loose_fences(self) -> tuple[int, ...]:
        """The fences outside loops that may go: between all that conflicts across them stands another one that stays.

        The last one stays, since whoever called the function may read what it wrote.
        """
        fences = [n for n, op in enumerate(self.ops) if op.name == FENCE and op.region == -1]
        loose: list[int] = []
        for fence in fences[:-1]:
            kept = [other for other in fences if other != fence and other not in loose]
            pairs = (
                (one, other)
                for one in range(fence)
                for other in range(fence + 1, len(self.ops))
                if self.memory.conflict(self.accesses[one], self.accesses[other])
            )
            if all(any(one < other < then for other in kept) for one, then in pairs):
                loose.append(fence)
        return tuple(loose)

    def reason(self, first: int, then: int, one: BankOp, other: BankOp) -> Reason | None:
        if set(one.writes) & {*other.reads, *other.writes} or set(one.reads) & set(other.writes):
            return "bank"
        if self.memory.conflict(self.accesses[first], self.accesses[then]):
            return "memory"
        fences = [item for item in (first, then) if self.ops[item].name == FENCE]
        if fences and (len(fences) == 2 or self.accesses[first] or self.accesses[then]):
            return "fence"
        return None
