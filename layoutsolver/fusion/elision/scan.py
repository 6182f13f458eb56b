"""One range of operations from front to back: which loads get their value handed on, which stores are overwritten.

Source: fusion spec 6.4. A range is the items of a region between its braces, or the body of a loop; nothing is known
at its beginning, and what holds at its end is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from layoutsolver.fusion.access import Access, Effects, Facts
from layoutsolver.fusion.code import Item, Straight
from layoutsolver.fusion.conflict import may_meet
from layoutsolver.fusion.elision.demand import Demands
from layoutsolver.fusion.elision.places import Transfer, Transfers
from layoutsolver.fusion.lanes import Lanes
from layoutsolver.graph.model import OpNode


class Forward(NamedTuple):
    """A load whose value is that of `source`, a store or an earlier load: it is `value`."""

    load: OpNode
    source: OpNode
    value: int


class Dropped(NamedTuple):
    """A store that changes nothing or that `by` overwrites before anybody reads it; `why` is the rule.

    `by` is None where nobody reads it to the end of the function.
    """

    store: OpNode
    why: str
    by: OpNode | None


class Scanned(NamedTuple):
    """What came of one range."""

    forwards: tuple[Forward, ...]
    dropped: tuple[Dropped, ...]


class _Entry:
    """A load or store that was seen: the lanes in which memory still has its value, and those that nobody touched."""

    __slots__ = ("equal", "intact", "live", "observed", "transfer")

    def __init__(self, transfer: Transfer) -> None:
        self.transfer = transfer
        self.equal = transfer.equal
        self.intact = Lanes(transfer.equal.count, (1 << transfer.equal.count) - 1)
        self.live = True
        self.observed = False

    @property
    def is_store(self) -> bool:
        return self.transfer.access.is_write


def scan(
    items: Iterable[Item], facts: Facts, transfers: Transfers, demands: Demands, keep: frozenset[int] = frozenset()
) -> Scanned:
    """Forwards and dropped stores of one range; the loads `keep` (indices of operations) stay, since a value that is
    handed on lives longer.
    """
    scanner = _Scanner(facts, transfers, demands, keep)
    for item in items:
        scanner.step(item)
    return Scanned(tuple(scanner.forwards), tuple(scanner.dropped))


class _Scanner:
    def __init__(self, facts: Facts, transfers: Transfers, demands: Demands, keep: frozenset[int]) -> None:
        self.facts = facts
        self.transfers = transfers
        self.demands = demands
        self.keep = keep
        self.entries: list[_Entry] = []
        self.handed: dict[int, int] = {}
        self.forwards: list[Forward] = []
        self.dropped: list[Dropped] = []

    def step(self, item: Item) -> None:
        effects = self.facts.swept(item)
        if effects.is_pure:
            return
        if isinstance(item, Straight) and len(effects.accesses) == 1 and effects.order is None:
            access = effects.accesses[0]
            transfer = self.transfers.of(item, access)
            if transfer is not None and transfer.location is not None:
                if access.is_write:
                    self.store(transfer)
                else:
                    self.load(transfer)
                return
        is_copy = isinstance(item, Straight) and bool(effects.accesses)
        self.opaque(effects, effects.unknown is not None or (effects.order is not None and not is_copy))

    def opaque(self, effects: Effects, everything: bool) -> None:
        """Anything but a load or store that is understood: what it may read is observed, what it may write is lost; of
        synchronisation, and of what may do anything, that is everything.
        """
        for entry in self.entries:
            if everything or self.touched(entry, effects.accesses, writes=False):
                entry.observed = True
            if everything or self.touched(entry, effects.accesses, writes=True):
                entry.live = False

    def touched(self, entry: _Entry, accesses: Iterable[Access], writes: bool) -> bool:
        return any(one.is_write is writes and may_meet(one, entry.transfer.access) for one in accesses)

    def load(self, load: Transfer) -> None:
        """Hand on the value of the newest entry that has all that is asked for, or let stores be read."""
        node = load.access.node
        asked = self.demands.of(load.value)
        if node.index not in self.keep:
            for entry in reversed(self.entries):
                same = entry.transfer.location == load.location
                if same and entry.live and entry.equal.holds(asked):
                    value = self.handed.get(entry.transfer.value, entry.transfer.value)
                    self.handed[load.value] = value
                    self.forwards.append(Forward(node, entry.transfer.access.node, value))
                    return
        for entry in self.entries:
            if entry.is_store and may_meet(load.access, entry.transfer.access):
                entry.observed = True
        self.entries.append(_Entry(load))

    def store(self, store: Transfer) -> None:
        """Drop the store if memory has its value already; else forget what it changes, drop what it overwrites."""
        node = store.access.node
        value = self.handed.get(store.value, store.value)
        again = next((entry for entry in reversed(self.entries) if self.repeats(store, value, entry)), None)
        if again is not None:
            self.dropped.append(Dropped(node, "redundant", again.transfer.access.node))
            return
        for entry in self.entries:
            if not may_meet(store.access, entry.transfer.access):
                continue
            if entry.transfer.location != store.location:
                entry.live = False
                continue
            entry.equal = entry.equal.minus(store.may)
            entry.intact = entry.intact.minus(store.may)
            covered = store.must.holds(entry.transfer.may)
            if entry.is_store and covered and not entry.observed:
                self.dropped.append(Dropped(entry.transfer.access.node, "overwritten", node))
                entry.observed = True  # it is gone: nothing further is to be said of it
        self.entries = [entry for entry in self.entries if not entry.equal.is_empty or not entry.observed]
        self.entries.append(_Entry(store))

    def repeats(self, store: Transfer, value: int, entry: _Entry) -> bool:
        """Whether memory already has what is stored, because it was stored so or loaded from there."""
        past = entry.transfer
        if past.location != store.location or not entry.live or not entry.intact.holds(store.may):
            return False
        if self.handed.get(past.value, past.value) != value:
            return False
        if store.merges or store.must.is_all:
            return entry.equal.holds(store.may)
        return entry.is_store and past.must == store.must and past.merges == store.merges
