"""Who may read what a store has written, to the end of the function. Source: fusion spec 6.5.

A store is followed along everything that may run behind it: the rest of its range, later iterations of the loops that
it is in, what stands behind these, up to the end of the function. A store that surely overwrites all of it ends the
search on that path; it must stand in the range that the store is in, or around.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from layoutsolver.fusion.access import STORE, Access, Facts, settled, sweep
from layoutsolver.fusion.code import Code, Item, Loop, Scope, Straight, inside
from layoutsolver.fusion.conflict import may_meet
from layoutsolver.fusion.distance import Undecided, Window, meeting
from layoutsolver.fusion.elision.places import Transfer, Transfers
from layoutsolver.fusion.lanes import Masks
from layoutsolver.fusion.policy import COPIES
from layoutsolver.fusion.roots import ABSOLUTE
from layoutsolver.graph.model import Graph, OpNode

_ONCE = frozenset({"pto.fusion_region", "pto.vecscope", "pto.strict_vecscope", "scf.execute_region", "func.func"})
"""Operations whose only block runs once when they run."""

_MODULES = frozenset({"builtin.module", "module"})


class Reader(NamedTuple):
    """Who may read, and why: an operation, or what comes after the function if it is None."""

    node: OpNode | None
    why: str


class Step(NamedTuple):
    """One level of where an item stands: the item around, the list that it holds, and the position in this."""

    parent: Item | None
    items: tuple[Item, ...]
    at: int


Path: TypeAlias = tuple[Step, ...]
"""Where an item stands, from the outside in."""


def paths(items: tuple[Item, ...], parent: Item | None = None, above: Path = ()) -> Iterator[tuple[Straight, Path]]:
    """All operations without regions, and where they stand."""
    for at, item in enumerate(items):
        path = (*above, Step(parent, items, at))
        if isinstance(item, Straight):
            yield item, path
        for block in inside(item):
            yield from paths(block, item, path)


def repeated(scope: Scope) -> tuple[tuple[Item, ...], ...]:
    """The blocks of an operation that may run after any of its blocks, this one among them."""
    if scope.node.name == "scf.if" or (scope.node.name in _ONCE and len(scope.blocks) == 1):
        return ()
    return scope.blocks


class Liveness:
    """Follows the stores of a program."""

    __slots__ = ("_scratch", "facts", "transfers")

    def __init__(self, facts: Facts, transfers: Transfers) -> None:
        self._scratch: dict[int, bool] = {}
        self.facts = facts
        self.transfers = transfers

    def readers(self, store: Transfer, path: Path) -> Iterator[Reader]:
        """Everybody who may read what a store has written; nothing if surely nobody does."""
        access = store.access
        for parent, items, at in reversed(path):
            for item in items[at + 1 :]:
                yield from self.read_by(item, access)
                if self.covers(item, store):
                    return
            if parent is None or (isinstance(parent, Scope) and parent.node.name in _MODULES):
                break
            if isinstance(parent, Loop):
                yield from self.read_again(parent, access)
                access = sweep(
                    access, parent.induction, self.facts.numbers.turns(parent), self.facts.defined_inside(parent)
                )
                continue
            assert isinstance(parent, Scope)
            for block in repeated(parent):
                for item in block:
                    yield from self.read_by(item, access)
            if parent.node.name == "func.func":
                why = self.outlives(parent, access)
                if why:
                    yield Reader(None, why)
                return
            access = settled(access, self.facts.defined_inside(parent))
        yield Reader(None, "it stands in no function")

    def read_by(self, item: Item, access: Access) -> Iterator[Reader]:
        """The operations in an item that may read bytes of an access, or may do anything."""
        effects = self.facts.swept(item)
        if effects.unknown is not None:
            yield Reader(effects.unknown, "it may do anything")
        for one in effects.accesses:
            if not one.is_write and may_meet(one, access):
                yield Reader(one.node, "it may read this memory")

    def covers(self, item: Item, store: Transfer) -> bool:
        """Whether an item surely overwrites all that a store may have changed, without reading it first."""
        if not isinstance(item, Straight):
            return False
        effects = self.facts.effects(item)
        if len(effects.accesses) != 1 or not effects.accesses[0].is_write or effects.order is not None:
            return False
        later = self.transfers.of(item, effects.accesses[0])
        return later is not None and later.location == store.location and later.must.holds(store.may)

    def read_again(self, loop: Loop, access: Access) -> Iterator[Reader]:
        """The operations that may read bytes of an access in a later iteration of a loop than that of the access."""
        effects = self.facts.body_effects(loop)
        if effects.unknown is not None:
            yield Reader(effects.unknown, "it may do anything")
        for one in effects.accesses:
            if not one.is_write and self.later(loop, one, access):
                yield Reader(one.node, "it may read this memory in a later iteration")

    def later(self, loop: Loop, read: Access, access: Access) -> bool:
        """Whether a read in an iteration of a loop may meet an access in an earlier one."""
        turns = self.facts.numbers.turns(loop)
        mine, theirs = access.at, read.at
        if mine is not None and theirs is not None and access.span is not None and read.span is not None:
            iv = loop.induction
            same = (access.root.base, access.root.space) == (read.root.base, read.root.space)
            if same and mine.without(iv).terms == theirs.without(iv).terms:
                first = turns.first
                starts = [at.without(iv).plus(first.times(at.factor(iv))) for at in (theirs, mine)]
                gap = starts[1].plus(starts[0].times(-1))
                if not gap.terms:
                    strides = [at.factor(iv) * turns.step for at in (theirs, mine)]
                    window = Window(gap.constant, strides[0], read.span, strides[1], access.span)
                    try:
                        return meeting(window, turns.length) is not None
                    except Undecided:
                        return True
        inner = self.facts.defined_inside(loop)
        return may_meet(sweep(read, loop.induction, turns, inner), sweep(access, loop.induction, turns, inner))

    def outlives(self, function: Scope, access: Access) -> str:
        """Why what a store wrote may be read behind the function; empty if it is not."""
        root = access.root
        if root.space != "ub":
            return "it is in memory that outlives the function"
        if root.base != ABSOLUTE:
            return "it is behind a pointer that comes from outside, or of which nothing is known"
        known = self._scratch.get(function.node.index)
        if known is None:
            known = self._scratch[function.node.index] = has_scratch(self.facts.code.graph, function.node)
        if known:
            return ""
        return "the function copies nothing out of the unified buffer, or is called: its results are there"


def readers(code: Code, facts: Facts) -> dict[int, tuple[Reader, ...]]:
    """For each store of one vector, by the index of its operation, everybody who may read what it writes before that is
    surely overwritten. Nothing is taken to be handed on.
    """
    transfers = Transfers(facts, Masks(facts.numbers))
    liveness = Liveness(facts, transfers)
    out: dict[int, tuple[Reader, ...]] = {}
    for item, path in paths(code.items):
        access = facts.access(item) if item.node.name == STORE else None
        transfer = None if access is None else transfers.of(item, access)
        if transfer is not None:
            out[item.node.index] = tuple(liveness.readers(transfer, path))
    return out


def has_scratch(graph: Graph, function: OpNode) -> bool:
    """Whether the unified buffer of a function is dead at its end: its results are copied out, and no function of the
    module calls it.
    """
    symbol = next((one.symbol for one in graph.functions if one.op == function.index), "")
    if symbol in graph.calls.values():
        return False
    number = next((at for at, one in enumerate(graph.functions) if one.op == function.index), -1)
    return any(node.function == number and _copies_out(node.name) for node in graph.ops)


def _copies_out(name: str) -> bool:
    copy = COPIES.get(name)
    return copy is not None and copy.source == "ub" and copy.target != "ub"
