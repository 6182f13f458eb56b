"""The bank question as plain data: operations that touch banks, how long each bank lives, what must stay in order.

Operations are numbered in the order of the text. A region (a loop body, say) is entered by one operation and left by
another; what is inside stays between them. A bank that is allocated outside a region and used inside lives through all
of it: its uses include the operations that enter and leave.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from layoutsolver_models.problems.layout import Status, Where
from layoutsolver_models.problems.record import as_json_object

Level = Literal["first_fit", "placement", "liveness", "reorder", "coalesce", "elide", "overlap", "spill", "split"]
LEVELS: tuple[Level, ...] = (
    "first_fit", "placement", "liveness", "reorder", "coalesce", "elide", "overlap", "spill", "split"
)  # fmt: skip
"""What may be changed, each level all that the one before it may: first the places of banks, then when they are
allocated and released, the order of operations, conversions in place, allocations that are left out, fences, moves to
memory and back, and how many rows are worked on at once."""

BankModel = Literal["contiguous", "hw_mapped"]
"""How a bank of several columns lies: in ids that follow each other, or in any physical banks behind one id."""

Reason = Literal["bank", "value", "memory", "fence"]


@as_json_object
class BankOp(NamedTuple):
    """An operation: the buffers that it reads and writes, its unit and cycles.

    `accumulates` says that it adds to what it writes. `in_place` are pairs of a buffer read and one written that may be
    one bank. `region` is the number of the region around it, -1 for none. `reload` names the buffer that it fills
    from memory, so that doing it once more gives the same bytes, -1 if it is no such operation.
    """

    name: str
    unit: str
    latency: int
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    accumulates: bool = False
    in_place: tuple[tuple[int, int], ...] = ()
    region: int = -1
    reload: int = -1
    where: Where | None = None


@as_json_object
class Region(NamedTuple):
    """The operations that enter and leave a region, and the region around it (-1: none)."""

    enter: int
    leave: int
    outer: int = -1


@as_json_object
class Bank(NamedTuple):
    """A bank of the program: rows times columns of physical banks, and its life in the text, `[alloc, release)`.

    Both are places between operations of the text, all allocations and releases counted. `rows` are the rows of it that
    are used, `filled` those that its first operation overwrites, None for all of them.
    """

    name: str
    row: int
    col: int
    alloc: int
    release: int
    rows: int = 1
    region: int = -1
    where: Where | None = None
    filled: int | None = None

    @property
    def size(self) -> int:
        """The physical banks that it takes."""
        return self.row * self.col

    @property
    def is_filled(self) -> bool:
        """Whether its first operation leaves nothing of what was there before, if it writes and does not read."""
        return self.filled is None or self.filled >= self.rows


@as_json_object
class Before(NamedTuple):
    """An operation that must come before another, and why; `fence` is given up where memory allows it."""

    first: int
    then: int
    why: Reason


@as_json_object
class Chain(NamedTuple):
    """Operations on banks of so many rows, all of which can be done part by part; what they add up stays one bank.

    `packed` are loads of a matrix of 16 rows: a part of it is some of its columns, which lie apart in memory.
    """

    ops: tuple[int, ...]
    banks: tuple[int, ...]
    rows: int
    packed: tuple[int, ...] = ()


@as_json_object
class BankProblem(NamedTuple):
    """Operations, banks, orders, and the memory: how many physical banks, the largest id, how ids are mapped.

    `clears` says that an allocation leaves a bank zero. `places` are the points of the text at which operations stand,
    in the numbering of `Bank.alloc`. `loose_fences` put nothing in order that other fences do not. A bank has
    `bank_entries` rows; `chains` are what can be cut where a bank would need more.
    """

    ops: tuple[BankOp, ...]
    banks: tuple[Bank, ...]
    orders: tuple[Before, ...]
    places: tuple[int, ...]
    regions: tuple[Region, ...] = ()
    bank_num: int = 16
    largest_id: int = 15
    model: BankModel = "contiguous"
    clears: bool = True
    loose_fences: tuple[int, ...] = ()
    bank_entries: int = 1024
    chains: tuple[Chain, ...] = ()
    schema: Literal["layoutsolver/bank-problem/1"] = "layoutsolver/bank-problem/1"


@as_json_object
class Spill(NamedTuple):
    """A bank that leaves for memory and comes back: written out behind an operation, loaded before another.

    `reload` is the operation that loads it again where that gives the same bytes, so that nothing is written; else -1.
    """

    bank: int
    after: int
    before: int
    reload: int = -1
    cost: int = 0


@as_json_object
class Split(NamedTuple):
    """A chain that is cut, and the rows of each part in their order."""

    chain: int
    parts: tuple[int, ...]


@as_json_object
class BankSolution(NamedTuple):
    """The order of operations, and for each bank its id and its life in that order.

    Operations and banks are those of the problem, behind them those that `splits` and then `spills` add.

    A bank lives from just before the operation at position `first` to just behind the one at `last`; one that
    nothing uses has 0 and -1, and is not allocated. At the levels that keep the text's lives, `alloc` and `release`
    of the problem hold instead. No answer has a peak below `bound` (at `overlap`, none that is as fast). `shared`
    are pairs `(from, into)` of banks that are one, `kept` pairs whose release and allocation are left out.
    `optimal` says that spills and peak are proved least, then the end of a schedule in which an operation waits for
    all that its banks are still used for, then, in its order, the allocations; `makespan` is what the emulator's
    composition, which waits for less, makes of that order. `infeasible` says that nothing fits at this level.
    """

    status: Status
    level: Level
    order: tuple[int, ...] = ()
    ids: tuple[int, ...] = ()
    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    peak: int = 0
    bound: int = 0
    makespan: int = 0
    msets: int = 0
    shared: tuple[tuple[int, int], ...] = ()
    kept: tuple[tuple[int, int], ...] = ()
    spills: tuple[Spill, ...] = ()
    dropped_fences: tuple[int, ...] = ()
    splits: tuple[Split, ...] = ()
    schema: Literal["layoutsolver/bank-solution/1"] = "layoutsolver/bank-solution/1"
