"""Banks that would need more rows than there are, cut into parts: loads, conversions and products of fewer rows each.

The parts of a product add up in the accumulator of the whole, under its scale, so that every bit of the result is the
same. What is cut (`Chain`) is found where the problem is posed; here is how many parts there are and how long each is.
Source: buckyball 8.3, level 9.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_models.buckyball.instructions import ALIASES, latency
from layoutsolver_models.buckyball.tiles import LANE
from layoutsolver_models.problems.banks import BankOp, BankProblem, BankSolution, Before, Chain, Split
from layoutsolver_models.solve.layout import Limits


def too_deep(problem: BankProblem) -> tuple[int, ...]:
    """The banks that would need more rows than a bank has."""
    return tuple(number for number, bank in enumerate(problem.banks) if bank.rows > problem.bank_entries)


def solve_with_splits(problem: BankProblem, limits: Limits) -> BankSolution:
    """A solution without cuts if banks are deep enough, else the best of all ways to cut, with spills at last.

    No cut makes fewer banks live at once, since a part takes as many columns as the whole: where nothing is too deep,
    nothing is cut. `infeasible` where no way is left, `optimal` where the best of the ways in `ways` is proved.
    """
    from layoutsolver_models.banks.solve import solve_banks
    from layoutsolver_models.banks.spill import solve_with_spills

    if not too_deep(problem):
        return solve_with_spills(problem, limits)._replace(level="split")
    choices = ways(problem)
    tried = [(splits, solve_banks(cut(problem, splits), "elide", limits)) for splits in choices]
    if not any(found.order for _, found in tried):
        tried = [(splits, solve_with_spills(cut(problem, splits), limits)) for splits in choices]
    fitting = [(splits, found) for splits, found in tried if found.order]
    if not fitting:
        unknown = any(found.status == "unknown" for _, found in tried)
        return BankSolution("unknown" if unknown else "infeasible", "split")
    splits, best = min(fitting, key=lambda pair: rank(pair[1]))
    proved = all(found.status in ("optimal", "infeasible") for _, found in tried)
    return best._replace(level="split", splits=splits, status="optimal" if proved else "feasible")


def rank(found: BankSolution) -> tuple[int, int, int, int]:
    """What is least first: cycles of spills, banks, cycles, allocations."""
    return sum(spill.cost for spill in found.spills), found.peak, found.makespan, found.msets


def ways(problem: BankProblem) -> list[tuple[Split, ...]]:
    """The ways to cut all that is too deep, every chain in the same manner; empty if something cannot be cut."""
    covered = {bank for chain in problem.chains for bank in chain.banks}
    if not covered.issuperset(too_deep(problem)):
        return []
    options = [parts_of(chain.rows, problem.bank_entries) for chain in problem.chains]
    if not all(options):
        return []
    most = max(len(one) for one in options)
    found = [
        tuple(Split(number, parts[min(place, len(parts) - 1)]) for number, parts in enumerate(options))
        for place in range(most)
    ]
    return list(dict.fromkeys(found))


def parts_of(rows: int, entries: int) -> list[tuple[int, ...]]:
    """As few parts as there can be, in multiples of 16 rows: full ones and the rest last, the rest first, or even.

    >>> parts_of(1040, 1024)
    [(1024, 16), (16, 1024), (528, 512)]
    >>> parts_of(2048, 1024), parts_of(2048, 15)
    ([(1024, 1024)], [])
    """
    blocks, most = rows // LANE, entries // LANE
    if not most or rows % LANE:
        return []
    count = -(-blocks // most)
    rest = blocks - (count - 1) * most
    short, over = divmod(blocks, count)
    sizes = ([most] * (count - 1) + [rest], [rest] + [most] * (count - 1),
             [short + 1] * over + [short] * (count - over))  # fmt: skip
    return list(dict.fromkeys(tuple(size * LANE for size in one) for one in sizes))


def parts_errors(problem: BankProblem, splits: tuple[Split, ...]) -> list[str]:
    """What is wrong with cuts, in words: chains that there are not, parts that are not the whole or fit no bank."""
    errors = []
    if len({split.chain for split in splits}) < len(splits):
        errors.append("a chain is cut twice")
    for split in splits:
        if not 0 <= split.chain < len(problem.chains):
            return [f"there is no chain {split.chain}"]
        rows = problem.chains[split.chain].rows
        if sum(split.parts) != rows or any(part <= 0 or part % LANE for part in split.parts):
            errors.append(f"parts of {', '.join(map(str, split.parts))} rows are not {rows}")
    return errors


class Added(NamedTuple):
    """An operation that a cut adds: the one whose part it is (-1: a fence), which part, whether it copies for it."""

    op: int
    part: int
    copies: bool = False


def added(problem: BankProblem, chain: Chain, parts: tuple[int, ...]) -> list[Added]:
    """The operations that a cut adds behind those of the problem, in their order; part 0 is the old operations.

    Columns of a matrix that lie apart in memory are packed by a copy where they are more than a row of a bank holds.
    Inside a region a fence comes before all else, where it has nothing of its round to wait for: the memory that the
    copies write is the same in every round.
    """
    found = [Added(op, part) for part in range(1, len(parts)) for op in chain.ops]
    copies = [Added(op, part, True) for part, size in enumerate(parts) if size > LANE for op in chain.packed]
    inside = any(problem.ops[op].region >= 0 for op in chain.ops)
    return found + [Added(-1, 0)] * bool(copies and inside) + copies


def cut(problem: BankProblem, splits: tuple[Split, ...]) -> BankProblem:
    """The problem with its chains cut: the old operations and banks are the first parts, the others stand behind."""
    for split in splits:
        problem = _Cut(problem, problem.chains[split.chain], split.parts).run()
    return problem


class _Cut:
    def __init__(self, problem: BankProblem, chain: Chain, parts: tuple[int, ...]) -> None:
        self.problem, self.chain, self.parts = problem, chain, parts
        self.ops, self.banks = list(problem.ops), list(problem.banks)
        self.orders, self.places = list(problem.orders), list(problem.places)
        self.of_part: dict[tuple[int, int], int] = {(op, 0): op for op in chain.ops}
        self.copy_of: dict[tuple[int, int], int] = {}

    def run(self) -> BankProblem:
        self.cut_banks()
        for op in self.chain.ops:
            self.ops[op] = self.part(op, 0)
        fence = -1
        for one in added(self.problem, self.chain, self.parts):
            number = len(self.ops)
            region = self.problem.ops[self.chain.ops[0]].region
            if one.op < 0:
                fence = number
                self.ops.append(BankOp("buckyball.fence", "", 1, region=region))
            elif one.copies:
                self.copy_of[one.op, one.part] = number
                self.ops.append(BankOp("memref.copy", "", 0, region=region, where=self.problem.ops[one.op].where))
                self.orders.append(Before(number, self.of_part[one.op, one.part], "memory"))
            else:
                self.of_part[one.op, one.part] = number
                self.ops.append(self.part(one.op, one.part))
            self.places.append(self.problem.places[max(one.op, self.chain.ops[0])])
        self.order()
        if fence >= 0:
            region = self.ops[fence].region
            behind = [number for number, op in enumerate(self.ops) if op.region == region and number != fence]
            self.orders += [Before(fence, number, "fence") for number in behind]
        return self.problem._replace(
            ops=tuple(self.ops), banks=tuple(self.banks), orders=tuple(dict.fromkeys(self.orders)),
            places=tuple(self.places),
        )  # fmt: skip

    def cut_banks(self) -> None:
        self.bank_of: dict[tuple[int, int], int] = {}
        for part, rows in enumerate(self.parts):
            for bank in self.chain.banks:
                old = self.problem.banks[bank]
                if part == 0:
                    self.banks[bank] = old._replace(rows=rows)
                else:
                    self.bank_of[bank, part] = len(self.banks)
                    self.banks.append(old._replace(name=f"{old.name}.{part}", rows=rows))

    def part(self, number: int, part: int) -> BankOp:
        """An operation on as many rows as a part has."""
        op = self.problem.ops[number]

        def of(bank: int) -> int:
            return self.bank_of.get((bank, part), bank)

        name = op.name.removeprefix("buckyball.bank_")
        cycles = max(1, latency(ALIASES.get(name, name), self.parts[part]))
        return op._replace(
            latency=cycles, reads=tuple(map(of, op.reads)), writes=tuple(map(of, op.writes)),
            in_place=tuple((of(one), of(other)) for one, other in op.in_place), reload=of(op.reload),
        )  # fmt: skip

    def order(self) -> None:
        """What was before the whole is before each part; the parts of one operation that adds up keep their order."""
        inside = set(self.chain.ops)
        count = range(len(self.parts))
        for edge in self.problem.orders:
            if edge.first in inside and edge.then in inside and edge.why == "bank":
                pairs = [(self.of_part[edge.first, part], self.of_part[edge.then, part]) for part in count]
            else:
                pairs = [
                    (one, other)
                    for one in self.all_of(edge.first, edge.why)
                    for other in self.all_of(edge.then, edge.why)
                ]
            self.orders += [Before(one, other, edge.why) for one, other in pairs]
        for op in self.chain.ops:
            if self.problem.ops[op].accumulates:
                for part in count[1:]:
                    self.orders.append(Before(self.of_part[op, part - 1], self.of_part[op, part], "bank"))

    def all_of(self, op: int, why: str) -> list[int]:
        """The parts of an operation and the copies made for them, or the operation alone; banks bind no copies."""
        if (op, 0) not in self.of_part:
            return [op]
        found = [self.of_part[op, part] for part in range(len(self.parts))]
        copies = [self.copy_of[op, part] for part in range(len(self.parts)) if (op, part) in self.copy_of]
        return found if why == "bank" else found + copies
