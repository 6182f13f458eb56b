"""Values handed on between stores and loads, as the compiler does it. Source: fusion spec 6.6, algorithm A.

Offsets and tiles are the same if their values are; what overlaps otherwise goes unnoticed. A store without
`pmode = "merge"` is taken to have stored its value in all lanes. The lanes that a load needs are those of its users'
masks, users without a mask add nothing. A store that a later one covers is dropped whether or not it was read between,
by a load that stays or in a loop.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.fusion.access import LOAD, STORE
from layoutsolver.fusion.affine import Numbers
from layoutsolver.fusion.code import Code, Item, Loop, Scope, Straight, inside, users_of
from layoutsolver.fusion.compat.buffers import Buffer, Buffers
from layoutsolver.fusion.compat.plan import BOUNDARIES
from layoutsolver.fusion.lanes import Lanes, Masks, every, none
from layoutsolver.fusion.rewrite import rewritten
from layoutsolver.graph.model import OpNode
from layoutsolver.mlir.pto_types import VmiVectorType
from layoutsolver.ops.attributes import attributes


class Elided(NamedTuple):
    """The program afterwards, the loads that were handed a value, and the stores that were dropped."""

    code: Code
    forwards: tuple[OpNode, ...]
    dead: tuple[OpNode, ...]


class _Entry:
    """A load or store that was seen; `lanes` is None where it is not known which lanes it has."""

    __slots__ = ("buffer", "escapes", "is_erased", "is_stale", "item", "lanes", "offset", "value")

    def __init__(
        self, item: Straight, buffer: Buffer | None, offset: int | None, value: int, lanes: Lanes | None
    ) -> None:
        self.item = item
        self.buffer = buffer
        self.offset = offset
        self.value = value
        self.lanes = lanes
        self.is_stale = False
        self.is_erased = False
        self.escapes = False


def elide(code: Code) -> Elided:
    """The program with values handed on in each region and in each loop of a region."""
    scanner = _Scanner(code)
    for items in _ranges(code.items, within=False):
        scanner.scan(items)
    gone = scanner.forwarded.keys() | scanner.dead.keys()
    values = {node.results[0]: value for node, value in scanner.forwarded.values()}
    changed = rewritten(code, frozenset(gone), values)
    return Elided(changed, tuple(node for node, _ in scanner.forwarded.values()), tuple(scanner.dead.values()))


def _ranges(items: tuple[Item, ...], within: bool) -> list[tuple[Item, ...]]:
    """The items of each region, and of each loop in one."""
    out: list[tuple[Item, ...]] = []
    for item in items:
        is_region = isinstance(item, Scope) and item.is_region
        for block in inside(item):
            if is_region or (within and isinstance(item, Loop)):
                out.append(block)
            out += _ranges(block, within or is_region)
    return out


class _Scanner:
    def __init__(self, code: Code) -> None:
        self.code = code
        self.buffers = Buffers(code)
        self.masks = Masks(Numbers(code))
        self.users = users_of(code.items)
        self.forwarded: dict[int, tuple[OpNode, int]] = {}
        self.dead: dict[int, OpNode] = {}
        self.entries: list[_Entry] = []

    def scan(self, items: tuple[Item, ...]) -> None:
        self.entries = []
        for item in items:
            name = item.node.name
            if isinstance(item, Straight) and name == LOAD and len(item.node.results) == 1:
                self.load(item)
            elif isinstance(item, Straight) and name == STORE and item.role("value") is not None:
                self.store(item)
            elif isinstance(item, Straight) and name == "pto.mte_ub_gm":
                self.mark(item.operands[0] if item.operands else None, escapes=True)
            elif isinstance(item, Straight) and name == "pto.mte_gm_ub":
                self.mark(item.operands[1] if len(item.operands) > 1 else None, escapes=False)
            elif not isinstance(item, Straight) or name in BOUNDARIES:
                for entry in self.entries:
                    entry.is_stale = True

    def mark(self, pointer: int | None, escapes: bool) -> None:
        """Let stores to the buffer of a copy escape, or what is known of it be out of date."""
        buffer = self.buffers.of(pointer)
        for entry in self.entries:
            if buffer is not None and entry.buffer == buffer:
                entry.escapes |= escapes and entry.item.node.name == STORE
                entry.is_stale |= not escapes

    def count(self, value: int) -> int:
        type_ = self.code.graph.values[value].type
        return type_.lanes if isinstance(type_, VmiVectorType) else 1

    def load(self, item: Straight) -> None:
        """Hand the value of the newest entry that has the lanes that users need to a load, or note it."""
        node = item.node
        value, buffer, offset = node.results[0], self.buffers.of(item.role("source")), item.role("offset")
        needed = self.needed(value)
        if needed is not None:
            for entry in reversed(self.entries):
                usable = not entry.is_stale and not entry.is_erased and self.same(entry, buffer, offset)
                if usable and entry.lanes is not None and entry.lanes.holds(needed):
                    self.forwarded[node.index] = (node, entry.value)
                    self.entries.append(_Entry(item, buffer, offset, value, needed))
                    self.entries[-1].is_erased = True
                    return
        whole = every(self.count(value))
        self.entries.append(_Entry(item, buffer, offset, value, None if needed is None else whole))

    def store(self, item: Straight) -> None:
        """Let entries of the same place that the store covers or touches be out of date, and stores it covers go."""
        value = item.role("value")
        assert value is not None
        buffer, offset, count = self.buffers.of(item.role("destination")), item.role("offset"), self.count(value)
        mask = self.masks.lanes(item.role("mask"), count)
        merges = attributes(item.node).get("pmode") == '"merge"'
        lanes = mask if merges else every(count)
        for entry in self.entries:
            if not self.same(entry, buffer, offset):
                continue
            if entry.lanes is not None and lanes.holds(entry.lanes):
                entry.is_stale = True
                if entry.item.node.name == STORE and not entry.escapes and not entry.is_erased:
                    entry.is_erased = True
                    self.dead[entry.item.node.index] = entry.item.node
            elif entry.lanes is None or lanes.meets(entry.lanes):
                entry.is_stale = True
        self.entries.append(_Entry(item, buffer, offset, value, lanes))

    def same(self, entry: _Entry, buffer: Buffer | None, offset: int | None) -> bool:
        """Whether an entry is of the same buffer and offset."""
        return buffer is not None and entry.buffer == buffer and entry.offset == offset

    def needed(self, value: int) -> Lanes | None:
        """The lanes that users need by their masks, none if no user has one; None if masks differ, are not known, or
        nobody uses the value.
        """
        users = self.users.get(value, [])
        count = self.count(value)
        masks: list[Lanes] = []
        for item, _ in users:
            mask = item.role("mask") if isinstance(item, Straight) else None
            if mask is not None:
                masks.append(self.masks.lanes(mask, count))
        if not users or any(not one.is_known or one != masks[0] for one in masks):
            return None
        return masks[0] if masks else none(count)
