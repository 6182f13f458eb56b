"""Blocks of loops -> FusionProblem. Source: fusion spec 4.7, 5."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from layoutsolver.fusion.access import Facts
from layoutsolver.fusion.apart import Apart
from layoutsolver.fusion.code import Code, Item, Loop, Straight, inside, results_of, uses_of, walk
from layoutsolver.fusion.distance import Undecided, meeting
from layoutsolver.fusion.liveness import Reader
from layoutsolver.fusion.registers import registers_of
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.pto_types import PointerType, VmiMaskType, VmiVectorType
from layoutsolver.mlir.types import MemRefType, ScalarType
from layoutsolver.pose.fusion.block import Block, body_effect, header_difference, window_of
from layoutsolver.pose.fusion.predicates import Pattern, Predicates
from layoutsolver.pose.fusion.traffic import Traffic, feeds
from layoutsolver_models.problems.fusion import (
    FusionApart,
    FusionCarried,
    FusionCover,
    FusionHazard,
    FusionLimits,
    FusionLoad,
    FusionLoop,
    FusionOrder,
    FusionProblem,
    FusionSource,
    FusionStep,
    FusionStore,
    FusionValue,
    FusionWeights,
)
from layoutsolver_models.problems.layout import Where


class Posed(NamedTuple):
    """A problem, the block it was made of, why pairs of loops are apart (those that are, by number), and the operations
    of its loads and stores.
    """

    problem: FusionProblem
    block: Block
    apart: dict[tuple[int, int], Apart]
    loads: tuple[int, ...]
    stores: tuple[int, ...]


class PoseOptions(NamedTuple):
    """Weights, limits, the turns of a loop whose bounds are not known, and whether stores may go that nobody reads."""

    weights: FusionWeights = FusionWeights()
    limits: FusionLimits = FusionLimits()
    assumed_turns: int = 16
    exit_dse: bool = True
    trust_zero: bool = False


class Around(NamedTuple):
    """What is known of a program as it stands: of each store who may read it, which operations elision leaves, the
    values that nobody uses, which elision leaves as well, and for each load that elision hands a value, by its result,
    that value.
    """

    readers: dict[int, tuple[Reader, ...]]
    left: frozenset[int]
    unused: frozenset[int]
    handed: dict[int, int]


def pose(code: Code, facts: Facts, items: tuple[Item, ...], around: Around, options: PoseOptions) -> Posed:
    """The problem of one block of a program."""
    return _Poser(code, Block(items, facts), around, options).pose()


class _Poser:
    def __init__(self, code: Code, block: Block, around: Around, options: PoseOptions) -> None:
        self.graph: Graph = code.graph
        self.block = block
        self.facts = block.facts
        self.around = around
        tops = {value for item in block.items if isinstance(item, Straight) for value in item.node.results}
        self.handed = {load: value for load, value in around.handed.items() if load in tops}
        self.options = options
        self.loops = [block.loop(number) for number in range(len(block.loops))]
        self.headers = self._headers()
        self.traffic = Traffic(code, self.loops, self.headers, options.trust_zero)
        self.predicates = Predicates(self.traffic.demands)
        self.made = {value for loop in self.loops for value in self.facts.defined_inside(loop)}
        self.values: dict[Hashable, int] = {}
        self.sizes: list[FusionValue] = []
        touches = self.traffic.touches
        self.load_number = {touch: number for number, touch in enumerate(self.traffic.reads)}
        self.store_number = {touch: number for number, touch in enumerate(self.traffic.writes)}
        self.by_node = {touches[touch].node.index: touch for touch in range(len(touches))}
        self.between = self._between()
        first = len(self.load_number)
        self.between_number = {item.node.index: first + at for at, item in enumerate(self.between)}

    def pose(self) -> Posed:
        apart, orders = self._pairs()
        traffic = self.traffic
        loops = tuple(self._loop(number) for number in range(len(self.loops)))
        loads = [self._load(touch) for touch in traffic.reads]
        loads += [self._load_between(item) for item in self.between]
        stores = tuple(self._store(touch) for touch in traffic.writes)
        problem = FusionProblem(
            loops, tuple(self.sizes), tuple(without_circles(loads, stores)), stores,
            tuple(self._hazards(apart)), tuple(orders),
            tuple(FusionApart(first, second, one.rule) for (first, second), one in sorted(apart.items())),
            self.options.weights, self.options.limits, max((loop.runs for loop in loops), default=1),
        )  # fmt: skip
        nodes = traffic.touches
        return Posed(
            problem, self.block, apart,
            (*(nodes[touch].node.index for touch in traffic.reads), *(item.node.index for item in self.between)),
            tuple(nodes[touch].node.index for touch in traffic.writes),
        )  # fmt: skip

    # -- loops ------------------------------------------------------------------------------------------------

    def _headers(self) -> list[int]:
        """For each loop, the number of its header; loops whose bodies keep them by themselves have their own."""
        leaders: list[Loop | None] = []
        out: list[int] = []
        for loop in self.loops:
            if body_effect(loop, self.facts) is not None:
                out.append(len(leaders))
                leaders.append(None)
                continue
            found = next(
                (number for number, leader in enumerate(leaders)
                 if leader is not None and not header_difference(leader, loop, self.facts)),
                len(leaders),
            )  # fmt: skip
            if found == len(leaders):
                leaders.append(loop)
            out.append(found)
        return out

    def _pairs(self) -> tuple[dict[tuple[int, int], Apart], list[FusionOrder]]:
        apart: dict[tuple[int, int], Apart] = {}
        orders: list[FusionOrder] = []
        block = self.block
        for second in range(len(self.loops)):
            for first in range(second):
                before, after = block.loops[first], block.loops[second]
                if before in block.edges[after]:
                    barrier = block.needs_barrier(first, second)
                    orders.append(FusionOrder(first, second, False, barrier))
                if before in block.paths[after] and block.paths[after][before]:
                    orders.append(FusionOrder(first, second, True))
                if self.headers[first] == self.headers[second]:
                    found = block.apart(first, second)
                    if found is not None:
                        apart[first, second] = found
        return apart, orders

    def _loop(self, number: int) -> FusionLoop:
        loop = self.loops[number]
        turns = self.facts.numbers.turns(loop).length
        steps = tuple(self._step(item) for item in self.traffic.bodies[number].body)
        carried = tuple(
            FusionCarried(self.value(one.argument), self.value(one.yielded))
            for one in loop.carried
            if self.is_vector(one.argument)
        )
        return FusionLoop(
            f"loop {number}", self.headers[number], self.options.assumed_turns if turns is None else turns, steps,
            carried, self._parameters(loop), max(loop.node.weight, 1), self.where(loop),
        )  # fmt: skip

    def _step(self, item: Item) -> FusionStep:
        uses: list[int] = []
        for value in sorted(uses_of(item)):
            if self.is_vector(value):
                uses += self._taken(value)
        uses += [self.pattern(one) for one in self.predicates.implied(item)]
        makes = [value for value in results_of(item) if self.is_vector(value)]
        return FusionStep(tuple(dict.fromkeys(uses)), tuple(self.value(value) for value in makes))

    def _taken(self, value: int) -> list[int]:
        """The numbers of what holds a vector or mask: masks from outside share the registers of equal lanes."""
        is_mask = isinstance(self.graph.values[value].type, VmiMaskType)
        patterns = self.predicates.patterns(value) if is_mask and value not in self.made else ()
        return [self.pattern(one) for one in patterns] or [self.value(value)]

    def pattern(self, pattern: Pattern) -> int:
        """The number of a predicate of known lanes."""
        if pattern.key not in self.values:
            self.values[pattern.key] = len(self.sizes)
            self.sizes.append(FusionValue(pattern.name, 0, 1))
        return self.values[pattern.key]

    def is_vector(self, value: int) -> bool:
        """Whether a value is a vector or mask."""
        return isinstance(self.graph.values[value].type, VmiVectorType | VmiMaskType)

    def value(self, value: int) -> int:
        """The number of a vector or mask in the problem."""
        if value not in self.values:
            self.values[value] = len(self.sizes)
            known = self.graph.values[value]
            is_mask = isinstance(known.type, VmiMaskType)
            registers = 0 if is_mask else registers_of(self.graph, value)
            predicates = self.predicates.registers(value) if is_mask else 0
            self.sizes.append(FusionValue(known.name, registers, predicates))
        return self.values[value]

    def _parameters(self, loop: Loop) -> tuple[str, ...]:
        """The parts of memory that a loop touches, and the numbers from outside that are no constants."""
        names: set[str] = set()
        for access in self.facts.body_effects(loop).accesses:
            root = access.root
            names.add(f"{root.space}:{root.base}:{root.start}")
        for value in uses_of(loop):
            type_ = self.graph.values[value].type
            if isinstance(type_, PointerType | MemRefType) or not isinstance(type_, ScalarType):
                continue
            if self.facts.numbers.constant(value) is None and value not in self.graph.constants:
                definition = self.facts.numbers.definitions.get(value)
                if definition is None or definition.node.name != "arith.constant":
                    names.add(f"%{value}")
        return tuple(sorted(names))

    def where(self, item: Item) -> Where:
        """The place of an item."""
        span = item.node.span
        line, column = self.graph.module.source.line_column(span.start)
        return Where(span.start, span.end, line, column)

    # -- traffic ----------------------------------------------------------------------------------------------

    def _load(self, touch: int) -> FusionLoad:
        traffic = self.traffic
        one = traffic.touches[touch]
        place = self._place(touch)
        results = [value for value in one.node.results if self.is_vector(value)]
        simple = one.transfer is not None
        if not results or one.node.name != "pto.vmi.vload" or not self._is_direct(touch):
            return FusionLoad(one.loop, one.step, -1, 0, needed=True, where=place)
        registers = sum(registers_of(self.graph, value) for value in results)
        loop = traffic.bodies[one.loop]
        yielded = frozenset(carried.yielded for carried in loop.carried)
        stores, needed = self._feeds(loop.body, results, yielded)
        sources = tuple(self._sources(touch)) if simple else ()
        return FusionLoad(
            one.loop, one.step, self.value(results[0]), registers, sources, stores, needed, place
        )  # fmt: skip

    def _feeds(
        self, items: tuple[Item, ...], values: list[int], outside: frozenset[int]
    ) -> tuple[tuple[int, ...], bool]:
        """The stores in loops that values reach, and whether they reach anything else that stays."""
        stores: list[int] = []
        needed = False
        for value in values:
            found = feeds(items, value, outside | self.around.unused, self.handed)
            needed = needed or found.needed
            for node in found.stores:
                touch = self.by_node.get(node.index)
                if touch is not None:
                    stores.append(self.store_number[touch])
                else:
                    needed = needed or node.index in self.around.left
        return tuple(dict.fromkeys(stores)), needed

    def _between(self) -> list[Straight]:
        """The loads between loops that elision leaves where they are as long as somebody uses them."""
        return [
            item for item in self.block.items
            if isinstance(item, Straight) and item.node.name == "pto.vmi.vload" and item.node.index in self.around.left
        ]  # fmt: skip

    def _load_between(self, item: Straight) -> FusionLoad:
        results = [value for value in results_of(item) if self.is_vector(value)]
        registers = sum(registers_of(self.graph, value) for value in results)
        inner = {id(one) for one in walk(self.block.items)}
        used = frozenset(
            value for one in walk(self.facts.code.items) if id(one) not in inner and not _holds(one, self.block.items)
            for value in one.operands
        )  # fmt: skip
        stores, needed = self._feeds(self.block.items, results, used)
        return FusionLoad(-1, -1, -1, registers, (), stores, needed, self.where(item))

    def _sources(self, touch: int) -> list[FusionSource]:
        """Where a load may take its value from, the nearest first."""
        traffic = self.traffic
        mine = traffic.touches[touch]
        out: list[FusionSource] = []
        for source in range(touch - 1, -1, -1):
            other = traffic.touches[source]
            if self.headers[other.loop] != self.headers[mine.loop] or other.transfer is None or mine.transfer is None:
                continue
            if other.transfer.location != mine.transfer.location:
                continue
            lost = traffic.losing(source, touch)
            if lost is not None:
                number = self.store_number[source] if other.is_write else self.load_number[source]
                out.append(FusionSource(number, not other.is_write, self._blockers(lost, mine.loop)))
        return out

    def _blockers(self, touches: list[int], loop: int) -> tuple[int, ...]:
        """Those of some stores that may come into one cluster with a loop."""
        header = self.headers[loop]
        return tuple(
            self.store_number[touch] for touch in touches if self.headers[self.traffic.touches[touch].loop] == header
        )

    def _store(self, touch: int) -> FusionStore:
        traffic = self.traffic
        one = traffic.touches[touch]
        place = self._place(touch)
        if one.transfer is None:
            registers = self._stored_registers(touch)
            return FusionStore(one.loop, one.step, -1, registers, (), "it is not understood well enough", where=place)
        known = self.around.readers.get(one.node.index)
        loads: list[int] = []
        escapes = ""
        for reader in known or ():
            reading = None if reader.node is None else self.by_node.get(reader.node.index)
            if reading is not None and not traffic.touches[reading].is_write:
                loads.append(self.load_number[reading])
            elif reader.node is not None and reader.node.index in self.between_number:
                loads.append(self.between_number[reader.node.index])
            elif reader.node is not None and reader.node.name == "pto.vmi.vload" and self._is_gone(reader.node):
                continue
            elif not escapes:
                escapes = reader.why if reader.node is None else f"{reader.node.name}: {reader.why}"
        if known is None:
            escapes = "nobody can tell who reads it"
        if not self.options.exit_dse:
            escapes = escapes or "stores stay though nobody reads them"
        return FusionStore(
            one.loop, one.step, self.value(one.transfer.value), self._stored_registers(touch),
            tuple(dict.fromkeys(loads)), escapes, tuple(self._covers(touch)), tuple(self._repeats(touch)), place,
        )  # fmt: skip

    def _is_gone(self, node: OpNode) -> bool:
        """Whether elision leaves out a load whatever loops are fused."""
        return node.index not in self.around.left and not any(item.node is node for item in walk(tuple(self.loops)))

    def _is_direct(self, touch: int) -> bool:
        """Whether an access stands in the body itself: what is in inner regions stays as it is, and is not counted."""
        one = self.traffic.touches[touch]
        return self.traffic.bodies[one.loop].body[one.step].node is one.node

    def _stored_registers(self, touch: int) -> int:
        """The registers that a store writes, none for what is no store of vectors."""
        one = self.traffic.touches[touch]
        item = self.traffic.bodies[one.loop].body[one.step]
        if not isinstance(item, Straight) or item.node.name != "pto.vmi.vstore" or not self._is_direct(touch):
            return 0
        stored = [item.role("value"), item.role("high")]
        return sum(registers_of(self.graph, value) for value in stored if value is not None)

    def _covers(self, touch: int) -> list[FusionCover]:
        traffic = self.traffic
        mine = traffic.touches[touch]
        out: list[FusionCover] = []
        for later in traffic.writes:
            other = traffic.touches[later]
            if later <= touch or self.headers[other.loop] != self.headers[mine.loop]:
                continue
            if traffic.covers(later, touch):
                seen = tuple(
                    self.load_number[read] for read in traffic.between(touch, later)
                    if self.headers[traffic.touches[read].loop] == self.headers[mine.loop]
                )  # fmt: skip
                out.append(FusionCover(self.store_number[later], seen))
        return out

    def _repeats(self, touch: int) -> list[FusionSource]:
        traffic = self.traffic
        mine = traffic.touches[touch]
        out: list[FusionSource] = []
        for source in range(touch - 1, -1, -1):
            other = traffic.touches[source]
            if self.headers[other.loop] != self.headers[mine.loop]:
                continue
            lost = traffic.repeated(source, touch)
            if lost is not None and self._whole(source, touch):
                number = self.store_number[source] if other.is_write else self.load_number[source]
                out.append(FusionSource(number, not other.is_write, self._blockers(lost, mine.loop)))
        return out

    def _whole(self, source: int, store: int) -> bool:
        """Whether whatever a load may take its value from has all lanes that a store changes."""
        traffic = self.traffic
        stored = traffic.touches[store].transfer
        if stored is None:
            return False
        known = [number for number in range(source) if traffic.losing(number, source) is not None]
        sources = [traffic.touches[number].transfer for number in known]
        return all(given is not None and given.equal.holds(stored.may) for given in sources)

    def _place(self, touch: int) -> Where:
        span = self.traffic.touches[touch].node.span
        line, column = self.graph.module.source.line_column(span.start)
        return Where(span.start, span.end, line, column)

    def _hazards(self, apart: dict[tuple[int, int], Apart]) -> list[FusionHazard]:
        """Stores, and later accesses to their bytes in one body: in the same turn, or in a later one."""
        out: list[FusionHazard] = []
        traffic = self.traffic
        for store in traffic.writes:
            mine = traffic.touches[store]
            for touch, other in enumerate(traffic.touches):
                pair = (mine.loop, other.loop)
                if other.loop < mine.loop or self.headers[pair[0]] != self.headers[pair[1]] or pair in apart:
                    continue
                if self._in_order(store, touch):
                    number = self.store_number[store]
                    if other.is_write:
                        out.append(FusionHazard(number, store=self.store_number[touch]))
                    else:
                        out.append(FusionHazard(number, load=self.load_number[touch]))
        return out

    def _in_order(self, store: int, touch: int) -> bool:
        """Whether an access may meet a store of the same turn before it, or of an earlier turn."""
        traffic = self.traffic
        mine, other = traffic.touches[store], traffic.touches[touch]
        if store < touch and traffic.meet(store, touch):
            return True
        one, two = traffic.bodies[mine.loop], traffic.bodies[other.loop]
        window = window_of(other.access, mine.access, two, one, traffic.facts)
        length = traffic.facts.numbers.turns(one).length
        if length is not None and length < 2:
            return False
        if window is None:
            return mine.access.root.space == other.access.root.space and self._may_ever(store, touch)
        try:
            return meeting(window, length) is not None
        except Undecided:
            return True

    def _may_ever(self, store: int, touch: int) -> bool:
        from layoutsolver.fusion.access import sweep
        from layoutsolver.fusion.conflict import may_meet

        traffic = self.traffic
        one, two = traffic.touches[store], traffic.touches[touch]
        loop = traffic.bodies[one.loop]
        turns = traffic.facts.numbers.turns(loop)
        swept = [sweep(each.access, loop.induction, turns, frozenset({loop.induction})) for each in (one, two)]
        return may_meet(*swept)


def _holds(item: Item, items: tuple[Item, ...]) -> bool:
    """Whether an item is around some items: what it uses itself is not meant."""
    return any(block is items for block in inside(item))


def without_circles(loads: list[FusionLoad], stores: tuple[FusionStore, ...]) -> list[FusionLoad]:
    """The loads; those whose values come back to them through memory are needed: nothing shows that they are not."""
    after: list[set[int]] = [{r for store in load.feeds for r in stores[store].readers} for load in loads]
    out: list[FusionLoad] = []
    for number, load in enumerate(loads):
        seen: set[int] = set()
        stack = list(after[number])
        while stack and number not in seen:
            one = stack.pop()
            if one not in seen:
                seen.add(one)
                stack += after[one]
        out.append(load._replace(needed=True) if number in seen else load)
    return out
