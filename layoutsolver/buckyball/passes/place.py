"""A solved bank problem written into its function: operations in their new order, banks by their numbers.

Allocations stand directly before the first use of a bank and releases directly behind the last one, unless the level
keeps those of the text; what only computes stands where it is needed first.
"""

from __future__ import annotations

from layoutsolver.buckyball.ir import Block, Op, Value, memref_text, shape_of
from layoutsolver.buckyball.passes.assign import LeftOut, assign, without_double_fences
from layoutsolver.buckyball.passes.builder import I64, dense
from layoutsolver.buckyball.passes.cut_banks import Cutter
from layoutsolver.pose.bank_memory import ALLOCATIONS, is_pure
from layoutsolver.pose.banks import ENDS, FENCE, PosedBanks
from layoutsolver_models.problems.banks import BankProblem, BankSolution, Spill, Split
from layoutsolver_models.targets.bank_chip import ROW_BYTES, BankChip


def place_banks(posed: PosedBanks, problem: BankProblem, solution: BankSolution, chip: BankChip) -> None:
    """Rewrite the function of a problem in place, as a solution of it says.

    `problem` is the one that was solved: that of `posed`, or the same with cuts and spills. Raises `LowerError`.
    """
    _Placing(posed, problem, solution, chip).run()


class _Placing:
    def __init__(self, posed: PosedBanks, problem: BankProblem, solution: BankSolution, chip: BankChip) -> None:
        self.posed, self.problem, self.solution, self.chip = posed, problem, solution, chip
        self.function = posed.program.function
        self.made: dict[Value, Op] = {result: op for op in self.function.walk() for result in op.results}
        steps = posed.program.steps
        self.handles = [steps[buffer.alloc].op.result for buffer in posed.program.buffers]
        self.ops = [steps[item].op for item in posed.items]
        self.numbers: list[int] = []
        self.scratch: list[Op] = []

    def run(self) -> None:
        self.use_first_handles()
        if self.solution.level in ("first_fit", "placement"):
            self.numbers = list(range(len(self.handles)))
        else:
            for split in self.solution.splits:
                self.split(split)
            for spill in self.solution.spills:
                self.spill(spill)
            self.reorder()
        ids = {place: self.solution.ids[bank] for place, bank in enumerate(self.numbers)}
        place_of = {bank: place for place, bank in enumerate(self.numbers)}
        pairs = (*self.solution.shared, *self.solution.kept)
        left_out = LeftOut(
            frozenset(place_of[into] for _, into in pairs), frozenset(place_of[source] for source, _ in pairs)
        )
        assign(self.function, self.chip, ids, left_out)
        for block in self.function.blocks:
            without_double_fences(block)

    def use_first_handles(self) -> None:
        """Let every operation name banks by their allocation, so that no chain of names keeps an order."""
        handles = self.posed.program.handles
        for op in self.function.walk():
            op.operands = [self.handles[handles[value]] if value in handles else value for value in op.operands]

    # -- cuts and spills --------------------------------------------------------------------------------------

    def split(self, split: Split) -> None:
        """Make the parts of what is cut."""
        parts = Cutter(self.function, self.made).cut(self.posed.problem, split, self.ops, self.handles)
        self.ops += parts.ops
        self.handles += [handle for handle, _ in parts.banks]
        self.scratch += parts.head

    def spill(self, spill: Spill) -> None:
        """Make the operations that move a bank, in the order in which the problem counts them."""
        old = self.handles[spill.bank]
        bank = self.problem.banks[spill.bank]
        back = Value(old.type, f"{old.name}_back")
        self.handles.append(back)
        allocated = self.made[old]
        self.made[back] = Op("buckyball.bank_alloc", [], [back], dict(allocated.attrs), span=allocated.span)
        number = len(self.handles) - 1
        for place, op in enumerate(self.problem.ops[: len(self.ops)]):
            if number in (*op.reads, *op.writes):
                target = self.ops[place]
                target.operands = [back if value is old else value for value in target.operands]
        if spill.reload >= 0:
            first = self.ops[spill.reload]
            operands = [back if value is old else value for value in first.operands]
            self.ops.append(
                Op(first.name, operands, [Value(I64, f"{old.name}_again")], dict(first.attrs), span=first.span)
            )
            return
        span = self.ops[spill.before].span
        scratch = Op("memref.alloca", [], [Value(memref_text(dense((bank.rows, 16), "i8", 1)), "spill")], span=span)
        if bank.size > 1:
            text = memref_text(dense((bank.rows, ROW_BYTES * bank.size // 4), "i32", 4))
            scratch = Op("memref.alloca", [], [Value(text, "spill")], span=span)
        count = Op("arith.constant", [], [Value(I64, f"rows{bank.rows}")], {"value": str(bank.rows)}, span=span)
        one = Op("arith.constant", [], [Value(I64, "one")], {"value": "1"}, span=span)
        self.scratch += [scratch, count, one]
        shape = shape_of(scratch.result.type)
        assert shape is not None
        rest = [count.result, one.result]
        self.ops.append(
            Op("buckyball.bank_mvout", [scratch.result, old, *rest], [Value(I64, f"{old.name}_out")], span=span)
        )
        self.ops.append(Op(FENCE, span=span))
        self.ops.append(
            Op("buckyball.bank_mvin", [scratch.result, back, *rest], [Value(I64, f"{old.name}_in")], span=span)
        )

    # -- order ------------------------------------------------------------------------------------------------

    def reorder(self) -> None:
        """Build every block anew."""
        allocs: dict[int, list[int]] = {}
        releases: dict[int, list[int]] = {}
        order = self.solution.order
        for bank in range(len(self.problem.banks)):
            if self.solution.last[bank] < self.solution.first[bank]:
                continue
            allocs.setdefault(order[self.solution.first[bank]], []).append(bank)
            releases.setdefault(order[min(self.solution.last[bank], len(order) - 1)], []).append(bank)
        self.allocs, self.releases = allocs, releases
        dropped = set(self.solution.dropped_fences)
        by_region: dict[int, list[int]] = {}
        for item in order:
            if item not in dropped:
                by_region.setdefault(self.problem.ops[item].region, []).append(item)
        self.by_region = by_region
        self.region_of = {region.enter: number for number, region in enumerate(self.problem.regions)}
        self.leaves = {region.leave for region in self.problem.regions}
        (block,) = self.function.blocks
        self.block(block, by_region.get(-1, []))
        block.ops[:0] = self.scratch

    def block(self, block: Block, items: list[int]) -> None:
        """The operations of a block: what is needed first, then each in its order."""
        waiting = {op: None for op in block.ops if is_pure(op) and op not in self.scratch}
        ending = [op for op in block.ops if op.name in ENDS]
        emitted: list[Op] = []

        def need(op: Op) -> None:
            for one in op.walk():
                for value in one.operands:
                    maker = self.made.get(value)
                    if maker in waiting and maker is not op:
                        assert maker is not None
                        del waiting[maker]
                        need(maker)
                        emitted.append(maker)

        for op in [op for op in block.ops if op.name in ALLOCATIONS and op in waiting]:
            if op in waiting:
                del waiting[op]
                need(op)
                emitted.append(op)
        entered: set[int] = set()
        for item in items:
            op = self.ops[item]
            if item in self.leaves:
                self.release(item, emitted)
                continue
            self.allocate(item, emitted)
            need(op)
            region = self.region_of.get(item)
            if region is not None and region not in entered:
                entered.add(region)
                (inner,) = op.blocks
                self.block(inner, self.by_region.get(region, []))
            emitted.append(op)
            if region is None:
                self.release(item, emitted)
        emitted += waiting
        block.ops = [*emitted, *ending]

    def allocate(self, item: int, emitted: list[Op]) -> None:
        for bank in self.allocs.get(item, ()):
            emitted.append(self.made[self.handles[bank]])
            self.numbers.append(bank)

    def release(self, item: int, emitted: list[Op]) -> None:
        for bank in self.releases.get(item, ()):
            emitted.append(Op("buckyball.bank_release", [self.handles[bank]], span=self.ops[item].span))
