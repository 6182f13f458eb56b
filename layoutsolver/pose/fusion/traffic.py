"""What the loops of a block load and store, and how values could be handed on between them if they shared a body.

Loops with equal headers are given one induction variable here, so that places in their bodies can be compared as they
would be in one body. Source: fusion spec 6.3, 6.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from layoutsolver.fusion.access import UNKNOWN_ROOT, Access, Facts
from layoutsolver.fusion.code import Code, Item, Loop, Scope, Straight, replaced, uses_of
from layoutsolver.fusion.conflict import may_meet
from layoutsolver.fusion.elision.demand import Demands
from layoutsolver.fusion.elision.places import Transfer, Transfers
from layoutsolver.fusion.lanes import Masks
from layoutsolver.fusion.policy import is_pure
from layoutsolver.graph.model import OpNode


class Touch(NamedTuple):
    """An access in a body: its loop and step by number; `transfer` where values can be handed on through it."""

    loop: int
    step: int
    node: OpNode
    access: Access
    transfer: Transfer | None

    @property
    def is_write(self) -> bool:
        """Whether it is a store."""
        return self.access.is_write


class Traffic:
    """The accesses of all loops, in the order of the text."""

    __slots__ = ("_met", "bodies", "demands", "facts", "reads", "touches", "writes")

    def __init__(self, code: Code, loops: list[Loop], headers: list[int], trust_zero: bool = False) -> None:
        self.bodies = [
            _with_induction(loop, loops[headers.index(header)]) for loop, header in zip(loops, headers, strict=True)
        ]
        self.facts = Facts(_swapped(code, {id(loop): body for loop, body in zip(loops, self.bodies, strict=True)}))
        masks = Masks(self.facts.numbers)
        transfers = Transfers(self.facts, masks)
        self.demands = Demands(self.facts.code, masks, trust_zero)
        self.touches: list[Touch] = []
        for number, loop in enumerate(self.bodies):
            for step, item in enumerate(loop.body):
                self.touches += self._touches(number, step, item, transfers)
        self.reads = [number for number, touch in enumerate(self.touches) if not touch.is_write]
        self.writes = [number for number, touch in enumerate(self.touches) if touch.is_write]
        self._met: dict[tuple[int, int], bool] = {}

    def _touches(self, loop: int, step: int, item: Item, transfers: Transfers) -> list[Touch]:
        effects = self.facts.swept(item)
        blocker = effects.order or effects.unknown
        if blocker is not None:
            return [
                Touch(loop, step, blocker, Access(blocker, write, UNKNOWN_ROOT, None, None), None)
                for write in (False, True)
            ]
        out: list[Touch] = []
        for access in effects.accesses:
            single = isinstance(item, Straight) and len(effects.accesses) == 1
            transfer = transfers.of(item, access) if single and isinstance(item, Straight) else None
            out.append(Touch(loop, step, access.node, access, transfer))
        return out

    def meet(self, one: int, other: int) -> bool:
        """Whether two accesses may have a byte in common in one turn."""
        key = (one, other) if one < other else (other, one)
        known = self._met.get(key)
        if known is None:
            known = self._met[key] = may_meet(self.touches[key[0]].access, self.touches[key[1]].access)
        return known

    def losing(self, source: int, load: int) -> list[int] | None:
        """The stores of other loops between a source and a load that lose the value; None if one of the loops does,
        or if the source never has all lanes that are asked for.
        """
        given, taken = self.touches[source], self.touches[load]
        one, other = given.transfer, taken.transfer
        if one is None or other is None or one.location is None or one.location != other.location:
            return None
        asked = self.demands.of(other.value)
        if not one.equal.holds(asked):
            return None
        out: list[int] = []
        for number in range(source + 1, load):
            touch = self.touches[number]
            if not touch.is_write or not self.meet(number, source):
                continue
            moved = touch.transfer
            if moved is not None and moved.location == one.location and one.equal.minus(moved.may).holds(asked):
                continue
            if touch.loop in (given.loop, taken.loop):
                return None
            out.append(number)
        return out

    def repeated(self, source: int, store: int) -> list[int] | None:
        """As `losing`, for a store of what memory has since the source; None if it has it not."""
        given, taken = self.touches[source], self.touches[store]
        one, other = given.transfer, taken.transfer
        if one is None or other is None or one.location is None or one.location != other.location:
            return None
        if one.value != other.value:
            return None
        if other.merges or other.must.is_all:
            if not one.equal.holds(other.may):
                return None
        elif not given.is_write or one.must != other.must or one.merges != other.merges:
            return None
        out: list[int] = []
        for number in range(source + 1, store):
            touch = self.touches[number]
            if not touch.is_write or not self.meet(number, source):
                continue
            moved = touch.transfer
            if moved is not None and moved.location == one.location and not moved.may.meets(other.may):
                continue
            if touch.loop in (given.loop, taken.loop):
                return None
            out.append(number)
        return out

    def covers(self, later: int, store: int) -> bool:
        """Whether a later store surely overwrites all of a store."""
        one, other = self.touches[store].transfer, self.touches[later].transfer
        if one is None or other is None or one.location is None or one.location != other.location:
            return False
        return other.must.holds(one.may)

    def between(self, first: int, last: int) -> list[int]:
        """The loads between two accesses that may read what the first one wrote."""
        return [n for n in range(first + 1, last) if not self.touches[n].is_write and self.meet(n, first)]


def _with_induction(loop: Loop, leader: Loop) -> Loop:
    """The loop with the induction variable of another one."""
    if loop is leader:
        return loop
    body = tuple(replaced(item, {loop.induction: leader.induction}) for item in loop.body)
    carried = tuple(
        one._replace(yielded=leader.induction if one.yielded == loop.induction else one.yielded) for one in loop.carried
    )
    return loop._replace(induction=leader.induction, bounds=leader.bounds, body=body, carried=carried)


def _swapped(code: Code, loops: dict[int, Loop]) -> Code:
    def swap(items: tuple[Item, ...]) -> tuple[Item, ...]:
        return tuple(one(item) for item in items)

    def one(item: Item) -> Item:
        if isinstance(item, Loop):
            return loops[id(item)] if id(item) in loops else item._replace(body=swap(item.body))
        if isinstance(item, Scope):
            return item._replace(blocks=tuple(swap(block) for block in item.blocks))
        return item

    return Code(code.graph, swap(code.items))


class Feeds(NamedTuple):
    """The stores that a value reaches through what is computed from it; `needed` if it reaches anything else that
    stays: what a loop carries, what stands in inner regions, what leaves the items.
    """

    stores: tuple[OpNode, ...]
    needed: bool


def feeds(items: tuple[Item, ...], value: int, outside: frozenset[int], handed: Mapping[int, int]) -> Feeds:
    """Where a value of some items goes; `outside` are the values that something behind the items uses, or that stay
    though nobody does, `handed` the values in the place of what is loaded.
    """
    reached = {value}
    stores: list[OpNode] = []
    needed = False

    def follow(block: tuple[Item, ...]) -> None:
        nonlocal needed
        for item in block:
            if isinstance(item, Straight):
                reached.update(result for result in item.node.results if handed.get(result) in reached)
            if not uses_of(item) & reached:
                continue
            if isinstance(item, Straight) and is_pure(item.node):
                reached.update(item.node.results)
            elif isinstance(item, Straight) and item.role("destination") is not None:
                stores.append(item.node)
            elif isinstance(item, Loop) and not any(
                one.init in reached or one.yielded in reached for one in item.carried
            ):
                follow(item.body)
                needed = needed or any(one.yielded in reached for one in item.carried)
            else:
                needed = True

    follow(items)
    return Feeds(tuple(stores), needed or bool(reached & outside))
